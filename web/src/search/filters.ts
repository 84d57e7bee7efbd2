import type { RouterInputs } from "@zonewright/client";

/** What the address of the search page holds. */
export interface SearchFilters {
  /** Part of a name or value. */
  q?: string | undefined;
  /** An exact value. */
  value?: string | undefined;
  /** A host, or a pattern of hosts. */
  host?: string | undefined;
  /** Part of a note. */
  note?: string | undefined;
  type?: string | undefined;
  tag?: string | undefined;
  page?: string | undefined;
}

type Query = Omit<RouterInputs["records"]["search"], "page" | "limit">;

/** `short`: a text from which the service would not search. */
export type Asked = { kind: "nothing" } | { kind: "short" } | { kind: "query"; query: Query };

/** The service searches parts of texts from so many characters on. */
const leastCharacters = 3;

/** What the filters ask the service for. A type or tag alone asks for every host. */
export function askedBy({ q, value, host, note, type, tag }: SearchFilters): Asked {
  const texts = { search: q?.trim(), value: value?.trim(), host: host?.trim(), comment: note?.trim(), type, tag };
  const query: Query = Object.fromEntries(
    Object.entries(texts).filter(([, text]) => text !== undefined && text !== ""),
  );
  if (Object.keys(query).length === 0) return { kind: "nothing" };
  if ([query.search, query.comment].some((part) => part !== undefined && part.length < leastCharacters))
    return { kind: "short" };
  const isWide = [query.search, query.value, query.host, query.comment].every((each) => each === undefined);
  return { kind: "query", query: isWide ? { ...query, host: "*" } : query };
}

/** What to replace where a search ended: the value that was asked for, or that all hits share. */
export function replacementOf(
  { q, value, type, tag }: SearchFilters,
  hits: readonly { recordType: string; value: string }[],
): { type?: string | undefined; value?: string | undefined; tag?: string | undefined } {
  const shared = <Key extends "recordType" | "value">(key: Key) => {
    const [first, ...others] = new Set(hits.map((hit) => hit[key]));
    return others.length === 0 ? first : undefined;
  };
  return { type: type ?? shared("recordType"), value: value ?? shared("value") ?? q, tag };
}

/** Splits a text where the searched words stand in it, in any case. */
export function withMarks(text: string, search: string | undefined): { at: number; text: string; found: boolean }[] {
  const wanted = search?.trim().toLowerCase() ?? "";
  const lower = text.toLowerCase();
  // Lower case may have another length, where nothing could be marked rightly.
  if (wanted === "" || lower.length !== text.length) return text === "" ? [] : [{ at: 0, text, found: false }];
  const parts: { at: number; text: string; found: boolean }[] = [];
  let at = 0;
  for (let hit = lower.indexOf(wanted); hit >= 0; hit = lower.indexOf(wanted, at)) {
    if (hit > at) parts.push({ at, text: text.slice(at, hit), found: false });
    at = hit + wanted.length;
    parts.push({ at: hit, text: text.slice(hit, at), found: true });
  }
  if (at < text.length) parts.push({ at, text: text.slice(at), found: false });
  return parts;
}

/** What a search is called unless its user says otherwise. */
export function suggestedName({ q, value, host, note, type, tag }: SearchFilters): string {
  return [q, value, host, note, type, tag].filter(Boolean).join(" ").slice(0, 100).trim();
}
