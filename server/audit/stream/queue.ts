import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import type { StreamedEntry } from "./lines.ts";

const batchSize = 200;
/** Octets of text in a batch, if it has more than one entry. */
const batchOctets = 1_048_576;

/** Entries from now on are queued. */
export async function enable(em: EntityManager): Promise<void> {
  await sql`update audit_stream set enabled = true where not enabled`.execute(queries(em));
}

/** Ends the queue, unless an instance is sending. */
export async function disable(em: EntityManager, now: Date): Promise<void> {
  const { rows } = await sql`update audit_stream set enabled = false
    where enabled and (held_until is null or held_until < ${now}) returning only_row`.execute(queries(em));
  if (rows.length > 0) await sql`delete from audit_stream_queue`.execute(queries(em));
}

/** Becomes or stays the one instance that sends. Returns whether it is. */
export async function hold(em: EntityManager, holder: string, now: Date, until: Date): Promise<boolean> {
  const { rows } = await sql`update audit_stream set holder = ${holder}::uuid, held_until = ${until}
    where enabled and (holder = ${holder}::uuid or held_until is null or held_until < ${now})
    returning only_row`.execute(queries(em));
  return rows.length > 0;
}

/** Lets another instance send. */
export async function letGo(em: EntityManager, holder: string): Promise<void> {
  await sql`update audit_stream set held_until = null where holder = ${holder}::uuid`.execute(queries(em));
}

/** The next entries to send. */
export interface Batch {
  entries: StreamedEntry[];
  /** Their places in the queue. */
  positions: string[];
}

/** Returns the next entries to send. */
export async function nextBatch(em: EntityManager): Promise<Batch> {
  const { rows } = await sql<
    StreamedEntry & { position: string }
  >`select q.position::text as position, e.id, e.at, e.actor_id as "actorId",
      e.token_id as "tokenId", e.tsig_key as "tsigKey", e.action, e.target_type as "targetType", e.target_id as "targetId", e.ip,
      e.request_id as "requestId", e.before, e.after
    from (
      select q.position, q.entry_id, sum(octet_length(concat(before, after))) over (order by q.position) as octets
      from (select position, entry_id from audit_stream_queue order by position limit ${batchSize}) q
      join audit_entries on audit_entries.id = q.entry_id
    ) q join audit_entries e on e.id = q.entry_id
    where q.octets <= ${batchOctets} or q.position = (select min(position) from audit_stream_queue)
    order by q.position`.execute(queries(em));
  const entries = rows.map(({ position: _position, at, ...entry }) => Object.assign(entry, { at: new Date(at) }));
  return { entries, positions: rows.map(({ position }) => position) };
}

/** Removes entries that were sent. */
export async function sent(em: EntityManager, { positions }: Batch): Promise<void> {
  await sql`delete from audit_stream_queue where position = any(${positions}::bigint[])`.execute(queries(em));
}
