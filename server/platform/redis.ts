import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "redis";
import type { Logger } from "./log.ts";

/** A request never waits longer than this for a Redis that has stopped answering. */
const silenceMilliseconds = 2_000;
const pingMilliseconds = 1_000;
const slowestRetryMilliseconds = 2_000;
/** How long the start waits; after that the service starts without, and goes on trying. */
const patienceMilliseconds = 2_000;

type Client = ReturnType<typeof createClient>;

/** What all instances hear. */
export interface Channel {
  name: string;
  onMessage(text: string): void;
  /** Messages come from now on, and may have been missed before. */
  onHere(): void;
  /** Messages may be missed from now on. */
  onAway(): void;
}

/**
 * The connections to REDIS_URL, the one owner of them: one for commands and one for what the instances tell each other. They are made
 * again whenever they break; what uses them must do without them meanwhile, which the log tells.
 */
export class Redis {
  /** Commands fail at once while the connection is away. */
  readonly client: Client;
  readonly #listening: Client;
  readonly #log: Logger;
  /** One listener each: tries that overlap must not make a channel hear twice. */
  readonly #listeners = new Map<Channel, (text: string) => void>();
  /** What Redis has confirmed. */
  readonly #subscribed = new Set<Channel>();
  #state: "new" | "here" | "away" = "new";

  constructor(url: string, log: Logger) {
    this.#log = log;
    this.client = createClient({
      url,
      disableOfflineQueue: true,
      pingInterval: pingMilliseconds,
      socket: {
        connectTimeout: silenceMilliseconds,
        socketTimeout: silenceMilliseconds,
        reconnectStrategy: (retries) => Math.min(50 * 2 ** Math.min(retries, 10), slowestRetryMilliseconds),
      },
    });
    this.#listening = this.client.duplicate();
    for (const client of [this.client, this.#listening]) {
      client.on("ready", () => void this.#isHere());
      client.on("error", (error: unknown) => this.#isAway(error));
    }
  }

  /** To be called before `connect`. */
  listen(channel: Channel): void {
    this.#listeners.set(channel, (text) => channel.onMessage(text));
  }

  /** Returns when what other instances had published before has arrived. Fails while the connection is away. */
  async caughtUp(): Promise<void> {
    // Redis answers on a connection in the order in which things happened.
    await this.#listening.ping();
  }

  /** Connects. Returns after two seconds at the latest; a Redis that is away then is tried again and again. */
  async connect(): Promise<void> {
    const connected = Promise.all([this.client.connect(), this.#listening.connect()]);
    const settled = connected.catch((error: unknown) => this.#isAway(error));
    await Promise.race([settled, sleep(patienceMilliseconds, undefined, { ref: false })]);
  }

  close(): void {
    for (const client of [this.client, this.#listening]) if (client.isOpen) client.destroy();
  }

  async #isHere(): Promise<void> {
    if (!this.client.isReady || !this.#listening.isReady) return;
    try {
      await this.#subscribe();
    } catch (error) {
      this.#isAway(error);
      return;
    }
    if (this.#state === "away") this.#log.info("Redis is back");
    this.#state = "here";
    for (const channel of this.#listeners.keys()) channel.onHere();
  }

  /** Until it has succeeded once; after that the client does so by itself before it is ready. */
  async #subscribe(): Promise<void> {
    for (const [channel, listener] of this.#listeners) {
      if (this.#subscribed.has(channel)) continue;
      await this.#listening.subscribe(channel.name, listener);
      this.#subscribed.add(channel);
    }
  }

  /** Told once, however often the connection is tried. */
  #isAway(error: unknown): void {
    if (this.#state === "away") return;
    this.#state = "away";
    for (const channel of this.#listeners.keys()) channel.onAway();
    this.#log.warn(
      { err: error },
      "Redis is away: until it is back, each instance counts requests and guesses by itself and tells only its own readers of notifications",
    );
  }
}
