import { createHash } from "node:crypto";
import { realPause, type Pause } from "../../platform/pause.ts";

/** The purpose of calls: a person is waiting, or background work: an import, a mirror that follows an edit, or checks. */
export type Purpose = "person" | "import" | "mirror" | "drift";

/** At most `calls` calls in any `seconds` seconds. */
export interface Quota {
  calls: number;
  seconds: number;
}

/** Calls that an account's rate limit leaves. */
export interface CallsLeft {
  left: number;
  /** The most within `seconds`; null if unknown. */
  limit: number | null;
  seconds: number | null;
  /** When the whole limit is available again; null if unknown, or if it is now. */
  resetsAt: Date | null;
  /** Whether the vendor says so, or this process counted its own calls. */
  source: "provider" | "service";
}

/** How long a vendor's statement without a reset counts, in milliseconds. */
const statementMilliseconds = 5 * 60_000;

/** The share of a quota for all background work, and for drift checks alone. The rest is left for people. */
const backgroundShare = 0.8;
const driftShare = 0.4;
/** Checks and mirrors do not wait longer for an account that asked for a pause, because they have other zones to look after. */
export const longestPauseOfRounds = 60_000;
/** Nor for a quota of its own. After a change of many zones, mirrors wait out those that vendors count in minutes. */
const longestWaitForQuota: Partial<Record<Purpose, number>> = { drift: longestPauseOfRounds, mirror: 10 * 60_000 };

/** Returns whether calls fail rather than wait this long for a vendor, however patient their purpose is. */
export function isTooLong(purpose: Purpose, milliseconds: number): boolean {
  return (purpose === "drift" || purpose === "mirror") && milliseconds > longestPauseOfRounds;
}

/** Above this number of accounts, idle ones are forgotten. */
const manyAccounts = 1_000;

/** State that all calls to an account share, across the connections of this process. */
export class VendorAccounts {
  readonly now: () => Date;
  readonly pause: Pause;
  readonly #gates = new Map<string, AccountGate>();
  /** Calls for mirrors that wait, as functions that end their waiting. */
  readonly #waiting = new Set<() => void>();
  #stopped = false;

  constructor(time: { now?: () => Date; pause?: Pause } = {}) {
    this.now = time.now ?? (() => new Date());
    this.pause = time.pause ?? realPause;
  }

  /** Makes no more calls for mirrors, because the service stops. Those that wait for their vendor fail now, with nothing sent. */
  stop(): void {
    this.#stopped = true;
    for (const end of this.#waiting) end();
  }

  /** Returns whether no more calls are made for this purpose. Those of people, imports and checks get the time that these have. */
  isStopped(purpose: Purpose): boolean {
    return this.#stopped && purpose === "mirror";
  }

  /** Pauses before another call for this purpose, but no longer than such calls are made. */
  async rest(purpose: Purpose, milliseconds: number): Promise<void> {
    if (purpose !== "mirror") {
      await this.pause(milliseconds);
      return;
    }
    if (this.#stopped) return;
    const stopped = Promise.withResolvers<void>();
    this.#waiting.add(stopped.resolve);
    try {
      await Promise.race([this.pause(milliseconds), stopped.promise]);
    } finally {
      this.#waiting.delete(stopped.resolve);
    }
  }

  /** Returns the gate of one account. @param address of the vendor's API @param identity credentials, or an id of the account */
  gate(address: string, identity: readonly string[], quotas: readonly Quota[]): AccountGate {
    const { origin } = new URL(address);
    const key = createHash("sha256")
      .update(JSON.stringify([origin, ...identity]))
      .digest("base64");
    const known = this.#gates.get(key);
    if (known) {
      known.adopt(quotas);
      return known;
    }
    if (this.#gates.size >= manyAccounts) {
      for (const [other, gate] of this.#gates) if (gate.isForgettable) this.#gates.delete(other);
    }
    const gate = new AccountGate(this, quotas);
    this.#gates.set(key, gate);
    return gate;
  }
}

/** Admits calls to one account, within its quotas and outside pauses that the vendor asked for. */
export class AccountGate {
  readonly #time: VendorAccounts;
  #quotas: readonly Quota[];
  #opensAt = 0;
  /** Calls within the longest quota period, oldest first. */
  #recent: { at: number; purpose: Purpose }[] = [];
  #waiting = 0;
  /** What the vendor said last of its own limit, and until when it counts. */
  #stated: { calls: CallsLeft; until: number } | null = null;

  constructor(time: VendorAccounts, quotas: readonly Quota[]) {
    this.#time = time;
    this.#quotas = quotas;
  }

  /** Keeps to these quotas if none were known: the same account may be used by kinds that know its limits and by others. */
  adopt(quotas: readonly Quota[]): void {
    if (this.#quotas.length === 0) this.#quotas = quotas;
  }

  /** Admits no calls for this long. */
  close(milliseconds: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.#time.now().getTime() + milliseconds);
  }

  /** Remembers what the vendor says of its limit. */
  state(calls: CallsLeft): void {
    const until = calls.resetsAt?.getTime() ?? this.#time.now().getTime() + statementMilliseconds;
    this.#stated = { calls, until };
  }

  /** Returns the calls left: as the vendor last stated, or else as counted here; null if neither is known. */
  callsLeft(): CallsLeft | null {
    const now = this.#time.now().getTime();
    this.#forget(now);
    if (this.#opensAt > now) {
      return { left: 0, limit: null, seconds: null, resetsAt: new Date(this.#opensAt), source: "provider" };
    }
    return this.#stated && this.#stated.until > now ? this.#stated.calls : this.#leastLeft(now);
  }

  /** Returns what is left of the quota that is nearest to its end. Among equals, the one with the longest period. */
  #leastLeft(now: number): CallsLeft | null {
    const [least] = this.#quotas
      .map(({ calls, seconds }) => {
        const used = this.#recent.filter(({ at }) => at > now - seconds * 1_000);
        return { calls, seconds, left: Math.max(0, calls - used.length), last: used.at(-1)?.at };
      })
      .toSorted((one, other) => one.left / one.calls - other.left / other.calls || other.seconds - one.seconds);
    if (!least) return null;
    const { calls: limit, seconds, left, last } = least;
    const resetsAt = last === undefined ? null : new Date(last + seconds * 1_000);
    return { left, limit, seconds, resetsAt, source: "service" };
  }

  /**
   * Waits until a call may be made, and counts it.
   * @returns 0 if it may be made; otherwise the remaining wait in milliseconds, which exceeds the caller's patience.
   */
  async enter(purpose: Purpose, patienceMilliseconds: number): Promise<number> {
    const left = await this.untilOpen(purpose, patienceMilliseconds);
    if (left === 0 && this.#quotas.length > 0) this.#recent.push({ at: this.#time.now().getTime(), purpose });
    return left;
  }

  /** Waits like `enter`, but counts nothing. */
  async untilOpen(purpose: Purpose, patienceMilliseconds: number): Promise<number> {
    const ends = this.#time.now().getTime() + patienceMilliseconds;
    this.#waiting++;
    try {
      for (;;) {
        const now = this.#time.now().getTime();
        const pause = this.#opensAt - now;
        const quota = this.#untilQuota(purpose, now);
        const left = Math.max(0, pause, quota);
        if (left === 0) return 0;
        const tooLong = isTooLong(purpose, pause) || quota > (longestWaitForQuota[purpose] ?? Infinity);
        if (tooLong || now + left > ends || this.#time.isStopped(purpose)) return left;
        await this.#time.rest(purpose, left);
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

  /** Returns how long until the quotas admit a call, in milliseconds. */
  #untilQuota(purpose: Purpose, now: number): number {
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
    return Math.max(0, ...waits);
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

/** Returns how long until fewer than `most` of the calls are within the span. */
function waitFor(calls: readonly { at: number }[], most: number, span: number, now: number): number {
  const leaving = calls[calls.length - most];
  return leaving ? Math.max(0, leaving.at + span - now) : 0;
}
