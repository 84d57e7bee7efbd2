import type { Steps } from "../../platform/slices.ts";
import type { RecordData } from "../record.ts";
import { NameIndex, namesWithin } from "./name-index.ts";

/** Types that make a part of a zone begin: what lies below depends on them, however far. */
export type CutType = "NS" | "DNAME";

/** What must be known of a zone's names to say whether its name servers have addresses. Names are owners, `@` for the apex. */
export interface KnownNames {
  /** The types that a name has; none where it has no records. */
  types: (name: string) => ReadonlySet<string>;
  /** Whether there are records below a name. */
  existsBelow: (name: string) => boolean;
  /**
   * The names above a name, nearest first, without the apex; only those that may exist.
   * @param type only those that may have this type
   */
  above: (name: string, type?: CutType) => Iterable<string>;
}

export const noTypes: ReadonlySet<string> = new Set();

type Named = Pick<RecordData, "name" | "recordType">;

/** Names that are in memory, with their types. */
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

/** Adds types to those of a name. */
export function addTypes(types: Map<string, Set<string>>, records: Iterable<Named>): void {
  for (const { name, recordType } of records) {
    const known = types.get(name);
    if (known) known.add(recordType);
    else types.set(name, new Set([recordType]));
  }
}
