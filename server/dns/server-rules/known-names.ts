import type { RecordData } from "../record.ts";

/** What must be known of a zone's names to say whether its name servers have addresses. Names are owners, `@` for the apex. */
export interface KnownNames {
  /** The types that a name has; none where it has no records. */
  types: (name: string) => ReadonlySet<string>;
  /** Whether there are records below a name. */
  existsBelow: (name: string) => boolean;
}

const none: ReadonlySet<string> = new Set();

/** All names of a zone that is in memory. */
export function namesOf(records: Iterable<Pick<RecordData, "name" | "recordType">>): KnownNames {
  const types = typesByName(records);
  const above = namesAbove(types.keys());
  return { types: (name) => types.get(name) ?? none, existsBelow: (name) => above.has(name) };
}

export function typesByName(records: Iterable<Pick<RecordData, "name" | "recordType">>): Map<string, Set<string>> {
  const types = new Map<string, Set<string>>();
  for (const { name, recordType } of records) {
    const known = types.get(name);
    if (known) known.add(recordType);
    else types.set(name, new Set([recordType]));
  }
  return types;
}

/** Every name below the apex that has one of these names below it. */
export function namesAbove(names: Iterable<string>): Set<string> {
  const above = new Set<string>();
  for (const name of names) {
    for (const ancestor of ancestorsOf(name)) {
      // Those further up came with it.
      if (above.has(ancestor)) break;
      above.add(ancestor);
    }
  }
  return above;
}

/** The names above a name, nearest first, without the apex. */
export function ancestorsOf(name: string): string[] {
  if (name === "@") return [];
  const ancestors: string[] = [];
  for (let rest = withoutFirst(name); rest !== ""; rest = withoutFirst(rest)) ancestors.push(rest);
  return ancestors;
}

function withoutFirst(name: string): string {
  if (!name.includes("\\")) {
    const dot = name.indexOf(".");
    return dot === -1 ? "" : name.slice(dot + 1);
  }
  return name.replace(/^(?:\\\d{3}|\\.|[^.\\])*\.?/s, "");
}

/** The wildcard right below a name. */
export function wildcardBelow(name: string): string {
  return name === "@" ? "*" : `*.${name}`;
}

/** The name that a wildcard is below; null for a name that is none. */
export function wildcardParent(name: string): string | null {
  if (name === "*") return "@";
  return name.startsWith("*.") ? name.slice(2) : null;
}

/** What decides on a name server's addresses: its name, those above it, and the wildcards that may stand for it. */
export function decisiveNames(name: string): string[] {
  const above = ancestorsOf(name);
  return [name, ...above, ...[...above, "@"].map(wildcardBelow)];
}
