import { createHash } from "node:crypto";
import { realPause, type Pause } from "../../platform/pause.ts";

/** For whom calls are made: a person who waits for them, or work in the background that may take its time. */
export type Purpose = "person" | "import" | "drift";

/** So many calls in any span of so many seconds. */
export interface Quota {
  calls: number;
  seconds: number;
}

/** What work in the background may take of a quota together, and drift alone: the rest is left to people. */
const backgroundShare = 0.8;
const driftShare = 0.4;
/** A longer pause that a vendor asks for is not sat out by what looks for drift: it has zones elsewhere to look at. */
export const longestPauseOfDrift = 60_000;
/** How many accounts are remembered before those are forgotten that have nothing to remember. */
const manyAccounts = 1_000;

/** What the calls to each account at a vendor share, over all connections of this process. */
export class VendorAccounts {
  readonly now: () => Date;
  readonly pause: Pause;
  readonly #gates = new Map<string, AccountGate>();

  constructor(time: { now?: () => Date; pause?: Pause } = {}) {
    this.now = time.now ?? (() => new Date());
    this.pause = time.pause ?? realPause;
  }

  /** @param address of the vendor's API @param credentials that tell one account from another */
  gate(address: string, credentials: readonly string[], quotas: readonly Quota[]): AccountGate {
    const { origin } = new URL(address);
    const key = createHash("sha256")
      .update(JSON.stringify([origin, ...credentials]))
      .digest("base64");
    const known = this.#gates.get(key);
    if (known) return known;
    if (this.#gates.size >= manyAccounts) {
      for (const [other, gate] of this.#gates) if (gate.isForgettable) this.#gates.delete(other);
    }
    const gate = new AccountGate(this, quotas);
    this.#gates.set(key, gate);
    return gate;
  }
}

/** Lets calls to one account through: not while the vendor has asked for a pause, and no more than its quotas allow. */
export class AccountGate {
  readonly #time: { now: () => Date; pause: Pause };
  readonly #quotas: readonly Quota[];
  #opensAt = 0;
  /** Calls in the longest span of the quotas, the oldest first. */
  #recent: { at: number; purpose: Purpose }[] = [];
  #waiting = 0;

  constructor(time: { now: () => Date; pause: Pause }, quotas: readonly Quota[]) {
    this.#time = time;
    this.#quotas = quotas;
  }

  /** The vendor takes no call for so long. */
  close(milliseconds: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.#time.now().getTime() + milliseconds);
  }

  /**
   * Waits until a call may be made, and counts it.
   * @returns 0 when it may; else how many milliseconds it would have to wait, which is more than the caller does.
   */
  async enter(purpose: Purpose, patienceMilliseconds: number): Promise<number> {
    const left = await this.untilOpen(purpose, patienceMilliseconds);
    if (left === 0 && this.#quotas.length > 0) this.#recent.push({ at: this.#time.now().getTime(), purpose });
    return left;
  }

  /** As `enter`, for a call that is counted when it is made. */
  async untilOpen(purpose: Purpose, patienceMilliseconds: number): Promise<number> {
    const ends = this.#time.now().getTime() + patienceMilliseconds;
    this.#waiting++;
    try {
      for (;;) {
        const now = this.#time.now().getTime();
        const left = this.#left(purpose, now);
        if (left === 0) return 0;
        const isSatOut = purpose !== "drift" || this.#opensAt - now <= longestPauseOfDrift;
        if (!isSatOut || now + left > ends) return left;
        await this.#time.pause(left);
      }
    } finally {
      this.#waiting--;
    }
  }

  get isForgettable(): boolean {
    const now = this.#time.now().getTime();
    this.#forget(now);
    return this.#waiting === 0 && this.#opensAt <= now && this.#recent.length === 0;
  }

  /** How long until a call may be made, in milliseconds. */
  #left(purpose: Purpose, now: number): number {
    this.#forget(now);
    const waits = this.#quotas.flatMap(({ calls, seconds }) => {
      const span = seconds * 1_000;
      const within = this.#recent.filter(({ at }) => at > now - span);
      const background = within.filter((call) => call.purpose !== "person");
      return [
        waitFor(within, calls, span, now),
        purpose === "person" ? 0 : waitFor(background, shareOf(calls, backgroundShare), span, now),
        purpose === "drift"
          ? waitFor(
              background.filter((call) => call.purpose === "drift"),
              shareOf(calls, driftShare),
              span,
              now,
            )
          : 0,
      ];
    });
    return Math.max(0, this.#opensAt - now, ...waits);
  }

  #forget(now: number): void {
    const longest = Math.max(0, ...this.#quotas.map(({ seconds }) => seconds)) * 1_000;
    const first = this.#recent.findIndex(({ at }) => at > now - longest);
    this.#recent = first === -1 ? [] : this.#recent.slice(first);
  }
}

function shareOf(calls: number, share: number): number {
  return Math.max(1, Math.floor(calls * share));
}

/** Until fewer than `most` of the calls are within the span. */
function waitFor(calls: readonly { at: number }[], most: number, span: number, now: number): number {
  const leaving = calls[calls.length - most];
  return leaving ? Math.max(0, leaving.at + span - now) : 0;
}
