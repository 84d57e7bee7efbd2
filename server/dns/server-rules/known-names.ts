import { sorted, type Steps } from "../../platform/slices.ts";
import type { RecordData } from "../record.ts";

/** Types that affect every name below their owner. */
export type CutType = "NS" | "DNAME";

/** The names of a zone, as needed to decide whether its name servers have addresses. Names are owners, `@` for the apex. */
export interface KnownNames {
  /** Returns the types at a name; empty if it has no records. */
  types: (name: string) => ReadonlySet<string>;
  /** Returns whether there are records below a name. */
  existsBelow: (name: string) => boolean;
  /**
   * Returns the ancestors of a name that may exist, nearest first, without the apex.
   * @param type restricts them to names that may have this type
   */
  above: (name: string, type?: CutType) => Iterable<string>;
}

export const noTypes: ReadonlySet<string> = new Set();

type Named = Pick<RecordData, "name" | "recordType">;

/** Names and their types, held in memory. */
export class NamesInMemory implements KnownNames {
  readonly #types: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #indexes: Readonly<Record<"all" | CutType, NameIndex>>;

  private constructor(
    types: ReadonlyMap<string, ReadonlySet<string>>,
    indexes: Readonly<Record<"all" | CutType, NameIndex>>,
  ) {
    this.#types = types;
    this.#indexes = indexes;
  }

  static *of(records: Iterable<Named>): Steps<NamesInMemory> {
    const types = new Map<string, Set<string>>();
    const having: Record<CutType, Set<string>> = { NS: new Set(), DNAME: new Set() };
    for (const { name, recordType } of records) {
      const known = types.get(name);
      if (known) known.add(recordType);
      else types.set(name, new Set([recordType]));
      if (recordType === "NS" || recordType === "DNAME") having[recordType].add(name);
      yield;
    }
    return new NamesInMemory(types, {
      all: yield* NameIndex.of(types.keys()),
      NS: yield* NameIndex.of(having.NS),
      DNAME: yield* NameIndex.of(having.DNAME),
    });
  }

  readonly types = (name: string): ReadonlySet<string> => this.#types.get(name) ?? noTypes;

  readonly existsBelow = (name: string): boolean => this.#indexes.all.hasBelow(name);

  readonly above = (name: string, type?: CutType): Iterable<string> => namesWithin(name, this.reach(name, type));

  /** See {@link NameIndex.reach}. */
  reach(name: string, type?: CutType): number {
    return this.#indexes[type ?? "all"].reach(name);
  }
}

/** Adds the records' types to the types of their names. */
export function addTypes(types: Map<string, Set<string>>, records: Iterable<Named>): void {
  for (const { name, recordType } of records) {
    const known = types.get(name);
    if (known) known.add(recordType);
    else types.set(name, new Set([recordType]));
  }
}

/** The names of a zone after a change: the unchanged records plus others. */
export class NamesAfter implements KnownNames {
  readonly #unchanged: Unchanged;
  readonly #others: NamesInMemory;

  constructor(unchanged: Unchanged, others: NamesInMemory) {
    this.#unchanged = unchanged;
    this.#others = others;
  }

  readonly types = (name: string): ReadonlySet<string> => {
    const [one, other] = [this.#unchanged.types(name), this.#others.types(name)];
    if (one.size === 0) return other;
    return other.size === 0 ? one : new Set([...one, ...other]);
  };

  readonly existsBelow = (name: string): boolean => this.#others.existsBelow(name) || this.#unchanged.existsBelow(name);

  readonly above = (name: string, type?: CutType): Iterable<string> =>
    namesWithin(name, Math.max(this.#others.reach(name, type), this.#unchanged.reach(name, type)));
}

/** An NS record with its owner, and its target relative to the zone. */
export interface NameServerRecord {
  id: string;
  name: string;
  target: string;
}

/** The records of a zone that a change leaves alone. Synchronous queries need the matching `load…` call first. */
export interface Unchanged {
  types: (name: string) => ReadonlySet<string>;
  existsBelow: (name: string) => boolean;
  /** Returns the maximum key length of this name's existing ancestors, see `NameIndex`. */
  reach: (name: string, type?: CutType) => number;
  /** Loads the types of the names and of their ancestors. */
  load: (names: readonly string[]) => Promise<void>;
  /** Loads everything that decides the addresses of the names. */
  loadAround: (names: readonly string[]) => Promise<void>;
  /** Loads whether there are names below the given ones. */
  loadBelow: (names: readonly string[]) => Promise<void>;
  /** Returns the in-zone targets of NS records that lie above names of the first list, or at or below names of the second. */
  targetsNear: (above: readonly string[], within: readonly string[]) => Promise<string[]>;
  allTargets: () => Promise<string[]>;
  /** Returns the NS records that point to the names. */
  pointingTo: (targets: readonly string[]) => Promise<NameServerRecord[]>;
  /** Returns the NS records below the names that point into the zone. */
  nameServersBelow: (names: readonly string[]) => Promise<NameServerRecord[]>;
}

/**
 * Returns the key of a relative name: its characters reversed, plus a trailing dot. Names below a name have its key as a prefix, and the
 * neighbors of a name in key order share the most labels with it.
 */
function nameKey(name: string): string {
  // An escaped dot does not separate labels.
  const plain = name.includes("\\")
    ? name.replaceAll(/\\[\\.]/g, (part) => (part === String.raw`\.` ? String.raw`\046` : part))
    : name;
  return `${reversed(plain)}.`;
}

/** Reverses a text by characters, like PostgreSQL's `reverse`; names are ASCII. */
export function reversed(text: string): string {
  let found = "";
  for (let at = text.length - 1; at >= 0; at--) found += text[at];
  return found;
}

/** Returns the length of the common prefix of two texts, in characters. */
export function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

/** Returns the ancestors of a name whose keys have at most `reach` characters, nearest first. */
export function namesWithin(name: string, reach: number): Iterable<string> {
  if (name === "@" || reach < 2) return [];
  if (name.includes("\\") || reach > name.length) return ancestorsAbove(name);
  // One character more than the longest wanted name, so that it appears among the ancestors of this one.
  return ancestorsAbove(name.slice(Math.max(0, name.length - reach)));
}

/** Names sorted by key, which finds the names below another by binary search. Omits the apex. */
class NameIndex {
  readonly #keys: readonly string[];

  private constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  static *of(names: Iterable<string>): Steps<NameIndex> {
    const keys: string[] = [];
    for (const name of names) {
      if (name !== "@") keys.push(nameKey(name));
      yield;
    }
    return new NameIndex(yield* sorted(keys, byText));
  }

  /** Returns whether there are names below a name. */
  hasBelow(name: string): boolean {
    if (name === "@") return this.#keys.length > 0;
    const key = nameKey(name);
    let at = this.#position(key);
    while (this.#keys[at] === key) at++;
    return this.#keys[at]?.startsWith(key) ?? false;
  }

  /** Returns the maximum key length of this name's ancestors that are in the index or have names below them. */
  reach(name: string): number {
    if (this.#keys.length === 0) return 0;
    const key = nameKey(name);
    const at = this.#position(key);
    return Math.max(sharedLength(key, this.#keys[at] ?? ""), sharedLength(key, this.#keys[at - 1] ?? ""));
  }

  /** Returns the index of the first key that does not sort before this one. */
  #position(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? "") < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function byText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Yields the ancestors of a name, nearest first, without the apex. */
export function* ancestorsAbove(name: string): Generator<string, void> {
  if (name === "@") return;
  for (let rest = withoutFirst(name); rest !== ""; rest = withoutFirst(rest)) yield rest;
}

/** Returns all of {@link ancestorsAbove}. */
export function ancestorsOf(name: string): string[] {
  return [...ancestorsAbove(name)];
}

/** Returns the single-label ancestor of a name, or the name itself; `@` for the apex. */
export function topOf(name: string): string {
  if (!name.includes("\\")) return name.slice(name.lastIndexOf(".") + 1);
  let top = name;
  for (const above of ancestorsAbove(name)) top = above;
  return top;
}

function withoutFirst(name: string): string {
  if (!name.includes("\\")) {
    const dot = name.indexOf(".");
    return dot === -1 ? "" : name.slice(dot + 1);
  }
  return name.replace(/^(?:\\\d{3}|\\.|[^.\\])*\.?/s, "");
}

/** Returns the wildcard immediately below a name. */
export function wildcardBelow(name: string): string {
  return name === "@" ? "*" : `*.${name}`;
}

/** Returns the parent of a wildcard, or null if the name is not a wildcard. */
export function wildcardParent(name: string): string | null {
  if (name === "*") return "@";
  return name.startsWith("*.") ? name.slice(2) : null;
}
