import { storedStrings, unreadSplit } from "../../../dns/record.ts";
import { sql } from "kysely";
import { jsonRows, queries, type EntityManager } from "../../../database/database.ts";
import type { DnsProvider } from "../../../dns-providers/provider.ts";
import { indexedZone, liveById } from "./live-queries.ts";
import { planServed, type LearnedSplit } from "../../../dns/desired-state.ts";

// 0.1 did not store how a TXT is split into strings. The splits of its records are read from the provider once; learning them is no change.

/** A statement of the embedded database blocks the event loop until it is done. */
const rowsPerStatement = 250;

/** Reads from the provider how the TXT records of a zone from 0.1 are split, and stores it. The caller holds the zone. @throws ProviderError */
export async function readSplits(
  em: EntityManager,
  zone: { id: string; providerZone: string },
  provider: DnsProvider,
): Promise<void> {
  const index = await indexedZone(em, zone.id);
  const { learned } = await planServed(index, provider.readZone(zone.providerZone), async (ids) =>
    (await liveById(em, zone.id, ids)).values(),
  );
  await storeSplits(em, zone.id, learned);
}

/** Stores learned splits in the existing rows, because they were so before. Rows that changed since stay as they are. */
export async function storeSplits(
  em: EntityManager,
  domainId: string,
  learned: readonly LearnedSplit[],
): Promise<void> {
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
