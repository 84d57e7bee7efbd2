import type { CutType } from "./known-names.ts";

/** An NS record: its owner, and its target relative to the zone. */
export interface NameServerRecord {
  id: string;
  name: string;
  target: string;
}

/** The records of a zone that some changes leave alone. What is asked without waiting must be loaded before. */
export interface Unchanged {
  /** The types that a name has. */
  types: (name: string) => ReadonlySet<string>;
  existsBelow: (name: string) => boolean;
  /** How long the keys of names above this one can be that exist, see `NameIndex`. */
  reach: (name: string, type?: CutType) => number;
  /** Loads the types of some names and of those above them. */
  load: (names: readonly string[]) => Promise<void>;
  /** Loads what decides on the addresses of some names. */
  loadAround: (names: readonly string[]) => Promise<void>;
  /** Loads whether there are names below some. */
  loadBelow: (names: readonly string[]) => Promise<void>;
  /** The names within the zone that NS records point to: those above some names, and those at or below others. */
  targetsNear: (above: readonly string[], within: readonly string[]) => Promise<string[]>;
  allTargets: () => Promise<string[]>;
  /** The NS records that point to some names. */
  pointingTo: (targets: readonly string[]) => Promise<NameServerRecord[]>;
  /** The NS records of the names below some names that point into the zone. */
  nameServersBelow: (names: readonly string[]) => Promise<NameServerRecord[]>;
}
