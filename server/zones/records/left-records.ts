import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { matchesHost } from "../../dns/names/names.ts";
import {
  isActive,
  isChallenge,
  recordKey,
  shortValue,
  ttlKey,
  valueOf,
  type LiveRecord,
  type RecordData,
} from "../../dns/record.ts";
import { canonicalType } from "../../dns/zone-file/type-names.ts";
import type { LeftOwner } from "./whole-zone-schemas.ts";
import { AppError } from "../../platform/errors.ts";
import { filtered, flatMapped, inSlices, mapped, type Steps } from "../../platform/slices.ts";

/** What a replacement leaves as it is. */
export interface Leaving {
  /** Patterns `name/type` or `name/type/value`; `*` stands for any characters. */
  ignore: readonly string[];
  leave: readonly LeftOwner[];
}

/** The records that a replacement has nothing to do with. */
interface Left {
  /** Ids of the zone's records that stay as they are. */
  ids: ReadonlySet<string>;
  /** The first active one of each RRset, by `ttlKey`. */
  byRrset: ReadonlyMap<string, LiveRecord>;
  /** Returns whether a record of the text is not the text's business either. */
  isLeft: (record: RecordData) => boolean;
  warnings: string[];
}

const nothing: Left = { ids: new Set(), byRrset: new Map(), isLeft: () => false, warnings: [] };

/**
 * Finds the records of a zone that belong to others, by patterns, by the history and by what external-dns notes about its own.
 * @throws AppError BAD_REQUEST for a pattern that has no type
 */
export async function leftRecords(
  em: EntityManager,
  domainId: string,
  live: readonly LiveRecord[],
  { ignore, leave }: Leaving,
): Promise<Left> {
  if (ignore.length === 0 && leave.length === 0) return nothing;
  const patterns = ignore.map(patternOf);
  const isIgnored = (record: RecordData) => patterns.some((pattern) => pattern(record));
  const byKeys = leave.includes("keys") ? await writtenBy(em, domainId, isOfKey) : new Set<string>();
  const byTokens = leave.includes("tokens") ? await writtenBy(em, domainId, isOfToken) : new Set<string>();
  const registry = leave.includes("external-dns") ? await externalDns(live) : null;
  const isAcme = (record: RecordData) => leave.includes("acme") && isChallenge(record);
  const ids = new Set<string>();
  const counts = { ignored: 0, keys: 0, tokens: 0, externalDns: 0, acme: 0 };
  const left = await inSlices(
    filtered(live, (record) => {
      if (isIgnored(record)) counts.ignored++;
      else if (byKeys.has(record.id)) counts.keys++;
      else if (byTokens.has(record.id)) counts.tokens++;
      else if (registry?.(record)) counts.externalDns++;
      else if (isAcme(record)) counts.acme++;
      else return false;
      return true;
    }),
  );
  for (const { id } of left) ids.add(id);
  const keys = new Set(await inSlices(flatMapped(left, (record) => [recordKey(record)])));
  const byRrset = new Map<string, LiveRecord>();
  for (const record of left) {
    if (isActive(record) && !byRrset.has(ttlKey(record))) byRrset.set(ttlKey(record), record);
  }
  return {
    ids,
    byRrset,
    isLeft: (record) =>
      keys.has(recordKey(record)) || isIgnored(record) || isAcme(record) || registry?.(record) === true,
    warnings: left.length === 0 ? [] : [leftWarning(left.length, counts)],
  };
}

/**
 * Gives records of a text the TTL of the records of their RRset that are left, because an RRset has one TTL. A changed TTL would be a new
 * version of those, which the history no longer attributes to their writer: the next replacement would delete them.
 */
export function* withTtlsOfLeft<Some extends RecordData>(
  given: readonly Some[],
  { byRrset }: Left,
): Steps<{ records: readonly Some[]; warnings: string[] }> {
  if (byRrset.size === 0) return { records: given, warnings: [] };
  const warnings = new Set<string>();
  const records = yield* mapped(given, (record) => {
    const other = byRrset.get(ttlKey(record));
    if (!other || other.ttl === record.ttl) return record;
    const { name, recordType, ttl } = other;
    warnings.add(
      `${name} ${recordType} keeps the TTL ${ttl}: an RRset has one TTL, and ${shortValue(valueOf(other))} is left as it is.`,
    );
    return { ...record, ttl };
  });
  return { records, warnings: [...warnings] };
}

function leftWarning(
  count: number,
  {
    ignored,
    keys,
    tokens,
    externalDns: external,
    acme,
  }: Record<"ignored" | "keys" | "tokens" | "externalDns" | "acme", number>,
): string {
  const parts = [
    ...(ignored > 0 ? [`${ignored} by pattern`] : []),
    ...(keys > 0 ? [`${keys} last written by TSIG keys`] : []),
    ...(tokens > 0 ? [`${tokens} last written with personal tokens`] : []),
    ...(external > 0 ? [`${external} of external-dns`] : []),
    ...(acme > 0 ? [`${acme} ACME ${acme === 1 ? "challenge" : "challenges"}`] : []),
  ];
  return `Left ${count === 1 ? "1 record as it is" : `${count} records as they are`}: ${parts.join(", ")}.`;
}

/** Returns what tests a record against a pattern. A name may have a slash of its own (RFC 2317). */
function patternOf(given: string, index: number): (record: RecordData) => boolean {
  const parts = given.split("/");
  const at = parts.findIndex((part, position) => position > 0 && (part === "*" || canonicalType(part) !== null));
  if (at === -1) {
    const message = `${given} must be name/type or name/type/value, such as *.dev/A or @/TXT/google-site-verification=*.`;
    throw new AppError("BAD_REQUEST", message, { issues: [{ path: ["ignore", index], message }] });
  }
  const name = parts.slice(0, at).join("/").toLowerCase();
  const type = canonicalType(parts[at] ?? "");
  const value = parts
    .slice(at + 1)
    .join("/")
    .toLowerCase();
  const hasValue = parts.length > at + 1;
  return (record) =>
    (type === null || record.recordType === type) &&
    matchesHost(name, record.name) &&
    (!hasValue || matchesHost(value, record.value.toLowerCase()));
}

const isOfKey = sql<boolean>`s.tsig_key is not null`;

/** Whole zones and what a review has passed are not a program's own records: `apply` makes both with a token, too. */
const isOfToken = sql<boolean>`s.token_id is not null and s.kind in ('edit', 'bulk') and s.change_request_id is null`;

/** Returns the records whose newest version is of a change set for which a condition holds. */
async function writtenBy(em: EntityManager, domainId: string, condition: typeof isOfKey): Promise<Set<string>> {
  const { rows } = await sql<{ record_id: string }>`
    select r.record_id from records r
    join change_sets s on s.domain_id = r.domain_id and s.revision = r.since
    where r.domain_id = ${domainId}::uuid and r.until is null and ${condition}
  `.execute(queries(em));
  return new Set(rows.map(({ record_id: id }) => id));
}

/** How external-dns marks its own records, in a TXT at the same name, or at one that begins with the type. */
const heritage = /^"?heritage=external-dns,/;

/** Returns what tells the records of external-dns from others: its TXT records, and those that they are about. */
async function externalDns(live: readonly LiveRecord[]): Promise<(record: RecordData) => boolean> {
  const marks = await inSlices(filtered(live, ({ recordType, value }) => recordType === "TXT" && heritage.test(value)));
  const names = new Set(marks.map(({ name }) => name));
  return ({ recordType, name, value }) => {
    if (recordType === "TXT") return heritage.test(value);
    return (
      names.has(name) || names.has(name === "@" ? recordType.toLowerCase() : `${recordType.toLowerCase()}-${name}`)
    );
  };
}
