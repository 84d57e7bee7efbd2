import type { Client } from "@zonewright/client";
import { openChannel } from "../ui/channel.ts";
import { uniqueText } from "../ui/unique-text.ts";
import { Leader } from "./leader.ts";
import type { Connection, LiveEvent, TabMessage } from "./messages.ts";
import { takeTurns } from "./turns.ts";

/** A moment without a stream is normal: a token expired, or the service was replaced. */
const shownAfterMilliseconds = 1_200;

type Listener = (event: LiveEvent) => void;

/**
 * This tab's part in the live connection of the browser. One tab that is looked at leads, holds the streams and passes on what they bring.
 * A user may have few streams at a time, so a browser in which nobody looks at the console holds none.
 */
class Live {
  readonly #tab = uniqueText();
  readonly #listeners = new Set<Listener>();
  readonly #stateListeners = new Set<() => void>();
  /** How many parts of the page watch each zone. */
  readonly #zones = new Map<string, number>();
  #channel: BroadcastChannel | null = null;
  #leader: Leader | null = null;
  #state: Connection = "open";
  #shown: Connection = "open";
  /** The last notification received, whoever led: the next leader resumes after it. */
  #lastNotification: string | undefined;
  #showing: ReturnType<typeof setTimeout> | undefined;

  /** Begins for a signed-in user, with or without notifications. Returns the function that ends it. */
  start(client: Client, userId: string, withNotifications: boolean): () => void {
    const leaving = new AbortController();
    const { signal } = leaving;
    const name = `zonewright.live.${userId}`;
    const options = { signal };
    this.#channel = openChannel(name);
    const receive = ({ data }: MessageEvent<TabMessage>) => this.#receive(data);
    this.#channel?.addEventListener("message", receive, options);
    takeTurns(name, signal, (turn) => this.#lead(client, withNotifications, turn));
    this.#report();
    addEventListener("online", () => this.#networkIsBack(), options);
    // Who returns to the page does not want to wait for the next attempt.
    addEventListener("focus", () => this.#isClosed() && this.#leader?.reopen(), options);
    addEventListener("offline", () => this.#note("lost"), options);
    addEventListener("pagehide", () => this.#post({ kind: "zones", tab: this.#tab, ids: [] }), options);
    addEventListener("pageshow", ({ persisted }) => persisted && this.#report(), options);
    if (!navigator.onLine) this.#note("lost");
    return () => {
      this.#post({ kind: "zones", tab: this.#tab, ids: [] });
      leaving.abort();
      this.#channel?.close();
      this.#channel = null;
      this.#lastNotification = undefined;
      this.#note("open");
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

  /** Opens them again: the session did not end. */
  goOn(): void {
    this.#post({ kind: "on" });
    this.#leader?.start();
  }

  /** Tells the other tabs that this one changed something. */
  stale(queryKey: readonly string[]): void {
    this.#post({ kind: "stale", queryKey });
  }

  /** The state of the connection. One that is not open is so for long enough to say it. */
  readonly connection = {
    subscribe: (listener: () => void) => {
      this.#stateListeners.add(listener);
      return () => this.#stateListeners.delete(listener);
    },
    get: () => this.#shown,
  };

  #lead(client: Client, withNotifications: boolean, turn: AbortSignal): void {
    const deliver = (event: LiveEvent) => {
      this.#post(event);
      this.#hear(event);
    };
    const leader = new Leader(client, withNotifications, this.#lastNotification, deliver);
    this.#leader = leader;
    const stop = () => {
      leader.stop();
      this.#leader = null;
      // Whoever leads next says so if it cannot.
      if (navigator.onLine) this.#note("open");
    };
    turn.addEventListener("abort", stop, { once: true });
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
      if (this.#leader && this.#isClosed()) this.#post({ kind: "connection", state: this.#leader.connection });
    } else if (message.kind === "leading") {
      this.#report();
    } else if (message.kind === "over") {
      this.#leader?.stop();
    } else if (message.kind === "on") {
      this.#leader?.start();
    } else {
      this.#hear(message);
    }
  }

  #hear(event: LiveEvent): void {
    if (event.kind === "connection") this.#note(navigator.onLine ? event.state : "lost");
    if (event.kind === "notification") this.#lastNotification = event.notification.id;
    for (const listener of this.#listeners) listener(event);
  }

  #networkIsBack(): void {
    this.#leader?.reopen();
    if (!this.#isClosed()) this.#hear({ kind: "connection", state: "open" });
  }

  #isClosed(): boolean {
    return this.#leader !== null && this.#leader.connection !== "open";
  }

  #note(state: Connection): void {
    if (state === this.#state) return;
    this.#state = state;
    clearTimeout(this.#showing);
    const show = () => {
      this.#shown = state;
      for (const listener of this.#stateListeners) listener();
    };
    if (state !== "open") this.#showing = setTimeout(show, shownAfterMilliseconds);
    else show();
  }
}

/** The live connection of this tab. */
export const live = new Live();
