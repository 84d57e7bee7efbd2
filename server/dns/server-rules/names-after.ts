import type { CutType, KnownNames, NamesInMemory } from "./known-names.ts";
import { namesWithin } from "./name-index.ts";
import type { Unchanged } from "./unchanged.ts";

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
