import { sorted, type Steps } from "../../platform/slices.ts";
import { ancestorsAbove } from "./ancestors.ts";

/**
 * The key of a name relative to a zone: backwards by characters, with a dot at its end. What lies below a name begins with its key, and of
 * all names those next to a name in the order of the keys have the most labels in common with it.
 */
function nameKey(name: string): string {
  // A dot that is part of a label parts nothing.
  const plain = name.includes("\\")
    ? name.replaceAll(/\\[\\.]/g, (part) => (part === String.raw`\.` ? String.raw`\046` : part))
    : name;
  return `${reversed(plain)}.`;
}

/** By characters, as PostgreSQL's `reverse`; names are ASCII. */
export function reversed(text: string): string {
  let found = "";
  for (let at = text.length - 1; at >= 0; at--) found += text[at];
  return found;
}

/** How many characters two texts have in common at their beginnings. */
export function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

/** The names above a name, nearest first, as far as their keys have at most so many characters. */
export function namesWithin(name: string, reach: number): Iterable<string> {
  if (name === "@" || reach < 2) return [];
  if (name.includes("\\") || reach > name.length) return ancestorsAbove(name);
  // One more character than the name wanted, so that the name right above is that one or the next.
  return ancestorsAbove(name.slice(Math.max(0, name.length - reach)));
}

/** Names in the order of their keys: says in a few comparisons what lies below one. The apex is left out. */
export class NameIndex {
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

  /** Whether there are names below a name. */
  hasBelow(name: string): boolean {
    if (name === "@") return this.#keys.length > 0;
    const key = nameKey(name);
    let at = this.#position(key);
    while (this.#keys[at] === key) at++;
    return this.#keys[at]?.startsWith(key) ?? false;
  }

  /** How long the keys of names above this one can be that are in the index or have names below them. */
  reach(name: string): number {
    if (this.#keys.length === 0) return 0;
    const key = nameKey(name);
    const at = this.#position(key);
    return Math.max(sharedLength(key, this.#keys[at] ?? ""), sharedLength(key, this.#keys[at - 1] ?? ""));
  }

  /** Where the first key stands that is not before this one. */
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
