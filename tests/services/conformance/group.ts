import type { DnsProvider, ProviderKind } from "../../../server/dns-providers/provider.ts";
import type { PresentedRecord } from "../../support/records/presentation.ts";
import { parseOwner } from "../../../server/dns/names/names.ts";
import { ruleFor } from "../../../server/dns/record-types.ts";
import { writeStrings } from "../../../server/dns/values/txt.ts";
import type { RecordData } from "../../../server/dns/record.ts";

/** What the suite runs against. */
export type TargetName =
  | "zone files"
  | "BIND"
  | "Knot"
  | "PowerDNS"
  | "PowerDNS by HTTP"
  | "Zonewright by PowerDNS's API"
  | "Cloudflare"
  | "Route 53"
  | "Google Cloud DNS"
  | "Azure DNS"
  | "DigitalOcean"
  | "deSEC"
  | "Gandi"
  | "Hetzner"
  | "NS1"
  | "Scaleway"
  | "Alibaba Cloud DNS"
  | "DNSPod"
  | "Huawei Cloud DNS"
  | "Linode"
  | "Vultr"
  | "Porkbun"
  | "DNSimple"
  | "bunny.net"
  | "OVHcloud"
  | "INWX"
  | "Harbour DNS"
  | "Webhook adapter"
  | "Webhook adapter in TypeScript"
  | "Webhook adapter in Python";

/** One state of the zone, beside its base: an NS at the apex and the address of that server. */
export interface Step {
  records: readonly RecordData[];
  /** The base to have instead; `base` when left out. */
  base?: readonly RecordData[];
  /** The providers that refuse this, and the required message; their zones stay unchanged. */
  refusedBy?: Partial<Record<TargetName, RegExp>>;
  /** Providers that store this although their server does not load it. */
  unserved?: readonly TargetName[];
}

/** States that a zone goes through in order. Afterwards everything but the base is deleted. */
export interface Group {
  name: string;
  steps: readonly Step[];
}

/** The command names another one. */
export const zone = process.env["CONFORMANCE_ZONE"] ?? "conformance.example";

/** The TTL of most records, which every provider takes. */
const hour = 3_600;

/** A record as a client would write it. */
export function record(name: string, recordType: string, value: string, ttl = hour): RecordData {
  const owner = parseOwner(name, zone);
  if (!owner.ok) throw new Error(owner.message);
  const written = ruleFor(recordType).write(value, null);
  if (!written.ok) throw new Error(`${recordType} ${value}: ${written.message}`);
  const { value: canonical, strings = null, priority } = written.value;
  return { recordType, name: owner.value, value: canonical, strings, ttl, priority, proxied: false };
}

/** A TXT record that is split into these strings. */
export function cutText(name: string, strings: readonly string[], ttl = hour): RecordData {
  const written = writeStrings(strings, undefined);
  if (!written.ok) throw new Error(written.message);
  const { value, strings: cut = null } = written.value;
  return { recordType: "TXT", name, value, strings: cut, ttl, priority: null, proxied: false };
}

/** Records of one RRset. */
export function rrset(name: string, recordType: string, values: readonly string[], ttl = hour): RecordData[] {
  return values.map((value) => record(name, recordType, value, ttl));
}

export const base = [record("@", "NS", `ns.${zone}`, 3600), record("ns", "A", "127.0.0.1", 3600)];

/** A group without refused steps; each step is the zone's records beside its base. */
export function group(name: string, ...steps: readonly (readonly RecordData[])[]): Group {
  return { name, steps: steps.map((records) => ({ records })) };
}

/** A provider with a zone, and the name server that serves it, if one can be asked. */
export interface Target {
  kind: ProviderKind;
  provider: DnsProvider;
  /** What `dig` gets in a transfer. */
  served?: () => Promise<PresentedRecord[]>;
  stop(): Promise<void>;
}
