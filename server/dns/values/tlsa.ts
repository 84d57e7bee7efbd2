import { dataRule } from "./data.ts";
import type { ValueRule } from "./value-rule.ts";

/** Largest assigned numbers of usage, selector and matching type (RFC 7218 §2). 255 is for private use. */
const assigned = [3, 1, 2];
/** SHA-256 and SHA-512 (RFC 6698 §2.1.3). */
const hashOctets = new Map([
  ["1", 32],
  ["2", 64],
]);
const names = ["usage", "selector", "matching type"];

/** Returns the rule of a certificate association, `<usage> <selector> <matching type> <hexadecimal>` (RFC 6698 §2.1). */
function associationRule(recordType: string): ValueRule {
  return dataRule(recordType, {
    form: '"<usage> <selector> <matching type> <hexadecimal>", such as "3 1 1 " and the SHA-256 hash of a public key',
    fault: ([, , matchingType = "", hash = ""]) => {
      const octets = hashOctets.get(matchingType);
      if (octets === undefined || hash.length === 2 * octets) return null;
      return `The ${recordType} data is invalid: a hash of matching type ${matchingType} has ${octets} octets, not ${hash.length / 2}.`;
    },
    warnings: (fields) =>
      names.flatMap((name, index) => {
        const number = Number(fields[index]);
        if (number <= (assigned[index] ?? 0) || number === 255) return [];
        return [`The ${recordType} ${name} ${number} is not assigned. Clients ignore such a record.`];
      }),
  });
}

/** TLSA: the certificate or key of a server (RFC 6698). */
export const tlsaRule: ValueRule = associationRule("TLSA");
/** SMIMEA: the certificate or key of a mail user, in the same form (RFC 8162 §2). */
export const smimeaRule: ValueRule = associationRule("SMIMEA");
