import type { InAppNotification } from "./app-router.ts";
import { lastingStream, type Disconnection, type OpenStream, type StreamOptions } from "./lasting-stream.ts";

/** The options of `watchNotifications`. */
export interface WatchOptions {
  /** The id of the last notification seen, to receive those since. Without it, only new ones arrive. */
  after?: string | undefined;
  /** Ends the stream, and with it the loop. */
  signal?: AbortSignal | undefined;
  /**
   * Called each time the stream opens. `gap`: notifications may be missing, because the connection was lost for too long or the service was
   * restarted.
   */
  onConnected?: ((connection: { gap: boolean }) => void) | undefined;
  /**
   * Called each time the stream ends or cannot be reopened, before the next attempt. `error`: the reason; null if the service ended it
   * normally, as it does when an access token expires. `retryInSeconds`: when the next attempt is made.
   */
  onDisconnected?: ((disconnection: Disconnection) => void) | undefined;
}

/** A message of the stream. */
export type WatchedMessage =
  | { id: string; data: { event: "connected"; gap: boolean } }
  | { id: string; data: InAppNotification };

/** The number of notifications that the service stores per user; after a gap it sends all of them again. */
const remembered = 200;

/** Yields the messages of the stream, each notification once. */
export async function* watchedMessages(
  open: OpenStream,
  options: StreamOptions,
): AsyncGenerator<WatchedMessage, void, undefined> {
  const seen = new Set<string>();
  for await (const { id, data } of lastingStream(open, options)) {
    const message = JSON.parse(data) as { event: string; id: string; createdAt: string; gap?: boolean };
    if (message.event === "connected") {
      yield { id: id ?? "", data: { event: "connected", gap: message.gap === true } };
    } else if (!seen.has(message.id)) {
      seen.add(message.id);
      for (const oldest of seen) if (seen.size > remembered) seen.delete(oldest);
      yield { id: message.id, data: { ...message, createdAt: new Date(message.createdAt) } as InAppNotification };
    }
  }
}

/** Yields the user's notifications as they happen. */
export async function* watchNotifications(
  open: (signal: AbortSignal | undefined) => OpenStream,
  { after, signal, onConnected, onDisconnected }: WatchOptions,
): AsyncGenerator<InAppNotification, void, undefined> {
  for await (const { data } of watchedMessages(open(signal), { after: after ?? null, signal, onDisconnected })) {
    if (data.event === "connected") onConnected?.({ gap: data.gap });
    else yield data;
  }
}
