import type { TsigKey } from "../../server/dns/wire/tsig.ts";

const keyOf = (name: string): TsigKey => ({ name, algorithm: "hmac-sha256", secret: Buffer.from(`secret of ${name}`) });

/** Keys that configurations may have, and one that none has. */
export const keys = { one: keyOf("one"), two: keyOf("two"), three: keyOf("three"), unknown: keyOf("unknown") };
const credentials: Record<string, TsigKey | null> = { none: null, ...keys };
export const addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4", "::1"];

/** Who may ask: each pair of an address and a key, as `127.0.0.1 none`. */
export const everybody = addresses.flatMap((from) =>
  Object.keys(credentials).map((credential) => `${from} ${credential}`),
);

/** Returns the address and the key of one of everybody. */
export function partsOf(who: string): { from: string; key: TsigKey | null } {
  const [from = "", credential = ""] = who.split(" ");
  return { from, key: credentials[credential] ?? null };
}

/** Returns keys as a configuration has them. */
export function asText(...given: readonly TsigKey[]): string {
  return given.map(({ name, algorithm, secret }) => `${name}:${algorithm}:${secret.toString("base64")}`).join(",");
}
