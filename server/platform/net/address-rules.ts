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

/** A host, all hosts below a name (`*.internal`), or a network. */
type Entry =
  | { kind: "host"; name: string }
  | { kind: "below"; suffix: string }
  | { kind: "network"; network: [Address, number] };

const hostForm =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** EGRESS_ALLOW: non-public hosts and networks that outgoing calls may reach. */
export class AllowList {
  readonly #hosts: ReadonlySet<string>;
  readonly #suffixes: readonly string[];
  readonly #networks: readonly [Address, number][];

  /** @throws Error for an invalid entry, see `isAllowEntry` */
  constructor(texts: readonly string[]) {
    const entries = texts.map((text) => {
      const entry = readEntry(text);
      if (!entry) throw new Error(`${text} is not a valid host or network.`);
      return entry;
    });
    this.#hosts = new Set(entries.flatMap((entry) => (entry.kind === "host" ? [entry.name] : [])));
    this.#suffixes = entries.flatMap((entry) => (entry.kind === "below" ? [entry.suffix] : []));
    this.#networks = entries.flatMap((entry) => (entry.kind === "network" ? [entry.network] : []));
  }

  /** @param host lower-case, without a trailing dot. */
  hasHost(host: string): boolean {
    return this.#hosts.has(host) || this.#suffixes.some((suffix) => host.endsWith(suffix));
  }

  hasAddress(address: Address): boolean {
    return this.#networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  }
}

export function isAllowEntry(text: string): boolean {
  return readEntry(text) !== null;
}

function readEntry(text: string): Entry | null {
  const lower = text.toLowerCase();
  if (ipaddr.isValidCIDR(lower)) return { kind: "network", network: ipaddr.parseCIDR(lower) };
  if (lower.includes("/")) return null;
  const address = literalAddress(lower);
  if (address) return { kind: "network", network: [address, address.kind() === "ipv4" ? 32 : 128] };
  const name = lower.replace(/^\*\./, "");
  if (!hostForm.test(name)) return null;
  return name === lower ? { kind: "host", name } : { kind: "below", suffix: `.${name}` };
}
