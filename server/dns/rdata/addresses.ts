import { isIPv4, isIPv6 } from "node:net";
import { readHostAsWritten } from "../names/names.ts";
import { WireError, writeName } from "../names/wire-names.ts";
import { aaaaRule } from "../values/aaaa.ts";
import { addressOctets, ipv6Address } from "../values/addresses.ts";
import { shortened, type RdataPart } from "./field.ts";

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

export function ipv4Octets(text: string): Buffer {
  if (!isIPv4(text)) throw new WireError(`"${shortened(text)}" is not an IPv4 address`);
  return addressOctets(text);
}

export function ipv6Octets(text: string): Buffer {
  if (!isIPv6(text) || text.includes("%")) throw new WireError(`"${shortened(text)}" is not an IPv6 address`);
  return addressOctets(text);
}

export function printIPv6(octets: Buffer): string {
  const text = ipv6Address(octets);
  const shown = aaaaRule.write(text, null);
  return shown.ok ? shown.value.value : text;
}
