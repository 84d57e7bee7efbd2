import type { Database } from "./database.ts";
import { isUnwritable } from "../platform/errors.ts";

export interface Readiness {
  ready: boolean;
  /** `not_writable`: the database responds but is read-only or full. */
  database: DatabaseState;
  draining: boolean;
}

type DatabaseState = "ok" | "not_writable" | "unavailable";
type CheckedDatabase = Pick<Database, "ready" | "writable">;

/** Caches the state, because anyone may call as often as they like; the database is queried at most once a second. */
const cacheMilliseconds = 1_000;
const deadlineMilliseconds = 2_000;

/** Decides whether this instance should receive traffic. */
export class Health {
  readonly #database: CheckedDatabase;
  readonly #drain = new AbortController();
  #known: { state: DatabaseState; at: number } | undefined;
  #pending: Promise<DatabaseState> | undefined;
  /** Set after a statement failed for lack of space; a full disk shows only in statements that need space. */
  #writeFailed = false;

  constructor(database: CheckedDatabase) {
    this.#database = database;
  }

  /** Reports not ready from now on, so that load balancers stop sending traffic while open requests finish. */
  drain(): void {
    this.#drain.abort();
  }

  /** Aborted once it drains. */
  get draining(): AbortSignal {
    return this.#drain.signal;
  }

  /** Records an error. After a failed write, this instance is not ready until a write succeeds. */
  note(error: unknown): void {
    if (!isUnwritable(error)) return;
    this.#writeFailed = true;
    this.#known = undefined;
  }

  /** Returns the readiness within two seconds; a database that takes longer is `unavailable`. */
  async readiness(): Promise<Readiness> {
    const database = await this.#databaseState();
    return { ready: database === "ok" && !this.#drain.signal.aborted, database, draining: this.#drain.signal.aborted };
  }

  async #databaseState(): Promise<DatabaseState> {
    if (this.#known && performance.now() - this.#known.at < cacheMilliseconds) return this.#known.state;
    this.#pending ??= this.#refresh();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"unavailable">((resolve) => {
      // An answer that arrived while this process was busy is read before the timer's verdict.
      timer = setTimeout(() => setImmediate(() => resolve("unavailable")), deadlineMilliseconds);
    });
    const state = await Promise.race([this.#pending, late]);
    clearTimeout(timer);
    return state;
  }

  async #refresh(): Promise<DatabaseState> {
    const state = await this.#check().catch(() => "unavailable" as const);
    this.#known = { state, at: performance.now() };
    this.#pending = undefined;
    return state;
  }

  async #check(): Promise<DatabaseState> {
    if (!(await this.#database.ready())) return "unavailable";
    const writable = await this.#database.writable(this.#writeFailed).catch((error: unknown) => {
      if (isUnwritable(error)) return false;
      throw error;
    });
    if (writable) this.#writeFailed = false;
    return writable ? "ok" : "not_writable";
  }
}
