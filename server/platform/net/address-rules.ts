import ipaddr from "ipaddr.js";

/**
 * Which addresses a call may reach. `public`: public internet addresses. `inside`: also private and loopback addresses, for servers
 * configured by an administrator, which are often on the internal network.
 */
export type Reach = "public" | "inside";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** `forbidden` needs EGRESS_ALLOW in every case: cloud metadata, multicast, IPv4 embedded in IPv6. */
export type AddressKind = "public" | "inside" | "forbidden";

/** Cloud metadata services outside the link-local 169.254.0.0/16. */
const metadata: readonly Address[] = ["fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "100.100.100.200"].map((text) =>
  ipaddr.parse(text),
);
const insideRanges: ReadonlySet<string> = new Set(["private", "loopback", "uniqueLocal", "carrierGradeNat"]);
/** The space allocated for global unicast (RFC 4291 §2.4); the library also classifies the rest of IPv6 as unicast. */
const globalUnicast = ipaddr.parseCIDR("2000::/3") as [ipaddr.IPv6, number];

/**
 * Parses a host that is an IP address in any notation that some resolver accepts: dotted, short (`127.1`), a single number, hexadecimal,
 * octal, IPv6. Returns null for a name.
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
