import type { ChangeOutcome, DnsProvider, RecordChange } from "../dns-providers/provider.ts";
import { sameData } from "../records/live-record.ts";
import { recordKey, type RecordData } from "../records/record.ts";

/** What became of changes, established by reading the zone at its provider. @throws ProviderError */
export async function readBack(
  provider: DnsProvider,
  zone: string,
  changes: readonly RecordChange[],
): Promise<ChangeOutcome[]> {
  const concerned = new Set(
    changes.flatMap(({ before, after }) => [before, after].flatMap((record) => (record ? [recordKey(record)] : []))),
  );
  const served = new Map<string, RecordData>();
  for await (const batch of provider.readZone(zone)) {
    for (const record of batch) {
      const key = recordKey(record);
      if (concerned.has(key)) served.set(key, record);
    }
  }
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
      : { ok: false, message: "The change was interrupted and did not reach the provider." };
  });
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

/** All records of the zone as its provider has them. @throws ProviderError */
export async function readAll(provider: DnsProvider, zone: string): Promise<RecordData[]> {
  const records: RecordData[] = [];
  for await (const batch of provider.readZone(zone)) records.push(...batch);
  return records;
}
