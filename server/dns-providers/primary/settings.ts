import { BlockList } from "node:net";
import { parseZoneName } from "../../dns/names/names.ts";
import type { TsigKey } from "../../dns/wire/tsig.ts";
import { mailboxName, type Soa } from "../../dns/zone-file/soa.ts";
import type { PrimaryConfig } from "../primary.ts";
import { addPeer, familyOf, hostsIn, itemsOf, readEndpoint, readKey, type Endpoint } from "./lists.ts";

/** The settings of a configuration of kind `primary`, parsed. */
export interface PrimarySettings {
  /** Everything in the SOA but the serial. */
  soa: Omit<Soa, "serial">;
  /** Canonical names. */
  nameServers: string[];
  notify: Endpoint[];
  keys: TsigKey[];
  /** Canonical name; null: no catalog. */
  catalogZone: string | null;
  /** Whether `allowTransfer` lists addresses. */
  hasAllowList: boolean;
  /** Returns whether an address is listed in `allowTransfer` or `notify`. */
  knows: (address: string) => boolean;
  /** Returns whether a secondary signs the zones by itself, and so answers with serials of its own. */
  signs: (endpoint: Endpoint) => boolean;
}

/** Parses a validated configuration. */
export function settingsOf(config: PrimaryConfig): PrimarySettings {
  const nameServers = hostsIn(config.nameServers);
  const notify = itemsOf(config.notify ?? "").flatMap((item) => readEndpoint(item) ?? []);
  const signing = itemsOf(config.signingSecondaries ?? "").flatMap((item) => readEndpoint(item) ?? []);
  const allowed = itemsOf(config.allowTransfer ?? "");
  // One for each family: to BlockList, a network such as ::/64 has all IPv4 addresses.
  const peers = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const { address } of notify) peers[familyOf(address)].addAddress(address, familyOf(address));
  for (const item of allowed) addPeer(peers[/^::ffff:\d/i.test(item) ? "ipv4" : familyIn(item)], item);
  const catalog = config.catalogZone === undefined ? null : parseZoneName(config.catalogZone);
  const primaryName = hostsIn(config.primaryName ?? "")[0] ?? nameServers[0] ?? "";
  return {
    soa: {
      mname: primaryName,
      rname: mailboxName(config.contact),
      refresh: config.refreshSeconds,
      retry: config.retrySeconds,
      expire: config.expireSeconds,
      minimum: config.negativeTtlSeconds,
      ttl: config.defaultTtl,
    },
    nameServers,
    notify,
    keys: itemsOf(config.tsigKeys ?? "").flatMap((item) => readKey(item) ?? []),
    catalogZone: catalog?.ok ? catalog.value : null,
    hasAllowList: allowed.length > 0,
    knows: (address) => peers[familyOf(address)].check(address, familyOf(address)),
    signs: ({ address, port }) => signing.some((one) => one.address === address && one.port === port),
  };
}

/** Returns the family of an address or a network. */
function familyIn(item: string): "ipv4" | "ipv6" {
  return familyOf(item.split("/")[0] ?? "");
}
