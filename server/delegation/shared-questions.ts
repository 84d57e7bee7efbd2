import { AppError } from "../platform/errors.ts";
import type { Delegation } from "./observe.ts";

const mostAtOnce = 32;
const lifetimeMilliseconds = 5_000;

/** Answers the same question, asked several times at once, once. Limits how many are under way in this process. */
export class SharedQuestions<T> {
  readonly #underWay = new Map<string, Promise<T>>();

  /** @throws AppError UNAVAILABLE while too many others are under way */
  async share(key: string, ask: () => Promise<T>): Promise<T> {
    const present = this.#underWay.get(key);
    if (present) return await present;
    if (this.#underWay.size >= mostAtOnce)
      throw new AppError("UNAVAILABLE", "Too many DNS queries are in progress. Try again shortly.", {
        retryAfterSeconds: 3,
      });
    const asked = ask().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, asked);
    return await asked;
  }
}

/** Remembers for a few seconds where zones are served, for clients that repeat a question. What may soon be better is looked at again. */
export class HealthyDelegations {
  readonly #now: () => Date;
  /** Oldest first. */
  readonly #seen = new Map<string, { delegation: Delegation; at: number }>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  get(zone: string): Delegation | null {
    const now = this.#now().getTime();
    for (const [name, { at }] of this.#seen) {
      if (at <= now && now - at < lifetimeMilliseconds) break;
      this.#seen.delete(name);
    }
    return this.#seen.get(zone)?.delegation ?? null;
  }

  /** Remembers a delegation all of whose servers have authority, or cannot be asked from here. */
  offer(zone: string, delegation: Delegation): void {
    if (this.#seen.has(zone) || !isHealthy(delegation)) return;
    this.#seen.set(zone, { delegation, at: this.#now().getTime() });
  }
}

function isHealthy({ parent, apex, servers }: Delegation): boolean {
  if (parent.kind === "unknown" || parent.kind === "not_delegated" || apex.nameServers === null) return false;
  return servers.every(({ state, barred = false }) => state === "authoritative" || state === "no_address" || barred);
}
