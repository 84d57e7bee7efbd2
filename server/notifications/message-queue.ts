import { AppError, stopping } from "../platform/errors.ts";
import { patienceBytes } from "./event-stream.ts";
import type { EndReason } from "./streams.ts";

/** Queues a stream's messages for a reader that iterates over them. */
export class MessageQueue<Message> implements AsyncIterable<Message, void, undefined> {
  readonly #waiting: { message: Message; bytes: number }[] = [];
  #waitingBytes = 0;
  #ended: EndReason | "gone" | null = null;
  #wake: (() => void) | null = null;
  readonly #leave: () => void;
  readonly #cut: () => void;

  /**
   * @param leave releases the stream's slot.
   * @param cut called when more than 1 MiB is queued for a reader that does not consume it.
   */
  constructor(leave: () => void, cut: () => void) {
    this.#leave = leave;
    this.#cut = cut;
  }

  /** @param bytes the size of the message, for the limit. */
  put(message: Message, bytes: number): void {
    if (this.#ended === "gone") return;
    this.#waiting.push({ message, bytes });
    this.#waitingBytes += bytes;
    this.#wake?.();
    if (this.#waitingBytes <= patienceBytes) return;
    this.leave();
    this.#cut();
  }

  end(reason: EndReason): void {
    this.#ended ??= reason;
    this.#wake?.();
  }

  /** Stops the stream because the reader disconnected, possibly before the first message. */
  leave(): void {
    this.#ended ??= "gone";
    this.#waiting.length = 0;
    this.#leave();
    this.#wake?.();
  }

  /** Leaves when the reader disconnects. */
  leaveOn(signal: AbortSignal | undefined): void {
    if (signal?.aborted) this.leave();
    else signal?.addEventListener("abort", () => this.leave(), { once: true });
  }

  /** @throws AppError when the service ends the stream: UNAUTHORIZED, FORBIDDEN, UNAVAILABLE */
  async *[Symbol.asyncIterator](): AsyncGenerator<Message, void, undefined> {
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next) {
          this.#waitingBytes -= next.bytes;
          yield next.message;
        } else if (this.#ended === null) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        } else {
          if (this.#ended !== "gone") throw ending[this.#ended]();
          return;
        }
      }
    } finally {
      this.leave();
    }
  }
}

const ending: Record<EndReason, () => AppError> = {
  expired: () => new AppError("UNAUTHORIZED", "The access token has expired. Refresh the session."),
  refused: () => new AppError("UNAUTHORIZED", "The session or token has ended. Sign in again."),
  off: () => new AppError("FORBIDDEN", "Your notifications were turned off."),
  stopping,
};
