import type { InAppNotification } from "./notification-log.ts";

/** What may wait for a client that does not read, in bytes. */
export const patienceBytes = 1_048_576;

/** A comment, which keeps proxies from taking the connection for dead. */
export const beat = ":\n\n";

const retryMilliseconds = { least: 2_000, spread: 3_000 };

/**
 * The first message of a stream. Its id is where the stream begins, for a client that loses the connection before a notification came.
 * @param gap whether notifications after the client's Last-Event-ID may be missing.
 */
export function connectedMessage(cursor: string, gap: boolean): string {
  // All clients of a service that was restarted would otherwise come back at once.
  const retry = Math.round(retryMilliseconds.least + Math.random() * retryMilliseconds.spread);
  return `retry: ${retry}\nid: ${cursor}\ndata: ${JSON.stringify({ event: "connected", ...(gap ? { gap } : {}) })}\n\n`;
}

export function notificationMessage(notification: InAppNotification): string {
  const { event, id, title, content, level, read, createdAt, metadata } = notification;
  return `id: ${id}\ndata: ${JSON.stringify({ event, id, title, content, level, read, createdAt, metadata })}\n\n`;
}
