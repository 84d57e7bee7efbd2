import type { Database } from "./database.ts";
import { isUnwritable } from "../platform/faults.ts";

export interface Readiness {
  ready: boolean;
  /** `not_writable`: it answers, and is read-only or full. */
  database: DatabaseState;
  draining: boolean;
}

type DatabaseState = "ok" | "not_writable" | "unavailable";
type AskedDatabase = Pick<Database, "ready" | "writable">;

/** Anybody may ask, as often as they like; the database is asked once a second at the most. */
const rememberedMilliseconds = 1_000;
const deadlineMilliseconds = 2_000;

/** Whether this instance should get traffic. */
export class Health {
  readonly #database: AskedDatabase;
  #draining = false;
  #known: { state: DatabaseState; at: number } | undefined;
  #asking: Promise<DatabaseState> | undefined;
  /** Since a statement failed for want of space; a full disk shows only to a statement that needs some. */
  #writeFailed = false;

  constructor(database: AskedDatabase) {
    this.#database = database;
  }

  /** From now on readiness says no, so that a balancer looks elsewhere while open requests finish. */
  drain(): void {
    this.#draining = true;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Takes notice of an error. After a write that failed, this instance is not ready until one succeeds. */
  note(error: unknown): void {
    if (!isUnwritable(error)) return;
    this.#writeFailed = true;
    this.#known = undefined;
  }

  /** Answers within two seconds: a database that takes longer is unavailable. */
  async readiness(): Promise<Readiness> {
    const database = await this.#databaseState();
    return { ready: database === "ok" && !this.#draining, database, draining: this.#draining };
  }

  async #databaseState(): Promise<DatabaseState> {
    if (this.#known && performance.now() - this.#known.at < rememberedMilliseconds) return this.#known.state;
    this.#asking ??= this.#ask();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"unavailable">((resolve) => {
      timer = setTimeout(() => resolve("unavailable"), deadlineMilliseconds);
    });
    const state = await Promise.race([this.#asking, late]);
    clearTimeout(timer);
    return state;
  }

  async #ask(): Promise<DatabaseState> {
    const state = await this.#look().catch(() => "unavailable" as const);
    this.#known = { state, at: performance.now() };
    this.#asking = undefined;
    return state;
  }

  async #look(): Promise<DatabaseState> {
    if (!(await this.#database.ready())) return "unavailable";
    const writable = await this.#database.writable(this.#writeFailed).catch((error: unknown) => {
      if (isUnwritable(error)) return false;
      throw error;
    });
    if (writable) this.#writeFailed = false;
    return writable ? "ok" : "not_writable";
  }
}
