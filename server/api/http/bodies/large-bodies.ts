import type { Response } from "express";
import { AppError, type ErrorCode, type Issue } from "../../../platform/errors.ts";
import { SharedSlots, Slots } from "../../../platform/net/slots.ts";
import { type JsonObject, readJsonObject, mostValues } from "../../json-object.ts";
import { Worker } from "node:worker_threads";
import { inputError, alsoInPath } from "../../input-error.ts";
import { deserializeInput } from "../../trpc-input.ts";
import type { z } from "zod";

/** Each may take 16 MiB, and several times that while it is processed. */
const slots = { all: 8, waiting: 64, ofOneUser: 2, waitingOfOneUser: 16 };

/** Limits how many large bodies are processed at once, and owns the thread that parses them. */
export class LargeBodies {
  readonly #slots = new SharedSlots(new Slots(slots.all, slots.waiting), {
    atOnce: slots.ofOneUser,
    mostWaiting: slots.waitingOfOneUser,
  });
  readonly #thread: LargeBodyThread;

  /** @param program the worker's module */
  constructor(program: URL) {
    this.#thread = new LargeBodyThread(program);
  }

  /**
   * Waits for a slot to process a large body and holds it until the response is sent.
   * @throws AppError UNAVAILABLE if too many are waiting
   */
  async acquireSlot(userId: string, res: Response): Promise<void> {
    const gone = new AbortController();
    res.once("close", () => gone.abort());
    const release = await this.#slots.take(userId, gone.signal);
    if (!release) {
      const message = "Too many large requests are being processed. Try again in a few seconds.";
      throw new AppError("UNAVAILABLE", message, { retryAfterSeconds: 5 });
    }
    if (gone.signal.aborted) release();
    else gone.signal.addEventListener("abort", release, { once: true });
  }

  /** Parses and validates a body in the thread, to which its bytes are transferred. @throws AppError BAD_REQUEST */
  async read(large: LargeBody): Promise<JsonObject> {
    return await this.#thread.check(large);
  }

  async stop(): Promise<void> {
    await this.#thread.stop();
  }
}

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
class LargeBodyThread {
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

/** A large body sent to the worker. */
export interface LargeBody {
  procedure: string;
  /** As in `LargeCall`. */
  inPath: Readonly<Record<string, string>> | null;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The worker's response: the validated body as sent, or why it is refused. */
type CheckedBody =
  | { ok: true; body: JsonObject }
  | { ok: false; code: ErrorCode; message: string; issues: Issue[] | null };

/** Parses and validates a large body. Runs in the worker. @param inputs the input schemas by procedure */
export function checkLarge(
  { procedure, inPath, bytes }: LargeBody,
  inputs: Readonly<Record<string, z.ZodType>>,
): CheckedBody {
  try {
    const body = readJsonObject(bytes, mostValues.large);
    // A copy for tRPC, because deserializing replaces dates in place, which must not be sent back.
    const input = inPath ? withPathFields(body, inPath) : deserializeInput(structuredClone(body));
    const result = inputs[procedure]?.safeParse(input);
    if (result && !result.success) throw inputError(result.error);
    return { ok: true, body };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, issues } = error;
    return { ok: false, code, message, issues };
  }
}

/** Merges path and body fields. @throws AppError BAD_REQUEST for a path field that is also in the body */
function withPathFields(body: JsonObject, inPath: Readonly<Record<string, string>>): JsonObject {
  for (const field of Object.keys(inPath)) {
    if (!Object.hasOwn(body, field)) continue;
    throw new AppError("BAD_REQUEST", `${field}: ${alsoInPath}`, { issues: [{ path: [field], message: alsoInPath }] });
  }
  return { ...body, ...inPath };
}
