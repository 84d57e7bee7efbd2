/** A task, and the provider configuration that it calls. */
export interface Task {
  configId: string;
}

interface Parts<T extends Task> {
  /** Claims the next task; null if none is due. @param except configurations that have no place left */
  claim: (except: readonly string[]) => Promise<T | null>;
  /** Carries a task out. @returns whether its provider did what it was asked for */
  carryOut: (task: T) => Promise<boolean>;
  onError: (error: unknown) => void;
}

/** Tasks at once. */
const places = 6;
/**
 * A configuration whose last task succeeded gets a second place, but not of the last two. All others have one. So three providers that
 * stop answering leave a place, and providers that are away take one each.
 */
const sharedPlaces = places - 2;

/** Carries out tasks at several provider configurations side by side. A slow configuration does not hold up the others. */
export class Workers<T extends Task> {
  readonly #parts: Parts<T>;
  readonly #running = new Set<Promise<void>>();
  readonly #taken = new Map<string, number>();
  /** Configurations whose last task in this process succeeded. */
  readonly #proven = new Set<string>();
  /** One claim at a time, so that each sees the places that the one before took. */
  #claiming: Promise<unknown> = Promise.resolve();
  /** Those that announced work which no worker may have seen, as functions that say whether they are stopping. */
  readonly #announcers = new Set<() => boolean>();

  constructor(parts: Parts<T>) {
    this.#parts = parts;
  }

  /**
   * Starts a worker, which carries out what is due. If all places are taken, one starts once a worker ends.
   * @param isStopping ends it after its task, and the workers that it starts
   * @returns when this worker found nothing more to do; others may still be at work
   */
  async start(isStopping: () => boolean): Promise<void> {
    if (isStopping()) return;
    if (this.#running.size >= places) {
      this.#announcers.add(isStopping);
      return;
    }
    const worker = this.#work(isStopping)
      .catch(this.#parts.onError)
      .finally(() => {
        this.#running.delete(worker);
        const announcers = [...this.#announcers];
        this.#announcers.clear();
        if (announcers.length > 0) void this.start(() => announcers.every((stops) => stops()));
      });
    this.#running.add(worker);
    await worker;
  }

  /** Ends once nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #work(isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      const task = await this.#claim();
      if (task === null) return;
      const { configId } = task;
      // There may be more. Whichever worker finds none ends.
      void this.start(isStopping);
      let succeeded = false;
      try {
        succeeded = await this.#parts.carryOut(task);
      } finally {
        this.#take(configId, -1);
        if (succeeded) this.#proven.add(configId);
        else this.#proven.delete(configId);
      }
    }
  }

  async #claim(): Promise<T | null> {
    const claimed = this.#claiming.then(async () => {
      const task = await this.#parts.claim(this.#full());
      if (task) this.#take(task.configId, 1);
      return task;
    });
    this.#claiming = claimed.catch(() => undefined);
    return await claimed;
  }

  #full(): string[] {
    const entries = [...this.#taken];
    const total = entries.reduce((sum, [, taken]) => sum + taken, 0);
    return entries.flatMap(([configId, taken]) =>
      taken < 2 && total < sharedPlaces && this.#proven.has(configId) ? [] : [configId],
    );
  }

  #take(configId: string, difference: 1 | -1): void {
    const taken = (this.#taken.get(configId) ?? 0) + difference;
    if (taken > 0) this.#taken.set(configId, taken);
    else this.#taken.delete(configId);
  }
}
