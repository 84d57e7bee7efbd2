import { isZonewrightError, type Client } from "@zonewright/client";
import { noteZones, openZones, type LiveEvent } from "./messages.ts";

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
  readonly #withNotifications: boolean;
  readonly #deliver: (event: LiveEvent) => void;
  readonly #tabs = new Map<string, readonly string[]>();
  readonly #lost = new Set<Stream>();
  /** The last revision that was heard of each watched zone, for tabs that open it later. */
  readonly #revisions = new Map<string, number>();
  #watched = "";
  #watch: (() => void) | null = null;
  #reading = new AbortController();
  /** The last notification received, to resume after it. */
  #after: string | undefined;
  #settling: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(client: Client, withNotifications: boolean, deliver: (event: LiveEvent) => void) {
    this.#client = client;
    this.#withNotifications = withNotifications;
    this.#deliver = deliver;
    void this.#readNotifications();
  }

  get lost(): boolean {
    return this.#lost.size > 0;
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
          onConnected: () => this.#connected("notifications"),
          onDisconnected: ({ error }) => error && this.#disconnected("notifications"),
        });
        for await (const notification of stream) {
          this.#after = notification.id;
          this.#deliver({ kind: "notification", notification });
        }
      } catch (error) {
        if (signal.aborted) return;
        if (isOver(error)) {
          this.#connected("notifications");
          return;
        }
        if (!isBusy(error)) this.#disconnected("notifications");
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
      this.#connected("zones");
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
            this.#connected("zones");
          },
          onConnectionStateChange: ({ state, error }) => {
            if (state === "connecting" && error) this.#disconnected("zones");
          },
          onData: (change) => {
            this.#revisions.set(change.domainId, change.revision);
            this.#deliver({ kind: "change", change });
          },
          onError: (error) => {
            if (isOver(error)) {
              this.#connected("zones");
              return;
            }
            if (!isBusy(error)) this.#disconnected("zones");
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

  #connected(stream: Stream): void {
    if (this.#lost.delete(stream) && this.#lost.size === 0) this.#deliver({ kind: "connection", lost: false });
  }

  #disconnected(stream: Stream): void {
    if (this.#stopped || this.#lost.has(stream)) return;
    this.#lost.add(stream);
    if (this.#lost.size === 1) this.#deliver({ kind: "connection", lost: true });
  }
}

/** Whether the service refused for good: the session ended, notifications are off, the zones are gone. */
function isOver(error: unknown): boolean {
  return isZonewrightError(error) && error.status !== null && error.status < 500 && !isBusy(error);
}

/** Other programs of the same user may hold all of their streams. That is no loss of the connection. */
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
