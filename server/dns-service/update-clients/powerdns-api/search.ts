import { sql } from "kysely";
import type { Caller } from "../../../access/caller.ts";
import { visibleDomains } from "../../../access/visible-domains.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { escapeLike } from "../../../database/query-helpers.ts";
import { zoneId } from "../../../dns-providers/powerdns/client.ts";
import { searchRecords } from "../../../zones/records/search.ts";
import { inSlices, type Steps } from "../../../platform/slices.ts";
import { Unprocessable } from "./refusals.ts";
import { shownContent, shownOwner } from "./rrsets.ts";
import type { FoundZone, PowerdnsZones } from "./zones.ts";

/** What `search-data` is asked for. */
export interface WildcardSearch {
  /** The longest text between wildcards, which the stored search finds. */
  literal: string;
  /** Whether a whole name or content is meant. */
  matches: (text: string) => Steps<boolean>;
  /** The same as a pattern of SQL's `like`. */
  pattern: string;
  most: number;
  objectType: "all" | "zone" | "record" | "comment";
}

const objectTypes = ["all", "zone", "record", "comment"] as const;
/** The shortest text that the search takes. */
const shortest = 3;
const mostFound = 500;
/** At most this many records with the text are compared with the wildcards. They are read in parts. */
const mostConsidered = 10_000;
const readAtOnce = 2_500;

/** Reads a query. `*` stands for any text, `?` for one character. @throws Unprocessable */
export function wildcardSearch(query: URLSearchParams): WildcardSearch {
  const q = query.get("q") ?? "";
  const parts = q.toLowerCase().split(/[*?]+/);
  const literal = parts
    .reduce((longest, part) => (part.length > longest.length ? part : longest), "")
    .replace(/\.$/, "");
  if (literal.length < shortest || q.length > 255)
    throw new Unprocessable(
      "BAD_REQUEST",
      `\`q\` must have ${shortest} characters beside its wildcards, and 255 at most.`,
    );
  const objectType = objectTypes.find((type) => type === (query.get("object_type") ?? "all"));
  if (!objectType) throw new Unprocessable("BAD_REQUEST", "`object_type` must be all, zone, record or comment.");
  const max = Number(query.get("max") ?? mostFound);
  if (!Number.isInteger(max) || max < 1) throw new Unprocessable("BAD_REQUEST", "`max` must be a positive number.");
  const given = q.toLowerCase();
  const pattern = escapeLike(given).replaceAll("*", "%").replaceAll("?", "_");
  return { literal, matches: wildcardMatcher(given), pattern, most: Math.min(max, mostFound), objectType };
}

/** Characters that are matched in one step. */
const charactersPerStep = 1_024;
const bitsPerWord = 32;

/**
 * Returns whether texts match. Follows all ways to match at once, as bits, so that the time is proportional to the text, whatever the
 * pattern: a search reads long texts of others.
 */
export function wildcardMatcher(pattern: string): (text: string) => Steps<boolean> {
  const signs = pattern.replaceAll("*", "");
  const words = Math.ceil((signs.length + 1) / bitsPerWord);
  /** Where the pattern may stay at any character: before its sign of that number is a `*`. */
  const stays = new Uint32Array(words);
  let position = 0;
  for (const sign of pattern) {
    if (sign === "*") setBit(stays, position);
    else position += sign.length;
  }
  const anySign = new Uint32Array(words);
  const bySign = new Map<number, Uint32Array>();
  for (let at = 0; at < signs.length; at++) if (signs[at] === "?") setBit(anySign, at);
  for (let at = 0; at < signs.length; at++) {
    const code = signs.charCodeAt(at);
    const positions = bySign.get(code) ?? anySign.slice();
    setBit(positions, at);
    bySign.set(code, positions);
  }
  return function* (text) {
    /** The numbers of signs that the text so far may have matched. */
    const reached = new Uint32Array(words);
    setBit(reached, 0);
    for (let at = 0; at < text.length; at++) {
      const passes = bySign.get(text.charCodeAt(at)) ?? anySign;
      let carried = 0;
      for (let word = 0; word < words; word++) {
        const before = reached[word] ?? 0;
        const passed = before & (passes[word] ?? 0);
        reached[word] = (before & (stays[word] ?? 0)) | (passed << 1) | carried;
        carried = passed >>> (bitsPerWord - 1);
      }
      if (at % charactersPerStep === 0) yield;
    }
    return hasBit(reached, signs.length);
  };
}

function setBit(words: Uint32Array, bit: number): void {
  const word = Math.floor(bit / bitsPerWord);
  words[word] = (words[word] ?? 0) | (1 << (bit % bitsPerWord));
}

function hasBit(words: Uint32Array, bit: number): boolean {
  return ((words[Math.floor(bit / bitsPerWord)] ?? 0) & (1 << (bit % bitsPerWord))) !== 0;
}

/** What a search finds in. */
interface Sources {
  em: EntityManager;
  caller: Caller;
  zones: PowerdnsZones;
}

/** How many found zones come with their SOA: each SOA takes a read of its own. */
const mostSoas = 50;

/** Returns the zones, records and comments that match and that the caller sees, in this order. */
export async function foundObjects(sources: Sources, search: WildcardSearch): Promise<object[]> {
  const { objectType, literal, pattern, most } = search;
  const isWanted = (type: WildcardSearch["objectType"]) => objectType === "all" || objectType === type;
  const zones =
    isWanted("zone") || isWanted("record")
      ? await sources.zones.like(sources.em, sources.caller, { text: literal, pattern, most: mostFound })
      : [];
  const named = await inSlices(matching(zones, search, ({ name }) => [name, `${name}.`]));
  return [
    ...(isWanted("zone")
      ? named.map(({ name }) => ({ object_type: "zone", name: `${name}.`, zone_id: zoneId(name) }))
      : []),
    ...(isWanted("record") ? await foundSoas(sources, named.slice(0, mostSoas)) : []),
    ...(isWanted("record") ? await foundRecords(sources, search) : []),
    ...(isWanted("comment") ? await foundComments(sources, search) : []),
  ].slice(0, most);
}

async function foundSoas({ em, zones }: Sources, named: readonly FoundZone[]): Promise<object[]> {
  const found: object[] = [];
  for (const zone of named) {
    const sets = await zones.rrsets(em, zone, { name: `${zone.name}.`, type: "SOA" });
    for (const { name, type, ttl, records } of sets) {
      for (const record of records)
        found.push({
          object_type: "record",
          name,
          type,
          ttl,
          ...record,
          zone: `${zone.name}.`,
          zone_id: zoneId(zone.name),
        });
    }
  }
  return found;
}

/** @throws Unprocessable if too many records have the text to look at all of them */
async function foundRecords({ em, caller }: Sources, search: WildcardSearch): Promise<object[]> {
  const found: object[] = [];
  for (let page = 1; page <= mostConsidered / readAtOnce; page++) {
    const asked = { search: search.literal, page, limit: readAtOnce, view: "" };
    const { records, total, totalIsExact } = await searchRecords(em, caller, asked);
    found.push(...(await inSlices(matching(shownRecords(records), search, textsOf))));
    if (found.length >= search.most) break;
    if (page * readAtOnce < total) continue;
    if (totalIsExact) break;
    throw new Unprocessable(
      "BAD_REQUEST",
      `Too many records have the text ${search.literal} to compare all of them with \`q\`. Use a longer text between its wildcards.`,
    );
  }
  return found;
}

type SearchedRecord = Awaited<ReturnType<typeof searchRecords>>["records"][number];

/** Yields records as they are shown. Writing a long content takes time, so each is written when it is matched. */
function* shownRecords(records: readonly SearchedRecord[]) {
  for (const record of records) {
    yield {
      object_type: "record",
      name: shownOwner(record.name, record.domainName),
      type: record.recordType,
      ttl: record.ttl,
      content: shownContent(record),
      disabled: record.status === "disabled",
      zone: `${record.domainName}.`,
      zone_id: zoneId(record.domainName),
    };
  }
}

function textsOf({ name, content }: { name: string; content: string }): string[] {
  return [name, name.slice(0, -1), content];
}

/** Returns the items that have a text that matches. */
function* matching<T>(items: Iterable<T>, search: WildcardSearch, texts: (item: T) => readonly string[]): Steps<T[]> {
  const found: T[] = [];
  for (const item of items) if (yield* matchesAny(texts(item), search)) found.push(item);
  return found;
}

function* matchesAny(texts: readonly string[], { matches }: WildcardSearch): Steps<boolean> {
  for (const text of texts) if (yield* matches(text.toLowerCase())) return true;
  return false;
}

async function foundComments({ em, caller }: Sources, search: WildcardSearch): Promise<object[]> {
  const visible = await visibleDomains(em, caller);
  const { rows } = await sql<{ name: string; record_type: string; comment: string; zone: string }>`
    select distinct d.name as zone, r.name, r.record_type, r.comment
    from records r cross join lateral (select name, view from domains where id = r.domain_id offset 0) d
    where r.until is null and r.comment is not null
      and lower(r.comment) like ${`%${escapeLike(search.literal)}%`} and ${visible.records("r")} and d.view = ''
      and (
        lower(r.comment) like ${search.pattern}
        or exists (select from unnest(string_to_array(lower(r.comment), '; ')) as part where part like ${search.pattern})
      )
    order by d.name, r.name, r.record_type limit ${mostFound}
  `.execute(queries(em));
  const found = await inSlices(matching(rows, search, ({ comment }) => [comment, ...comment.split("; ")]));
  return found.map(({ name, record_type: type, comment: content, zone }) => ({
    object_type: "comment",
    name: shownOwner(name, zone),
    type,
    content,
    zone: `${zone}.`,
    zone_id: zoneId(zone),
  }));
}
