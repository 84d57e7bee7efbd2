import { isIPv6 } from "node:net";
import { ok, refuse } from "../../platform/result.ts";
import { addressOctets, ipv6Address } from "./addresses.ts";
import { readGeneric, unwantedPriority } from "./character-strings.ts";
import type { ValueRule } from "./value-rule.ts";

const wrongForm = 'The AAAA value must be an IPv6 address without brackets or a zone index, such as "2001:db8::1".';

/** AAAA: an IPv6 address (RFC 3596 §2.2), canonical as in RFC 5952. */
export const aaaaRule: ValueRule = {
  recordType: "AAAA",
  write(value, priority) {
    return unwantedPriority("AAAA", priority) ?? canonical(value.trim());
  },
  read(fields) {
    const generic = readGeneric(fields);
    if (!generic) return canonical(fields.map((field) => field.raw).join(" "));
    if (!generic.ok) return generic;
    const { value: rdata } = generic;
    if (rdata.length !== 16) return refuse(wrongForm);
    return canonical(ipv6Address(rdata));
  },
  print(value) {
    return value;
  },
};

function canonical(address: string) {
  if (!isIPv6(address) || address.includes("%")) return refuse(wrongForm);
  return ok({ value: formatAddress(groupsOf(address)), priority: null, warnings: [] });
}

/** Returns the eight 16-bit groups of a valid address. */
function groupsOf(address: string): number[] {
  const octets = addressOctets(address);
  return Array.from({ length: 8 }, (_, index) => octets.readUInt16BE(2 * index));
}

/** RFC 5952 §4: lower case, no leading zeros, the first longest run of two or more zero groups as `::`; §5: mapped IPv4. */
function formatAddress(groups: readonly number[]): string {
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return `::ffff:${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
  }
  let longest = { start: 0, length: 1 };
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0;
    while (groups[start + length] === 0) length += 1;
    if (length > longest.length) longest = { start, length };
  }
  const hex = (from: number, to?: number) =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(":");
  return longest.length === 1 ? hex(0) : `${hex(0, longest.start)}::${hex(longest.start + longest.length)}`;
}
