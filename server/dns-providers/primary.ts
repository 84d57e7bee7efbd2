import { z } from "zod";
import { BlockList } from "node:net";
import { foldName, parseHost, parseZoneName } from "../dns/names/names.ts";
import { WireError } from "../dns/names/wire-names.ts";
import { writeRdata } from "../dns/wire/rdata.ts";
import { isMailbox } from "../dns/server-rules/host-names.ts";
import { mailboxName, type Soa } from "../dns/zone-file/contents.ts";
import { maxTtl } from "../dns/record.ts";
import { typeNumber } from "../dns/zone-file/type-names.ts";
import {
  hostsIn,
  isAllowedPeer,
  itemsOf,
  readEndpoint,
  readKey,
  addPeer,
  familyOf,
  type Endpoint,
} from "./primary/lists.ts";
import type { LimitedRecord, ProviderKind, Unsupported } from "./provider.ts";
import type { TsigKey } from "../dns/wire/tsig.ts";

const mostCharacters = 10_000;
/**
 * The longest RDATA that fits a message (RFC 1035 §4.2.2), beside the longest header, owner, OPT and TSIG, which take less than 1,500 octets.
 */
export const mostRdataOctets = 64_000;
/** Names of members are below the catalog's: `group.<32 characters>.zones.` (RFC 9432 §4). */
const longestCatalog = 200;

/** Returns the schema for a comma-separated list. */
function list(fits: (item: string) => boolean, sentence: string) {
  return z
    .string()
    .trim()
    .max(mostCharacters)
    .refine((text) => itemsOf(text).every(fits), sentence);
}

function seconds(least: number, fallback: number) {
  const message = `Enter whole seconds from ${least} to ${maxTtl}.`;
  return z.int(message).min(least, message).max(maxTtl, message).default(fallback);
}

const hostName = (text: string) => parseHost(text).ok;

const endpoints = list(
  (item) => readEndpoint(item) !== null,
  "Enter addresses separated by commas, with a port if it is not 53, such as 192.0.2.53, [2001:db8::53]:5353.",
);

const configSchema = z.strictObject({
  nameServers: list(hostName, "Enter host names separated by commas, such as ns1.example.com, ns2.example.com.").refine(
    (text) => itemsOf(text).length > 0,
    "Enter at least one name server, such as ns1.example.com.",
  ),
  contact: z
    .string()
    .trim()
    .max(200)
    .refine(
      (text) => /^[a-z0-9._+-]{1,63}@[^@]+$/i.test(text) && isMailbox(mailboxName(text)),
      "Enter a mail address, such as hostmaster@example.com.",
    ),
  primaryName: z.string().trim().refine(hostName, "Enter a host name, such as ns1.example.com.").optional(),
  notify: endpoints.optional(),
  signingSecondaries: endpoints.optional(),
  allowTransfer: list(
    isAllowedPeer,
    "Enter addresses or networks separated by commas, such as 192.0.2.53, 2001:db8::/48.",
  ).optional(),
  tsigKeys: list(
    (item) => readKey(item) !== null,
    "Enter keys as name:algorithm:secret, separated by commas, with the algorithm hmac-sha256, hmac-sha512, hmac-sha384 or hmac-sha1 and the secret in base64.",
  ).optional(),
  catalogZone: z
    .string()
    .trim()
    .refine((text) => isCatalogName(text), "Enter a zone name of its own for the catalog, such as catalog.invalid.")
    .optional(),
  refreshSeconds: seconds(60, 3_600),
  retrySeconds: seconds(30, 900),
  expireSeconds: seconds(3_600, 1_209_600),
  negativeTtlSeconds: seconds(0, 300),
  defaultTtl: seconds(0, 3_600),
});

export type PrimaryConfig = z.infer<typeof configSchema>;

/** Zonewright's own DNS service, from which secondaries transfer the zones (RFC 5936, RFC 1995, RFC 1996). */
export const primary: ProviderKind<PrimaryConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-00000000000a",
  kind: "primary",
  name: "Secondaries (zone transfer)",
  recordTypes: "any",
  supportsProxied: false,
  minTtl: 0,
  maxTtl,
  granularity: "zone",
  makesSerials: true,
  // BIND refuses a transfer with more by default (`max-records-per-type`, `max-types-per-name`).
  serverRules: { checkNames: false, maxRecordsPerType: 100, maxTypesPerName: 100 },
  unsupportedReason: unencodable,
  configFields: [
    { name: "nameServers", label: "Name servers, separated by commas", secret: false, required: true },
    { name: "contact", label: "Contact's mail address", secret: false, required: true },
    { name: "primaryName", label: "Primary's name in the SOA (the first name server)", secret: false, required: false },
    { name: "notify", label: "Secondaries to notify, separated by commas", secret: false, required: false },
    {
      name: "allowTransfer",
      label: "Addresses that may transfer, separated by commas",
      secret: false,
      required: false,
    },
    {
      name: "tsigKeys",
      label: "TSIG keys (name:algorithm:secret), separated by commas",
      secret: true,
      required: false,
    },
    {
      name: "signingSecondaries",
      label: "Secondaries that sign the zones, separated by commas",
      secret: false,
      required: false,
    },
    { name: "catalogZone", label: "Catalog zone", secret: false, required: false },
    { name: "refreshSeconds", label: "SOA refresh in seconds (3600)", secret: false, required: false },
    { name: "retrySeconds", label: "SOA retry in seconds (900)", secret: false, required: false },
    { name: "expireSeconds", label: "SOA expire in seconds (1209600)", secret: false, required: false },
    { name: "negativeTtlSeconds", label: "Negative TTL in seconds (300)", secret: false, required: false },
    { name: "defaultTtl", label: "TTL of SOA and NS in seconds (3600)", secret: false, required: false },
  ],
  // TSIG sends authentication codes, never the key (RFC 8945).
  addresses: [],
  settings: [
    "nameServers",
    "contact",
    "primaryName",
    "notify",
    "allowTransfer",
    "signingSecondaries",
    "catalogZone",
    "refreshSeconds",
    "retrySeconds",
    "expireSeconds",
    "negativeTtlSeconds",
    "defaultTtl",
  ],
  configSchema,
  initialRecords: ({ nameServers, defaultTtl }) =>
    hostsIn(nameServers).map((host) => ({
      recordType: "NS",
      name: "@",
      value: foldName(host),
      writtenValue: host === foldName(host) ? undefined : host,
      strings: null,
      ttl: defaultTtl,
      priority: null,
      proxied: false,
    })),
  connect: null,
};

function isCatalogName(text: string): boolean {
  const name = parseZoneName(text);
  return name.ok && name.value.length <= longestCatalog;
}

function unencodable({ recordType, name, value, strings }: LimitedRecord): Unsupported | null {
  // The SOA is there, too (RFC 1034 §3.6.2).
  if (recordType === "CNAME" && name === "@") return { field: "name", reason: "cannot transfer a CNAME at the apex" };
  if (typeNumber(recordType) === null) return { field: "value", reason: `cannot transfer ${recordType} records` };
  try {
    const { length } = writeRdata(recordType, value, strings);
    if (length <= mostRdataOctets) return null;
    return { field: "value", reason: `cannot transfer this value: it may have at most ${mostRdataOctets} octets` };
  } catch (error) {
    if (error instanceof WireError) return { field: "value", reason: `cannot transfer this value: ${error.message}` };
    throw error;
  }
}

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
