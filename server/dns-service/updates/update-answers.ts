import { createHash } from "node:crypto";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import { rcodes } from "../../dns/wire/messages.ts";
import { realPause } from "../../platform/pause.ts";

/** Milliseconds between looks for the answer of another instance, and in all. */
const pollMilliseconds = 50;
const longestWaitMilliseconds = 60_000;
/** Seconds for which answers are stored: a message is accepted at most 300 seconds before and after the time it was signed. */
const storedSeconds = 600;

/** Stores `rcode` as the answer in the transaction that makes the changes. */
type Settle = (tx: EntityManager, rcode: number) => Promise<void>;

/**
 * Has each signed update run once, on whichever instance. A client that gets no answer sends the same octets again, and anyone who saw them
 * can: they get the first one's answer.
 */
export class UpdateAnswers {
  readonly #database: Database;
  readonly #now: () => Date;
  readonly #running = new Map<string, Promise<number>>();

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  /**
   * Returns the RCODE of an update, which is run if this is its first message. @param run must not throw
   * @param mac identifies the message: the ID in its header is not signed, and could be another
   */
  async once(key: { id: string }, mac: Buffer, run: (settle: Settle) => Promise<number>): Promise<number> {
    const id = createHash("sha256").update(key.id).update(mac).digest("base64url");
    const running = this.#running.get(id);
    if (running) return await running;
    const answer = this.#first(id, run).finally(() => this.#running.delete(id));
    this.#running.set(id, answer);
    return await answer;
  }

  async #first(id: string, run: (settle: Settle) => Promise<number>): Promise<number> {
    const claimed = await queries(this.#database.fork())
      .insertInto("dynamic_updates")
      .values({ id, rcode: null, created_at: this.#now() })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (!claimed) return await this.#fromElsewhere(id);
    let stored: number | null = null;
    const rcode = await run(async (tx, settled) => {
      await store(tx, id, settled);
      stored = settled;
    });
    // What a transaction stored is gone if it was rolled back.
    if (rcode !== stored) await store(this.#database.fork(), id, rcode);
    return rcode;
  }

  /** An instance that was killed leaves no answer: what it did is unknown. */
  async #fromElsewhere(id: string): Promise<number> {
    const deadline = performance.now() + longestWaitMilliseconds;
    do {
      const row = await queries(this.#database.fork())
        .selectFrom("dynamic_updates")
        .select("rcode")
        .where("id", "=", id)
        .executeTakeFirst();
      if (typeof row?.rcode === "number") return row.rcode;
      await realPause(pollMilliseconds);
    } while (performance.now() < deadline);
    return rcodes.servFail;
  }
}

async function store(em: EntityManager, id: string, rcode: number): Promise<void> {
  await queries(em).updateTable("dynamic_updates").set({ rcode }).where("id", "=", id).execute();
}

/** Deletes the answers to messages that are too old to be accepted again. */
export async function deleteOldUpdateAnswers(em: EntityManager, now: Date): Promise<void> {
  const before = new Date(now.getTime() - storedSeconds * 1_000);
  await queries(em).deleteFrom("dynamic_updates").where("created_at", "<", before).execute();
}
