/** A semaphore with a bounded queue. */
export class Slots {
  #free: number;
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number, mostWaiting: number) {
    this.#free = atOnce;
    this.#mostWaiting = mostWaiting;
  }

  /** Waits for a slot. @returns a function that releases it, or null if the queue is full. @throws the signal's reason */
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

/** Slots shared by all hosts, with a limit per host, so that a slow host does not block others. */
export class SharedSlots {
  readonly #all: Slots;
  readonly #share: { atOnce: number; mostWaiting: number };
  readonly #hosts = new Map<string, { slots: Slots; users: number }>();

  constructor(all: Slots, share: { atOnce: number; mostWaiting: number }) {
    this.#all = all;
    this.#share = share;
  }

  /** Like `Slots.take`. */
  async take(host: string, signal: AbortSignal): Promise<(() => void) | null> {
    const { atOnce, mostWaiting } = this.#share;
    const mine = this.#hosts.get(host) ?? { slots: new Slots(atOnce, mostWaiting), users: 0 };
    this.#hosts.set(host, mine);
    mine.users++;
    const held: (() => void)[] = [
      () => {
        if (--mine.users === 0) this.#hosts.delete(host);
      },
    ];
    const release = () => {
      for (const giveBack of held.splice(0).toReversed()) giveBack();
    };
    try {
      for (const take of [() => mine.slots.take(signal), () => this.#all.take(signal)]) {
        const taken = await take();
        if (!taken) {
          release();
          return null;
        }
        held.push(taken);
      }
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }
}
