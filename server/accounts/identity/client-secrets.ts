import type { SecretCipher } from "../../platform/secret-cipher.ts";

/** Encrypts the client secrets of configurations, each bound to its configuration. They are never shown. */
export class ClientSecrets {
  readonly #cipher: SecretCipher;

  constructor(cipher: SecretCipher) {
    this.#cipher = cipher;
  }

  seal(configId: string, secret: string): string {
    return this.#cipher.seal(secret, aadOf(configId));
  }

  /** Decrypts a secret. Returns null if no key decrypts it. */
  open(configId: string, sealed: string): string | null {
    const opened = this.#cipher.open(sealed, aadOf(configId));
    return opened.ok ? opened.text : null;
  }

  /** Returns the secret encrypted with the newest key, or null if no key decrypts it. */
  resealed(configId: string, sealed: string): string | null {
    return this.#cipher.resealed(sealed, aadOf(configId));
  }
}

function aadOf(configId: string): string[] {
  return ["identity_configs", configId, "clientSecret"];
}

/** Masks the middle of a client id, so that it remains recognizable. */
export function maskedClientId(clientId: string): string {
  const shown = Math.min(4, Math.floor(clientId.length / 4));
  return `${clientId.slice(0, shown)}****${clientId.slice(clientId.length - shown)}`;
}
