import type { Steps } from "../../platform/slices.ts";
import type { PlannedChange, RecordData } from "../record.ts";
import { ancestorsAbove, topOf, wildcardBelow } from "./known-names.ts";

/** Changes that may have removed an address in the same way. */
interface Suspects {
  ids: string[];
  /** Number of reasons already assigned to each of them. */
  reasons: number;
}

/** Maximum reasons per change; without it, their number would grow with name servers times changes. */
const mostReasons = 5;

/** Indexes a plan's changes by the addresses they may have removed, so that each name server needs no scan of the plan. */
export class Blame {
  /** Changes by name whose addresses they change. */
  readonly #addresses = new Map<string, Suspects>();
  /** Changes by name whose delegation or DNAME they change. */
  readonly #cuts = new Map<string, Suspects>();
  /** Changes by the name immediately below the apex. */
  readonly #branches = new Map<string, Suspects>();
  readonly #all: Suspects = { ids: [], reasons: 0 };

  static *of(changes: readonly PlannedChange[]): Steps<Blame> {
    const blame = new Blame();
    for (const { id, before, after } of changes) {
      if (before) blame.#index(id, before, false);
      if (after) blame.#index(id, after, true);
      blame.#all.ids.push(id);
      yield;
    }
    return blame;
  }

  #index(id: string, { name, recordType }: RecordData, isAdded: boolean): void {
    if (isAdded ? recordType === "CNAME" : isAddress(recordType)) suspect(this.#addresses, name, id);
    if (recordType === "NS" || recordType === "DNAME") suspect(this.#cuts, name, id);
    suspect(this.#branches, topOf(name), id);
  }

  /** Yields the ids of the changes most likely to have removed a name server's addresses, skipping those with enough reasons. */
  *blamed(owner: string, target: string): Generator<string, void> {
    const found = some(this.#addresses, addressSources(target)) ??
      some(this.#cuts, [...ancestorsAbove(target), ...ancestorsAbove(owner)]) ??
      some(this.#branches, [topOf(target)]) ?? [this.#all];
    for (const suspects of found) {
      if (suspects.reasons++ < mostReasons) yield* suspects.ids;
    }
  }
}

/** Yields the names that may supply a name's addresses: itself, and the wildcards that may match it. */
function* addressSources(target: string): Generator<string, void> {
  yield target;
  for (const above of ancestorsAbove(target)) yield wildcardBelow(above);
  yield wildcardBelow("@");
}

function some(suspects: ReadonlyMap<string, Suspects>, names: Iterable<string>): Suspects[] | null {
  const found = new Set<Suspects>();
  for (const name of names) {
    const those = suspects.get(name);
    if (those) found.add(those);
  }
  return found.size === 0 ? null : [...found];
}

function suspect(suspects: Map<string, Suspects>, name: string, id: string): void {
  const known = suspects.get(name);
  if (!known) suspects.set(name, { ids: [id], reasons: 0 });
  else if (known.ids.at(-1) !== id) known.ids.push(id);
}

function isAddress(recordType: string): boolean {
  return recordType === "A" || recordType === "AAAA";
}
