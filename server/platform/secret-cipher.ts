import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  randomBytes,
  type KeyObject,
  hkdfSync,
} from "node:crypto";

/** The installation's secret keys: the first signs and encrypts, all verify and decrypt. */
export interface Keyring {
  /** Returns 32-byte keys for one purpose, newest first. Keys of different purposes are independent (HKDF). */
  keysFor(purpose: string): readonly [Uint8Array, ...Uint8Array[]];
}

export function createKeyring(secretKeys: readonly [string, ...string[]]): Keyring {
  return {
    keysFor(purpose) {
      const [first, ...others] = secretKeys;
      return [derive(first, purpose), ...others.map((secret) => derive(secret, purpose))];
    },
  };
}

function derive(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", `zonewright ${purpose}`, 32));
}

/** The result of decrypting a sealed text. */
export type Opened =
  | { ok: true; text: string }
  /** `unknownKey`: encrypted with a key that is not configured. `damaged`: altered, or bound to other `aad`. */
  | { ok: false; reason: "unknownKey" | "damaged" };

const version = "v1";
const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

interface NamedKey {
  id: string;
  key: KeyObject;
}

/**
 * Encrypts short secrets for the database with AES-256-GCM (NIST SP 800-38D). A sealed text is `v1.<key id>.<nonce>.<tag>.<ciphertext>`, the last
 * three in base64url. `aad` (additional authenticated data) names the secret's owner; a secret moved elsewhere does not decrypt.
 */
export class SecretCipher {
  readonly #newest: NamedKey;
  readonly #keys: ReadonlyMap<string, NamedKey>;

  /** @param purpose selects the keys; ciphers with different purposes cannot decrypt each other's texts */
  constructor(keyring: Keyring, purpose: string) {
    const [first, ...others] = keyring.keysFor(purpose);
    this.#newest = named(first);
    this.#keys = new Map([this.#newest, ...others.map(named)].map((key) => [key.id, key]));
  }

  seal(text: string, aad: readonly string[]): string {
    const { id, key } = this.#newest;
    const nonce = randomBytes(nonceBytes);
    const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
    sealing.setAAD(boundTo(id, aad));
    const sealed = Buffer.concat([sealing.update(text, "utf8"), sealing.final()]);
    return [version, id, ...[nonce, sealing.getAuthTag(), sealed].map((part) => part.toString("base64url"))].join(".");
  }

  open(sealed: string, aad: readonly string[]): Opened {
    const parts = partsOf(sealed);
    if (!parts) return { ok: false, reason: "damaged" };
    const found = this.#keys.get(parts.keyId);
    if (!found) return { ok: false, reason: "unknownKey" };
    try {
      const opening = createDecipheriv(cipher, found.key, parts.nonce, { authTagLength: tagBytes });
      opening.setAAD(boundTo(found.id, aad));
      opening.setAuthTag(parts.tag);
      return { ok: true, text: opening.update(parts.content, undefined, "utf8") + opening.final("utf8") };
    } catch {
      return { ok: false, reason: "damaged" };
    }
  }

  /** Returns the text encrypted with the newest key, unchanged if it already is, or null if it does not decrypt. */
  resealed(sealed: string, aad: readonly string[]): string | null {
    const opened = this.open(sealed, aad);
    if (!opened.ok) return null;
    return this.isCurrent(sealed) ? sealed : this.seal(opened.text, aad);
  }

  /** Returns whether the newest key encrypted it; if not, it needs `resealed`. */
  isCurrent(sealed: string): boolean {
    return partsOf(sealed)?.keyId === this.#newest.id;
  }
}

function named(key: Uint8Array): NamedKey {
  const id = createHash("sha256").update("key id").update(key).digest("hex").slice(0, 16);
  return { id, key: createSecretKey(key) };
}

/** Returns the additional authenticated data. JSON distinguishes `["a", "bc"]` from `["ab", "c"]`. */
function boundTo(keyId: string, aad: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify([version, keyId, ...aad]));
}

function partsOf(sealed: string): { keyId: string; nonce: Buffer; tag: Buffer; content: Buffer } | null {
  const [given, keyId = "", nonce = "", tag = "", content = "", ...others] = sealed.split(".");
  if (given !== version || others.length > 0) return null;
  const parts = { keyId, nonce: decode(nonce), tag: decode(tag), content: decode(content) };
  return parts.nonce.length === nonceBytes && parts.tag.length === tagBytes ? parts : null;
}

function decode(text: string): Buffer {
  return Buffer.from(text, "base64url");
}
