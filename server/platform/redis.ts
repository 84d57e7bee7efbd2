import { setTimeout as sleep } from "node:timers/promises";
import type { createClient } from "@redis/client";
import type { Logger } from "./log.ts";

/** Maximum time that a request waits for an unresponsive Redis. */
const silenceMilliseconds = 2_000;
const pingMilliseconds = 1_000;
const slowestRetryMilliseconds = 2_000;
/** Maximum time that startup waits; then the service starts without Redis and keeps retrying. */
const startupMilliseconds = 2_000;

type Client = ReturnType<typeof createClient>;

/** A Pub/Sub channel that all instances subscribe to. */
export interface Channel {
  name: string;
  onMessage(text: string): void;
  /** Called when messages arrive again; earlier ones may have been missed. */
  onConnected(): void;
  /** Called when messages may be missed from now on. */
  onDisconnected(): void;
}

/**
 * Owns the connections to REDIS_URL: one for commands and one for Pub/Sub between instances. Both reconnect automatically; callers must
 * work without Redis in the meantime, which is logged.
 */
export class Redis {
  /** Commands fail immediately while disconnected. */
  readonly client: Client;
  readonly #listening: Client;
  readonly #log: Logger;
  /** One listener per channel, because overlapping attempts must not subscribe it twice. */
  readonly #listeners = new Map<Channel, (text: string) => void>();
  /** Subscriptions confirmed by Redis. */
  readonly #subscribed = new Set<Channel>();
  #state: "new" | "connected" | "disconnected" = "new";

  /** Loads the client library without connecting yet. */
  static async at(url: string, log: Logger): Promise<Redis> {
    const library = await import("@redis/client");
    return new Redis(library.createClient, url, log);
  }

  private constructor(create: typeof createClient, url: string, log: Logger) {
    this.#log = log;
    this.client = create({
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
      client.on("ready", () => void this.#handleReady());
      client.on("error", (error: unknown) => this.#handleError(error));
    }
  }

  /** Registers a channel. Call before `connect`. */
  listen(channel: Channel): void {
    this.#listeners.set(channel, (text) => channel.onMessage(text));
  }

  /** Resolves once all messages published before the call have arrived. Rejects while disconnected. */
  async caughtUp(): Promise<void> {
    // Redis responses on a connection are in order.
    await this.#listening.ping();
  }

  /** Connects. Returns after at most two seconds; retries continue in the background. */
  async connect(): Promise<void> {
    const connected = Promise.all([this.client.connect(), this.#listening.connect()]);
    const settled = connected.catch((error: unknown) => this.#handleError(error));
    await Promise.race([settled, sleep(startupMilliseconds, undefined, { ref: false })]);
  }

  close(): void {
    for (const client of [this.client, this.#listening]) if (client.isOpen) client.destroy();
  }

  async #handleReady(): Promise<void> {
    if (!this.client.isReady || !this.#listening.isReady) return;
    try {
      await this.#subscribe();
    } catch (error) {
      this.#handleError(error);
      return;
    }
    if (this.#state === "disconnected") this.#log.info("connected to Redis again");
    this.#state = "connected";
    for (const channel of this.#listeners.keys()) channel.onConnected();
  }

  /** Subscribes until it has succeeded once; later the client resubscribes by itself before it is ready. */
  async #subscribe(): Promise<void> {
    for (const [channel, listener] of this.#listeners) {
      if (this.#subscribed.has(channel)) continue;
      await this.#listening.subscribe(channel.name, listener);
      this.#subscribed.add(channel);
    }
  }

  /** Logs once per outage, not for every retry. */
  #handleError(error: unknown): void {
    if (this.#state === "disconnected") return;
    this.#state = "disconnected";
    for (const channel of this.#listeners.keys()) channel.onDisconnected();
    this.#log.warn(
      { err: error },
      "Redis is unreachable: until it is back, each instance counts requests and failed sign-ins separately and delivers notifications only to its own streams",
    );
  }
}
