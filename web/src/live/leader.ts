import { isZonewrightError, type Client } from "@zonewright/client";
import { noteZones, openZones, type Connection, type LiveEvent } from "./messages.ts";

/** Waits before a stream that could not be opened at all is tried again. The client reopens those that were open. */
const firstRetryMilliseconds = 2_000;
const longestRetryMilliseconds = 30_000;
/** A person who moves between zones reopens the stream once. */
const settleMilliseconds = 60;

type Stream = "notifications" | "zones";

/**
 * Holds the two streams of this browser: the notifications, and the changes of the zones that its tabs have open. What ends for good (a
 * session, notifications turned off) stays ended.
 */
export class Leader {
  readonly #client: Client;
  /** The last notification received, to resume after it. */
  #after: string | undefined;
  readonly #withNotifications: boolean;
  readonly #deliver: (event: LiveEvent) => void;
  readonly #tabs = new Map<string, readonly string[]>();
  /** The streams that are not open although they are wanted. */
  readonly #closed = new Map<Stream, Exclude<Connection, "open">>();
  #reported: Connection = "open";
  /** The last revision that was heard of each watched zone, for tabs that open it later. */
  readonly #revisions = new Map<string, number>();
  #watched = "";
  #watch: (() => void) | null = null;
  #reading = new AbortController();
  #settling: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  /** @param after the last notification that this browser received */
  constructor(
    client: Client,
    withNotifications: boolean,
    after: string | undefined,
    deliver: (event: LiveEvent) => void,
  ) {
    this.#client = client;
    this.#after = after;
    this.#withNotifications = withNotifications;
    this.#deliver = deliver;
    void this.#readNotifications();
  }

  get connection(): Connection {
    const states = [...this.#closed.values()];
    return states.includes("lost") ? "lost" : (states[0] ?? "open");
  }

  /** Watches the zones of all tabs. A tab that opens a zone which is watched already hears its revision. */
  zones(tab: string, ids: readonly string[]): void {
    noteZones(this.#tabs, tab, ids);
    for (const domainId of ids) {
      const revision = this.#revisions.get(domainId);
      if (revision !== undefined) this.#deliver({ kind: "change", change: { domainId, revision, changeSetId: null } });
    }
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#watchZones(), settleMilliseconds);
  }

  /** Opens both streams anew, when the network is back. */
  reopen(): void {
    if (this.#stopped) return;
    this.#reading.abort();
    this.#reading = new AbortController();
    void this.#readNotifications();
    this.#watched = "";
    this.#watchZones();
  }

  /** Begins anew after a stop. */
  start(): void {
    if (!this.#stopped) return;
    this.#stopped = false;
    this.reopen();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#settling);
    this.#reading.abort();
    this.#watch?.();
  }

  async #readNotifications(): Promise<void> {
    if (!this.#withNotifications) return;
    const { signal } = this.#reading;
    for (let wait = firstRetryMilliseconds; !signal.aborted; wait = Math.min(wait * 2, longestRetryMilliseconds)) {
      try {
        const stream = this.#client.watchNotifications({
          after: this.#after,
          signal,
          onConnected: () => this.#note("notifications", "open"),
          onDisconnected: ({ error }) => error && this.#note("notifications", "lost"),
        });
        for await (const notification of stream) {
          this.#after = notification.id;
          this.#deliver({ kind: "notification", notification });
        }
      } catch (error) {
        if (signal.aborted) return;
        if (isOver(error)) {
          this.#note("notifications", "open");
          return;
        }
        this.#note("notifications", isBusy(error) ? "refused" : "lost");
      }
      await pause(wait, signal);
    }
  }

  #watchZones(): void {
    const ids = openZones(this.#tabs);
    const key = ids.join(" ");
    if (this.#stopped || key === this.#watched) return;
    this.#watched = key;
    this.#revisions.clear();
    this.#watch?.();
    this.#watch = null;
    if (ids.length === 0) {
      this.#note("zones", "open");
      return;
    }
    let wait = firstRetryMilliseconds;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let subscription: { unsubscribe(): void } | undefined;
    const subscribe = () => {
      subscription = this.#client.domains.watch.subscribe(
        { ids },
        {
          onStarted: () => {
            wait = firstRetryMilliseconds;
            this.#note("zones", "open");
          },
          onConnectionStateChange: ({ state, error }) => {
            if (state === "connecting" && error) this.#note("zones", "lost");
          },
          onData: (change) => {
            this.#revisions.set(change.domainId, change.revision);
            this.#deliver({ kind: "change", change });
          },
          onError: (error) => {
            if (isOver(error)) {
              this.#note("zones", "open");
              // None of the zones is there any more, or the reader may see none.
              if (isZonewrightError(error) && error.code === "NOT_FOUND")
                for (const queryKey of [["zone"], ["requests"]]) this.#deliver({ kind: "stale", queryKey });
              return;
            }
            this.#note("zones", isBusy(error) ? "refused" : "lost");
            retry = setTimeout(subscribe, wait);
            wait = Math.min(wait * 2, longestRetryMilliseconds);
          },
        },
      );
    };
    subscribe();
    this.#watch = () => {
      clearTimeout(retry);
      subscription?.unsubscribe();
    };
  }

  #note(stream: Stream, state: Connection): void {
    if (this.#stopped) return;
    if (state === "open") this.#closed.delete(stream);
    else this.#closed.set(stream, state);
    if (this.connection === this.#reported) return;
    this.#reported = this.connection;
    this.#deliver({ kind: "connection", state: this.connection });
  }
}

/** Whether the service refused for good: the session ended, notifications are off, the zones are gone. */
function isOver(error: unknown): boolean {
  return isZonewrightError(error) && error.status !== null && error.status < 500 && !isBusy(error);
}

/** Whether other browsers and programs of the same user hold all of their streams. */
function isBusy(error: unknown): boolean {
  return isZonewrightError(error) && error.code === "TOO_MANY_REQUESTS";
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), milliseconds);
  signal.addEventListener("abort", () => resolve(undefined), { once: true });
  await promise;
  clearTimeout(timer);
}
