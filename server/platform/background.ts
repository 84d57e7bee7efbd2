import type { Logger } from "./log.ts";

/** Work that no answer waits for. A stop waits for what is under way. */
export class Background {
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Begins the work once the present call has had its turn. A failure goes to the log. @param what for the log: "a mail" */
  run(what: string, work: () => Promise<unknown>): void {
    const running = this.#carryOut(what, work).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** When nothing is under way any more. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #carryOut(what: string, work: () => Promise<unknown>): Promise<void> {
    await new Promise(setImmediate);
    try {
      await work();
    } catch (error) {
      this.#log.error({ err: error }, `${what} failed in the background`);
    }
  }
}
