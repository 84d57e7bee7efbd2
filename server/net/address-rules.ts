import ipaddr from "ipaddr.js";

/**
 * How far a call may reach. `public`: to addresses of the public internet. `inside`: also to private and loopback ones, for servers that
 * an administrator configured and that normally stand in one's own network.
 */
export type Reach = "public" | "inside";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** `forbidden`: to nobody without EGRESS_ALLOW, such as cloud metadata, multicast, and IPv4 in an IPv6 disguise. */
export type AddressKind = "public" | "inside" | "forbidden";

/** Where clouds tell machines their credentials, besides the link-local 169.254.0.0/16. */
const metadata: readonly Address[] = ["fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "100.100.100.200"].map((text) =>
  ipaddr.parse(text),
);
const insideRanges: ReadonlySet<string> = new Set(["private", "loopback", "uniqueLocal", "carrierGradeNat"]);
/** All that is handed out for global unicast (RFC 4291 §2.4); the library calls the rest of IPv6 unicast as well. */
const globalUnicast = ipaddr.parseCIDR("2000::/3") as [ipaddr.IPv6, number];

/**
 * The address that a host spells out, in every notation that some part of a system understands: dotted, short (`127.1`), one number,
 * hexadecimal, octal, IPv6. Null for a name.
 */
export function literalAddress(host: string): Address | null {
  return ipaddr.isValid(host) ? ipaddr.parse(host) : null;
}

export function addressKind(address: Address): AddressKind {
  if (address instanceof ipaddr.IPv6 && address.zoneId !== undefined) return "forbidden";
  const text = address.toString();
  if (metadata.some((forbidden) => forbidden.toString() === text)) return "forbidden";
  const range = address.range();
  if (insideRanges.has(range)) return "inside";
  if (range !== "unicast") return "forbidden";
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast) ? "public" : "forbidden";
}
