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
