import { hkdfSync } from "node:crypto";

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
