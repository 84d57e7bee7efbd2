import { setTimeout as sleep } from "node:timers/promises";

/** Work that is done at the start and then again and again, one run at a time; the pause counts from the end of a run. */
export class Periodic {
  readonly #pauseMilliseconds: number;
  readonly #work: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  /** @param work must not fail: it logs what goes wrong. */
  constructor(pauseMilliseconds: number, work: () => Promise<void>) {
    this.#pauseMilliseconds = pauseMilliseconds;
    this.#work = work;
  }

  /** Begins. @param patienceMilliseconds how long to wait for the first run, which then goes on by itself. */
  async start(patienceMilliseconds: number): Promise<void> {
    this.#running = this.#again();
    await Promise.race([this.#running, sleep(patienceMilliseconds, undefined, { ref: false })]);
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** No further run; waits for one under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #again(): Promise<void> {
    await this.#work();
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#again();
    }, this.#pauseMilliseconds);
    this.#timer.unref();
  }
}
