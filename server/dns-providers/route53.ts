import { z } from "zod";
import { maxTtl, type RecordData } from "../dns/record.ts";
import { apiAddress } from "./config-fields.ts";
import type { ProviderKind, ApplyOptions, ApplyResult, ChangeOutcome, DnsProvider, RecordChange } from "./provider.ts";
import { route53Address, route53Api, route53Limits, type Route53Api } from "./route53/client.ts";
import {
  unsupportedReason,
  readOnlyReason,
  recordTypes,
  readRrset,
  type ServedRrset,
  fromOctal,
} from "./route53/rrsets.ts";
import { absoluteName } from "../dns/names/names.ts";
import { readSoa, type Soa } from "../dns/zone-file/contents.ts";
import { applyToRecords, allOrNone, touchedNames } from "./applying/apply-to-records.ts";
import { rdataFields } from "../dns/zone-file/record-data.ts";
import { lateSeconds } from "./vendor-api/calls.ts";
import { Sending, groupsOf } from "./route53/apply-changes.ts";
import { dnsName, HostedZones, type FoundZone } from "./route53/hosted-zones.ts";

const accessKeyId = z
  .string("Enter the access key id.")
  .trim()
  .regex(/^\w{16,128}$/, "The access key id must be letters and digits, such as AKIAIOSFODNN7EXAMPLE.");

/** The fields of an access key of AWS. */
export const accessKey = {
  // The prefixes are in the IAM User Guide, "IAM identifiers".
  accessKeyId: accessKeyId.refine(
    (id) => !id.startsWith("ASIA"),
    "This is a temporary key (ASIA…), which ends within hours and needs a session token. Enter the key of an IAM user (AKIA…).",
  ),
  secretAccessKey: z
    .string("Enter the secret of the access key.")
    .trim()
    .regex(/^[!-~]{16,200}$/, "The secret access key must be 16 to 200 characters of plain ASCII without spaces."),
};

const configSchema = z.strictObject({
  ...accessKey,
  hostedZoneIds: z
    .string()
    .max(10_000)
    .refine(
      (ids) => idsIn(ids).every((id) => /^[A-Z0-9]{1,32}$/.test(id)),
      "Enter hosted zone ids, such as Z0123456789ABCDEFGHIJ, separated by commas.",
    )
    .optional(),
  delegationSetId: z
    .string()
    .trim()
    .regex(
      /^(?:\/?delegationset\/)?[A-Z0-9]{1,32}$/,
      "Enter the id of a reusable delegation set, such as N1PA6795UAMPLE.",
    )
    .optional(),
  endpoint: apiAddress(route53Address).default(route53Address),
});

export type Route53Config = z.infer<typeof configSchema>;

/** The hosted zones of an AWS account. */
export const route53: ProviderKind<Route53Config> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000006",
  kind: "route53",
  name: "Amazon Route 53",
  recordTypes,
  supportsProxied: false,
  minTtl: 0,
  maxTtl,
  unsupportedReason,
  readOnlyReason,
  lowersCase: "owners",
  callLimits: route53Limits,
  granularity: "rrset",
  configFields: [
    { name: "accessKeyId", label: "Access key id", secret: false, required: true },
    { name: "secretAccessKey", label: "Secret access key", secret: true, required: true },
    {
      name: "hostedZoneIds",
      label: "Hosted zone ids, separated by commas (all public zones)",
      secret: false,
      required: false,
    },
    {
      name: "delegationSetId",
      label: "Delegation set of new zones (name servers that Route 53 chooses)",
      secret: false,
      required: false,
    },
    { name: "endpoint", label: "API address", secret: false, required: false },
  ],
  addresses: ["endpoint"],
  configSchema,
  storedConfigSchema: configSchema.extend({ accessKeyId }),
  connect: ({ hostedZoneIds, ...access }, environment) =>
    route53Provider(route53Api(access, environment), idsIn(hostedZoneIds ?? "")),
};

/** Returns the ids in a list, which may be written as the console or as the API prints them: `/hostedzone/Z0123`. */
function idsIn(list: string): string[] {
  return list
    .split(",")
    .map((id) => id.trim().replace("/hostedzone/", ""))
    .filter((id) => id !== "");
}

const rrsetsPerPage = 300;

/** Returns a provider for the hosted zones of one account. Route 53 does not raise the SOA serial, so zones have no fingerprint. */
function route53Provider(api: Route53Api, listed: Iterable<string>): DnsProvider {
  const zones = new HostedZones(api, listed);
  return {
    settlesAfterSeconds: lateSeconds,
    listZones: () => zones.list(),
    createZone: (zone) => zones.make(zone),
    readZone: (zone) => readZone(api, zones, zone),
    applyChanges: (zone, changes, options = {}) => applyChanges(api, zones, zone, changes, options),
    readSoa: (zone) => readZoneSoa(api, zones, zone),
    fingerprint: () => Promise.resolve(null),
    isSettled: (changeId) => api.isInSync(changeId),
  };
}

async function* readZone(api: Route53Api, zones: HostedZones, zone: string): AsyncGenerator<RecordData[]> {
  const { id } = await zones.find(zone);
  for await (const page of api.recordSets(id)) yield page.flatMap((set) => readRrset(zone, set)?.records ?? []);
}

async function applyChanges(
  api: Route53Api,
  zones: HostedZones,
  zone: string,
  changes: readonly RecordChange[],
  { atomic = false, beforeCall = () => Promise.resolve() }: ApplyOptions,
): Promise<ApplyResult> {
  const found = await zones.find(zone);
  const present = await rrsetsAt(api, zone, found, touchedNames(changes));
  const { records, outcomes } = decided(api, present, changes, atomic);
  const accepted = changes.filter((_, index) => outcomes[index]?.ok);
  if (accepted.length === 0) return { outcomes, before: null, after: null };

  const sending = new Sending(api, found.id, beforeCall);
  const groups = groupsOf(zone, present, records, accepted);
  await (atomic ? sending.sendAtomic(groups) : sending.sendEach(groups));
  const sent = sending.outcomesOf(changes);
  return {
    outcomes: outcomes.map((one, index) => (one.ok ? (sent[index] ?? one) : one)),
    before: null,
    after: null,
    changeRefs: sending.changeIds,
  };
}

/** Returns the outcomes that the present records already decide, before anything is sent. */
function decided(
  { name: vendor }: Route53Api,
  present: readonly ServedRrset[],
  changes: readonly RecordChange[],
  atomic: boolean,
): { records: RecordData[]; outcomes: ChangeOutcome[] } {
  const own = new Set(present.filter((rrset) => rrset.own).map(({ name, recordType }) => `${name} ${recordType}`));
  const open = changes.filter((change) => readOnlyReasonOf(change) === null);
  const { records, outcomes } = applyToRecords(
    present.flatMap((rrset) => rrset.records),
    open,
    {
      place: "the hosted zone",
      refusal: ({ name, recordType }) =>
        own.has(`${name} ${recordType}`)
          ? `${vendor} has an alias or a routing policy for ${name} ${recordType}; change it in its console.`
          : null,
    },
  );
  const byChange = new Map(open.map((change, index) => [change, outcomes[index]]));
  const all = changes.map(
    (change): ChangeOutcome =>
      byChange.get(change) ?? { ok: false, message: `${vendor} ${readOnlyReasonOf(change) ?? ""}` },
  );
  return { records, outcomes: atomic ? allOrNone(all) : all };
}

/** Returns why a change touches a read-only record; null if it does not. */
function readOnlyReasonOf({ before, after }: RecordChange): string | null {
  return (before && readOnlyReason(before)) ?? (after && readOnlyReason(after));
}

/** Returns the RRsets of some names in the fewest calls: one per name, or the whole zone. */
async function rrsetsAt(
  api: Route53Api,
  zone: string,
  { id, rrsets }: FoundZone,
  names: ReadonlySet<string>,
): Promise<ServedRrset[]> {
  const found: ServedRrset[] = [];
  if (rrsets / rrsetsPerPage <= names.size) {
    for await (const page of api.recordSets(id)) found.push(...page.flatMap((set) => readRrset(zone, set) ?? []));
    return found.filter(({ name }) => names.has(name));
  }
  for (const name of names) {
    const start = { name: dnsName(absoluteName(name, zone)) };
    for await (const page of api.recordSets(id, start)) {
      found.push(...page.flatMap((set) => readRrset(zone, set) ?? []).filter((rrset) => rrset.name === name));
      if (page.at(-1)?.Name !== start.name) break;
    }
  }
  return found;
}

async function readZoneSoa(api: Route53Api, zones: HostedZones, zone: string): Promise<Soa | null> {
  const { id } = await zones.find(zone);
  for await (const [set] of api.recordSets(id, { name: dnsName(zone), type: "SOA" }, 1)) {
    const fields = rdataFields("SOA", fromOctal(set?.ResourceRecords?.[0]?.Value ?? ""));
    const soa = set?.Type === "SOA" && fields ? readSoa(fields, zone) : null;
    return soa?.ok ? { ...soa.value, ttl: set?.TTL ?? soa.value.minimum } : null;
  }
  return null;
}
