import type { ChangeOutcome, DnsProvider, RecordChange } from "../dns-providers/provider.ts";
import { recordsOf } from "../dns-providers/applying/touched-records.ts";
import { sameData } from "../dns/live-record.ts";
import { recordKey, type RecordData } from "../dns/record.ts";
import type { ZoneSigning } from "../dns/server-managed.ts";

/** What a zone has of the records that some changes are about, by `recordKey`. */
export type ServedRecords = ReadonlyMap<string, RecordData>;

/** What a reading shows of some changes. */
export interface ReadBack {
  served: ServedRecords;
  /** Whether the provider signs the zone, so that it may show what was done a moment later. */
  signed: boolean;
}

/** Reads a zone at its provider for the records that changes are about. @throws ProviderError */
export async function readServed(
  provider: DnsProvider,
  zone: string,
  changes: readonly RecordChange[],
): Promise<ReadBack> {
  const concerned = new Set(changes.flatMap(recordsOf).map(recordKey));
  const served = new Map<string, RecordData>();
  let signed = false;
  for await (const batch of provider.readZone(zone)) {
    for (const record of batch) {
      const key = recordKey(record);
      if (concerned.has(key)) served.set(key, record);
      signed ||= record.serverManaged === true;
    }
  }
  return { served, signed };
}

/** What became of changes, as the zone shows it. Pure. @param why those that were not made were not: that they were interrupted, where nobody said */
export function outcomesIn(
  served: ServedRecords,
  changes: readonly RecordChange[],
  why = "The change was interrupted and did not reach the provider.",
): ChangeOutcome[] {
  const brought = new Map(
    changes.flatMap((change) => (change.after ? [[recordKey(change.after), change] as const] : [])),
  );
  const isServed = (record: RecordData) => {
    const present = served.get(recordKey(record));
    return present !== undefined && sameData(present, record);
  };
  /** Whether another change of the set was to bring a record in this one's place: then that it is served says nothing. */
  const replaced = (record: RecordData, by: RecordChange) => {
    const other = brought.get(recordKey(record));
    return other !== undefined && other !== by ? other : null;
  };
  const happened = (change: RecordChange): boolean => {
    const { before, after } = change;
    if (after && !isServed(after)) return false;
    if (!before || (after && recordKey(after) === recordKey(before)) || !served.has(recordKey(before))) return true;
    const other = replaced(before, change);
    return other?.after ? isServed(other.after) : false;
  };
  const done = new Set(changes.filter(happened));
  return changes.map((change): ChangeOutcome => {
    if (done.has(change)) return { ok: true };
    const { before, after } = change;
    const other = before && replaced(before, change);
    const gone = before && after && (!served.has(recordKey(before)) || (other && done.has(other)));
    return gone
      ? {
          ok: false,
          message: "The change was interrupted: the old record is gone, the new one is not there.",
          gone: true,
        }
      : { ok: false, message: why };
  });
}

/**
 * Which of the changes that a zone shows as made, or as half made, are proven to be ours: a call for them was begun, and the zone shows all
 * that just this call was to do. The rest may be what somebody else did there meanwhile. Pure.
 * @param calls what each call that was begun was to do. A call is carried out whole or not at all.
 */
export function provenOurs(
  served: ServedRecords,
  changes: readonly RecordChange[],
  calls: readonly (readonly RecordChange[])[],
): boolean[] {
  const outcomes = new Map<RecordChange, boolean>();
  const effects = calls.flat();
  outcomesIn(served, effects).forEach(({ ok }, index) => {
    const effect = effects[index];
    if (effect) outcomes.set(effect, ok);
  });
  return begunIn(
    changes,
    calls.filter((call) => call.every((effect) => outcomes.get(effect))),
  );
}

/** Which of some changes the calls that were begun were to make, whether the zone shows them or not. Pure. */
export function begunIn(changes: readonly RecordChange[], calls: readonly (readonly RecordChange[])[]): boolean[] {
  const taken = new Set(calls.flat().flatMap(({ before }) => (before ? [recordKey(before)] : [])));
  const brought = new Set(calls.flat().flatMap(({ after }) => (after ? [recordKey(after)] : [])));
  return changes.map(
    ({ before, after }) =>
      (before !== null && taken.has(recordKey(before))) || (after !== null && brought.has(recordKey(after))),
  );
}

/** What the zone gained and lost: an update that left neither record is the end of the old one. */
export function effects<Change extends RecordChange>(
  changes: readonly Change[],
  outcomes: readonly ChangeOutcome[],
): Change[] {
  return changes.flatMap((change, index) => {
    const outcome = outcomes[index];
    if (!outcome || outcome.ok) return outcome ? [change] : [];
    return outcome.gone ? [{ ...change, action: "delete", after: null }] : [];
  });
}

/** All records of the zone as its provider has them, without those that it maintains itself. @throws ProviderError */
export async function readAll(provider: DnsProvider, zone: string): Promise<RecordData[]> {
  return (await readWhole(provider, zone)).records;
}

/** All records of the zone, and what the reading tells of its signing. @throws ProviderError */
export async function readWhole(
  provider: DnsProvider,
  zone: string,
): Promise<{ records: RecordData[]; signing: ZoneSigning }> {
  const records: RecordData[] = [];
  const managed: RecordData[] = [];
  for await (const batch of provider.readZone(zone)) {
    for (const record of batch) (record.serverManaged ? managed : records).push(record);
  }
  const signed = managed.length > 0 || ((await provider.signs?.(zone)) ?? false);
  return { records, signing: { signed, managed } };
}
