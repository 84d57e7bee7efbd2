import { setTimeout as sleep } from "node:timers/promises";

/** Query limit per server: a burst, then one query per interval. Registries ban clients that are much faster. */
const atOnce = 5;
const pauseMilliseconds = 1_000;
/** Backoff after a server's rate limit without a given delay: doubles each time in a row, up to the maximum. */
const firstRestSeconds = 60;
const longestRestSeconds = 3_600;
/** Maximum number of tracked servers; the least recently used is evicted first. */
const mostServers = 1_000;

interface Pace {
  /** When the next query is due at one per interval, on the process's monotonic clock. */
  dueAt: number;
  restUntil: Date | null;
  rests: number;
}

/** Time limits of a lookup. */
export interface Patience {
  /** Maximum wait for one server's rate limit, in milliseconds. */
  turnMilliseconds: number;
  /** Aborted if the caller stops waiting or the lookup takes too long. */
  signal: AbortSignal;
}

/** Limits the query rate to each registry server and backs off after a server's rate limit. Applies per process. */
export class ServerPace {
  readonly #now: () => Date;
  readonly #servers = new Map<string, Pace>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /**
   * Waits until the server may be queried. @returns null when it may, or the seconds to wait if that exceeds the limit.
   * @throws the signal's reason
   */
  async turn(server: string, { turnMilliseconds, signal }: Patience): Promise<number | null> {
    signal.throwIfAborted();
    const pace = this.#of(server);
    const rest = pace.restUntil === null ? 0 : pace.restUntil.getTime() - this.#now().getTime();
    if (rest > 0) return Math.ceil(rest / 1_000);
    const now = performance.now();
    const dueAt = Math.max(pace.dueAt, now);
    const wait = dueAt - now - (atOnce - 1) * pauseMilliseconds;
    if (wait > turnMilliseconds) return Math.ceil(wait / 1_000);
    pace.dueAt = dueAt + pauseMilliseconds;
    if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    return null;
  }

  answered(server: string): void {
    const pace = this.#of(server);
    pace.rests = 0;
    pace.restUntil = null;
  }

  /** Starts a backoff after a server's rate limit. @param seconds delay that it asks for; null: unspecified */
  rest(server: string, seconds: number | null): void {
    const pace = this.#of(server);
    const own = Math.min(firstRestSeconds * 2 ** pace.rests, longestRestSeconds);
    const asked = seconds === null ? own : Math.min(Math.max(seconds, 1), longestRestSeconds);
    pace.rests++;
    pace.restUntil = new Date(this.#now().getTime() + asked * 1_000);
  }

  #of(server: string): Pace {
    const pace = this.#servers.get(server) ?? { dueAt: 0, restUntil: null, rests: 0 };
    this.#servers.delete(server);
    this.#servers.set(server, pace);
    const [oldest] = this.#servers.keys();
    if (this.#servers.size > mostServers && oldest !== undefined) this.#servers.delete(oldest);
    return pace;
  }
}
