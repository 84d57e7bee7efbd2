import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { jsonRows } from "../../database/json-rows.ts";
import type { DnsProvider } from "../../dns-providers/provider.ts";
import { indexedZone, liveById } from "./live-queries.ts";
import { storedStrings, unreadSplit } from "../../dns/stored-strings.ts";
import { planServed, type LearnedSplit } from "../../dns/zone-comparison.ts";

// 0.1 did not keep how a TXT is cut into strings. What it stored is read from the provider once, and is no change then.

const rowsPerStatement = 5_000;

/** Reads a zone of 0.1 for how its TXT records are cut. The caller holds the zone. @throws ProviderError */
export async function readSplits(
  em: EntityManager,
  zone: { id: string; name: string },
  provider: DnsProvider,
): Promise<void> {
  const index = await indexedZone(em, zone.id);
  const { learned } = await planServed(index, provider.readZone(zone.name), async (ids) =>
    (await liveById(em, zone.id, ids)).values(),
  );
  await keepSplits(em, zone.id, learned);
}

/** Writes down what was learned, into the rows themselves: it was so before. Rows that were changed since stay as they are. */
export async function keepSplits(em: EntityManager, domainId: string, learned: readonly LearnedSplit[]): Promise<void> {
  for (let start = 0; start < learned.length; start += rowsPerStatement) {
    const rows = learned
      .slice(start, start + rowsPerStatement)
      .map(({ id, strings }) => ({ id, strings: storedStrings(strings) }));
    await sql`
      update records set strings = learned.strings from ${jsonRows(rows)} as learned (id uuid, strings text)
      where record_id = learned.id and domain_id = ${domainId} and until is null and records.strings = ${unreadSplit}
    `.execute(queries(em));
  }
  await queries(em)
    .updateTable("domains")
    .set({ splits_unread: false })
    .where("id", "=", domainId)
    .where("splits_unread", "=", true)
    .execute();
}
