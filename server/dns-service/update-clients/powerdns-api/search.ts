import { sql } from "kysely";
import type { Caller } from "../../../access/caller.ts";
import { visibleDomains } from "../../../access/visible-domains.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { escapeLike } from "../../../database/query-helpers.ts";
import { zoneId } from "../../../dns-providers/powerdns/client.ts";
import { searchRecords } from "../../../zones/records/search.ts";
import { Unprocessable } from "./refusals.ts";
import { shownContent, shownOwner } from "./rrsets.ts";
import type { FoundZone, PowerdnsZones } from "./zones.ts";

/** What `search-data` is asked for. */
export interface WildcardSearch {
  /** The longest text between wildcards, which the stored search finds. */
  literal: string;
  /** Whether a whole name or content is meant. */
  matches: (text: string) => boolean;
  most: number;
  objectType: "all" | "zone" | "record" | "comment";
}

const objectTypes = ["all", "zone", "record", "comment"] as const;
/** The shortest text that the search takes. */
const shortest = 3;
const mostFound = 500;

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
  return { literal, matches: wildcardMatcher(q.toLowerCase()), most: Math.min(max, mostFound), objectType };
}

/** Returns whether texts match, in time proportional to both lengths at most: a pattern of many wildcards must not backtrack for ever. */
export function wildcardMatcher(pattern: string): (text: string) => boolean {
  return (text) => {
    let [at, from, star, mark] = [0, 0, -1, 0];
    while (at < text.length) {
      const sign = pattern[from];
      if (sign === "*") {
        star = from++;
        mark = at;
      } else if (sign === "?" || sign === text[at]) {
        at++;
        from++;
      } else if (star >= 0) {
        from = star + 1;
        at = ++mark;
      } else return false;
    }
    return /^\**$/.test(pattern.slice(from));
  };
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
  const { objectType, literal, most } = search;
  const isWanted = (type: WildcardSearch["objectType"]) => objectType === "all" || objectType === type;
  const zones =
    isWanted("zone") || isWanted("record")
      ? await sources.zones.containing(sources.em, sources.caller, literal, mostFound)
      : [];
  const named = zones.filter(({ name }) => search.matches(name) || search.matches(`${name}.`));
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

async function foundRecords({ em, caller }: Sources, search: WildcardSearch): Promise<object[]> {
  const { records } = await searchRecords(em, caller, { search: search.literal, page: 1, limit: mostFound, view: "" });
  const objects = records.map((record) => ({
    object_type: "record",
    name: shownOwner(record.name, record.domainName),
    type: record.recordType,
    ttl: record.ttl,
    content: shownContent(record),
    disabled: record.status === "disabled",
    zone: `${record.domainName}.`,
    zone_id: zoneId(record.domainName),
  }));
  return objects.filter(({ name, content }) =>
    [name, name.slice(0, -1), content].some((text) => search.matches(text.toLowerCase())),
  );
}

async function foundComments({ em, caller }: Sources, search: WildcardSearch): Promise<object[]> {
  const visible = await visibleDomains(em, caller);
  const { rows } = await sql<{ name: string; record_type: string; comment: string; zone: string }>`
    select distinct d.name as zone, r.name, r.record_type, r.comment
    from records r cross join lateral (select name, view from domains where id = r.domain_id offset 0) d
    where r.until is null and r.comment is not null
      and lower(r.comment) like ${`%${escapeLike(search.literal)}%`} and ${visible.records("r")} and d.view = ''
    order by d.name, r.name, r.record_type limit ${mostFound}
  `.execute(queries(em));
  return rows
    .filter(({ comment }) => [comment, ...comment.split("; ")].some((text) => search.matches(text.toLowerCase())))
    .map(({ name, record_type: type, comment: content, zone }) => ({
      object_type: "comment",
      name: shownOwner(name, zone),
      type,
      content,
      zone: `${zone}.`,
      zone_id: zoneId(zone),
    }));
}
