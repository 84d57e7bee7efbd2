import type { Database } from "./database/database.ts";

export interface Readiness {
  ready: boolean;
  database: "ok" | "unavailable";
  draining: boolean;
}

/** Whether this instance should get traffic. */
export class Health {
  readonly #database: Database;
  #draining = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** From now on readiness says no, so that a balancer looks elsewhere while open requests finish. */
  drain(): void {
    this.#draining = true;
  }

  get draining(): boolean {
    return this.#draining;
  }

  async readiness(): Promise<Readiness> {
    const answers = await this.#database.ready();
    return { ready: answers && !this.#draining, database: answers ? "ok" : "unavailable", draining: this.#draining };
  }
}
