import { recordKey, type RecordData } from "../../dns/record.ts";
import type { ApexCname } from "../../dns/zone-rules.ts";
import type { Pause } from "../../platform/pause.ts";
import type { Result } from "../../platform/result.ts";
import { touchedNames, type RecordStore } from "../applying/apply-to-records.ts";
import { allZones, type UnusableZone } from "../listed-zones.ts";
import {
  ProviderError,
  type ApplyOptions,
  type ApplyResult,
  type DnsProvider,
  type LimitedRecord,
  type RecordChange,
  type ZoneSigner,
} from "../provider.ts";
import { lateSeconds } from "../vendor-api/calls.ts";
import { pagesOfNames } from "../vendor-api/pages.ts";
import { applyOneByOne } from "./apply-changes.ts";
import { eachOnce, type StoredRecord } from "./record-calls.ts";

/** An account at a vendor whose API changes one record per call, without transactions. All calls throw ProviderError. */
export interface RecordAccount {
  /** The vendor's name, for messages. */
  readonly vendor: string;
  /** Lists the account's zones, page by page: names as the vendor prints them, or why a zone cannot be managed. */
  zones(): AsyncIterable<(string | UnusableZone)[]>;
  /** Creates a zone, unless the account has it already. */
  createZone(zone: string): Promise<void>;
  /** Lists a zone's records page by page, without the SOA; only those of one name if given. */
  records(zone: string, name?: string): AsyncIterable<StoredRecord[]>;
  /** Creates a record. A refusal carries a sentence with the vendor's message. @returns the new record's id */
  create(zone: string, record: RecordData): Promise<Result<string>>;
  /** Returns the TTL of each new record, for vendors that ignore the one they are sent: a second call sets it. Left out: the vendor takes it. @throws ProviderError */
  createdTtl?(zone: string): Promise<number>;
  /** Changes a record of the same name and type. */
  update(zone: string, id: string, record: RecordData): Promise<Result<null>>;
  /** Deletes a record. */
  remove(zone: string, id: string): Promise<Result<null>>;
  /** Has the vendor serve what was stored, if it does so only on request. Called once after a set, unless nothing was stored. */
  publish?(zone: string): Promise<void>;
  /** Returns why a record is read-only, or null. */
  readOnlyReason?: (record: LimitedRecord) => string | null;
  /** Its CNAME at the apex of a zone. Left out: there must be none. */
  readonly apexCname?: ApexCname;
  /** Names to query one by one; for more names, reading the whole zone is cheaper. */
  readonly mostQueries: number;
  /** Whether the vendor can filter its records by this name; any name if left out. */
  isQueryable?: (name: string) => boolean;
  /** Calls that change a zone, in flight at once; 4 if left out. */
  readonly concurrency?: number;
  readonly ttlFloor?: TtlFloor;
  readonly readLag?: ReadLag;
  /** Left out: its API does not turn signing on and off. */
  readonly signing?: ZoneSigner;
}

/** The smallest TTL, where it depends on the edition bought for a zone. */
interface TtlFloor {
  /** What sets it, for messages: `the edition of`. */
  setBy: string;
  /** The smallest TTL of the lowest edition, in seconds. Zones are asked for theirs only below it. */
  highestSeconds: number;
  /** Returns the smallest TTL of a zone, in seconds. @throws ProviderError */
  ofZone(zone: string): Promise<number>;
}

/** How long a vendor's lists may lag behind its changes. */
interface ReadLag {
  seconds: number;
  /** Pauses between readings until a record shows up, in milliseconds. */
  pausesMilliseconds: readonly number[];
  pause: Pause;
}

/** Returns a provider for an account. Such APIs show no serial, so zones have no fingerprint. */
export function recordAccountProvider(account: RecordAccount): DnsProvider {
  const { ttlFloor, readLag, signing } = account;
  return {
    settlesAfterSeconds: lateSeconds + (readLag?.seconds ?? 0),
    ...(readLag && { readLagSeconds: readLag.seconds }),
    ...(ttlFloor && { minTtl: async (zone) => await ttlFloor.ofZone(zone) }),
    ...(account.publish && { publish: (zone) => published(account, zone) }),
    ...(signing && { signing }),
    listZones: () => allZones(account.zones()),
    createZone: (zone) => account.createZone(zone),
    readZone: (zone) => readZone(account, zone),
    applyChanges: (zone, changes, options = {}) => applyChanges(account, zone, changes, options),
    readSoa: () => Promise.resolve(null),
    fingerprint: () => Promise.resolve(null),
  };
}

async function* readZone(account: RecordAccount, zone: string): AsyncGenerator<RecordData[]> {
  for await (const page of account.records(zone)) {
    if (page.length > 0) yield eachOnce(page).map(({ data }) => data);
  }
}

async function applyChanges(
  account: RecordAccount,
  zone: string,
  changes: readonly RecordChange[],
  { atomic = false, beforeCall }: ApplyOptions,
): Promise<ApplyResult> {
  const store = await storeOf(account, zone, changes);
  const present = await presentRecords(account, zone, changes);
  const createdTtl = await account.createdTtl?.(zone);
  const outcomes = await applyOneByOne({
    present: present.filter(({ data }) => !account.readOnlyReason?.(data)),
    changes,
    atomic,
    store,
    calls: {
      create: (record) => account.create(zone, record),
      update: (id, record) => account.update(zone, id, record),
      remove: (id) => account.remove(zone, id),
    },
    createdTtl,
    concurrency: account.concurrency,
    beforeCall,
  });
  // A set that failed without an answer is published once its outcome has been read: until then, the zone is served as it was.
  if (outcomes.some((outcome) => outcome.ok || outcome.gone)) await published(account, zone);
  return { outcomes, before: null, after: null };
}

/** @throws ProviderError with effect `unknown`, because records were changed before */
async function published(account: RecordAccount, zone: string): Promise<void> {
  try {
    await account.publish?.(zone);
  } catch (error) {
    throw error instanceof ProviderError ? error.afterSending() : error;
  }
}

async function storeOf(
  { vendor, ttlFloor, apexCname }: RecordAccount,
  zone: string,
  changes: readonly RecordChange[],
): Promise<RecordStore> {
  const place = `the zone at ${vendor}`;
  if (!ttlFloor || !changes.some(({ after }) => after !== null && after.ttl < ttlFloor.highestSeconds)) {
    return { place, apexCname, refusal: () => null };
  }
  const least = await ttlFloor.ofZone(zone);
  const message = `${vendor} requires a TTL of at least ${least} seconds in ${ttlFloor.setBy} ${zone}.`;
  return { place, apexCname, refusal: ({ ttl }) => (ttl < least ? message : null) };
}

/** Reads the records at the names that the changes touch; again while one is missing that the vendor may not show yet. */
async function presentRecords(
  account: RecordAccount,
  zone: string,
  changes: readonly RecordChange[],
): Promise<StoredRecord[]> {
  const names = touchedNames(changes);
  const expected = changes.flatMap(({ before }) => (before ? [recordKey(before)] : []));
  const { pausesMilliseconds = [], pause } = account.readLag ?? {};
  let present = await recordsOfNames(account, zone, names);
  for (const milliseconds of pausesMilliseconds) {
    const keys = new Set(present.map(({ data }) => recordKey(data)));
    if (expected.every((key) => keys.has(key))) return present;
    await pause?.(milliseconds);
    present = await recordsOfNames(account, zone, names);
  }
  return present;
}

async function recordsOfNames(
  account: RecordAccount,
  zone: string,
  names: ReadonlySet<string>,
): Promise<StoredRecord[]> {
  const { mostQueries, isQueryable = () => true } = account;
  const most = [...names].every(isQueryable) ? mostQueries : 0;
  const records = new Map<string, StoredRecord>();
  for await (const page of pagesOfNames(names, most, (name) => account.records(zone, name))) {
    for (const record of page) if (names.has(record.data.name)) records.set(record.id, record);
  }
  return [...records.values()];
}
