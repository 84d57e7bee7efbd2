import type { Steps } from "../../platform/slices.ts";
import type { PlannedChange } from "../live-record.ts";
import type { RecordData } from "../record.ts";
import { ancestorsAbove, topOf, wildcardBelow } from "./ancestors.ts";

/** Changes that may have taken an address away in one way. */
interface Suspects {
  ids: string[];
  /** How many reasons each of them has already. */
  reasons: number;
}

/** So many reasons are listed for a change: all of them would be as many as name servers times changes. */
const mostReasons = 5;

/** The changes of a plan by what they may have taken from name servers, so that none is looked at twice for each name server. */
export class Blame {
  /** By the names whose addresses they change. */
  readonly #addresses = new Map<string, Suspects>();
  /** By the names whose delegation or redirection they change. */
  readonly #cuts = new Map<string, Suspects>();
  /** By the name right below the apex. */
  readonly #branches = new Map<string, Suspects>();
  readonly #all: Suspects = { ids: [], reasons: 0 };

  static *of(changes: readonly PlannedChange[]): Steps<Blame> {
    const blame = new Blame();
    for (const { id, before, after } of changes) {
      if (before) blame.#sort(id, before, false);
      if (after) blame.#sort(id, after, true);
      blame.#all.ids.push(id);
      yield;
    }
    return blame;
  }

  #sort(id: string, { name, recordType }: RecordData, comes: boolean): void {
    if (comes ? recordType === "CNAME" : isAddress(recordType)) suspect(this.#addresses, name, id);
    if (recordType === "NS" || recordType === "DNAME") suspect(this.#cuts, name, id);
    suspect(this.#branches, topOf(name), id);
  }

  /** The changes that took the addresses of a name server away, the likeliest kind of them only, as far as they lack reasons: their ids. */
  *blamed(owner: string, target: string): Generator<string, void> {
    const found = some(this.#addresses, standing(target)) ??
      some(this.#cuts, [...ancestorsAbove(target), ...ancestorsAbove(owner)]) ??
      some(this.#branches, [topOf(target)]) ?? [this.#all];
    for (const suspects of found) {
      if (suspects.reasons++ < mostReasons) yield* suspects.ids;
    }
  }
}

/** The names whose addresses may be those of another: itself, and the wildcards that may stand for it. */
function* standing(target: string): Generator<string, void> {
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
