/** A vendor's limit: so many calls in any period of so many seconds. */
export interface CallLimit {
  calls: number;
  seconds: number;
}

/** Counts the calls that a vendor takes, and those that it refuses because they exceed its limits. */
export class CallLimits {
  /** Calls that exceeded a limit. */
  refused = 0;
  readonly #limits: readonly CallLimit[];
  readonly #now: () => Date;
  /** When each call was taken, oldest first. */
  readonly #taken: number[] = [];

  constructor(limits: readonly CallLimit[], now: () => Date) {
    this.#limits = limits;
    this.#now = now;
  }

  get taken(): number {
    return this.#taken.length;
  }

  /** Counts a call. @returns 0 if it is taken, else the seconds until one would be */
  take(): number {
    const now = this.#now().getTime();
    const waits = this.#limits.map(({ calls, seconds }) => {
      const leaving = this.#taken.at(-calls);
      return leaving === undefined ? 0 : leaving + seconds * 1_000 - now;
    });
    const wait = Math.max(0, ...waits);
    if (wait > 0) this.refused++;
    else this.#taken.push(now);
    return Math.ceil(wait / 1_000);
  }

  /** Returns the most calls taken within any period of so many seconds. */
  most(seconds: number): number {
    let first = 0;
    let most = 0;
    for (const [index, at] of this.#taken.entries()) {
      while ((this.#taken[first] ?? at) <= at - seconds * 1_000) first++;
      most = Math.max(most, index - first + 1);
    }
    return most;
  }
}
