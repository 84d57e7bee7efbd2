import type { CutType } from "./known-names.ts";

/** An NS record with its owner, and its target relative to the zone. */
export interface NameServerRecord {
  id: string;
  name: string;
  target: string;
}

/** The records of a zone that a change leaves alone. Synchronous queries need the matching `load…` call first. */
export interface Unchanged {
  /** Returns the types at a name. */
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
