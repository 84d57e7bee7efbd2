import { notificationMessage } from "./event-stream.ts";
import { MessageQueue } from "./message-queue.ts";
import type { InAppNotification } from "./notification-log.ts";
import type { NotificationSink, Stream, Streams } from "./streams.ts";

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
