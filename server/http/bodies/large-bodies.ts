import type { Response } from "express";
import { AppError } from "../../platform/errors.ts";
import { SharedSlots, Slots } from "../../net/slots.ts";
import type { LargeBody } from "./check-large.ts";
import type { JsonObject } from "../../api/json-object.ts";
import { LargeBodyThread } from "./large-thread.ts";

/** Each may take 16 MiB, and several times that while it is worked off. */
const slots = { all: 8, waiting: 64, ofOneUser: 2, waitingOfOneUser: 16 };

/** Large bodies: how many are worked off at once, and the thread that reads them. */
export class LargeBodies {
  readonly #slots = new SharedSlots(new Slots(slots.all, slots.waiting), {
    atOnce: slots.ofOneUser,
    mostWaiting: slots.waitingOfOneUser,
  });
  readonly #thread: LargeBodyThread;

  /** @param program the module that the thread runs */
  constructor(program: URL) {
    this.#thread = new LargeBodyThread(program);
  }

  /**
   * Waits until another large body may be worked off; its place is held until it is answered.
   * @throws AppError UNAVAILABLE where too many wait
   */
  async place(userId: string, res: Response): Promise<void> {
    const gone = new AbortController();
    res.once("close", () => gone.abort());
    const release = await this.#slots.take(userId, gone.signal);
    if (!release) {
      const message = "Too many large bodies are being worked off; try again in a few seconds.";
      throw new AppError("UNAVAILABLE", message, { retryAfterSeconds: 5 });
    }
    if (gone.signal.aborted) release();
    else gone.signal.addEventListener("abort", release, { once: true });
  }

  /** Reads and validates one in the thread; its bytes are gone afterwards. @throws AppError BAD_REQUEST */
  async read(large: LargeBody): Promise<JsonObject> {
    return await this.#thread.check(large);
  }

  async stop(): Promise<void> {
    await this.#thread.stop();
  }
}
