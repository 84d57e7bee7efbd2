import type { Caller } from "../../access/caller.ts";
import type { EntityManager } from "../../database/database.ts";
import { absoluteName } from "../../dns/names/names.ts";
import { searchRecords } from "../../records/search.ts";
import { Unprocessable } from "./refusals.ts";
import { shownContent } from "./shown-rrsets.ts";
import { zoneIdOf } from "./zone-ids.ts";

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

/** Returns the records that match by name or content, and that the caller sees. */
export async function foundObjects(em: EntityManager, caller: Caller, search: WildcardSearch) {
  if (search.objectType === "zone") return [];
  const { records } = await searchRecords(em, caller, { search: search.literal, page: 1, limit: mostFound, view: "" });
  const objects = records.map((record) => {
    const zone = record.domainName;
    return {
      object_type: "record",
      name: `${absoluteName(record.name, zone)}.`,
      type: record.recordType,
      ttl: record.ttl,
      content: shownContent(record),
      disabled: record.status === "disabled",
      zone: `${zone}.`,
      zone_id: zoneIdOf(zone),
    };
  });
  const isMeant = ({ name, content }: (typeof objects)[number]) =>
    [name, name.slice(0, -1), content].some((text) => search.matches(text.toLowerCase()));
  return objects.filter(isMeant).slice(0, search.most);
}
