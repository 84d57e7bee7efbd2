import { dataRule } from "./data.ts";
import type { ValueRule } from "./value-rule.ts";

/** RSA, DSA (RFC 4255 §3.1.1), ECDSA (RFC 6594 §3.1), Ed25519 (RFC 7479), Ed448 (RFC 8709 §5). */
const algorithms = new Set(["1", "2", "3", "4", "6"]);

/** SSHFP: the fingerprint of a host key, `<algorithm> <type> <hexadecimal>` (RFC 4255 §3.1). */
export const sshfpRule: ValueRule = dataRule("SSHFP", {
  form: '"<algorithm> <fingerprint type> <hexadecimal>", such as a line of "ssh-keygen -r host"',
  warnings: ([algorithm = "", type = ""]) => [
    ...(algorithms.has(algorithm)
      ? []
      : [`The SSHFP algorithm ${algorithm} is not assigned. SSH clients ignore such a record.`]),
    ...(type === "1" ? ["SHA-1 fingerprints (type 1) are weak. Add one with SHA-256 (type 2)."] : []),
  ],
});
