import type { Database } from "./database/database.ts";

export interface Readiness {
  ready: boolean;
  database: "ok" | "unavailable";
  draining: boolean;
}

/** Anybody may ask, as often as they like; the database is asked once a second at the most. */
const rememberedMilliseconds = 1_000;
const deadlineMilliseconds = 2_000;

/** Whether this instance should get traffic. */
export class Health {
  readonly #database: Pick<Database, "ready">;
  #draining = false;
  #known: { ready: boolean; at: number } | undefined;
  #asking: Promise<boolean> | undefined;

  constructor(database: Pick<Database, "ready">) {
    this.#database = database;
  }

  /** From now on readiness says no, so that a balancer looks elsewhere while open requests finish. */
  drain(): void {
    this.#draining = true;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Answers within two seconds: a database that takes longer is unavailable. */
  async readiness(): Promise<Readiness> {
    const answers = await this.#databaseReady();
    return { ready: answers && !this.#draining, database: answers ? "ok" : "unavailable", draining: this.#draining };
  }

  async #databaseReady(): Promise<boolean> {
    if (this.#known && performance.now() - this.#known.at < rememberedMilliseconds) return this.#known.ready;
    this.#asking ??= this.#ask();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), deadlineMilliseconds);
    });
    const ready = await Promise.race([this.#asking, late]);
    clearTimeout(timer);
    return ready;
  }

  async #ask(): Promise<boolean> {
    const ready = await this.#database.ready().catch(() => false);
    this.#known = { ready, at: performance.now() };
    this.#asking = undefined;
    return ready;
  }
}
