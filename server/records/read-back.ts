import type { ChangeOutcome, DnsProvider } from "../dns-providers/provider.ts";
import { sameData, type PlannedChange } from "./live-record.ts";
import { recordKey, type RecordData } from "./record.ts";

/** What became of changes, established by reading the zone at its provider. @throws ProviderError */
export async function readBack(
  provider: DnsProvider,
  zone: string,
  changes: readonly PlannedChange[],
): Promise<ChangeOutcome[]> {
  const wanted = new Set(
    changes.flatMap(({ before, after }) => [before, after].flatMap((record) => (record ? [recordKey(record)] : []))),
  );
  const served = new Map<string, RecordData>();
  for await (const batch of provider.readZone(zone)) {
    for (const record of batch) {
      const key = recordKey(record);
      if (wanted.has(key)) served.set(key, record);
    }
  }
  return changes.map(({ before, after }): ChangeOutcome => {
    const present = served.get(recordKey(after ?? before));
    const happened = after ? present !== undefined && sameData(present, after) : present === undefined;
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
