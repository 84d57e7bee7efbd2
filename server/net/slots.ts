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

/** Slots for all, of which no host may have more than its share: a slow one keeps nobody else waiting. */
export class SharedSlots {
  readonly #all: Slots;
  readonly #share: { atOnce: number; mostWaiting: number };
  readonly #hosts = new Map<string, { slots: Slots; users: number }>();

  constructor(all: Slots, share: { atOnce: number; mostWaiting: number }) {
    this.#all = all;
    this.#share = share;
  }

  /** As `Slots.take`. */
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
