import { sql, type SqlBool } from "kysely";
import { z } from "zod";
import { line } from "../../../api/schemas.ts";
import { jsonRows, queries, type EntityManager } from "../../../database/database.ts";
import { rrsetKey, type LiveRecord } from "../../../dns/record.ts";
import { inChunks, inPages } from "../../../platform/slices.ts";
import { Unprocessable } from "./refusals.ts";

/*
 * Comments of RRsets. Their text is the comment of each record, which people read and change in Zonewright. Account and time of each are
 * stored beside it, and shown while the text is the same. The SOA is no record here, so its comments are stored only.
 */

/** A comment as a client sends it. */
export interface GivenComment {
  content: string;
  account: string;
  /** Seconds since 1970; null: now. */
  modified_at: number | null;
}

/** A comment as PowerDNS shows it. */
export interface ShownComment extends GivenComment {
  modified_at: number;
}

/** The stored comments of an RRset, and the text that its records had then. */
export interface StoredComments {
  content: string;
  notes: ShownComment[];
}

const mostSeconds = 2 ** 32;

const seconds = z
  .union([z.number(), z.string().regex(/^\d{1,10}$/)])
  .transform(Number)
  .refine((at) => Number.isInteger(at) && at >= 0 && at < mostSeconds);

const mostComments = 100;
/** The text of all comments together is the comment of a record. */
const commentText = line(1_000);
const accountText = line(255);

/** Reads the comments of an RRset; undefined if there are none to read. @param said the RRset, in errors @throws Unprocessable */
export function commentsIn(given: unknown, said: string): GivenComment[] | undefined {
  if (given === undefined || given === null) return undefined;
  const refused = (message: string) => new Unprocessable("BAD_REQUEST", `${said}: ${message}`);
  if (!Array.isArray(given)) throw refused("`comments` must be a list of objects with `content`.");
  if (given.length > mostComments) throw refused(`\`comments\` must be at most ${mostComments}.`);
  const comments = given.map((one: unknown): GivenComment => {
    const { content, account = "", modified_at: at = null } = (one ?? {}) as Record<string, unknown>;
    if (typeof content !== "string") throw refused("`comments` must be a list of objects with `content`.");
    const by = accountText.safeParse(account);
    if (!by.success) throw refused("`account` of a comment must be a text of at most 255 characters.");
    const time = at === null ? null : seconds.safeParse(at);
    if (time?.success === false)
      throw refused("Key 'modified_at' is not a valid number. Send whole seconds since 1970, below 4294967296.");
    return { content, account: by.data, modified_at: time === null ? null : time.data };
  });
  const read = commentText.safeParse(textOf(comments));
  if (!read.success) throw refused(`comments: ${read.error.issues[0]?.message ?? ""}`);
  return comments;
}

/** Returns the text that the records of an RRset have as their comment. */
export function textOf(comments: readonly Pick<GivenComment, "content">[]): string {
  return comments.map(({ content }) => content).join("; ");
}

/** Returns the comments of an RRset: those stored, unless somebody has changed them in Zonewright since. */
export function commentsOf(records: readonly LiveRecord[], stored: StoredComments | undefined): ShownComment[] {
  const newest = new Map<string, number>();
  for (const { comment, updatedAt } of records) {
    if (comment === null || comment === "") continue;
    newest.set(comment, Math.max(newest.get(comment) ?? 0, Math.floor(updatedAt.getTime() / 1_000)));
  }
  if (stored && newest.size === 1 && newest.has(stored.content)) return stored.notes;
  return [...newest].map(([content, at]) => ({ content, account: "", modified_at: at }));
}

/** Returns the stored comments of a zone by `rrsetKey`. @param name relative; only those of that name */
export async function storedComments(
  em: EntityManager,
  domainId: string,
  name?: string,
): Promise<Map<string, StoredComments>> {
  const pages = inPages(rrsetsPerStatement, (last: CommentRow | null) => commentRows(em, domainId, name, last));
  const stored = new Map<string, StoredComments>();
  for await (const page of pages) {
    for (const { name: host, record_type: recordType, content, notes } of page)
      stored.set(rrsetKey({ name: host, recordType }), { content, notes: notes as ShownComment[] });
  }
  return stored;
}

/** How many RRsets one statement reads or writes. */
const rrsetsPerStatement = 1_000;

interface CommentRow {
  name: string;
  record_type: string;
  content: string;
  notes: unknown;
}

async function commentRows(
  em: EntityManager,
  domainId: string,
  name: string | undefined,
  last: CommentRow | null,
): Promise<CommentRow[]> {
  return await queries(em)
    .selectFrom("powerdns_comments")
    .select(["name", "record_type", "content", "notes"])
    .where("domain_id", "=", domainId)
    .$if(name !== undefined, (query) => query.where("name", "=", name ?? ""))
    // Every name comes after the empty one.
    .where(sql<SqlBool>`(name, record_type) > (${last?.name ?? ""}, ${last?.record_type ?? ""})`)
    .orderBy("name")
    .orderBy("record_type")
    .limit(rrsetsPerStatement)
    .execute();
}

/** An RRset whose comments are to be stored. */
export interface CommentedRrset {
  /** Canonical, relative to the zone. */
  name: string;
  recordType: string;
  comments?: readonly GivenComment[] | undefined;
}

/** Stores the comments of RRsets over those that they had; of RRsets that are gone, none. */
export async function storeComments(
  em: EntityManager,
  domainId: string,
  wanted: readonly CommentedRrset[],
  now: Date,
): Promise<void> {
  const present = Math.floor(now.getTime() / 1_000);
  const given = wanted.map(({ name, recordType, comments = [] }) => ({
    name,
    record_type: recordType,
    content: textOf(comments),
    notes: comments.map((one) => ({ ...one, modified_at: one.modified_at ?? present })),
  }));
  await inChunks(given, rrsetsPerStatement, async (some) => {
    await sql`
      with given as (select * from ${jsonRows(some)} rows(name text, record_type text, content text, notes jsonb)),
      gone as (
        delete from powerdns_comments stored using given
        where stored.domain_id = ${domainId} and stored.name = given.name and stored.record_type = given.record_type
          and given.content = ''
      )
      insert into powerdns_comments (domain_id, name, record_type, content, notes)
      select ${domainId}::uuid, name, record_type, content, notes from given where content <> ''
      on conflict (domain_id, name, record_type) do update set content = excluded.content, notes = excluded.notes
    `.execute(queries(em));
    return [];
  });
}
