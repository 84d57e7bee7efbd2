import { isIPv4, isIPv6 } from "node:net";
import { aaaaRule } from "../values/aaaa.ts";
import { addressOctets, ipv6Address } from "../values/addresses.ts";

const ipv4Tree = "in-addr.arpa";
const ipv6Tree = "ip6.arpa";

/**
 * Returns the name that holds the PTR records of an address: `5.2.0.192.in-addr.arpa` (RFC 1035 §3.5), or 32 nibbles under `ip6.arpa`
 * (RFC 3596 §2.5). Null for anything but a canonical A or AAAA value.
 */
export function reverseName(address: string): string | null {
  if (isIPv4(address)) return `${address.split(".").toReversed().join(".")}.${ipv4Tree}`;
  if (!isIPv6(address) || address.includes("%")) return null;
  return `${addressOctets(address).toString("hex").split("").toReversed().join(".")}.${ipv6Tree}`;
}

/**
 * Returns the address whose PTR records a name holds, as the canonical value of an A or AAAA record. Also reads names in classless zones
 * (RFC 2317): `5.0/25.2.0.192.in-addr.arpa`. Null for other names.
 */
export function addressOf(name: string): string | null {
  if (name.endsWith(`.${ipv6Tree}`)) return ipv6Of(name.slice(0, -ipv6Tree.length - 1).split("."));
  if (!name.endsWith(`.${ipv4Tree}`)) return null;
  const labels = name.slice(0, -ipv4Tree.length - 1).split(".");
  const [last = "", range = ""] = labels;
  if (labels.length === 5) {
    const found = rangeOf(range);
    return found && isInRange(found, Number(last)) ? ipv4Of([last, ...labels.slice(2)]) : null;
  }
  return ipv4Of(labels);
}

/** Returns whether a zone is one of the trees of reverse names or below. */
export function isReverseZone(zone: string): boolean {
  return /(?:^|\.)(?:in-addr|ip6)\.arpa$/.test(zone);
}

function ipv4Of(labels: readonly string[]): string | null {
  const address = labels.toReversed().join(".");
  return labels.length === 4 && isIPv4(address) ? address : null;
}

function ipv6Of(labels: readonly string[]): string | null {
  if (labels.length !== 32 || !labels.every((label) => /^[0-9a-f]$/.test(label))) return null;
  const read = aaaaRule.write(ipv6Address(Buffer.from(labels.toReversed().join(""), "hex")), null);
  return read.ok ? read.value.value : null;
}

/** Addresses of a /24, by their last numbers. */
interface Range {
  first: number;
  last: number;
}

const shortestPrefix = 25;
const longestPrefix = 32;

/**
 * Returns the addresses that a classless zone is named for (RFC 2317), by its first label: `0/25` and `0-127` both mean 0 to 127. A label
 * such as `0-25` may be a range or a first address with a prefix length: it is a range if it makes a block of its own, else a prefix if one
 * can begin there, else a range. Null for other labels.
 */
export function rangeOf(label: string): Range | null {
  const [, start = "", separator, end = ""] = /^(0|[1-9]\d{0,2})([/-])(0|[1-9]\d{0,2})$/.exec(label) ?? [];
  const [first, other] = [Number(start), Number(end)];
  if (separator === undefined || first > 255 || other > 255) return null;
  const block = blockOf(first, other);
  if (separator === "/") return block;
  const range = other >= first ? { first, last: other } : null;
  return range && (isBlock(range) || block === null) ? range : block;
}

export function isInRange({ first, last }: Range, number: number): boolean {
  return number >= first && number <= last;
}

function blockOf(first: number, prefix: number): Range | null {
  if (prefix < shortestPrefix || prefix > longestPrefix) return null;
  const size = 2 ** (longestPrefix - prefix);
  return first % size === 0 ? { first, last: first + size - 1 } : null;
}

function isBlock({ first, last }: Range): boolean {
  const size = last - first + 1;
  return (size & (size - 1)) === 0 && first % size === 0;
}
