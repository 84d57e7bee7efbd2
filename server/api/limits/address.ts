import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Returns the rate-limit key of an IP address: the IPv4 address, or the IPv6 /64, the smallest prefix of a subscriber (RFC 6177 §2).
 * IPv4-mapped IPv6 counts as IPv4.
 */
export function addressKey(ip: string): string {
  // The usual form, for each datagram and request: it has no other spelling.
  if (isIPv4(ip)) return ip;
  return prefixKey(ip, 32, 64);
}

/** Returns the key of the network that one person or company may hold: the IPv4 /24 or the IPv6 /56 (RFC 6177 §2). */
export function networkKey(ip: string): string {
  return prefixKey(ip, 24, 56);
}

function prefixKey(ip: string, bits4: number, bits6: number): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  const bits = address.kind() === "ipv4" ? bits4 : bits6;
  const octets = address
    .toByteArray()
    .map((octet, index) => octet & (0xff << Math.max(0, 8 - Math.max(0, bits - index * 8))));
  const network = ipaddr.fromByteArray(octets).toString();
  return bits === 32 ? network : `${network}/${bits}`;
}

/** Ranges in which reverse proxies stand, and from which no stranger calls. */
const besideTheService = new Set(["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"]);

/**
 * Returns the address for which a proxy that `TRUST_PROXY` does not name seems to call, or null. It only tells callers apart within limits:
 * if it did not, one caller could use up what everyone behind the proxy shares. Callers may invent it, so the proxy has a limit as well.
 * @param ip the nearest address that is not a trusted proxy's
 * @param forwardedFor the header X-Forwarded-For
 * @param trusted how many of the header's last addresses trusted proxies have added
 */
export function claimedAddress(ip: string, forwardedFor: string | undefined, trusted: number): string | null {
  if (forwardedFor === undefined || !ipaddr.isValid(ip)) return null;
  if (!besideTheService.has(ipaddr.process(ip).range())) return null;
  // The nearest proxy appends to what it received.
  const claimed =
    forwardedFor
      .split(",")
      .at(-1 - trusted)
      ?.trim() ?? "";
  return ipaddr.isValid(claimed) ? claimed : null;
}
