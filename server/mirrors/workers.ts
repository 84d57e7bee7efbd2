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
/** Of these, for one configuration; and for one whose last task failed, so that a provider that is away takes no place of the others. */
const placesOfOne = 2;
const placesOfFailing = 1;

/** Carries out tasks at several provider configurations side by side. A slow configuration does not hold up the others. */
export class Workers<T extends Task> {
  readonly #parts: Parts<T>;
  readonly #running = new Set<Promise<void>>();
  readonly #taken = new Map<string, number>();
  readonly #failing = new Set<string>();
  /** One claim at a time, so that each sees the places that the one before took. */
  #claiming: Promise<unknown> = Promise.resolve();
  /** Whether work was announced that no worker may have seen. */
  #announced = false;

  constructor(parts: Parts<T>) {
    this.#parts = parts;
  }

  /** Starts work on what is due. @param isStopping ends it after the tasks that are under way */
  start(isStopping: () => boolean): void {
    if (isStopping()) return;
    if (this.#running.size >= places) {
      this.#announced = true;
      return;
    }
    const worker = this.#work(isStopping)
      .catch(this.#parts.onError)
      .finally(() => {
        this.#running.delete(worker);
        if (!this.#announced) return;
        this.#announced = false;
        this.start(isStopping);
      });
    this.#running.add(worker);
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
      this.start(isStopping);
      let succeeded = false;
      try {
        succeeded = await this.#parts.carryOut(task);
      } finally {
        this.#take(configId, -1);
        if (succeeded) this.#failing.delete(configId);
        else this.#failing.add(configId);
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
    return [...this.#taken].flatMap(([configId, taken]) =>
      taken >= (this.#failing.has(configId) ? placesOfFailing : placesOfOne) ? [configId] : [],
    );
  }

  #take(configId: string, difference: 1 | -1): void {
    const taken = (this.#taken.get(configId) ?? 0) + difference;
    if (taken > 0) this.#taken.set(configId, taken);
    else this.#taken.delete(configId);
  }
}
