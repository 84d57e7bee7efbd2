import type { InAppNotification } from "./app-router.ts";
import { lastingStream, type Disconnection, type OpenStream, type StreamOptions } from "./lasting-stream.ts";

/** What `watchNotifications` takes. */
export interface WatchOptions {
  /** The id of the last notification that was seen, to get what came since. Without it only what is new comes. */
  after?: string | undefined;
  /** Ends it; the loop then fails with ABORTED. */
  signal?: AbortSignal | undefined;
  /**
   * Told each time the stream is open. `gap`: the connection was lost for so long, or the service was restarted, that notifications may
   * be missing.
   */
  onConnected?: ((connection: { gap: boolean }) => void) | undefined;
  /**
   * Called each time the stream ends or cannot be opened again, before the next try. `error`: why; null where the service ended it in
   * good order, as it does when an access token expires. `retryInSeconds`: when the next try comes.
   */
  onDisconnected?: ((disconnection: Disconnection) => void) | undefined;
}

/** A message of the stream. */
export type WatchedMessage =
  | { id: string; data: { event: "connected"; gap: boolean } }
  | { id: string; data: InAppNotification };

/** What the service keeps for each user; after a gap it sends all of it again. */
const remembered = 200;

/** The messages of the stream, each notification once. */
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

/** What the user is told, as it happens. */
export async function* watchNotifications(
  open: (signal: AbortSignal | undefined) => OpenStream,
  { after, signal, onConnected, onDisconnected }: WatchOptions,
): AsyncGenerator<InAppNotification, void, undefined> {
  for await (const { data } of watchedMessages(open(signal), { after: after ?? null, signal, onDisconnected })) {
    if (data.event === "connected") onConnected?.({ gap: data.gap });
    else yield data;
  }
}
