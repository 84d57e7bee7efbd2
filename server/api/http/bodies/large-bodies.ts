import type { Response } from "express";
import { AppError } from "../../../platform/errors.ts";
import { SharedSlots, Slots } from "../../../platform/net/slots.ts";
import type { LargeBody } from "./check-large.ts";
import type { JsonObject } from "../../json-object.ts";
import { LargeBodyThread } from "./large-thread.ts";

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
