import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Returns the rate-limit key of an IP address: the IPv4 address, or the IPv6 /64, the smallest prefix of a subscriber (RFC 6177 §2).
 * IPv4-mapped IPv6 counts as IPv4.
 */
export function addressKey(ip: string): string {
  // The usual form, for each datagram and request: it has no other spelling.
  if (isIPv4(ip)) return ip;
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  const [a = 0, b = 0, c = 0, d = 0] = (address as ipaddr.IPv6).parts;
  return `${[a, b, c, d].map((part) => part.toString(16)).join(":")}::/64`;
}
