/** How often in a row a host may fail before it gets a rest, and how long that is. */
const failuresToOpen = 5;
const restMilliseconds = 30_000;
/** Hosts that are remembered; the one that failed longest ago is forgotten first. */
const mostHosts = 1_000;

interface Trouble {
  failures: number;
  /** Milliseconds since the epoch; 0 while it is closed. */
  openUntil: number;
  /** Whether a call is finding out if the host is back. */
  trying: boolean;
}

/**
 * A circuit breaker for each host: after five failures in a row nothing is sent to it for thirty seconds, then one call tries. Failures are
 * calls that got no answer; an answer of any status is none. It holds in this process.
 */
export class Breaker {
  readonly #now: () => Date;
  readonly #hosts = new Map<string, Trouble>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Asks whether a call may go out; one that may is told by `answered`, `failed` or `abandoned`. @returns seconds to wait, 0 to go on. */
  enter(host: string): number {
    const trouble = this.#hosts.get(host);
    if (!trouble || trouble.openUntil === 0) return 0;
    const wait = trouble.openUntil - this.#now().getTime();
    if (wait > 0) return Math.ceil(wait / 1_000);
    if (trouble.trying) return 1;
    trouble.trying = true;
    return 0;
  }

  answered(host: string): void {
    this.#hosts.delete(host);
  }

  failed(host: string): void {
    const failures = (this.#hosts.get(host)?.failures ?? 0) + 1;
    const openUntil = failures >= failuresToOpen ? this.#now().getTime() + restMilliseconds : 0;
    this.#hosts.delete(host);
    this.#hosts.set(host, { failures, openUntil, trying: false });
    const [oldest] = this.#hosts.keys();
    if (this.#hosts.size > mostHosts && oldest !== undefined) this.#hosts.delete(oldest);
  }

  /** The call ended without a word on the host: it was not let out, or given up by who made it. */
  abandoned(host: string): void {
    const trouble = this.#hosts.get(host);
    if (trouble) trouble.trying = false;
  }
}
