import type { Selectable } from "kysely";
import { zoneFor } from "../assignments/access.ts";
import type { Caller } from "../auth/caller.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { Tables } from "../database/entities.ts";
import { notFound } from "../errors.ts";
import { recordView } from "../records/list.ts";
import { liveColumns, liveRecord, zoneAt } from "../records/live-queries.ts";
import { bookmark } from "./bookmark.ts";
import { differ } from "./diff.ts";
import type { SnapshotTrigger } from "./entities.ts";

type SnapshotRow = Selectable<Tables["snapshots"]>;

/** Up to this size a snapshot's records come along in lists and on creation; beyond it only by id. */
const embeddedRecords = 1_000;

/** Bookmarks in the history of a zone. */
export class Snapshots {
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  async list(
    em: EntityManager,
    caller: Caller,
    input: {
      id: string;
      page: number;
      limit: number;
      trigger?: SnapshotTrigger | undefined;
      records: "true" | "false";
    },
  ) {
    await zoneFor(em, caller, input.id);
    const { page, limit, trigger } = input;
    const matching = queries(em)
      .selectFrom("snapshots")
      .where("domain_id", "=", input.id)
      .$if(trigger !== undefined, (query) => query.where("trigger", "=", trigger ?? "manual"));
    const rows = await matching
      .selectAll()
      .orderBy("version", "desc")
      .limit(limit)
      .offset((page - 1) * limit)
      .execute();
    const { total } = await matching.select((eb) => eb.fn.countAll<string>().as("total")).executeTakeFirstOrThrow();
    const byRevision = new Map<number, Promise<Records>>();
    const snapshots = [];
    for (const row of rows) {
      const wanted = input.records === "true" && row.record_count <= embeddedRecords;
      const records = wanted ? (byRevision.get(row.revision) ?? recordsOf(em, row)) : null;
      if (records) byRevision.set(row.revision, records);
      snapshots.push(view(row, records && (await records)));
    }
    return { snapshots, total: Number(total), page, limit };
  }

  /** Constant time: the records are not copied, and come along only from small zones. @throws AppError NOT_FOUND */
  async create(em: EntityManager, caller: Caller, input: { id: string; trigger: SnapshotTrigger }) {
    await zoneFor(em, caller, input.id);
    const author = { trigger: input.trigger, createdBy: caller.userId, now: this.#now() };
    const snapshotId = await em.transactional((tx) => bookmark(tx, input.id, author));
    return await this.#read(em, input.id, snapshotId, embeddedRecords);
  }

  /** @throws AppError NOT_FOUND */
  async get(em: EntityManager, caller: Caller, input: { id: string; snapshotId: string }) {
    await zoneFor(em, caller, input.id);
    return await this.#read(em, input.id, input.snapshotId, Number.POSITIVE_INFINITY);
  }

  /** Reads only what changed between the two. @throws AppError NOT_FOUND */
  async diff(em: EntityManager, caller: Caller, input: { id: string; from: string; to: string }) {
    await zoneFor(em, caller, input.id);
    const from = await findSnapshot(em, input.id, input.from);
    const to = await findSnapshot(em, input.id, input.to);
    const older = Math.min(from.revision, to.revision);
    const newer = Math.max(from.revision, to.revision);
    const ended = await between(em, input.id, "until", older, newer).where("since", "<=", older).execute();
    const begun = await between(em, input.id, "since", older, newer)
      .where((eb) => eb.or([eb("until", "is", null), eb("until", ">", newer)]))
      .execute();
    const before = ended.map(liveRecord);
    const after = begun.map(liveRecord);
    return from.revision <= to.revision ? differ(before, after) : differ(after, before);
  }

  async #read(em: EntityManager, domainId: string, snapshotId: string, mostRecords: number) {
    const row = await findSnapshot(em, domainId, snapshotId);
    return view(row, row.record_count <= mostRecords ? await recordsOf(em, row) : null);
  }
}

/** Version rows that began or ended in (older, newer]: nothing else is read. */
function between(em: EntityManager, domainId: string, edge: "since" | "until", older: number, newer: number) {
  return queries(em)
    .selectFrom("records")
    .select(liveColumns)
    .where("domain_id", "=", domainId)
    .where(edge, ">", older)
    .where(edge, "<=", newer);
}

/** @throws AppError NOT_FOUND, also for a snapshot of another domain */
export async function findSnapshot(em: EntityManager, domainId: string, snapshotId: string): Promise<SnapshotRow> {
  const row = await queries(em)
    .selectFrom("snapshots")
    .selectAll()
    .where("id", "=", snapshotId)
    .where("domain_id", "=", domainId)
    .executeTakeFirst();
  if (!row) throw notFound("snapshot");
  return row;
}

type Records = ReturnType<typeof recordView>[];

async function recordsOf(em: EntityManager, row: SnapshotRow): Promise<Records> {
  const records = await zoneAt(em, row.domain_id, row.revision);
  return records.map((record) => recordView(row.domain_id, record));
}

function view(row: SnapshotRow, records: Records | null) {
  return {
    id: row.id,
    domainId: row.domain_id,
    version: row.version,
    trigger: row.trigger,
    records,
    recordCount: row.record_count,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}
