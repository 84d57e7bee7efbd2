import type { ChangeOutcome, DnsProvider, ProviderError, RecordChange } from "../dns-providers/provider.ts";
import { recordsOf } from "../dns-providers/applying/touched-records.ts";
import { recordKey, sameData, type RecordData } from "../dns/record.ts";
import type { ZoneSigning } from "../dns/server-managed.ts";

/** The records in a zone that some changes are about, by `recordKey`. */
export type ServedRecords = ReadonlyMap<string, RecordData>;

/** What a reading of the zone shows of some changes. */
export interface ReadBack {
  served: ServedRecords;
  /** Whether the provider signs the zone. Changes may then appear with a delay. */
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

/** Returns the outcomes of changes as the zone shows them. Pure. @param why the reason given for changes that were not made */
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
  /** Returns the other change of the set that brings this same record. If there is one, the record being served proves nothing. */
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
          message: "The change was interrupted: the old record is gone and the new one is missing.",
          gone: true,
        }
      : { ok: false, message: why };
  });
}

/**
 * Returns, for each change, whether it is proven to be ours: a call for it was started, and the zone shows everything that this call was to
 * do. Any other change that the zone shows may have been made by somebody else. Pure.
 * @param calls what each started call was to do. A call is carried out whole or not at all.
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

/** Returns, for each change, whether a started call was to make it, whatever the zone shows. Pure. */
export function begunIn(changes: readonly RecordChange[], calls: readonly (readonly RecordChange[])[]): boolean[] {
  const taken = new Set(calls.flat().flatMap(({ before }) => (before ? [recordKey(before)] : [])));
  const brought = new Set(calls.flat().flatMap(({ after }) => (after ? [recordKey(after)] : [])));
  return changes.map(
    ({ before, after }) =>
      (before !== null && taken.has(recordKey(before))) || (after !== null && brought.has(recordKey(after))),
  );
}

/**
 * Returns how many seconds after a call without an answer a reading is final: what it does not show then was not done, and no longer will be.
 */
export function secondsToSettle(provider: DnsProvider, read: Pick<ReadBack, "signed">): number {
  return Math.max(provider.settlesAfterSeconds ?? 0, lagOf(provider, read));
}

/** Returns for how many seconds a reading may not show what is done. */
function lagOf(
  { readLagSeconds = 0, signingLagSeconds = 0 }: DnsProvider,
  { signed }: Pick<ReadBack, "signed">,
): number {
  return Math.max(readLagSeconds, signed ? signingLagSeconds : 0);
}

/** Returns whether a reading right after a failed call is final: what it shows is there, but what it lacks may only be delayed. */
export function isCertain(
  provider: DnsProvider,
  { answered }: ProviderError,
  read: Pick<ReadBack, "signed">,
  outcomes: readonly ChangeOutcome[],
): boolean {
  if (outcomes.every(({ ok }) => ok)) return true;
  return (answered ? lagOf(provider, read) : secondsToSettle(provider, read)) === 0;
}

/** Reads all records of the zone at its provider, without those that the provider maintains itself. @throws ProviderError */
export async function readAll(provider: DnsProvider, zone: string): Promise<RecordData[]> {
  return (await readWhole(provider, zone)).records;
}

/** Reads all records of the zone at its provider, those that it maintains apart. @throws ProviderError */
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
