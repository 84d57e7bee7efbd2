import { dataRule } from "./data.ts";
import type { ValueRule } from "./value-rule.ts";

/** DS: the key of a signed delegation, `<key tag> <algorithm> <digest type> <hexadecimal>` (RFC 4034 §5.1). */
export const dsRule: ValueRule = dataRule("DS", {
  form: '"<key tag> <algorithm> <digest type> <hexadecimal>", such as a line of "dnssec-dsfromkey"',
  warnings: ([, , digestType]) =>
    digestType === "1"
      ? ["Resolvers may ignore DS records with SHA-1 (digest type 1, RFC 8624 §3.3). Use SHA-256 (2)."]
      : [],
});
