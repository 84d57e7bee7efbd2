/** One change of an address: `from` null creates it, `to` null deletes it. */
interface Change {
  name: string;
  from: string | null;
  to: string | null;
}

/** Changes that are made together. */
export type Step = readonly Change[];

const names = Array.from({ length: 8 }, (_, index) => `host${index}`);
const addresses = Array.from({ length: 6 }, (_, index) => `192.0.2.${index + 2}`);

/**
 * What must be in a forward zone and its reverse zone after some steps, computed from the rules alone: a PTR record stays while its name has
 * the address, goes to a name that receives the address, or goes away.
 */
export class Model {
  /** How many steps changed a PTR record. */
  moves = 0;
  readonly #zone: string;
  readonly #addresses = new Map<string, Set<string>>();
  readonly #pointers = new Map<string, string>();
  readonly #foreign = new Set<string>();
  readonly #random = random(20_260_034);

  constructor(zone: string) {
    this.#zone = zone;
  }

  /** Notes a PTR record to a name that nobody here manages. */
  foreign(address: string, target: string): void {
    this.#pointers.set(address, target);
    this.#foreign.add(address);
  }

  /** Draws one to three changes of different names and addresses. */
  next(): Step {
    const step: Change[] = [];
    const used = new Set<string>();
    const size = 1 + Math.floor(this.#random() * 3);
    // Not every draw fits those before it.
    for (let draw = 0; step.length === 0 || (step.length < size && draw < 50); draw++) {
      const name = this.#pick(names);
      const [held = null] = this.#shuffled([...(this.#addresses.get(name) ?? [])]);
      const free = addresses.filter((address) => !this.#addresses.get(name)?.has(address));
      const action = this.#random();
      const from = held !== null && action > 0.3 ? held : null;
      const to = (from !== null && action > 0.65) || free.length === 0 ? null : this.#pick(free);
      const touched = [from, to].filter((address) => address !== null);
      if (used.has(name) || touched.length === 0 || touched.some((address) => used.has(address))) continue;
      for (const each of [name, ...touched]) used.add(each);
      step.push({ name, from, to });
    }
    return step;
  }

  /** Draws a step that changes a PTR record. */
  nextMoving(): Step {
    for (;;) {
      const step = this.next();
      if (this.#after(step).moves) return step;
    }
  }

  /** Notes that a step was made. */
  take(step: Step): void {
    const { pointers, moves } = this.#after(step);
    for (const { name, from, to } of step) {
      const held = this.#addresses.get(name) ?? new Set();
      if (from !== null) held.delete(from);
      if (to !== null) held.add(to);
      this.#addresses.set(name, held);
    }
    this.#pointers.clear();
    for (const [address, target] of pointers) this.#pointers.set(address, target);
    if (moves) this.moves += 1;
  }

  /** The A records that must be served. */
  addresses(): string[] {
    return [...this.#addresses]
      .flatMap(([name, held]) => [...held].map((address) => `${this.#full(name)}. A ${address}`))
      .toSorted();
  }

  /** The PTR records that must be served. */
  pointers(): string[] {
    return [...this.#pointers]
      .map(([address, target]) => `${address.split(".").toReversed().join(".")}.in-addr.arpa. PTR ${target}.`)
      .toSorted();
  }

  #after(step: Step): { pointers: Map<string, string>; moves: boolean } {
    const pointers = new Map(this.#pointers);
    let moves = false;
    for (const { name, from, to } of step) {
      const full = this.#full(name);
      // Each address is in one change only, so no other name of the step matters to it.
      if (from !== null && pointers.get(from) === full) moves = pointers.delete(from);
      if (to !== null && !this.#foreign.has(to) && !pointers.has(to)) {
        pointers.set(to, full);
        moves = true;
      }
    }
    return { pointers, moves };
  }

  #full(name: string): string {
    return `${name}.${this.#zone}`;
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }

  #shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, at: this.#random() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }
}

/** Numbers from 0 to 1, the same in every run (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
