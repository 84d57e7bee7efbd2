import type { Client } from "@zonewright/client";
import { uniqueText } from "../ui/unique-text.ts";
import { Leader } from "./leader.ts";
import type { LiveEvent, TabMessage } from "./messages.ts";

/** A moment without a stream is normal: a token expired, or the service was replaced. */
const shownAfterMilliseconds = 1_200;

type Listener = (event: LiveEvent) => void;

/**
 * This tab's part in the live connection of the browser. One tab leads, holds the streams and passes on what they bring; the lock goes to
 * another tab when it closes. Where the browser has no locks (plain HTTP on a LAN address), each tab leads for itself.
 */
class Live {
  readonly #tab = uniqueText();
  readonly #listeners = new Set<Listener>();
  readonly #lossListeners = new Set<() => void>();
  /** How many parts of the page watch each zone. */
  readonly #zones = new Map<string, number>();
  #channel: BroadcastChannel | null = null;
  #leader: Leader | null = null;
  #lost = false;
  #shownLost = false;
  #showing: ReturnType<typeof setTimeout> | undefined;

  /** Begins for a signed-in user, with or without notifications. Returns the function that ends it. */
  start(client: Client, userId: string, withNotifications: boolean): () => void {
    const leaving = new AbortController();
    const { signal } = leaving;
    const name = `zonewright.live.${userId}`;
    const shared = "locks" in navigator && typeof BroadcastChannel === "function";
    if (shared) {
      const channel = new BroadcastChannel(name);
      channel.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => this.#receive(data));
      this.#channel = channel;
      const lead = async () => {
        this.#lead(client, withNotifications);
        await new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      };
      navigator.locks.request(name, { signal }, lead).catch(() => undefined);
    } else {
      this.#lead(client, withNotifications);
    }
    this.#report();
    const options = { signal };
    addEventListener("online", () => this.#networkIsBack(), options);
    // Who returns to the page does not want to wait for the next attempt.
    addEventListener("focus", () => this.#leader?.lost && this.#leader.reopen(), options);
    addEventListener("offline", () => this.#noteLoss(true), options);
    addEventListener("pagehide", () => this.#post({ kind: "zones", tab: this.#tab, ids: [] }), options);
    addEventListener("pageshow", ({ persisted }) => persisted && this.#report(), options);
    if (!navigator.onLine) this.#noteLoss(true);
    return () => {
      this.#post({ kind: "zones", tab: this.#tab, ids: [] });
      leaving.abort();
      this.#leader?.stop();
      this.#leader = null;
      this.#channel?.close();
      this.#channel = null;
      this.#noteLoss(false);
    };
  }

  /** Calls back for everything that happens. Returns the function that stops it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Watches a zone while it is open. Returns the function that stops it. */
  watch(domainId: string): () => void {
    this.#zones.set(domainId, (this.#zones.get(domainId) ?? 0) + 1);
    this.#report();
    return () => {
      const count = (this.#zones.get(domainId) ?? 1) - 1;
      if (count === 0) this.#zones.delete(domainId);
      else this.#zones.set(domainId, count);
      this.#report();
    };
  }

  /** Closes the streams of all tabs before the session ends. */
  end(): void {
    this.#post({ kind: "over" });
    this.#leader?.stop();
  }

  /** Tells the other tabs that this one changed something. */
  stale(queryKey: readonly string[]): void {
    this.#post({ kind: "stale", queryKey });
  }

  /** Whether the connection is lost, for long enough to say so. */
  readonly loss = {
    subscribe: (listener: () => void) => {
      this.#lossListeners.add(listener);
      return () => this.#lossListeners.delete(listener);
    },
    get: () => this.#shownLost,
  };

  #lead(client: Client, withNotifications: boolean): void {
    const deliver = (event: LiveEvent) => {
      this.#post(event);
      this.#hear(event);
    };
    this.#leader = new Leader(client, withNotifications, deliver);
    this.#post({ kind: "leading" });
    this.#report();
  }

  #report(): void {
    const ids = [...this.#zones.keys()];
    if (this.#leader) this.#leader.zones(this.#tab, ids);
    else this.#post({ kind: "zones", tab: this.#tab, ids });
  }

  #post(message: TabMessage): void {
    this.#channel?.postMessage(message);
  }

  #receive(message: TabMessage): void {
    if (message.kind === "zones") {
      this.#leader?.zones(message.tab, message.ids);
      if (this.#leader?.lost) this.#post({ kind: "connection", lost: true });
    } else if (message.kind === "leading") {
      this.#report();
    } else if (message.kind === "over") {
      this.#leader?.stop();
    } else {
      this.#hear(message);
    }
  }

  #hear(event: LiveEvent): void {
    if (event.kind === "connection") this.#noteLoss(event.lost || !navigator.onLine);
    for (const listener of this.#listeners) listener(event);
  }

  #networkIsBack(): void {
    this.#leader?.reopen();
    if (!this.#leader?.lost) this.#hear({ kind: "connection", lost: false });
  }

  #noteLoss(lost: boolean): void {
    if (lost === this.#lost) return;
    this.#lost = lost;
    clearTimeout(this.#showing);
    const show = () => {
      this.#shownLost = lost;
      for (const listener of this.#lossListeners) listener();
    };
    if (lost) this.#showing = setTimeout(show, shownAfterMilliseconds);
    else show();
  }
}

/** The live connection of this tab. */
export const live = new Live();
