/** A running clock that tests can advance. */
export class Clock {
  #ahead = 0;

  readonly now = (): Date => new Date(Date.now() + this.#ahead);

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
