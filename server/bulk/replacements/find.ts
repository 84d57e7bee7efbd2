import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { Caller } from "../../access/caller.ts";
import { visibleDomains } from "../../access/visible-domains.ts";
import { liveColumns, liveRecord } from "../../zones/changes/state/live-queries.ts";
import { jsonRows, jsonTexts, queries, type EntityManager } from "../../database/database.ts";
import { escapeLike, hasTag } from "../../database/query-helpers.ts";
import { type LiveRecord, valueOf, type RecordData } from "../../dns/record.ts";
import { AppError, badField } from "../../platform/errors.ts";
import { mostZones } from "./schemas.ts";
import { ruleFor } from "../../dns/record-types.ts";

/** What a caller wants replaced, as sent and as stored. */
export interface ReplaceRequest {
  recordType: string;
  value: string;
  newValue: string;
  newTtl?: number | undefined;
  automaticTtl?: boolean | undefined;
  domainIds?: string[] | undefined;
  tag?: string | undefined;
}

/**
 * A value that may leave out its leading numbers: an MX the priority, an SRV the priority, or the priority, weight and port. As the value to
 * find, it then matches any of them; as the new value, it keeps those of each record.
 */
interface ValueForm {
  /** How many leading fields are left out. */
  omitted: number;
  /** The canonical rest. */
  rest: string;
  /** The rest as written. */
  written: string;
}

export interface Wanted {
  recordType: string;
  from: ValueForm;
  to: ValueForm;
  /** Seconds, or the automatic TTL of each zone's provider; null keeps the TTLs. */
  newTtl: number | "automatic" | null;
}

/** Leading fields that stand in for those left out, so that the type's rule can read the rest. The first that works is meant. */
const leads: Readonly<Record<string, readonly string[]>> = { MX: ["", "0 "], SRV: ["", "0 ", "0 0 1 "] };

/** Reads what is wanted. Accepts any notation of the values. @throws AppError BAD_REQUEST */
export function readWanted(request: ReplaceRequest): { wanted: Wanted; warnings: string[] } {
  const { recordType } = request;
  if (request.automaticTtl && request.newTtl !== undefined)
    throw badField(["automaticTtl"], "Send either `newTtl` or `automaticTtl`, not both.");
  const newTtl = request.automaticTtl ? "automatic" : (request.newTtl ?? null);
  const { form: from } = formOf(recordType, request.value, "value");
  const { form: to, warnings } = formOf(recordType, request.newValue, "newValue");
  if (from.omitted === to.omitted && from.written === to.written && newTtl === null)
    throw badField(["newValue"], "`newValue` is the same as `value`. Send another value, `newTtl` or `automaticTtl`.");
  return { wanted: { recordType, from, to, newTtl }, warnings };
}

function formOf(recordType: string, value: string, field: "value" | "newValue") {
  const rule = ruleFor(recordType);
  for (const lead of leads[recordType] ?? [""]) {
    const written = rule.write(lead + value, null);
    if (!written.ok) continue;
    const omitted = lead.split(" ").length - 1;
    const [rest, asWritten] = [written.value.value, valueOf(written.value)].map((text) => restOf(text, omitted));
    return { form: { omitted, rest: rest ?? "", written: asWritten ?? "" }, warnings: written.value.warnings };
  }
  // A value that begins with a number is meant with its numbers; of another one, only the rest can be wrong.
  const lead = /^\s*\d+\s/.test(value) ? "" : (leads[recordType]?.at(-1) ?? "");
  const written = rule.write(lead + value, null);
  throw badField([field], written.ok ? "This value cannot be replaced." : written.message);
}

function restOf(value: string, omitted: number): string {
  return omitted === 0 ? value : value.split(" ").slice(omitted).join(" ");
}

/** Returns whether a record has the value to be replaced. */
export function isWanted({ recordType, from }: Wanted, record: RecordData): boolean {
  return record.recordType === recordType && restOf(record.value, from.omitted) === from.rest;
}

/** Returns the value that a record gets, canonical and as written. */
export function newValueOf({ to }: Wanted, record: RecordData): { value: string; written: string } {
  const lead = record.value.split(" ").slice(0, to.omitted);
  return { value: [...lead, to.rest].join(" "), written: [...lead, to.written].join(" ") };
}

const mostRecords = 50_000;

/** The names of a zone at which records have the value. */
export interface FoundZone {
  domainId: string;
  names: string[];
}

/**
 * Finds the records that the caller may see and that have the value, with one query. Returns their zones by name.
 * @throws AppError NOT_FOUND for a domain that the caller may not see, BAD_REQUEST above the limits
 */
export async function findZones(
  em: EntityManager,
  caller: Caller,
  { domainIds, tag }: Pick<ReplaceRequest, "domainIds" | "tag">,
  wanted: Wanted,
): Promise<FoundZone[]> {
  const visible = await visibleDomains(em, caller);
  if (domainIds !== undefined) await refuseUnknown(em, visible, domainIds);
  const ofDomain = [
    ...(domainIds === undefined ? [] : [sql`d.id in (select value::uuid from ${jsonTexts(domainIds)})`]),
    ...(tag === undefined ? [] : [hasTag("d", tag)]),
    sql`true`,
  ];
  const { rows } = await sql<{ domain_id: string; name: string }>`
    select r.domain_id, r.name from records r join domains d on d.id = r.domain_id
    where r.until is null and ${valueCondition(wanted)} and ${visible.records("r")} and ${sql.join(ofDomain, sql` and `)}
    order by d.name, d.view, r.name limit ${mostRecords + 1}
  `.execute(queries(em));
  const narrow = "Narrow it with `domainIds` or `tag`.";
  if (rows.length > mostRecords)
    throw new AppError(
      "BAD_REQUEST",
      `More than ${mostRecords} records have this value, too many for one plan. ${narrow}`,
    );
  const zones = [...Map.groupBy(rows, ({ domain_id }) => domain_id)].map(([domainId, found]) => ({
    domainId,
    names: [...new Set(found.map(({ name }) => name))],
  }));
  if (zones.length > mostZones)
    throw new AppError(
      "BAD_REQUEST",
      `${zones.length} zones have this value; a plan takes at most ${mostZones}. ${narrow}`,
    );
  return zones;
}

async function refuseUnknown(
  em: EntityManager,
  visible: Awaited<ReturnType<typeof visibleDomains>>,
  ids: readonly string[],
): Promise<void> {
  const rows = await queries(em)
    .selectFrom("domains")
    .select("domains.id")
    .where("domains.id", "in", sql<string>`(select value::uuid from ${jsonTexts(ids)})`)
    .where((eb) => visible.condition(eb))
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  const unknown = ids.findIndex((id) => !known.has(id));
  if (unknown < 0) return;
  const message = "The domain does not exist, or you do not have access to it.";
  throw new AppError("NOT_FOUND", message, { issues: [{ path: ["domainIds", unknown], message }] });
}

/** Returns the condition on `records r`. Served by the hash index of values, or, with fields left out, by the index of parts of values. */
function valueCondition({ recordType, from: { omitted, rest } }: Wanted): RawBuilder<SqlBool> {
  if (omitted === 0) return sql<SqlBool>`r.record_type = ${recordType} and r.value = ${rest}`;
  return sql<SqlBool>`r.record_type = ${recordType} and lower(r.value) like ${`% ${escapeLike(rest)}`}`;
}

/** Returns the names of one zone at which records have the value. */
export async function namesWithValue(em: EntityManager, domainId: string, wanted: Wanted): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct r.name from records r where r.domain_id = ${domainId} and r.until is null and ${valueCondition(wanted)}
  `.execute(queries(em));
  return rows.map(({ name }) => name);
}

/** Returns all live records at some names of several zones, by zone, with one query. */
export async function liveAtNamesOf(
  em: EntityManager,
  zones: readonly FoundZone[],
): Promise<Map<string, LiveRecord[]>> {
  const wanted = zones.flatMap(({ domainId, names }) => names.map((name) => ({ domain: domainId, name })));
  const columns = sql.join(liveColumns.map((column) => sql.ref(`r.${column}`)));
  const { rows } = await sql<Parameters<typeof liveRecord>[0] & { domain_id: string }>`
    select r.domain_id, ${columns}
    from ${jsonRows(wanted)} as w (domain uuid, name text)
    join records r on r.domain_id = w.domain and r.name = w.name collate "C" and r.until is null
  `.execute(queries(em));
  const byZone = Map.groupBy(rows, ({ domain_id }) => domain_id);
  return new Map([...byZone].map(([domainId, some]) => [domainId, some.map(liveRecord)]));
}

/** Returns the error for a replacement that finds nothing. */
export function nothingFound(): AppError {
  return badField(["value"], "No record that you may see has this value, so there is nothing to apply.");
}
