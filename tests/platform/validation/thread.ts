import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** The cost of validating a body. */
export interface Validated {
  /** Characters of the longest refusal. */
  longest: number;
  /** Blocks of JavaScript that were entered. */
  blocks: number;
}

/** A thread that validates bodies and counts the work. */
export class ValidationThread {
  readonly #worker = new Worker(new URL("program.ts", import.meta.url));
  /** Listened for at once: the thread may have loaded before the first hook runs, and says so only then. */
  readonly #loaded = once(this.#worker, "message") as Promise<[number]>;
  /** How many schemas each body is validated against. */
  procedures = 0;

  async start(): Promise<void> {
    [this.procedures] = await this.#loaded;
  }

  /** Parses the body, then validates it as each procedure would. */
  async validate(text: string): Promise<Validated> {
    this.#worker.postMessage(text, []);
    const [validated] = (await once(this.#worker, "message")) as [Validated];
    return validated;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
