import { brokenStreamError, isUnanswered, isZonewrightError, type ZonewrightError } from "./errors.ts";
import { pause } from "./pause.ts";
import type { ServerEvent } from "./server-events.ts";

/** Opens a stream after a cursor. @throws ZonewrightError if it is refused or cannot be opened */
export type OpenStream = (cursor: string | null) => Promise<AsyncIterable<ServerEvent>>;

/** Reports that a stream broke or ended and will be reopened. */
export interface Disconnection {
  error: ZonewrightError | null;
  retryInSeconds: number;
}

export interface StreamOptions {
  /** The cursor to start after; null: only new messages. */
  after: string | null;
  signal: AbortSignal | undefined;
  onDisconnected?: ((disconnection: Disconnection) => void) | undefined;
}

const firstWaitSeconds = 1;
const longestWaitSeconds = 30;
/** A stream that lasted this long resets the backoff. */
const soundMilliseconds = 10_000;

/**
 * Yields the messages of a stream, and reopens it after the last received message whenever it breaks or ends. Ends when it is aborted.
 * @throws ZonewrightError if it cannot be opened the first time, or is refused permanently later
 */
export async function* lastingStream(
  open: OpenStream,
  { after, signal, onDisconnected }: StreamOptions,
): AsyncGenerator<ServerEvent, void, undefined> {
  let cursor = after;
  let everOpen = false;
  let attempts = 0;
  for (;;) {
    let openedAt = Infinity;
    let waitSeconds = 0;
    let failure: ZonewrightError | null = null;
    try {
      const events = await open(cursor);
      everOpen = true;
      openedAt = Date.now();
      for await (const event of events) {
        cursor = event.id ?? cursor;
        yield event;
      }
      // The service ends a stream when its token expires. The next one gets a fresh token.
      if (attempts > 0) waitSeconds = backOff(attempts);
    } catch (error) {
      if (signal?.aborted) return;
      if (!everOpen || isFinal(error)) throw error;
      waitSeconds = Math.max(backOff(attempts), retryAfter(error));
      failure = isZonewrightError(error) ? error : brokenStreamError(error);
    }
    attempts = Date.now() - openedAt >= soundMilliseconds ? 0 : attempts + 1;
    onDisconnected?.({ error: failure, retryInSeconds: waitSeconds });
    // Rejects only when aborted.
    await pause(waitSeconds, signal).catch(() => undefined);
    if (signal?.aborted) return;
  }
}

/** Returns seconds with jitter, so that the clients of a restarted service do not reconnect all at once. */
function backOff(attempts: number): number {
  const seconds = Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** attempts);
  return seconds * (0.5 + Math.random() / 2);
}

/** Returns whether the service refused permanently. A broken connection, a busy service or a proxy without a backend is temporary. */
function isFinal(error: unknown): boolean {
  if (!isZonewrightError(error) || isUnanswered(error)) return false;
  return error.status !== 429 && (error.status ?? 0) < 500;
}

function retryAfter(error: unknown): number {
  return isZonewrightError(error) ? (error.retryAfterSeconds ?? 0) : 0;
}
