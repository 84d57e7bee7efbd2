import ipaddr from "ipaddr.js";

/**
 * What counts as one address: an IPv4 address, or the /64 that a single IPv6 subscriber has at the least (RFC 6177 §2).
 * IPv4 written as IPv6 is IPv4.
 */
export function addressKey(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  const [a = 0, b = 0, c = 0, d = 0] = (address as ipaddr.IPv6).parts;
  return `${[a, b, c, d].map((part) => part.toString(16)).join(":")}::/64`;
}
