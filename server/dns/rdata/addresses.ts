import { isIPv4, isIPv6 } from "node:net";
import { readHostAsWritten } from "../names/names.ts";
import { WireError, writeName } from "../names/wire-names.ts";
import { aaaaRule } from "../values/aaaa.ts";
import { addressOctets, ipv6Address } from "../values/addresses.ts";
import { shortened, type RdataPart } from "./field.ts";
import { octetsOf } from "./numbers.ts";

/** A domain name; relative names are completed by the origin. */
export function name(what = "name"): RdataPart {
  return {
    parse(fields) {
      return nameOctets(fields.take(what).raw, fields.origin);
    },
    print(octets) {
      return octets.name();
    },
  };
}

export function nameOctets(raw: string, origin: string): Buffer {
  const host = readHostAsWritten(raw, origin);
  if (!host.ok) throw new WireError(`${host.message.charAt(0).toLowerCase()}${host.message.slice(1, -1)}`);
  return writeName(host.value);
}

export const ipv4: RdataPart = {
  parse: (fields) => ipv4Octets(fields.takeWord("IPv4 address")),
  print: (octets) => octets.take(4).join("."),
};

export const ipv6: RdataPart = {
  parse: (fields) => ipv6Octets(fields.takeWord("IPv6 address")),
  print: (octets) => printIPv6(octets.take(16)),
};

function ipv4Octets(text: string): Buffer {
  if (!isIPv4(text)) throw new WireError(`"${shortened(text)}" is not an IPv4 address`);
  return addressOctets(text);
}

function ipv6Octets(text: string): Buffer {
  if (!isIPv6(text) || text.includes("%")) throw new WireError(`"${shortened(text)}" is not an IPv6 address`);
  return addressOctets(text);
}

function printIPv6(octets: Buffer): string {
  const text = ipv6Address(octets);
  const shown = aaaaRule.write(text, null);
  return shown.ok ? shown.value.value : text;
}

const form = /^(!?)([12]):([^/]+)\/(\d{1,3})$/;

/** APL (RFC 3123): address prefixes such as `1:192.0.2.0/24 !2:2001:db8::/32`, or none. */
export const prefixes: RdataPart = {
  parse(fields) {
    return Buffer.concat(fields.rest().map(({ raw }) => readPrefix(raw)));
  },
  print(octets) {
    const items: string[] = [];
    while (!octets.isEmpty) {
      const [family, length, head] = [octets.number(2), octets.number(1), octets.number(1)];
      const part = octets.take(head & 0x7f);
      const size = family === 1 ? 4 : family === 2 ? 16 : 0;
      if (size === 0) throw new WireError("a prefix is neither of IPv4 nor of IPv6");
      if (part.length > size || length > size * 8 || part.at(-1) === 0) throw new WireError("a prefix is malformed");
      const address = Buffer.concat([part], size);
      const text = family === 1 ? address.join(".") : printIPv6(address);
      items.push(`${(head & 0x80) === 0 ? "" : "!"}${family}:${text}/${length}`);
    }
    return items.join(" ");
  },
};

function readPrefix(raw: string): Buffer {
  const [, not, family, address, length] = form.exec(raw) ?? [];
  if (family === undefined || address === undefined) {
    throw new WireError(`a prefix must look like 1:192.0.2.0/24 or !2:2001:db8::/32, not "${shortened(raw)}"`);
  }
  const octets = family === "1" ? ipv4Octets(address) : ipv6Octets(address);
  if (Number(length) > octets.length * 8) throw new WireError(`the prefix ${shortened(raw)} is too long`);
  // RFC 3123 §4: trailing zero octets of the address are omitted.
  const used = octets.findLastIndex((octet) => octet !== 0) + 1;
  return Buffer.concat([
    Buffer.of(0, Number(family), Number(length), used | (not === "!" ? 0x80 : 0)),
    octets.subarray(0, used),
  ]);
}

/** A6 (RFC 2874 §3.1): prefix length, address suffix, and the name that holds the prefix. */
export const addressSuffix: RdataPart = {
  parse(fields) {
    const text = fields.takeWord("prefix length");
    const length = Number(text);
    if (!/^\d{1,3}$/.test(text) || length > 128)
      throw new WireError("the prefix length must be a number from 0 to 128");
    const octets = length === 128 ? Buffer.alloc(0) : ipv6Octets(fields.takeWord("address suffix"));
    const suffix = ownBits(octets.subarray(length >> 3), length);
    const prefix = length === 0 ? Buffer.alloc(0) : nameOctets(fields.take("prefix name").raw, fields.origin);
    return Buffer.concat([octetsOf(length, 1), suffix, prefix]);
  },
  print(octets) {
    const length = octets.number(1);
    if (length > 128) throw new WireError("the prefix length is more than 128");
    const suffix = ownBits(octets.take(16 - (length >> 3)), length);
    const parts = [String(length)];
    if (length < 128) parts.push(printIPv6(Buffer.concat([Buffer.alloc(16 - suffix.length), suffix])));
    if (length > 0) parts.push(octets.name());
    return parts.join(" ");
  },
};

/** Clears the bits of the suffix's first octet that belong to the prefix. */
function ownBits(suffix: Buffer, prefixLength: number): Buffer {
  const [first, ...others] = suffix;
  return first === undefined ? suffix : Buffer.of(first & (0xff >> (prefixLength & 7)), ...others);
}
