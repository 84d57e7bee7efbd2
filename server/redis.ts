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

/**
 * The connection to REDIS_URL, the one owner of it. It is made again whenever it breaks; what uses it must do without it
 * meanwhile, which the log tells.
 */
export class Redis {
  /** Commands fail at once while the connection is away. */
  readonly client: Client;
  readonly #log: Logger;
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
    this.client.on("ready", () => this.#isHere());
    this.client.on("error", (error: unknown) => this.#isAway(error));
  }

  /** Connects. Returns after two seconds at the latest; a Redis that is away then is tried again and again. */
  async connect(): Promise<void> {
    const connected = this.client.connect().catch((error: unknown) => this.#isAway(error));
    await Promise.race([connected, sleep(patienceMilliseconds, undefined, { ref: false })]);
  }

  close(): void {
    if (this.client.isOpen) this.client.destroy();
  }

  #isHere(): void {
    if (this.#state === "away") this.#log.info("Redis is back");
    this.#state = "here";
  }

  /** Told once, however often the connection is tried. */
  #isAway(error: unknown): void {
    if (this.#state === "away") return;
    this.#state = "away";
    this.#log.warn(
      { err: error },
      "Redis is away: until it is back, each instance counts requests and guesses by itself",
    );
  }
}
