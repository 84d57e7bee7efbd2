import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import { absoluteName } from "../dns/names/names.ts";
import { ruleFor } from "../dns/record-types.ts";
import { maxTtl } from "../dns/record.ts";
import { apiAddress, credential } from "./config-fields.ts";
import { readZoneName } from "./listed-zones.ts";
import type { LimitedRecord, ProviderKind } from "./provider.ts";
import type { RrsetAccount, RrsetStep, VendorRrset, Written } from "./rrset-api/account.ts";
import { rrsetAccountProvider } from "./rrset-api/provider.ts";
import { VendorAccounts } from "./vendor-api/accounts.ts";
import { VendorCalls, type VendorEnvironment } from "./vendor-api/calls.ts";
import { JsonApi, linkedPages } from "./vendor-api/json-api.ts";
import { plainNamesOnly } from "./vendor-api/limits.ts";
import { maybe, messageIn, parsedJson, percentEncoded } from "./vendor-api/text.ts";

// Huawei Cloud's DNS API v2.1. Read on 2026-11-28: its OpenAPI definitions of 2025-01-17 (calls, fields, types, `default` sets that cannot be
// deleted, weights; an update without a description or a weight keeps them, and has no tags), its pages "Creating a Record Set" of 2025-12-02 (the rights) and "API Request Signing Guide" of 2025-02-25 (SDK-HMAC-SHA256, the form of
// errors). What others found with real accounts: DNSControl's HUAWEICLOUD of 2026-05-31 and its audit (no null MX, no quotes and backslashes in texts, 100 calls a
// minute, pages by the marker of a link). Read on 2026-11-30: its own Terraform provider (dns_recordset), with TTLs from 1, as real accounts have them (DDNS #297);
// the definitions say from 300.

const address = "https://dns.myhuaweicloud.com";
/** Below 100 a minute. */
const limits = [{ calls: 90, seconds: 60 }];
const perPage = 500;
const usualLine = "default_view";

/** States of a record set that is served, now or soon. */
const servedStates = new Set(["ACTIVE", "PENDING_CREATE", "PENDING_UPDATE"]);
/** States of a record set whose place is free. */
const deletedStates = new Set(["PENDING_DELETE", "DELETED"]);

const recordTypes = "A AAAA CAA CNAME MX NS SRV TXT".split(" ");

const links = maybe(z.object({ next: maybe(z.string()) }));
const zoneEntry = z.object({ id: z.string(), name: z.string() });
/** What a set has beside its records. A set that is created again gets it back; an update leaves it. */
const extras = {
  description: maybe(z.string()),
  weight: maybe(z.int()),
  tags: maybe(z.array(z.object({ key: z.string(), value: maybe(z.string()) }))),
};
/** The tag of an RRset. */
const identity = z.object({ id: z.string(), ...extras });
const recordSet = z.object({
  id: z.string(),
  ...extras,
  /** Absolute. */
  name: z.string(),
  type: z.string(),
  ttl: maybe(z.int()),
  records: maybe(z.array(z.string())),
  status: maybe(z.string()),
  line: maybe(z.string()),
  alias_target: maybe(z.object({ resource_type: maybe(z.string()) })),
});
type RecordSet = z.infer<typeof recordSet>;
const zoneList = z.object({ zones: maybe(z.array(zoneEntry)), links });
const recordSetList = z.object({ recordsets: maybe(z.array(recordSet)), links });
const made = z.object({ id: z.string() });
const gatewayFault = z.object({ error_msg: z.string() });

const configSchema = z.strictObject({
  accessKey: credential("access key", 8),
  secretKey: credential("secret key"),
  endpoint: apiAddress(address).default(address),
});

export type HuaweicloudConfig = z.infer<typeof configSchema>;

/** The public zones of a Huawei Cloud account. */
export const huaweicloud: ProviderKind<HuaweicloudConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000017",
  kind: "huaweicloud",
  name: "Huawei Cloud DNS",
  recordTypes,
  supportsProxied: false,
  minTtl: 1,
  documentedMinTtl: 300,
  maxTtl,
  unsupportedReason: plainNamesOnly(valueReason),
  lowersCase: "owners",
  callLimits: limits,
  granularity: "rrset",
  configFields: [
    { name: "accessKey", label: "Access key", secret: false, required: true },
    { name: "secretKey", label: "Secret key", secret: true, required: true },
    { name: "endpoint", label: "API address", secret: false, required: false },
  ],
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => rrsetAccountProvider(huaweicloudAccount(config, environment)),
};

function valueReason({ recordType, value, strings }: LimitedRecord): string | null {
  if (recordType !== "TXT" && value.startsWith("\\#")) return "does not support data in generic form (RFC 3597).";
  if (recordType === "MX" && value.endsWith(" .")) return 'does not support MX records with the host ".".';
  // Anything but printable ASCII is escaped.
  return recordType === "TXT" && ruleFor("TXT").print(value, strings).includes("\\")
    ? "allows only ASCII characters other than quotes and backslashes in a TXT value."
    : null;
}

function huaweicloudAccount(
  { accessKey, secretKey, endpoint }: HuaweicloudConfig,
  environment: VendorEnvironment,
): RrsetAccount {
  const { now } = environment.accounts ?? new VendorAccounts();
  const calls = new VendorCalls({
    name: huaweicloud.name,
    address: endpoint,
    environment,
    secrets: [secretKey],
    account: accessKey,
    quotas: { address, limits },
  });
  const api = new JsonApi({
    calls,
    base: endpoint.replace(/\/+$/, ""),
    headers: (request) => () => signed(request, { accessKey, secretKey }, now()),
    credentials: "the access key",
    advice:
      "Check the access key and its secret, this server's clock, and that its user may list, create, update and delete record sets (dns:recordset:*) and list zones (dns:zone:list).",
    messageOf(text) {
      const parsed = gatewayFault.safeParse(parsedJson(text));
      return parsed.success ? parsed.data.error_msg : messageIn(text);
    },
  });

  /** Reads a list. @param path with a query */
  function pages<T extends { links?: { next?: string | undefined } | undefined }>(
    path: string,
    schema: z.ZodType<T>,
    zone?: string,
  ) {
    const nextOf = (page: T) => {
      const next = page.links?.next ?? "";
      if (next === "") return null;
      const marker = URL.parse(next, endpoint)?.searchParams.get("marker") ?? "";
      if (marker === "")
        throw calls.failure("does not say where the next page of a list starts. Try again later.", "none");
      return `${path}&marker=${encodeURIComponent(marker)}`;
    };
    return linkedPages(api, path, schema, { nextOf, zone });
  }

  async function* zonePages(): AsyncGenerator<z.infer<typeof zoneEntry>[]> {
    for await (const { zones = [] } of pages(`/v2/zones?limit=${perPage}&type=public`, zoneList)) yield zones;
  }

  const paths = new Map<string, string>();
  /** Returns the path of a zone's record sets; null if the account does not have the zone. */
  async function foundPath(zone: string): Promise<string | null> {
    const known = paths.get(zone);
    if (known !== undefined) return known;
    for await (const page of zonePages()) {
      for (const { id, name } of page) {
        const read = readZoneName(name);
        if (read.ok) paths.set(read.value, `/v2.1/zones/${encodeURIComponent(id)}/recordsets`);
      }
    }
    return paths.get(zone) ?? null;
  }

  async function pathOf(zone: string): Promise<string> {
    const path = await foundPath(zone);
    if (path === null) throw api.noZone(zone);
    return path;
  }

  async function written(zone: string, step: RrsetStep): Promise<Written> {
    const { name, recordType, before, after, restores = "" } = step;
    const path = await pathOf(zone);
    const known = identity.safeParse(parsedJson(before?.tag ?? restores)).data;
    const one = before ? `${path}/${encodeURIComponent(known?.id ?? "")}` : path;
    if (!after) {
      const answer = await api.send({ method: "DELETE", path: one }, z.unknown());
      if (answer.ok) return { ok: true };
      if (answer.status !== 404) return { ok: false, message: answer.message };
      // Somebody else deleted it, unless it is the zone that is missing.
      paths.delete(zone);
      return (await pathOf(zone)) === path ? { ok: true } : { ok: false, message: answer.message, isStale: true };
    }
    const { id: _, ...restored } = before ? {} : { ...known };
    const set = {
      ...restored,
      name: `${absoluteName(name, zone)}.`,
      type: recordType,
      ttl: after.ttl,
      records: after.values,
    };
    const answer = await api.send({ method: before ? "PUT" : "POST", path: one, body: set }, made);
    if (answer.ok) return { ok: true, tag: tagOf({ ...known, id: answer.value.id }) };
    return { ok: false, message: answer.message, isStale: before !== null && answer.status === 404 };
  }

  return {
    vendor: huaweicloud.name,
    async *zones() {
      for await (const page of zonePages()) yield page.map(({ name }) => name);
    },
    async createZone(zone) {
      if ((await foundPath(zone)) !== null) return;
      const body = { name: `${zone}.`, zone_type: "public" };
      const answer = await api.send({ method: "POST", path: "/v2/zones", body }, made);
      if (!answer.ok) throw calls.failure(`did not create the zone ${zone}: ${answer.message}`, "none");
    },
    async *rrsets(zone) {
      const all: RecordSet[] = [];
      const list = pages(`${await pathOf(zone)}?limit=${perPage}`, recordSetList, zone);
      for await (const { recordsets = [] } of list) all.push(...recordsets);
      // Sets of one name and type that differ by line or weight may be on several pages.
      yield [...Map.groupBy(all, ({ name, type }) => `${name} ${type}`).values()].flatMap(readRecordSets);
    },
    put: (zone, step) => written(zone, step),
    remove: (zone, step) => written(zone, step),
    mostQueries: 0,
    marksReadOnly: true,
  };
}

/** Returns what identifies a set, with what it has beside its records. */
function tagOf({ id, description, weight, tags }: Partial<z.infer<typeof identity>>): string {
  return JSON.stringify({ id, description, weight, tags });
}

/** Returns the RRset of sets of one name and type. It is read-only unless it is one set that answers everybody. */
function readRecordSets(listed: RecordSet[]): VendorRrset[] {
  const sets = listed.filter(({ status }) => !deletedStates.has(status ?? ""));
  const [first] = sets;
  if (!first) return [];
  const served = sets.filter(({ status }) => status === undefined || servedStates.has(status));
  const isSteered =
    sets.length > 1 || (first.line ?? usualLine) !== usualLine || first.alias_target?.resource_type !== undefined;
  const reason = isSteered
    ? "steers these records by line, weight or alias; change them there."
    : first.status === "DISABLE"
      ? "has disabled these records; enable or delete them there."
      : `does not serve these records (${first.status ?? ""}); look at them there.`;
  return [
    {
      name: first.name,
      recordType: first.type,
      ttl: Math.min(...sets.map(({ ttl = 300 }) => ttl)),
      values: [...new Set(served.flatMap(({ records = [] }) => records))],
      tag: tagOf(first),
      readOnly: isSteered || served.length === 0 ? reason : undefined,
    },
  ];
}

/** Returns the headers of a signed request (SDK-HMAC-SHA256). */
function signed(
  { method, url, body = "" }: { method: string; url: string; body?: string },
  { accessKey, secretKey }: { accessKey: string; secretKey: string },
  now: Date,
): Record<string, string> {
  const { pathname, searchParams, host } = new URL(url);
  const date = now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const query = [...searchParams].map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`).toSorted();
  const names = "host;x-sdk-date";
  const request = [
    method,
    `${pathname}/`.replace(/\/+$/, "/"),
    query.join("&"),
    `host:${host}\nx-sdk-date:${date}\n`,
    names,
    sha256(body),
  ];
  const text = ["SDK-HMAC-SHA256", date, sha256(request.join("\n"))].join("\n");
  const signature = createHmac("sha256", secretKey).update(text).digest("hex");
  return {
    "x-sdk-date": date,
    authorization: `SDK-HMAC-SHA256 Access=${accessKey}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
