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
  const made = new Map(changes.flatMap(({ after }) => (after ? [[recordKey(after), after] as const] : [])));
  return changes.map(({ before, after }): ChangeOutcome => {
    const key = recordKey(after ?? before);
    const present = served.get(key);
    // A record that is deleted and made anew in one set is gone when the new one is there.
    const wanted = after ?? made.get(key);
    const happened = wanted ? present !== undefined && sameData(present, wanted) : present === undefined;
    return happened
      ? { ok: true }
      : { ok: false, message: "The change was interrupted and did not reach the provider." };
  });
}

/** All records of the zone as its provider has them. @throws ProviderError */
export async function readAll(provider: DnsProvider, zone: string): Promise<RecordData[]> {
  const records: RecordData[] = [];
  for await (const batch of provider.readZone(zone)) records.push(...batch);
  return records;
}
