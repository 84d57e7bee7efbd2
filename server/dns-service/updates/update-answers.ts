import { createHash } from "node:crypto";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import { statement, type Sent } from "../../database/statements.ts";
import { rcodes } from "../../dns/wire/messages.ts";
import { realPause } from "../../platform/pause.ts";

/** Milliseconds between looks for the answer of another instance, and in all. */
const pollMilliseconds = 50;
const longestWaitMilliseconds = 60_000;
/**
 * Seconds for which answers are stored: a message is accepted at most 300 seconds before and after the time it was signed. Clocks that count
 * whole seconds make that one more.
 */
const storedSeconds = 602;
/** Answers held in memory. */
const mostKnown = 10_000;

/** What identifies a message: the ID in its header is not signed, and could be another. */
interface Identity {
  key: { id: string };
  mac: Buffer;
}

/** The answer to an update that runs. */
export interface UnsentAnswer {
  /** Returns what claims the message and stores its answer in the transaction that locks the zone. `claim` then says whether it did. */
  ahead(rcode: number): Sent;
  /**
   * Claims the message while nothing else can change the zone. In a transaction it also stores the answer, which a rollback takes back;
   * otherwise `settle` stores it. @throws AnsweredBefore if another instance has the message
   */
  claim(em: EntityManager, rcode: number): Promise<void>;
  /** Stores the answer in the transaction that makes the changes. */
  settle(tx: EntityManager, rcode: number): Promise<void>;
}

/** Thrown by `claim`. */
export class AnsweredBefore extends Error {
  constructor() {
    super("Another instance has this message.");
  }
}

/**
 * Has each signed update run once, on whichever instance. A client that gets no answer sends the same octets again, and anyone who saw them
 * can: they get the first one's answer.
 */
export class UpdateAnswers {
  readonly #database: Database;
  readonly #now: () => Date;
  readonly #running = new Map<string, Promise<number>>();
  /** Answers of this process, the oldest first: whoever sends a message again does not queue for the zone. */
  readonly #known = new Map<string, { rcode: number; until: number }>();

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  /** Returns the RCODE of an update that this process has answered or is making; null if it is not known here. */
  async before({ key, mac }: Identity): Promise<number | null> {
    return (await this.#before(idOf({ key, mac }))) ?? null;
  }

  /** Returns the RCODE of an update that any instance has answered or is making; null if none has. */
  async stored({ key, mac }: Identity): Promise<number | null> {
    const id = idOf({ key, mac });
    const row = await this.#row(id);
    return row ? (row.rcode ?? (await this.#fromElsewhere(id))) : null;
  }

  /** Returns the RCODE of an update, which is run if this is its first message. @param run may throw only `AnsweredBefore` and `KeyChanged` */
  async once({ key, mac }: Identity, run: (answer: UnsentAnswer) => Promise<number>): Promise<number> {
    const id = idOf({ key, mac });
    const before = this.#before(id);
    if (before !== undefined) return await before;
    const answer = this.#first(id, run).finally(() => this.#running.delete(id));
    this.#running.set(id, answer);
    const rcode = await answer;
    if (rcode !== rcodes.SERVFAIL) this.#remember(id, rcode);
    return rcode;
  }

  #before(id: string): number | Promise<number> | undefined {
    const known = this.#known.get(id);
    return known && known.until > performance.now() ? known.rcode : this.#running.get(id);
  }

  #remember(id: string, rcode: number): void {
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= mostKnown) this.#known.delete(oldest);
    this.#known.set(id, { rcode, until: performance.now() + storedSeconds * 1_000 });
  }

  async #first(id: string, run: (answer: UnsentAnswer) => Promise<number>): Promise<number> {
    let stored: number | null = null;
    let isClaimed = false;
    let ahead: boolean | undefined;
    const answer: UnsentAnswer = {
      ahead: (settled) => ({
        statement: () => this.#claimStatement(id, settled),
        answered: ({ rows }) => (ahead = rows.length === 1),
      }),
      claim: async (em, settled) => {
        const withChange = em.isInTransaction();
        const isFirst = (withChange ? ahead : undefined) ?? (await this.#claim(em, id, withChange ? settled : null));
        if (!isFirst) throw new AnsweredBefore();
        if (withChange) stored = settled;
        else isClaimed = true;
      },
      settle: async (tx, settled) => {
        if (stored !== settled) await store(tx, id, settled);
        stored = settled;
      },
    };
    try {
      const rcode = await run(answer);
      // What a transaction stored is gone if it was rolled back.
      if (rcode === stored) return rcode;
      const em = this.#database.fork();
      // An answer that is there already is the true one: a commit may have reached the database, but not its confirmation this process.
      const isStored = isClaimed ? await store(em, id, rcode) : await this.#claim(em, id, rcode);
      return isStored ? rcode : await this.#fromElsewhere(id);
    } catch (error) {
      if (error instanceof AnsweredBefore) return await this.#fromElsewhere(id);
      throw error;
    }
  }

  /** @returns whether this is the first claim */
  async #claim(em: EntityManager, id: string, rcode: number | null): Promise<boolean> {
    const { rows } = await queries(em).executeQuery(this.#claimStatement(id, rcode));
    return rows.length === 1;
  }

  #claimStatement(id: string, rcode: number | null) {
    return statement<{ id: string }>`
      insert into dynamic_updates (id, rcode, created_at) values (${id}, ${rcode}, ${this.#now()})
      on conflict (id) do nothing returning id`;
  }

  /** An instance that was killed leaves no answer: what it did is unknown. */
  async #fromElsewhere(id: string): Promise<number> {
    const deadline = performance.now() + longestWaitMilliseconds;
    do {
      const row = await this.#row(id);
      if (typeof row?.rcode === "number") return row.rcode;
      await realPause(pollMilliseconds);
    } while (performance.now() < deadline);
    return rcodes.SERVFAIL;
  }

  async #row(id: string) {
    return await queries(this.#database.fork())
      .selectFrom("dynamic_updates")
      .select("rcode")
      .where("id", "=", id)
      .executeTakeFirst();
  }
}

function idOf({ key, mac }: Identity): string {
  return createHash("sha256").update(key.id).update(mac).digest("base64url");
}

/** @returns whether there was no answer yet */
async function store(em: EntityManager, id: string, rcode: number): Promise<boolean> {
  const { numUpdatedRows } = await queries(em)
    .updateTable("dynamic_updates")
    .set({ rcode })
    .where("id", "=", id)
    .where("rcode", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes the answers to messages that are too old to be accepted again. */
export async function deleteOldUpdateAnswers(em: EntityManager, now: Date): Promise<void> {
  const before = new Date(now.getTime() - storedSeconds * 1_000);
  await queries(em).deleteFrom("dynamic_updates").where("created_at", "<", before).execute();
}
