import { AppError, stopping } from "../platform/errors.ts";
import type { EndReason, NotificationSink, Stream, Streams } from "./streams.ts";
import type { InAppNotification } from "./notification-log.ts";

/** Maximum number of bytes queued for a client that does not read. */
export const patienceBytes = 1_048_576;

/** A heartbeat comment, which keeps proxies from closing the connection as idle. */
export const beat = ":\n\n";

const retryMilliseconds = { least: 2_000, spread: 3_000 };

/**
 * Returns the first message of a stream. Its id is the stream's starting position, from which a client resumes if it loses the
 * connection before the first notification.
 * @param gap whether notifications after the client's Last-Event-ID may be missing.
 */
export function connectedMessage(cursor: string, gap: boolean): string {
  // Spread reconnections, so that clients do not all return at once after a restart.
  const retry = Math.round(retryMilliseconds.least + Math.random() * retryMilliseconds.spread);
  return `retry: ${retry}\nid: ${cursor}\ndata: ${JSON.stringify({ event: "connected", ...(gap ? { gap } : {}) })}\n\n`;
}

export function notificationMessage(notification: InAppNotification): string {
  const { event, id, title, content, level, read, createdAt, metadata } = notification;
  return `id: ${id}\ndata: ${JSON.stringify({ event, id, title, content, level, read, createdAt, metadata })}\n\n`;
}

/** A stream message. A client resumes after it by sending its id as the cursor. */
interface Message {
  id: string;
  data: Connected | InAppNotification;
}

/** The first message. */
interface Connected {
  event: "connected";
  /** Whether notifications after the client's cursor may be missing. */
  gap: boolean;
}

/** Starts a stream and returns its messages; `signal` is aborted when the reader disconnects. */
export function messagesOf(
  streams: Streams,
  stream: Stream,
  { cursor, signal, cut }: { cursor: string | null; signal: AbortSignal | undefined; cut: () => void },
): AsyncIterable<Message> {
  const messages = new MessageQueue<Message>(() => streams.close(stream), cut);
  const sink: NotificationSink = {
    connected: (at, gap) => messages.put({ id: at, data: { event: "connected", gap } }, 0),
    send: (notification) => {
      const bytes = Buffer.byteLength(notificationMessage(notification));
      messages.put({ id: notification.id, data: notification }, bytes);
    },
    // tRPC sends its own heartbeat.
    beat: () => undefined,
    end: (reason) => messages.end(reason),
  };
  messages.leaveOn(signal);
  streams.begin(stream, cursor, sink);
  return messages;
}

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
