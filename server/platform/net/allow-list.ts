import ipaddr from "ipaddr.js";
import { literalAddress, type Address } from "./address-rules.ts";

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
