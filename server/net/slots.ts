/** A bounded number of things at once, and a bounded queue for them. */
export class Slots {
  #free: number;
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number, mostWaiting: number) {
    this.#free = atOnce;
    this.#mostWaiting = mostWaiting;
  }

  /** Waits for a slot. @returns how to give it back, at most once; null where too many wait already. @throws the signal's reason */
  async take(signal: AbortSignal): Promise<(() => void) | null> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return this.#release();
    }
    if (this.#waiting.length >= this.#mostWaiting) return null;
    await new Promise<void>((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(signal.reason as Error);
      };
      this.#waiting.push(turn);
      signal.addEventListener("abort", leave, { once: true });
    });
    return this.#release();
  }

  #release(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }
}
