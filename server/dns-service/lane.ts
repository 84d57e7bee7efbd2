/** Runs some tasks at a time, the others in order. */
export class Lane {
  readonly #most: number;
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #running = new Set<Promise<void>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** @param task must not throw */
  run(task: () => Promise<void>): void {
    this.#waiting.push(task);
    this.#next();
  }

  async settled(): Promise<void> {
    this.#waiting.length = 0;
    await Promise.all(this.#running);
  }

  #next(): void {
    while (this.#running.size < this.#most) {
      const task = this.#waiting.shift();
      if (!task) return;
      const run = task().finally(() => {
        this.#running.delete(run);
        this.#next();
      });
      this.#running.add(run);
    }
  }
}
