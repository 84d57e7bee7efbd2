/** A clock that tests put forward; it runs on by itself. */
export class Clock {
  #ahead = 0;

  readonly now = (): Date => new Date(Date.now() + this.#ahead);

  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
  }

  /** Does something as if it were later; then it is as late as before. */
  async ahead<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
    this.advance(milliseconds);
    try {
      return await work();
    } finally {
      this.advance(-milliseconds);
    }
  }

  /** Waits by putting itself forward. */
  readonly pause = async (milliseconds: number): Promise<void> => {
    this.advance(milliseconds);
    await Promise.resolve();
  };
}

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
