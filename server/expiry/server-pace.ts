import { setTimeout as sleep } from "node:timers/promises";

/** Queries to one server: so many at once, and then one in each pause. Registries ban who asks much faster. */
const atOnce = 5;
const pauseMilliseconds = 1_000;
/** How long a server rests that says it was asked too often and not for how long; doubled each time in a row, up to the longest. */
const firstRestSeconds = 60;
const longestRestSeconds = 3_600;
/** Servers that are remembered; the one used longest ago is forgotten first. */
const mostServers = 1_000;

interface Pace {
  /** On the process's own clock: when the next query is due if one came in each pause. */
  dueAt: number;
  restUntil: Date | null;
  rests: number;
}

/** How long a look-up may take. */
export interface Patience {
  /** For a turn at one server. */
  turnMilliseconds: number;
  /** Aborted when nobody waits for the look-up any more, or it has taken too long. */
  signal: AbortSignal;
}

/** How often each server of registries is asked, and its rest after it said "too often". It holds in this process. */
export class ServerPace {
  readonly #now: () => Date;
  readonly #servers = new Map<string, Pace>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /**
   * Waits for a turn at the server. @returns null when it has come, or the seconds until there may be one, where that is too long.
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

  /** The server was asked too often. @param seconds that it asks for; null: it does not say */
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
