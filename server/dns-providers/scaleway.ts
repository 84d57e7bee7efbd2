import { z } from "zod";
import { isApexNs, maxTtl } from "../dns/record.ts";
import { joinOctets, parseGeneric } from "../dns/values/character-strings.ts";
import { rdataFields } from "../dns/zone-file/record-data.ts";
import { apiAddress, credential, credentialFields } from "./config-fields.ts";
import { readZoneName } from "./listed-zones.ts";
import type { LimitedRecord, ProviderKind, Unsupported } from "./provider.ts";
import type { RrsetAccount, RrsetStep, VendorRrset } from "./rrset-api/account.ts";
import { rrsetAccountProvider } from "./rrset-api/provider.ts";
import { absoluteHost, quotedText } from "./single-record-api/rest-account.ts";
import { VendorCalls, type VendorAnswer, type VendorEnvironment } from "./vendor-api/calls.ts";
import { JsonApi, type JsonAnswer } from "./vendor-api/json-api.ts";
import { readPages } from "./vendor-api/pages.ts";
import { maybe, messageIn, parsedJson } from "./vendor-api/text.ts";

// Scaleway's Domains and DNS API v2beta1, by its public clients. Read on 2026-11-27: Scaleway's own SDKs for Go and Python (types, calls and fields), its
// octodns-scaleway 0.0.4 (data with the priority in it, 403 for zones of others, steered records), recorded answers of its Terraform provider, and its
// pages "Understanding Domains and DNS" of 2025-11-17 (Unicode in names and data) and "Permission sets" of 2026-03-20. What real zones did: DNSControl's
// pull request 4919 of 2026-09-19 (TXT: how it is printed, and what is cut off it), and a public Terraform module (a null MX is created as the zone's
// name). lego sends no TTL below 60. Whether a call with several changes is made as a whole was not found, so a refused one is checked.

const address = "https://api.scaleway.com";
const zonesPerPage = 100;
const recordsPerPage = 1_000;
/** A page may have fewer entries than were asked for. */
const fewestPerPage = 20;

const recordTypes =
  "A AAAA ALIAS CAA CNAME DNAME DS HINFO HTTPS LOC MX NAPTR NS PTR RP SRV SSHFP SVCB TLSA TXT URI".split(" ");
/** Types whose data ends with a host. */
const hostTypes = new Set(["ALIAS", "CNAME", "DNAME", "MX", "NS", "PTR", "SRV"]);

const zoneEntry = z.object({
  domain: z.string(),
  subdomain: maybe(z.string()),
  ns_master: maybe(z.array(z.string())),
  project_id: maybe(z.string()),
});
const record = z.object({
  id: z.string(),
  data: z.string(),
  /** Relative to the zone; empty for the apex. */
  name: z.string(),
  ttl: z.int(),
  type: z.string(),
  comment: maybe(z.string()),
  geo_ip_config: maybe(z.unknown()),
  http_service_config: maybe(z.unknown()),
  weighted_config: maybe(z.unknown()),
  view_config: maybe(z.unknown()),
});
type ListedRecord = z.infer<typeof record>;
const zoneList = z
  .object({ total_count: z.int(), dns_zones: z.array(zoneEntry) })
  .transform(({ dns_zones: entries, ...rest }) => ({ entries, ...rest }));
const recordList = z
  .object({ total_count: z.int(), records: z.array(record) })
  .transform(({ records: entries, ...rest }) => ({ entries, ...rest }));
const comments = z.record(z.string(), z.string());
const refusal = z.object({ type: maybe(z.string()), details: maybe(z.array(z.unknown())) });
const detail = z.object({ help_message: z.string() });

const configSchema = z.strictObject({
  secretKey: credential("secret key"),
  projectId: z.uuid("Enter the project's id, or leave it out.").optional(),
  endpoint: apiAddress(address).default(address),
});

export type ScalewayConfig = z.infer<typeof configSchema>;

/** The DNS zones of a Scaleway project. */
export const scaleway: ProviderKind<ScalewayConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000014",
  kind: "scaleway",
  name: "Scaleway",
  recordTypes,
  supportsProxied: false,
  minTtl: 60,
  maxTtl,
  cutsTexts: true,
  unsupportedReason,
  readOnlyReason,
  lowersCase: "owners",
  granularity: "rrset",
  configFields: [
    ...credentialFields({ secretKey: "secret key" }),
    { name: "projectId", label: "Project id", secret: false, required: false },
  ],
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => rrsetAccountProvider(scalewayAccount(config, environment)),
};

function unsupportedReason({ recordType, value }: LimitedRecord): Unsupported | null {
  if (parseGeneric(value)) return { field: "value", reason: "does not support data in generic form (RFC 3597)." };
  if (recordType === "TXT" && value === "") return { field: "value", reason: "does not allow an empty TXT value." };
  if (recordType === "TXT" && /^[" \t]|[" \t]$/.test(value)) {
    return { field: "value", reason: "removes blanks and quotes at the ends of a TXT value." };
  }
  if (["MX", "SRV"].includes(recordType) && /(?:^|\s)\.$/.test(value)) {
    return { field: "value", reason: `replaces the host . of ${recordType} records by the zone's name.` };
  }
  return null;
}

function readOnlyReason(one: LimitedRecord): string | null {
  return isApexNs(one) ? "manages the name servers at the apex of a zone." : null;
}

function scalewayAccount(
  { secretKey, projectId, endpoint }: ScalewayConfig,
  environment: VendorEnvironment,
): RrsetAccount {
  const calls = new VendorCalls({ name: scaleway.name, address: endpoint, environment, secrets: [secretKey] });
  const api = new JsonApi({
    calls,
    base: `${endpoint.replace(/\/+$/, "")}/domain/v2beta1`,
    headers: () => ({ "x-auth-token": secretKey }),
    credentials: "the key",
    advice: "Check the secret key, its expiry, and that its policy has DomainsDNSFullAccess in the zone's project.",
    // 403 is also the answer to a zone of somebody else's.
    isForbidden: ({ status }) => status === 401,
    messageOf,
  });

  /** Reads a list page by page. @param name of the list, for messages @param zone whose absence a refusal may mean */
  async function* pages<T>(
    { name, path, zone }: { name: string; path: string; zone?: string },
    schema: z.ZodType<{ total_count: number; entries: T[] }>,
    idOf: (entry: T) => string,
  ): AsyncGenerator<T[]> {
    let known = 0;
    yield* readPages({ vendor: scaleway.name, name, pageSize: fewestPerPage, idOf }, async (page) => {
      const { total_count: total, entries } = (await read(`${path}&page=${page}`, schema, zone)).value;
      known += entries.length;
      return { entries, total, isLast: known >= total };
    });
  }

  function zonePages(filter: Record<string, string> = {}) {
    const size = String(zonesPerPage);
    const query = new URLSearchParams({ order_by: "domain_asc", page_size: size, ...filter });
    if (projectId !== undefined) query.set("project_id", projectId);
    return pages({ name: "The list of zones", path: `/dns-zones?${query}` }, zoneList, nameOf);
  }

  async function hasZone(zone: string): Promise<boolean> {
    for await (const page of zonePages({ dns_zone: zone })) {
      if (page.some((one) => isNamed(one, zone))) return true;
    }
    return false;
  }

  async function read<T>(path: string, schema: z.ZodType<T>, zone?: string): Promise<{ value: T }> {
    const answer = await api.send({ method: "GET", path, isBusy }, schema);
    if (answer.ok) return answer;
    await throwIfKept(answer, zone);
    throw calls.error(answer.message, "none");
  }

  /** Throws if a refusal is about the zone or the key's rights, and not about what was sent. */
  async function throwIfKept(answer: Extract<JsonAnswer<unknown>, { ok: false }>, zone?: string) {
    const { status, message } = answer;
    if ((status !== 403 && status !== 404) || isOverQuota(answer)) return;
    if (zone !== undefined && !(await hasZone(zone))) throw api.noZone(zone);
    if (status === 403) throw api.forbidden(message);
  }

  async function rrsetsOf(zone: string): Promise<VendorRrset[]> {
    const list = {
      name: `The zone ${zone}`,
      path: `${pathOf(zone)}?order_by=name_asc&page_size=${recordsPerPage}`,
      zone,
    };
    const all: ListedRecord[] = [];
    for await (const page of pages(list, recordList, ({ id }) => id)) all.push(...page);
    // An RRset may begin on one page and end on another.
    const grouped = Map.groupBy(all, ({ name, type }) => `${name} ${type}`);
    return [...grouped.values()].flatMap((records) => readRrset(records) ?? []);
  }

  /** Whether each RRset is as it was before the steps. */
  async function isUnchanged(zone: string, steps: readonly RrsetStep[]): Promise<boolean> {
    const now = new Map((await rrsetsOf(zone)).map((one) => [`${one.name} ${one.recordType}`, contentOf(one)]));
    return steps.every(
      ({ name, recordType, before }) =>
        now.get(`${before?.name ?? name} ${recordType}`) === (before ? contentOf(before) : undefined),
    );
  }

  return {
    vendor: scaleway.name,
    async *zones() {
      for await (const page of zonePages()) {
        yield page.filter(({ ns_master = [] }) => ns_master.length === 0).map(nameOf);
      }
    },
    async createZone(zone) {
      if (await hasZone(zone)) return;
      let parent: Pick<z.infer<typeof zoneEntry>, "domain"> & { project_id?: string | undefined } = { domain: zone };
      for await (const page of zonePages()) {
        parent = page.find(({ domain }) => zone.endsWith(`.${domain}`)) ?? parent;
      }
      const { domain } = parent;
      const body = {
        domain,
        subdomain: zone === domain ? "" : zone.slice(0, -domain.length - 1),
        project_id: projectId ?? parent.project_id,
      };
      const made = await api.send({ method: "POST", path: "/dns-zones", body, isBusy }, z.unknown());
      if (made.ok) return;
      if (made.status === 403 && !isOverQuota(made)) throw api.forbidden(made.message);
      throw calls.failure(`did not create the zone ${zone}: ${made.message}`, "none");
    },
    async *rrsets(zone) {
      yield await rrsetsOf(zone);
    },
    async apply(zone, steps) {
      const body = { return_all_records: false, disallow_new_zone_creation: true, changes: steps.map(changeOf) };
      const answer = await api.send({ method: "PATCH", path: pathOf(zone), body, isBusy }, z.unknown());
      if (answer.ok) return { ok: true };
      await throwIfKept(answer, zone);
      if (steps.length > 1 && !(await isUnchanged(zone, steps))) {
        throw calls.failure(`made only a part of the change: ${answer.message} Sync the zone.`, "unknown");
      }
      return { ok: false, message: answer.message, isStale: answer.status === 404 };
    },
    // The size of a call is not documented.
    callLimits: {
      sizesOf: ({ after }) => [1, JSON.stringify(after?.values ?? []).length],
      most: [500, 500_000],
      words: "500,000 characters",
    },
    // A name may be printed in Unicode, and the apex has no name to ask for, so the zone is read whole.
    mostQueries: 0,
    marksReadOnly: true,
    readOnlyReason,
  };
}

function pathOf(zone: string): string {
  return `/dns-zones/${encodeURIComponent(zone)}/records`;
}

function nameOf({ domain, subdomain = "" }: z.infer<typeof zoneEntry>): string {
  return subdomain === "" ? domain : `${subdomain}.${domain}`;
}

function isNamed(entry: z.infer<typeof zoneEntry>, zone: string): boolean {
  const read = readZoneName(nameOf(entry));
  return read.ok && read.value === zone;
}

/** Whether the zone is still in an earlier change. */
function isBusy({ status, text }: VendorAnswer): boolean {
  return status === 409 && typeOf(text) === "transient_state";
}

/** Whether the account has as much as it may have. */
function isOverQuota({ text }: { text: string }): boolean {
  return typeOf(text) === "quotas_exceeded";
}

/** Returns the type of a refusal; null without one. */
function typeOf(text: string): string | null {
  const parsed = refusal.safeParse(parsedJson(text));
  return parsed.success ? (parsed.data.type ?? null) : null;
}

/** Returns the message of a refusal with what it says of single arguments. */
function messageOf(text: string): string {
  const parsed = refusal.safeParse(parsedJson(text));
  const details = (parsed.success ? (parsed.data.details ?? []) : []).flatMap((one) => {
    const read = detail.safeParse(one);
    return read.success ? [read.data.help_message] : [];
  });
  return [messageIn(text), ...details].join(" ");
}

/** Returns the RRset that records of one name and type are. */
function readRrset(records: readonly ListedRecord[]): VendorRrset | null {
  const [first] = records;
  if (!first) return null;
  const { name, type } = first;
  const isSteered = records.some(
    (one) => one.geo_ip_config ?? one.http_service_config ?? one.weighted_config ?? one.view_config,
  );
  const commented = records.flatMap(({ data, comment }): [string, string][] =>
    comment === undefined || comment === "" ? [] : [[printed(type, data), comment]],
  );
  return {
    name: name === "" ? "@" : name,
    recordType: type,
    ttl: Math.min(...records.map(({ ttl }) => ttl)),
    values: records.map(({ data }) => printed(type, data)),
    // Comments are set with the records, so those of records that stay are sent again.
    tag: commented.length === 0 ? undefined : JSON.stringify(Object.fromEntries(commented)),
    readOnly: isSteered ? "steers these records by place, weight or health; change them there." : undefined,
  };
}

/** Returns data in master-file form. */
function printed(type: string, data: string): string {
  // Only quotes are escaped in a text, and a backslash stands for itself.
  if (type === "TXT") return quotedText(data.replace(/^"([^]*)"$/, "$1").replaceAll(String.raw`\"`, '"'));
  const fields = data.split(" ");
  return hostTypes.has(type) ? [...fields.slice(0, -1), absoluteHost(fields.at(-1) ?? "")].join(" ") : data;
}

/** Returns a value as Scaleway takes it: a text in one pair of quotes, in UTF-8. */
function written(recordType: string, value: string): string {
  if (recordType !== "TXT") return value;
  const octets = joinOctets((rdataFields(recordType, value) ?? []).map(({ raw }) => raw));
  return octets ? `"${octets.toString("utf8").replaceAll(/["\\]/g, String.raw`\$&`)}"` : value;
}

function contentOf({ ttl, values }: Pick<VendorRrset, "ttl" | "values">): string {
  return JSON.stringify([ttl, values.toSorted()]);
}

function changeOf({ name, recordType, before, after }: RrsetStep) {
  const shown = before?.name ?? name;
  const id_fields = { name: shown === "@" ? "" : shown, type: recordType };
  if (!after) return { delete: { id_fields } };
  const known = comments.safeParse(parsedJson(before?.tag ?? ""));
  const records = after.values.map((value) => ({
    ...id_fields,
    ttl: after.ttl,
    data: written(recordType, value),
    comment: known.success ? known.data[value] : undefined,
  }));
  return before ? { set: { id_fields, records } } : { add: { records } };
}
