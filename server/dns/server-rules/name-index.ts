import { sorted, type Steps } from "../../platform/slices.ts";
import { ancestorsAbove } from "./ancestors.ts";

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
