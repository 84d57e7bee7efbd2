/** Consecutive failures that open the circuit, and how long it stays open. */
const failuresToOpen = 5;
const openMilliseconds = 30_000;
/** Maximum hosts tracked; the one that failed longest ago is dropped first. */
const mostHosts = 1_000;

interface HostState {
  failures: number;
  /** Milliseconds since the epoch; 0 while it is closed. */
  openUntil: number;
  /** Whether a trial call is in flight (half-open). */
  trying: boolean;
}

/**
 * A circuit breaker per host: after five consecutive failures it blocks calls for thirty seconds, then lets one trial call through. Only
 * calls without a response count as failures, whatever its status. State is per process.
 */
export class Breaker {
  readonly #now: () => Date;
  readonly #hosts = new Map<string, HostState>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Requests a call. If allowed, report its result with `answered`, `failed` or `abandoned`. @returns seconds to wait, 0 to proceed */
  enter(host: string): number {
    const state = this.#hosts.get(host);
    if (!state || state.openUntil === 0) return 0;
    const wait = state.openUntil - this.#now().getTime();
    if (wait > 0) return Math.ceil(wait / 1_000);
    if (state.trying) return 1;
    state.trying = true;
    return 0;
  }

  answered(host: string): void {
    this.#hosts.delete(host);
  }

  failed(host: string): void {
    const failures = (this.#hosts.get(host)?.failures ?? 0) + 1;
    const openUntil = failures >= failuresToOpen ? this.#now().getTime() + openMilliseconds : 0;
    this.#hosts.delete(host);
    this.#hosts.set(host, { failures, openUntil, trying: false });
    const [oldest] = this.#hosts.keys();
    if (this.#hosts.size > mostHosts && oldest !== undefined) this.#hosts.delete(oldest);
  }

  /** Records a call that says nothing about the host: it was blocked, or aborted by the caller. */
  abandoned(host: string): void {
    const state = this.#hosts.get(host);
    if (state) state.trying = false;
  }
}
