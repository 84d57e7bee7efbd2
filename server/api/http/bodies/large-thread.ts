import { Worker } from "node:worker_threads";
import { AppError } from "../../../platform/errors.ts";
import type { CheckedBody, LargeBody } from "./check-large.ts";
import type { JsonObject } from "../../json-object.ts";

interface Waiting {
  resolve(checked: CheckedBody): void;
  reject(error: Error): void;
}

/** Memory limit of the worker, excluding the bodies. */
const resourceLimits = { maxOldGenerationSizeMb: 512 };

/**
 * Parses and validates large bodies in a worker thread, so that they do not block other calls. The thread starts with the first large body
 * and does not keep the process alive.
 */
export class LargeBodyThread {
  readonly #program: URL;
  #worker: Worker | null = null;
  #last = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** @param program the worker's module */
  constructor(program: URL) {
    this.#program = program;
  }

  /** Validates a body, whose bytes are transferred to the worker. @throws AppError BAD_REQUEST */
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

  /** Stops the thread. A later body starts a new one. */
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
    worker.on("exit", () => fail(new Error("The worker thread for large bodies exited.")));
    return worker;
  }
}
