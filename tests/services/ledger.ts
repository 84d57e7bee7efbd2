import { setTimeout as pause } from "node:timers/promises";
import { vi } from "vitest";
import { isBusyAnswer, untilDone } from "../support/patience.ts";
import type { RestClient } from "../support/rest-client.ts";

export interface Kept {
  id: string;
  value: string;
}

/**
 * What one client knows of its records: what was acknowledged, and what it had asked for when no answer came.
 * Every record is a TXT of a name of its own.
 */
export class Ledger {
  readonly #acknowledged = new Map<string, Kept>();
  /** The possible values of each name in an unanswered request; null for absent. */
  readonly #open = new Map<string, readonly (string | null)[]>();
  /** Requests that were answered. */
  answered = 0;

  get(name: string): Kept | undefined {
    return this.#acknowledged.get(name);
  }

  /** Names that are certainly there: in no unanswered request. */
  names(): string[] {
    return [...this.#acknowledged.keys()].filter((name) => !this.#open.has(name));
  }

  /** Sends a request that sets names to values (null: deletes). Without an answer they stay uncertain. */
  async request(
    wanted: ReadonlyMap<string, string | null>,
    send: () => Promise<Iterable<readonly [name: string, kept: Kept | null]>>,
  ): Promise<void> {
    for (const [name, value] of wanted) this.#open.set(name, [this.#acknowledged.get(name)?.value ?? null, value]);
    const settled = await send();
    for (const [name, kept] of settled) this.#keep(name, kept);
    for (const name of wanted.keys()) this.#open.delete(name);
    this.answered++;
  }

  /** Returns how a list contradicts the answers so far; empty if it does not. The list then becomes the known state. */
  reconcile(listed: ReadonlyMap<string, Kept>): string[] {
    const names = new Set([...listed.keys(), ...this.#acknowledged.keys(), ...this.#open.keys()]);
    const contradictions = [...names].flatMap((name) => {
      const value = listed.get(name)?.value ?? null;
      const possible = this.#open.get(name) ?? [this.#acknowledged.get(name)?.value ?? null];
      return possible.includes(value) ? [] : [`${name} is ${value}, and could be ${possible.join(" or ")}`];
    });
    this.#open.clear();
    this.#acknowledged.clear();
    for (const [name, kept] of listed) this.#acknowledged.set(name, kept);
    return contradictions;
  }

  #keep(name: string, kept: Kept | null): void {
    if (kept) this.#acknowledged.set(name, kept);
    else this.#acknowledged.delete(name);
  }
}

/** Two clients that write to one zone across crashes, and what each of them knows. */
export class Writers {
  readonly #bulk = new Ledger();
  readonly #single = new Ledger();

  /** How many requests each client saw answered at the least. */
  get answered(): number {
    return Math.min(this.#bulk.answered, this.#single.answered);
  }

  /** Lets both write until the service is killed, a random few milliseconds after each has an answer. */
  async untilKilled(client: RestClient, path: string, kill: () => Promise<unknown>, withinMilliseconds: number) {
    const writing = [writeInBulk(client, path, "bulk", this.#bulk), writeSingly(client, path, "single", this.#single)];
    const broken = Promise.allSettled(writing);
    await Promise.race([this.#answers(Math.random() * 12), Promise.all(writing)]);
    // Not a wait for something: the moment of the crash is random.
    await pause(Math.random() * withinMilliseconds);
    await kill();
    for (const end of await broken) {
      if (end.status === "rejected" && end.reason instanceof UnexpectedAnswer) throw end.reason;
    }
  }

  /** Returns how a list contradicts the answers so far; empty if it does not. */
  reconcile(listed: readonly { id: string; name: string; value: string }[]): string[] {
    const startingWith = (prefix: string) => {
      const mine = listed.filter(({ name }) => name.startsWith(prefix));
      return new Map(mine.map(({ id, name, value }) => [name, { id, value }]));
    };
    return [...this.#bulk.reconcile(startingWith("bulk-")), ...this.#single.reconcile(startingWith("single-"))];
  }

  /** Waits until each has another answer, and both together have this many. */
  async #answers(count: number): Promise<void> {
    const ledgers = [this.#bulk, this.#single];
    const before = ledgers.map(({ answered }) => answered);
    await vi.waitFor(
      () => {
        const more = ledgers.map(({ answered }, index) => answered - (before[index] ?? 0));
        if (Math.min(...more) < 1 || more.reduce((sum, one) => sum + one) < count)
          throw new Error("The writers do not get on.");
      },
      { timeout: 60_000, interval: 5 },
    );
  }
}

/** Creates twenty in one request, then deletes twenty in as many at once, and so on, until the connection breaks. */
async function writeInBulk(client: RestClient, path: string, prefix: string, ledger: Ledger): Promise<never> {
  for (let round = Date.now(); ; round++) {
    const values = new Map<string, string>(
      Array.from({ length: 20 }, (_, index) => [`${prefix}-${round}-${index}`, `made in ${round}`]),
    );
    await ledger.request(values, async () => {
      const records = [...values].map(([name, value]) => ({ recordType: "TXT", name, value, ttl: 300 }));
      const { results } = await answer(() => client.post(`${path}/records/bulk`, { records }), 200);
      return results.map(({ name, id, error }: { name: string; id: string | null; error: string | null }) => {
        if (id === null) throw new UnexpectedAnswer(`${name} was refused: ${error}`);
        return [name, { id, value: values.get(name) }];
      });
    });
    const old = ledger.names().slice(0, 20);
    const ends = await Promise.allSettled(
      old.map((name) =>
        ledger.request(new Map([[name, null]]), async () => {
          await answer(() => client.delete(`${path}/records/${ledger.get(name)?.id}`), 200);
          return [[name, null]];
        }),
      ),
    );
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }
}

/** Creates, changes and deletes single records until the connection breaks. */
async function writeSingly(client: RestClient, path: string, prefix: string, ledger: Ledger): Promise<never> {
  for (let round = Date.now(); ; round++) {
    const name = `${prefix}-${round}`;
    await ledger.request(new Map([[name, "first"]]), async () => {
      const record = { recordType: "TXT", name, value: "first", ttl: 300 };
      const { id } = await answer(() => client.post(`${path}/records`, record), 201);
      return [[name, { id, value: "first" }]];
    });
    const id = ledger.get(name)?.id ?? "";
    await ledger.request(new Map([[name, "second"]]), async () => {
      await answer(() => client.put(`${path}/records/${id}`, { value: "second" }), 200);
      return [[name, { id, value: "second" }]];
    });
    const [oldest = name] = ledger.names();
    await ledger.request(new Map([[oldest, null]]), async () => {
      await answer(() => client.delete(`${path}/records/${ledger.get(oldest)?.id}`), 200);
      return [[oldest, null]];
    });
  }
}

/** An answer that no crash excuses. */
class UnexpectedAnswer extends Error {}

async function answer(call: () => ReturnType<RestClient["get"]>, status: number) {
  // Another 503 may be of a service that stops.
  const given = await untilDone(
    call,
    (one) => isBusyAnswer(one) && /Another change to this zone/.test(one.body.detail),
  );
  if (given.status === status) return given.body;
  throw new UnexpectedAnswer(`${given.status} instead of ${status}: ${JSON.stringify(given.body)}`);
}
