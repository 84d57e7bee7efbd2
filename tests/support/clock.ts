import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** A running clock that tests can advance. */
export class Clock {
  #ahead = 0;
  #stoppedAt: number | null = null;

  readonly now = (): Date => new Date((this.#stoppedAt ?? Date.now()) + this.#ahead);

  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
  }

  /** Runs something at a later time, then restores the time. */
  async ahead<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
    this.advance(milliseconds);
    try {
      return await work();
    } finally {
      this.advance(-milliseconds);
    }
  }

  /** Stands still until the test ends, except for `advance`: a limit is reached exactly, however long the calls before it take. */
  standStill(): void {
    this.#stoppedAt = Date.now();
    onTestFinished(() => {
      this.#stoppedAt = null;
    });
  }

  /** Waits by advancing itself. */
  readonly pause = async (milliseconds: number): Promise<void> => {
    this.advance(milliseconds);
    await Promise.resolve();
  };
}

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

interface Waiting {
  until: number;
  end: () => void;
}

/** A clock for concurrent waiters: it skips to the end of the shortest pause, then to that of the next. */
export class SkippingClock {
  readonly #clock = new Clock();
  readonly #beforeSkip: (until: Date) => Promise<void>;
  #waiting: Waiting[] = [];
  #isSkipping = false;

  /** @param beforeSkip does what would happen meanwhile */
  constructor(beforeSkip: (until: Date) => Promise<void> = async () => undefined) {
    this.#beforeSkip = beforeSkip;
  }

  readonly now = (): Date => this.#clock.now();

  advance(milliseconds: number): void {
    this.#clock.advance(milliseconds);
  }

  readonly pause = async (milliseconds: number): Promise<void> => {
    const ended = Promise.withResolvers<void>();
    this.#waiting.push({ until: this.now().getTime() + milliseconds, end: ended.resolve });
    if (!this.#isSkipping) void this.#skip();
    await ended.promise;
  };

  async #skip(): Promise<void> {
    this.#isSkipping = true;
    while (this.#waiting.length > 0) {
      // Others may be about to wait for less.
      await sleep(2);
      const until = Math.min(...this.#waiting.map((one) => one.until));
      await this.#beforeSkip(new Date(until));
      this.advance(Math.max(0, until - this.now().getTime()));
      const due = this.#waiting.filter((one) => one.until <= this.now().getTime());
      this.#waiting = this.#waiting.filter((one) => !due.includes(one));
      for (const { end } of due) end();
    }
    this.#isSkipping = false;
  }
}
