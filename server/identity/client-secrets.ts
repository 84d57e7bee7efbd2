import type { SecretCipher } from "../platform/secret-cipher.ts";

/** The client secrets within configurations: sealed at rest, bound to their configuration, never shown. */
export class ClientSecrets {
  readonly #box: SecretCipher;

  constructor(box: SecretCipher) {
    this.#box = box;
  }

  seal(configId: string, secret: string): string {
    return this.#box.seal(secret, placeOf(configId));
  }

  /** Null when no key opens it. */
  open(configId: string, sealed: string): string | null {
    const opened = this.#box.open(sealed, placeOf(configId));
    return opened.ok ? opened.text : null;
  }

  /** Sealed by the newest key; null when no key opens it. */
  resealed(configId: string, sealed: string): string | null {
    return this.#box.resealed(sealed, placeOf(configId));
  }
}

function placeOf(configId: string): string[] {
  return ["identity_configs", configId, "clientSecret"];
}

/** A client id with its middle hidden: enough to tell which one it is. */
export function maskedClientId(clientId: string): string {
  const shown = Math.min(4, Math.floor(clientId.length / 4));
  return `${clientId.slice(0, shown)}****${clientId.slice(clientId.length - shown)}`;
}
