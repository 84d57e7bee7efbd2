import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { ProviderError, type BeforeCall, type RecordChange } from "../dns-providers/provider.ts";
import { recordKey } from "../dns/record.ts";
import type { Lease } from "./lease.ts";

/** Returns a guard that lets no call out once another process may hold the zone. */
export function whileHeld(lease: Lease): BeforeCall {
  return async () => {
    if (!lease.isHeld()) throw lost();
    await Promise.resolve();
  };
}

/**
 * Returns a guard that stores what each call of a change set is to do before it is made, so that a repair after a crash can tell which
 * changes are ours. It lets no call out once another process may hold the zone. A call that does the whole set is not stored: it is carried
 * out whole or not at all.
 */
export function notingCalls(
  em: EntityManager,
  domainId: string,
  lease: Lease,
  { id, changes }: { id: string; changes: readonly RecordChange[] },
): BeforeCall {
  const held = whileHeld(lease);
  return async (does) => {
    await held(does);
    if (does.length === 0 || isAll(changes, does)) return;
    const noted = await sql`
      insert into change_set_calls (change_set_id, does)
      select ${id}::uuid, ${JSON.stringify(does)}::jsonb
      from domains where id = ${domainId} and lease_token = ${lease.token} and lease_until > now()
    `
      .execute(queries(em))
      .catch((error: unknown) => {
        throw new ProviderError("The database could not be written to, so nothing more was sent. Try again.", "none", {
          cause: error,
        });
      });
    if (noted.numAffectedRows === 0n) throw lost();
  };
}

function lost(): ProviderError {
  return new ProviderError(
    "The change took too long and another one may hold the zone now, so nothing more was sent. Try again.",
    "none",
  );
}

/** Returns whether a call does all of the changes. */
function isAll(changes: readonly RecordChange[], does: readonly RecordChange[]): boolean {
  if (does.length < changes.length) return false;
  const effects = new Set(does.map(changeKey));
  return changes.every((change) => effects.has(changeKey(change)));
}

function changeKey({ before, after }: RecordChange): string {
  return JSON.stringify([before, after].map((record) => record && recordKey(record)));
}

/** Returns what each started call of a change set was to do. */
export async function begunCalls(em: EntityManager, changeSetId: string): Promise<RecordChange[][]> {
  const rows = await queries(em)
    .selectFrom("change_set_calls")
    .select("does")
    .where("change_set_id", "=", changeSetId)
    .orderBy("id")
    .execute();
  const calls = rows.map(({ does }) => (typeof does === "string" ? JSON.parse(does) : does) as RecordChange[]);
  // 0.1 stored no strings.
  for (const { before, after } of calls.flat())
    for (const record of [before, after]) if (record) record.strings ??= null;
  return calls;
}
