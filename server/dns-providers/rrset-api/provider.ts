import { readOwner } from "../../dns/names/names.ts";
import { recordKey, rrsetKey, type RecordData } from "../../dns/record.ts";
import { canonicalType } from "../../dns/zone-file/type-names.ts";
import { allOrNone, applyToRecords, outcomesFrom, touchedNames } from "../applying/apply-to-records.ts";
import { allZones, readZoneName } from "../listed-zones.ts";
import type { ApplyOptions, ApplyResult, ChangeOutcome, DnsProvider, RecordChange } from "../provider.ts";
import { canonicalRdata, unreadContent } from "../rdata-text.ts";
import { lateSeconds } from "../vendor-api/calls.ts";
import { pagesOfNames } from "../vendor-api/pages.ts";
import type { ReadRrset, RrsetAccount, VendorRrset } from "./account.ts";
import { sendInBatches, sendOneByOne, type Sending } from "./sending.ts";
import { groupsOf, oneGroup, withTtlApart } from "./steps.ts";

/** Returns a provider for an account. Its zones have no fingerprint. */
export function rrsetAccountProvider(account: RrsetAccount): DnsProvider {
  const { ttlFloor, isSettled, signing } = account;
  return {
    settlesAfterSeconds: lateSeconds,
    ...(ttlFloor && { minTtl: async (zone: string) => await ttlFloor.ofZone(zone) }),
    ...(isSettled && { isSettled: async (ref: string) => await isSettled(ref) }),
    ...(signing && { signing }),
    listZones: () => allZones(account.zones(), readZoneName),
    createZone: (zone) => account.createZone(zone),
    readZone: (zone) => readZone(account, zone),
    ...(account.marksReadOnly && { readOnlyRecords: async (zone: string) => await readOnlyRecords(account, zone) }),
    applyChanges: (zone, changes, options = {}) => applyChanges(account, zone, changes, options),
    readSoa: async (zone) => (await account.soa?.(zone)) ?? null,
    fingerprint: () => Promise.resolve(null),
  };
}

async function* readZone(account: RrsetAccount, zone: string): AsyncGenerator<RecordData[]> {
  for await (const page of account.rrsets(zone)) {
    const records = page.flatMap((rrset) => readRrset(zone, rrset)?.records ?? []);
    if (records.length > 0) yield records.map(({ data }) => data);
  }
}

/** Returns the records of the RRsets that the vendor marks as read-only. */
async function readOnlyRecords(account: RrsetAccount, zone: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const page of account.rrsets(zone)) {
    for (const rrset of page) {
      if (rrset.readOnly === undefined) continue;
      for (const { data } of readRrset(zone, rrset)?.records ?? []) found.set(recordKey(data), rrset.readOnly);
    }
  }
  return found;
}

/** Returns an RRset in canonical form; null for the SOA, which vendors manage, and for names outside the zone. */
function readRrset(zone: string, served: VendorRrset): ReadRrset | null {
  const owner = readOwner(served.name, zone, zone);
  const recordType = canonicalType(served.recordType) ?? served.recordType;
  if (recordType === "SOA" || !owner.ok) return null;
  const records = served.values.map((text) => {
    const content = canonicalRdata(recordType, text, zone) ?? unreadContent(text);
    return { text, data: { recordType, ...owner.value, ...content, ttl: served.ttl, proxied: false } };
  });
  const unique = new Map(records.map((record) => [recordKey(record.data), record]));
  return { served, name: owner.value.name, recordType, records: [...unique.values()] };
}

async function applyChanges(
  account: RrsetAccount,
  zone: string,
  changes: readonly RecordChange[],
  { atomic = false, beforeCall = () => Promise.resolve() }: ApplyOptions,
): Promise<ApplyResult> {
  const belowFloor = await ttlRefusal(account, zone, changes);
  const refusal = (record: RecordData) => {
    const reason = account.refusalOf?.(record) ?? null;
    return reason === null ? belowFloor(record) : `${account.vendor} ${reason}`;
  };
  const present = await rrsetsOfNames(account, zone, touchedNames(changes));
  const { records, outcomes } = decided(account, present, changes, atomic, refusal);
  const accepted = changes.filter((_, index) => outcomes[index]?.ok);
  if (accepted.length === 0) return { outcomes, before: null, after: null };

  const whole = groupsOf(present, records, accepted);
  const groups = account.ttlApart ? withTtlApart(whole) : whole;
  const sending: Sending = { account, zone, beforeCall };
  const { refusals, refs } = account.apply
    ? await sendInBatches(sending, groups, atomic)
    : await sendOneByOne(sending, atomic ? oneGroup(groups) : groups);
  const sent = outcomesFrom(changes, refusals);
  return {
    outcomes: outcomes.map((outcome, index) => (outcome.ok ? (sent[index] ?? outcome) : outcome)),
    before: null,
    after: null,
    ...(refs.length > 0 && { changeRefs: refs }),
  };
}

/** Returns the outcomes that the present RRsets already decide, before anything is sent, and the records that are to be. */
function decided(
  { vendor, readOnlyReason, apexCname }: RrsetAccount,
  present: readonly ReadRrset[],
  changes: readonly RecordChange[],
  atomic: boolean,
  refusal: (record: RecordData) => string | null,
): { records: RecordData[]; outcomes: ChangeOutcome[] } {
  const marked = new Map(present.map((rrset) => [rrsetKey(rrset), rrset.served.readOnly]));
  const reasonOf = (record: RecordData | null) =>
    record && (marked.get(rrsetKey(record)) ?? readOnlyReason?.(record) ?? null);
  const reasons = new Map(
    changes.map((change) => [change, reasonOf(change.before) ?? reasonOf(change.after)] as const),
  );
  const open = changes.filter((change) => reasons.get(change) === null);
  const { records, outcomes } = applyToRecords(
    present.flatMap((rrset) => rrset.records.map(({ data }) => data)),
    open,
    { place: `the zone at ${vendor}`, apexCname, refusal },
  );
  const byChange = new Map(open.map((change, index) => [change, outcomes[index]]));
  const all = changes.map(
    (change): ChangeOutcome => byChange.get(change) ?? { ok: false, message: `${vendor} ${reasons.get(change) ?? ""}` },
  );
  return { records, outcomes: atomic ? allOrNone(all) : all };
}

/** Returns what refuses a TTL that this zone does not take. */
async function ttlRefusal(
  { vendor, ttlFloor }: RrsetAccount,
  zone: string,
  changes: readonly RecordChange[],
): Promise<(record: RecordData) => string | null> {
  if (!ttlFloor || !changes.some(({ after }) => after !== null && after.ttl < ttlFloor.highestSeconds)) {
    return () => null;
  }
  const least = await ttlFloor.ofZone(zone);
  const message = `${vendor} requires a TTL of at least ${least} seconds in ${ttlFloor.setBy} ${zone}.`;
  return ({ ttl }) => (ttl < least ? message : null);
}

async function rrsetsOfNames(account: RrsetAccount, zone: string, names: ReadonlySet<string>): Promise<ReadRrset[]> {
  const found = new Map<string, ReadRrset>();
  for await (const page of pagesOfNames(names, account.mostQueries, (name) => account.rrsets(zone, name))) {
    for (const served of page) {
      const rrset = readRrset(zone, served);
      if (rrset && names.has(rrset.name)) found.set(rrsetKey(rrset), rrset);
    }
  }
  return [...found.values()];
}
