import type { z } from "zod";
import type { diffInput, listSnapshotsInput } from "./schemas.ts";
import type { Selectable } from "kysely";
import { zoneFor, type Zone } from "../../access/zone-access.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import type { Caller, ZoneScope } from "../../access/caller.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import type { Tables } from "../../database/tables/all.ts";
import { onePage, everyColumn } from "../../database/query-helpers.ts";
import { badField, notFound } from "../../platform/errors.ts";
import { pageOfRecords, recordView } from "../records/list.ts";
import type { LiveRecord } from "../../dns/record.ts";
import { liveZone, countsAt, versionsOf, zoneAt, zonesAt } from "../changes/state/live-queries.ts";
import { isServerManaged, withoutManaged } from "../../dns/zone-file/type-names.ts";
import { withSplitsOf } from "../../dns/desired-state.ts";
import { requireStored } from "../changes/state/past-zone.ts";
import { bookmark } from "../changes/bookmark.ts";
import { filtered, inSlices, mapped } from "../../platform/slices.ts";
import { differing } from "./diff.ts";
import type { SnapshotTrigger } from "../../database/tables/records.ts";

type SnapshotRow = Selectable<Tables["snapshots"]>;

/** Up to this size, a snapshot's records are included in lists and on creation; larger ones only when read by id. */
const embeddedRecords = 1_000;
/** The most records included on one page of snapshots. */
const embeddedOnPage = 10_000;

/** Records on a page of a snapshot, unless the caller asks for others. */
const defaultRecords = 50;

/** Lists, creates and compares snapshots, which are bookmarks in a zone's history. */
export class Snapshots {
  readonly #audit: Audit;
  readonly #now: () => Date;

  constructor(audit: Audit, now: () => Date) {
    this.#audit = audit;
    this.#now = now;
  }

  /** Returns a page of snapshots, newest first. @throws AppError NOT_FOUND */
  async list(em: EntityManager, caller: Caller, input: z.infer<typeof listSnapshotsInput>) {
    const seen = seenOf(await zoneFor(em, caller, input.id, "read"));
    const { sees } = seen;
    const { page, limit, trigger } = input;
    const matching = queries(em)
      .selectFrom("snapshots")
      .select(everyColumn("snapshots"))
      .where("domain_id", "=", input.id)
      .$if(trigger !== undefined, (query) => query.where("trigger", "=", trigger ?? "manual"))
      .orderBy("version", "desc");
    const found = await onePage(matching, { page, limit });
    const rows = await restrictToVisibleRecords(em, input.id, found.rows, sees);
    const embedded = input.records === "true" ? rows.filter(withinPage()) : [];
    const records = await zonesAt(em, input.id, [...new Set(embedded.map(({ revision }) => revision))], sees);
    const snapshots = rows.map((row) =>
      view(row, embedded.includes(row) ? (records.get(row.revision) ?? []) : null, seen),
    );
    return { snapshots, total: found.total, page, limit };
  }

  /**
   * Creates a snapshot in constant time, without copying records. The result includes the records of small zones.
   * @throws AppError NOT_FOUND, FORBIDDEN
   */
  async create(
    em: EntityManager,
    caller: Caller,
    input: { id: string; trigger: SnapshotTrigger; name?: string | null | undefined },
  ) {
    const seen = seenOf(await zoneFor(em, caller, input.id, "write"));
    const name = input.name ?? null;
    const author = { trigger: input.trigger, createdBy: caller.userId, now: this.#now(), name };
    const snapshotId = await em.transactional(async (tx) => {
      const made = await bookmark(tx, input.id, author);
      const after = { domainId: input.id, trigger: input.trigger, ...(name === null ? {} : { name }) };
      await this.#audit.record(tx, caller, {
        action: "snapshot.create",
        targetType: "snapshot",
        targetId: made,
        after,
      });
      return made;
    });
    return await this.brief(em, { id: input.id, snapshotId }, seen);
  }

  /** Returns a snapshot with all of its records, or with a page of them. @throws AppError NOT_FOUND, BAD_REQUEST */
  async get(
    em: EntityManager,
    caller: Caller,
    input: { id: string; snapshotId: string; page?: number | undefined; limit?: number | undefined },
  ) {
    const { id, snapshotId, page, limit } = input;
    if (page === undefined && limit !== undefined)
      throw badField(["limit"], "`limit` needs `page`. Send `page=1` for the first records, or omit both for all.");
    const zone = await zoneFor(em, caller, id, "read");
    const seen = seenOf(zone);
    if (page === undefined) return await this.#read(em, { id, snapshotId }, Number.POSITIVE_INFINITY, seen);
    const found = await findSnapshot(em, id, snapshotId);
    const paging = { page, limit: limit ?? defaultRecords, sort: "name", counts: "false" } as const;
    const { records, total } = await pageOfRecords(em, zone, { ...paging, at: found.revision, now: caller.at });
    return { ...view({ ...found, record_count: total }, null, seen), records };
  }

  /**
   * Returns the difference between two moments, each a snapshot or a revision. Reads only what changed between them.
   * @throws AppError NOT_FOUND, BAD_REQUEST, HISTORY_GONE
   */
  async diff(em: EntityManager, caller: Caller, input: DiffInput) {
    const { id } = input;
    const { sees, signed } = seenOf(await zoneFor(em, caller, id, "read"));
    const from = await momentOf(em, id, { field: "from", snapshotId: input.from, revision: input.fromRevision });
    const to = await momentOf(em, id, { field: "to", snapshotId: input.to, revision: input.toRevision });
    const older = Math.min(from, to);
    const newer = Math.max(from, to);
    const ended = await recordsBetween(em, { id, edge: "until", older, newer, sees });
    const begun = await recordsBetween(em, { id, edge: "since", older, newer, sees });
    // After the reads: the retention may have deleted what they needed meanwhile, and says so first.
    for (const field of ["fromRevision", "toRevision"] as const) {
      const { [field]: revision } = input;
      if (revision !== undefined) await requireStored(em, id, revision, field);
    }
    const gone = withoutManaged(ended, signed);
    const come = withoutManaged(begun, signed);
    const before = await inSlices(withSplitsOf(gone, come));
    const after = await inSlices(withSplitsOf(come, gone));
    const forward = from <= to;
    return await inSlices(forward ? differing(before, after) : differing(after, before));
  }

  /** Returns the difference between the live records of two domains, of those that the caller may see in both. @throws AppError NOT_FOUND */
  async compare(em: EntityManager, caller: Caller, input: { id: string; with: string }) {
    const one = seenOf(await zoneFor(em, caller, input.id, "read"));
    const other = seenOf(await zoneFor(em, caller, input.with, "read"));
    const read = async (id: string, { signed, sees }: Seen, { sees: also }: Seen) => {
      const records = await liveZone(em, id, sees);
      const seen = also.isAll ? records : await inSlices(filtered(records, (record) => also.includes(record)));
      return withoutManaged(seen, signed);
    };
    const before = await read(input.id, one, other);
    const after = await read(input.with, other, one);
    const split = await inSlices(withSplitsOf(before, after));
    return await inSlices(differing(split, await inSlices(withSplitsOf(after, before))));
  }

  /** Returns a snapshot, with its records if there are few. @throws AppError NOT_FOUND */
  async brief(em: EntityManager, input: { id: string; snapshotId: string }, seen: Seen) {
    return await this.#read(em, input, embeddedRecords, seen);
  }

  async #read(em: EntityManager, input: { id: string; snapshotId: string }, mostRecords: number, seen: Seen) {
    const found = await findSnapshot(em, input.id, input.snapshotId);
    const [row = found] = await restrictToVisibleRecords(em, input.id, [found], seen.sees);
    if (row.record_count > mostRecords) return view(row, null, seen);
    const records = await zoneAt(em, input.id, row.revision, seen.sees);
    return { ...view(row, null, seen), records: await inSlices(mapped(records, shownIn(row, seen))) };
  }
}

/** What a snapshot's content depends on for a caller: the records that the caller sees, and whether the provider signs the zone. */
interface Seen {
  sees: ZoneScope;
  signed: boolean;
}

function seenOf({ rights, signed }: Zone): Seen {
  return { sees: rights.sees, signed };
}

type DiffInput = z.infer<typeof diffInput>;

/** Returns the revision of one side of a difference, which may not be stored. @throws AppError NOT_FOUND, BAD_REQUEST */
async function momentOf(
  em: EntityManager,
  domainId: string,
  { field, snapshotId, revision }: { field: string; snapshotId: string | undefined; revision: number | undefined },
): Promise<number> {
  if (snapshotId !== undefined && revision === undefined)
    return (await findSnapshot(em, domainId, snapshotId)).revision;
  if (snapshotId !== undefined || revision === undefined)
    throw badField([field], `Pass either \`${field}\`, a snapshot, or \`${field}Revision\`.`);
  return revision;
}

/** Counts only the records that the caller sees. */
async function restrictToVisibleRecords(
  em: EntityManager,
  domainId: string,
  rows: SnapshotRow[],
  sees: ZoneScope,
): Promise<SnapshotRow[]> {
  if (sees.isAll || rows.length === 0) return rows;
  const counts = await countsAt(em, domainId, [...new Set(rows.map(({ revision }) => revision))], sees);
  return rows.map((row) => ({ ...row, record_count: counts.get(row.revision) ?? 0 }));
}

/** Picks the snapshots of a page whose records are included: small ones, newest first, up to a total limit. */
function withinPage(): (row: SnapshotRow) => boolean {
  let room = embeddedOnPage;
  return ({ record_count: count }) => {
    if (count > embeddedRecords || count > room) return false;
    room -= count;
    return true;
  };
}

/** Returns the versions that were alive at one of two revisions only: those that began (`since`) or ended (`until`) in (older, newer]. */
async function recordsBetween(
  em: EntityManager,
  {
    id,
    edge,
    older,
    newer,
    sees,
  }: { id: string; edge: "since" | "until"; older: number; newer: number; sees: ZoneScope },
): Promise<LiveRecord[]> {
  return await versionsOf(em, (versions) =>
    versions
      .where("domain_id", "=", id)
      .where(edge, ">", older)
      .where(edge, "<=", newer)
      .where((eb) =>
        edge === "until" ? eb("since", "<=", older) : eb.or([eb("until", "is", null), eb("until", ">", newer)]),
      )
      .where(sees.condition()),
  );
}

/** Returns a snapshot's row. @throws AppError NOT_FOUND, also for a snapshot of another domain */
export async function findSnapshot(em: EntityManager, domainId: string, snapshotId: string): Promise<SnapshotRow> {
  const row = await queries(em)
    .selectFrom("snapshots")
    .select(everyColumn("snapshots"))
    .where("id", "=", snapshotId)
    .where("domain_id", "=", domainId)
    .executeTakeFirst();
  if (!row) throw notFound("snapshot");
  return row;
}

function shownIn({ domain_id: domainId }: SnapshotRow, { signed }: Seen) {
  return (record: LiveRecord) => recordView(domainId, record, signed && isServerManaged(record));
}

function view(row: SnapshotRow, records: LiveRecord[] | null, seen: Seen) {
  return {
    id: row.id,
    domainId: row.domain_id,
    version: row.version,
    name: row.name,
    trigger: row.trigger,
    revision: row.revision,
    records: records && records.map(shownIn(row, seen)),
    recordCount: row.record_count,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}
