import { abortedError, brokenStreamError, isZonewrightError, type ZonewrightError } from "./errors.ts";
import { pause } from "./pause.ts";
import { serverEvents, type ServerEvent } from "./server-events.ts";

/** Opens a stream after a cursor. @throws ZonewrightError when it is refused or does not come about */
export type OpenStream = (cursor: string | null) => Promise<ReadableStream<Uint8Array>>;

/** That a stream broke or ended, and that it will be opened again. */
export interface Disconnection {
  error: ZonewrightError | null;
  retryInSeconds: number;
}

export interface StreamOptions {
  /** The cursor to begin after; null: only what is new. */
  after: string | null;
  signal: AbortSignal | undefined;
  onDisconnected?: ((disconnection: Disconnection) => void) | undefined;
}

const firstWaitSeconds = 1;
const longestWaitSeconds = 30;
/** A stream that lasted as long was none that ends at once each time. */
const soundMilliseconds = 10_000;

/**
 * The messages of a stream that is opened again, after the last message that came, whenever it breaks or ends.
 * @throws ZonewrightError when it cannot be opened the first time, is refused for good later, or is aborted
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
      const body = await open(cursor);
      everOpen = true;
      openedAt = Date.now();
      for await (const event of serverEvents(body)) {
        cursor = event.id ?? cursor;
        yield event;
      }
      // The service ends streams whose token's time is over: another is opened with a fresh one.
      if (attempts > 0) waitSeconds = backOff(attempts);
    } catch (error) {
      if (signal?.aborted) throw abortedError(signal.reason);
      if (!everOpen || isFinal(error)) throw error;
      waitSeconds = Math.max(backOff(attempts), retryAfter(error));
      failure = isZonewrightError(error) ? error : brokenStreamError(error);
    }
    attempts = Date.now() - openedAt >= soundMilliseconds ? 0 : attempts + 1;
    onDisconnected?.({ error: failure, retryInSeconds: waitSeconds });
    await pause(waitSeconds, signal).catch((reason: unknown) => {
      throw abortedError(reason);
    });
  }
}

/** Seconds, spread so that all clients of a service that was restarted do not come back at once. */
function backOff(attempts: number): number {
  const seconds = Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** attempts);
  return seconds * (0.5 + Math.random() / 2);
}

/** Whether the service has said no. A broken connection, a busy service and a proxy without one behind it pass. */
function isFinal(error: unknown): boolean {
  if (!isZonewrightError(error)) return false;
  const { code, status } = error;
  return code !== "NETWORK_ERROR" && status !== 429 && (status ?? 0) < 500;
}

function retryAfter(error: unknown): number {
  return isZonewrightError(error) ? (error.retryAfterSeconds ?? 0) : 0;
}
