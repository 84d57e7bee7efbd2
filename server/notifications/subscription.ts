import { AppError, stopping } from "../platform/errors.ts";
import { notificationMessage, patienceBytes } from "./event-stream.ts";
import type { InAppNotification } from "./notification-log.ts";
import type { EndReason, Outlet, Stream, Streams } from "./streams.ts";

/** A stream message. A client resumes after it by sending its id as the cursor. */
export interface Message {
  id: string;
  data: Connected | InAppNotification;
}

/** The first message. */
interface Connected {
  event: "connected";
  /** Whether notifications after the client's cursor may be missing. */
  gap: boolean;
}

/** Queues a stream's messages for a reader that iterates over them. */
class Messages implements Outlet, AsyncIterable<Message, void, undefined> {
  readonly #waiting: Message[] = [];
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

  connected(cursor: string, gap: boolean): void {
    this.#put({ id: cursor, data: { event: "connected", gap } });
  }

  send(notification: InAppNotification): void {
    this.#waitingBytes += lengthOf(notification);
    this.#put({ id: notification.id, data: notification });
    if (this.#waitingBytes <= patienceBytes) return;
    this.leave();
    this.#cut();
  }

  /** Does nothing: tRPC sends its own heartbeat. */
  beat(): void {}

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

  /** @throws AppError when the service ends the stream: UNAUTHORIZED, FORBIDDEN, UNAVAILABLE */
  async *[Symbol.asyncIterator](): AsyncGenerator<Message, void, undefined> {
    try {
      for (;;) {
        const message = this.#waiting.shift();
        if (message) {
          if (message.data.event !== "connected") this.#waitingBytes -= lengthOf(message.data);
          yield message;
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

  #put(message: Message): void {
    if (this.#ended === "gone") return;
    this.#waiting.push(message);
    this.#wake?.();
  }
}

/** Starts a stream and returns its messages; `signal` is aborted when the reader disconnects. */
export function messagesOf(
  streams: Streams,
  stream: Stream,
  { cursor, signal, cut }: { cursor: string | null; signal: AbortSignal | undefined; cut: () => void },
): AsyncIterable<Message> {
  const messages = new Messages(() => streams.close(stream), cut);
  if (signal?.aborted) messages.leave();
  else signal?.addEventListener("abort", () => messages.leave(), { once: true });
  streams.begin(stream, cursor, messages);
  return messages;
}

function lengthOf(notification: InAppNotification): number {
  return Buffer.byteLength(notificationMessage(notification));
}

const ending: Record<EndReason, () => AppError> = {
  expired: () => new AppError("UNAUTHORIZED", "The access token has expired. Refresh the session."),
  refused: () => new AppError("UNAUTHORIZED", "The session or token has ended. Sign in again."),
  off: () => new AppError("FORBIDDEN", "Your notifications were turned off."),
  stopping,
};
