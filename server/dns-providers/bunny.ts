import { z } from "zod";
import { ruleFor } from "../dns/record-types.ts";
import { isApexNs, maxTtl, nameOf, valueOf, type RecordData } from "../dns/record.ts";
import { parseGeneric } from "../dns/values/character-strings.ts";
import { apiAddress, credential, credentialFields } from "./config-fields.ts";
import type { LimitedRecord, ProviderKind } from "./provider.ts";
import { recordAccountProvider, type RecordAccount } from "./single-record-api/provider.ts";
import type { StoredRecord } from "./single-record-api/record-calls.ts";
import {
  absoluteHost,
  printedFields,
  printedRecord,
  quotedText,
  restRecords,
} from "./single-record-api/rest-account.ts";
import { canonicalOwner } from "./single-record-api/vendor-values.ts";
import { VendorCalls, type VendorEnvironment } from "./vendor-api/calls.ts";
import { JsonApi } from "./vendor-api/json-api.ts";
import { plainNamesOnly } from "./vendor-api/limits.ts";
import { readPages } from "./vendor-api/pages.ts";
import { maybe } from "./vendor-api/text.ts";

// bunny.net's DNS API. Read on 2026-11-27: the vendor's reference (docs.bunny.net, "Add DNS Zone" and "Add DNS Record": calls and fields), and what others
// found with real accounts: DNSControl's BUNNY_DNS of 2026-05-31 (numbers of types, hosts without a trailing dot, HTTPS and SVCB, no empty TXT, no NS at the
// apex), its issue 4838 of 2026-09-01 (a TXT is taken as it is, without quotes) and its pull request 2760 (a CAA with parameters, split texts),
// octodns-bunny 1.0.0 (null MX and SRV), and lego's bunny of 2026-07-21 (no TTL below 60). Rate limits and the largest TTL were not found.

const address = "https://api.bunny.net";
const onPage = 100;

/** The number of each type of DNS. */
const typeNumbers: Readonly<Record<string, number>> = {
  A: 0,
  AAAA: 1,
  CNAME: 2,
  TXT: 3,
  MX: 4,
  SRV: 8,
  CAA: 9,
  PTR: 10,
  NS: 12,
  SVCB: 13,
  HTTPS: 14,
  TLSA: 15,
};
const typeNames = new Map(Object.entries(typeNumbers).map(([name, number]) => [number, name]));
/** The names of types that only bunny.net has, by number. */
const ownNames = new Map([
  [5, "REDIRECT"],
  [6, "FLATTEN"],
  [7, "PULLZONE"],
  [11, "SCRIPT"],
]);
/** Prefix of types for records that only this vendor has, such as `BUNNY_A` with smart routing. Not IANA mnemonics. */
const ownTypes = "BUNNY_";
const routings = new Map([
  [1, "latency"],
  [2, "geolocation"],
]);

const bunnyRecord = z.object({
  Id: z.int(),
  Type: z.int(),
  Name: maybe(z.string()),
  Value: maybe(z.string()),
  Ttl: z.int(),
  Priority: maybe(z.int()),
  Weight: maybe(z.int()),
  Port: maybe(z.int()),
  Flags: maybe(z.int()),
  Tag: maybe(z.string()),
  Disabled: maybe(z.boolean()),
  SmartRoutingType: maybe(z.int()),
  MonitorType: maybe(z.int()),
  Accelerated: maybe(z.boolean()),
  /** What a pull zone or a script is called. */
  LinkName: maybe(z.string()),
});
type BunnyRecord = z.infer<typeof bunnyRecord>;
const zoneEntry = z.object({ Id: z.int(), Domain: z.string() });
const zoneList = z.object({ Items: z.array(zoneEntry), TotalItems: z.int(), HasMoreItems: z.boolean() });

const configSchema = z.strictObject({
  apiKey: credential("API key"),
  endpoint: apiAddress(address).default(address),
});

export type BunnyConfig = z.infer<typeof configSchema>;

/** The DNS zones of a bunny.net account. */
export const bunny: ProviderKind<BunnyConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000034",
  kind: "bunny",
  name: "bunny.net",
  recordTypes: Object.keys(typeNumbers),
  supportsProxied: false,
  minTtl: 60,
  maxTtl,
  cutsTexts: true,
  unsupportedReason: plainNamesOnly(valueReason),
  readOnlyReason,
  lowersCase: "owners",
  granularity: "record",
  configFields: credentialFields({ apiKey: "API key" }),
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => recordAccountProvider(bunnyAccount(config, environment)),
};

function readOnlyReason(record: LimitedRecord): string | null {
  if (record.recordType.startsWith(ownTypes))
    return "manages this record only in its console: it has smart routing, monitoring, acceleration, or a type of bunny.net's own.";
  return isApexNs(record) ? "manages the name servers at the apex of a zone." : null;
}

function valueReason({ recordType, value }: LimitedRecord): string | null {
  if (parseGeneric(value)) return "does not support data in generic form (RFC 3597).";
  return recordType === "TXT" && value === "" ? "does not allow an empty TXT value." : null;
}

function bunnyAccount({ apiKey, endpoint }: BunnyConfig, environment: VendorEnvironment): RecordAccount {
  const calls = new VendorCalls({ name: bunny.name, address: endpoint, environment, secrets: [apiKey] });
  const api = new JsonApi({
    calls,
    base: endpoint.replace(/\/+$/, ""),
    headers: () => ({ accesskey: apiKey }),
    credentials: "the API key",
    advice: "Check the key, and that its user may manage DNS.",
  });
  const ids = new Map<string, number>();

  async function* zonePages() {
    const list = { vendor: bunny.name, name: "The list of zones", pageSize: onPage, idOf: (zone: Zone) => zone.Id };
    yield* readPages(list, async (page) => {
      const { value } = await api.read(`/dnszone?page=${page}&perPage=${onPage}`, zoneList);
      return { entries: value.Items, total: value.TotalItems, isLast: !value.HasMoreItems };
    });
  }

  /** Returns the path of a zone. @throws ProviderError with `zoneMissing` */
  async function pathOf(zone: string): Promise<string> {
    if (!ids.has(zone)) {
      for await (const page of zonePages()) for (const { Id, Domain } of page) ids.set(Domain.toLowerCase(), Id);
    }
    const id = ids.get(zone);
    if (id === undefined) throw api.noZone(zone);
    return `/dnszone/${id}`;
  }

  return {
    vendor: bunny.name,
    async *zones() {
      for await (const page of zonePages()) yield page.map(({ Domain }) => Domain);
    },
    async createZone(zone) {
      for await (const page of zonePages()) if (page.some(({ Domain }) => Domain.toLowerCase() === zone)) return;
      const made = await api.send({ method: "POST", path: "/dnszone", body: { Domain: zone } }, zoneEntry);
      if (!made.ok) throw calls.failure(`did not create the zone ${zone}: ${made.message}`, "none");
      ids.set(zone, made.value.Id);
    },
    async *records(zone) {
      const path = await pathOf(zone);
      try {
        const { value } = await api.read(path, z.object({ Records: z.array(bunnyRecord) }), zone);
        yield value.Records.flatMap((record) => readRecord(zone, record) ?? []);
      } catch (error) {
        // A zone that was deleted and created again has another id.
        ids.delete(zone);
        throw error;
      }
    },
    ...restRecords(api, {
      path: async (zone) => `${await pathOf(zone)}/records`,
      body: writeRecord,
      creates: "PUT",
      made: bunnyRecord.transform(({ Id, Ttl }) => ({ id: String(Id), ttl: Ttl })),
      updates: "POST",
      done: z.null(),
    }),
    readOnlyReason,
    // A zone is listed with all of its records.
    mostQueries: 0,
  };
}

type Zone = z.infer<typeof zoneEntry>;

/**
 * Returns a record in canonical form, with one of the vendor's own types if it has settings that no other provider has; null if it is not
 * served.
 */
function readRecord(zone: string, record: BunnyRecord): StoredRecord | null {
  if (record.Disabled === true) return null;
  const { Name: owner = "", Ttl: ttl, Value: value = "", LinkName: link = "" } = record;
  const id = String(record.Id);
  const recordType = typeNames.get(record.Type);
  const settings = settingsOf(record);
  if (recordType !== undefined && settings.length === 0)
    return { id, data: printedRecord(zone, { owner, recordType, rdata: rdataOf(recordType, record), ttl }) };
  const own = recordType ?? ownNames.get(record.Type) ?? String(record.Type);
  const shared = { ...canonicalOwner(owner, zone), strings: null, ttl, proxied: false, priority: null };
  const said = [...settings, value === "" ? link : value].filter((word) => word !== "").join(" ");
  return { id, data: { ...shared, recordType: `${ownTypes}${own}`, value: said === "" ? "-" : said } };
}

/** Returns the settings of a record that no other provider has. */
function settingsOf({ SmartRoutingType: routing = 0, MonitorType: monitor = 0, Accelerated }: BunnyRecord): string[] {
  return [
    ...(routing === 0 ? [] : [`routing=${routings.get(routing) ?? routing}`]),
    ...(monitor === 0 ? [] : ["monitored"]),
    ...(Accelerated === true ? ["accelerated"] : []),
  ];
}

/** Returns a record's data in master-file form. */
function rdataOf(recordType: string, record: BunnyRecord): string {
  const { Value: value = "", Priority: priority = 0, Weight: weight = 0, Port: port = 0, Flags = 0, Tag = "" } = record;
  const [target = "", ...parameters] = value.trim().split(/ +/);
  switch (recordType) {
    case "CNAME":
    case "NS":
    case "PTR":
      return absoluteHost(value);
    case "MX":
      return `${priority} ${absoluteHost(value)}`;
    case "SRV":
      return `${priority} ${weight} ${port} ${absoluteHost(value)}`;
    case "HTTPS":
    case "SVCB":
      return [priority, absoluteHost(target), ...parameters].join(" ");
    case "CAA":
      return `${Flags} ${Tag} ${quotedText(value)}`;
    case "TXT":
      return quotedText(value);
    default:
      return value;
  }
}

function writeRecord(record: RecordData): object {
  const { recordType, name, ttl } = record;
  const shared = { Type: typeNumbers[recordType], Name: name === "@" ? "" : nameOf(record), Ttl: ttl };
  const value = valueOf(record);
  const [first = "", second = "", ...rest] = printedFields(record);
  switch (recordType) {
    case "MX":
      return { ...shared, Priority: Number(first), Value: second };
    case "SRV":
      return { ...shared, Priority: Number(first), Weight: Number(second), Port: Number(rest[0]), Value: rest[1] };
    case "HTTPS":
    case "SVCB": {
      const [priority, , ...parameters] = ruleFor(recordType).print(value).split(" ");
      // Others send the space without parameters, too.
      return { ...shared, Priority: Number(priority), Value: `${second} ${parameters.join(" ")}` };
    }
    case "CAA": {
      const [flags, tag, ...text] = value.split(" ");
      return { ...shared, Flags: Number(flags), Tag: tag, Value: text.join(" ") };
    }
    case "TXT":
      return { ...shared, Value: value };
    default:
      return { ...shared, Value: [first, second, ...rest].join(" ").trim() };
  }
}
