import { Worker } from "node:worker_threads";
import { AppError } from "../../platform/errors.ts";
import type { CheckedBody, LargeBody } from "./check-large.ts";
import type { JsonObject } from "../../api/json-object.ts";

interface Waiting {
  resolve(checked: CheckedBody): void;
  reject(error: Error): void;
}

/** What the worker may take, beside the bodies themselves. */
const resourceLimits = { maxOldGenerationSizeMb: 512 };

/**
 * Reads and validates large bodies in a thread of its own, so that calls of others do not wait for them. The thread starts with the first
 * large body and keeps no process from its end.
 */
export class LargeBodyThread {
  readonly #program: URL;
  #worker: Worker | null = null;
  #last = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** @param program the module that the thread runs */
  constructor(program: URL) {
    this.#program = program;
  }

  /** @param large its bytes are gone afterwards. @throws AppError BAD_REQUEST */
  async check(large: LargeBody): Promise<JsonObject> {
    const worker = (this.#worker ??= this.#start());
    const checked = await new Promise<CheckedBody>((resolve, reject) => {
      const id = ++this.#last;
      this.#waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, large }, [large.bytes.buffer]);
    });
    if (checked.ok) return checked.body;
    const { code, message, issues } = checked;
    throw new AppError(code, message, issues ? { issues } : {});
  }

  /** Ends the thread; a later body starts a new one. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#program, { resourceLimits });
    worker.unref();
    worker.on("message", ({ id, checked, fault }: { id: number; checked?: CheckedBody; fault?: string }) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) worker.unref();
      if (checked) waiting?.resolve(checked);
      else waiting?.reject(new Error(fault));
    });
    const fail = (error: Error) => {
      if (this.#worker === worker) this.#worker = null;
      const left = [...this.#waiting.values()];
      this.#waiting.clear();
      for (const waiting of left) waiting.reject(error);
    };
    worker.on("error", fail);
    worker.on("exit", () => fail(new Error("The thread for large bodies ended.")));
    return worker;
  }
}
