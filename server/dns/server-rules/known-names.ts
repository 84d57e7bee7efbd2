import type { Steps } from "../../platform/slices.ts";
import type { RecordData } from "../record.ts";
import { NameIndex, namesWithin } from "./name-index.ts";

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
