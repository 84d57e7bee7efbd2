import type { Logger } from "./log.ts";

/** Runs work that no response waits for. A shutdown waits for work in progress. */
export class Background {
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Starts the work on the next turn of the event loop and logs a failure. @param what names it in the log, such as "sending a mail" */
  run(what: string, work: () => Promise<unknown>): void {
    const running = this.#execute(what, work).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves once no work is in progress. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #execute(what: string, work: () => Promise<unknown>): Promise<void> {
    await new Promise(setImmediate);
    try {
      await work();
    } catch (error) {
      this.#log.error({ err: error }, `${what} failed in the background`);
    }
  }
}
