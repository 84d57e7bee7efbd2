import { randomBytes } from "node:crypto";
import type { SecretCipher } from "../platform/secret-cipher.ts";
import type { TsigAlgorithm } from "../dns/wire/tsig.ts";

const base32 = "abcdefghijklmnopqrstuvwxyz234567";
/** 65 bits. */
const randomLength = 13;

/** A secret has as many octets as the hash's result (RFC 8945 §8). */
const secretOctets: Readonly<Record<TsigAlgorithm, number>> = {
  "hmac-sha1": 20,
  "hmac-sha256": 32,
  "hmac-sha384": 48,
  "hmac-sha512": 64,
};

/** Returns a new key name. It is random, because anyone may ask a DNS server about names. */
export function newKeyName(): string {
  return `zw-${Array.from(randomBytes(randomLength), (octet) => base32.charAt(octet & 31)).join("")}`;
}

/** Returns whether a canonical name could be one of {@link newKeyName}. */
export function isKeyName(name: string): boolean {
  return /^zw-[a-z2-7]{13}$/.test(name);
}

/** Returns a new secret. */
export function newSecret(algorithm: TsigAlgorithm): Buffer {
  return randomBytes(secretOctets[algorithm]);
}

/** Encrypts the secrets of TSIG keys, each bound to its row. */
export class TsigSecrets {
  readonly #cipher: SecretCipher;

  constructor(cipher: SecretCipher) {
    this.#cipher = cipher;
  }

  seal(id: string, secret: Buffer): string {
    return this.#cipher.seal(secret.toString("base64"), aadOf(id));
  }

  /** Returns null if no key of SECRET_KEYS decrypts it. */
  open(id: string, sealed: string): Buffer | null {
    const opened = this.#cipher.open(sealed, aadOf(id));
    return opened.ok ? Buffer.from(opened.text, "base64") : null;
  }

  /** Returns the secret encrypted with the newest of SECRET_KEYS, or null if none decrypts it. */
  resealed(id: string, sealed: string): string | null {
    return this.#cipher.resealed(sealed, aadOf(id));
  }
}

function aadOf(id: string): string[] {
  return ["tsig_keys", id];
}
