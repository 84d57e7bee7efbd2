import { RateLimiterRes, type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";
import type { Actor } from "../../access/caller.ts";
import { addressKey, networkKey } from "./address.ts";
import type { HttpPort } from "../../platform/http-port.ts";
import { AppError } from "../../platform/errors.ts";
import type { Redis } from "../../platform/redis.ts";

const windowSeconds = 60;

/** Changes that an ordinary call may make where it may have any number; one with more is costly. */
export const mostOrdinaryChanges = 100;
/** How many times the calls of one address a proxy may make that TRUST_PROXY does not name. */
const callersBehindProxy = 10;

interface Counted {
  quota: Quota;
  counter: RateLimiterAbstract;
}

/**
 * Limits calls per minute and costly calls per minute. Each personal token and TSIG key is counted separately, so that a runaway script does
 * not lock out its owner. Unauthenticated calls count by address, and so do those of a sign-in that waits for its second factor.
 */
export class RequestLimits {
  readonly #all: Counted | null;
  /** For a proxy that TRUST_PROXY does not name, beside the limit of each address that it claims to call for. */
  readonly #proxy: Counted | null;
  readonly #costly: Counted | null;

  /** @param limits calls per minute; null: unlimited */
  constructor(makeCounter: MakeCounter, limits: { requests: number | null; costly: number | null }) {
    const counted = (name: string, points: number | null): Counted | null => {
      if (points === null) return null;
      const quota = { name, points, windowSeconds };
      return { quota, counter: makeCounter(quota) };
    };
    this.#all = counted("requests", limits.requests);
    this.#proxy = counted("requests-proxy", limits.requests === null ? null : limits.requests * callersBehindProxy);
    this.#costly = counted("costly", limits.costly);
  }

  /**
   * Counts a call.
   * @returns the caller's quota status; empty without a limit
   * @throws LimitReached
   */
  async take(actor: Actor): Promise<QuotaStatus[]> {
    const { ip, claimedIp } = actor;
    const key = keyOf(actor);
    const statuses = await take(this.#all, key, callsReached);
    if (claimedIp && key.startsWith("address:")) await take(this.#proxy, `proxy:${addressKey(ip ?? "")}`, callsReached);
    return statuses;
  }

  /** Counts a costly call, in addition to `take`. @returns, @throws as `take` */
  async takeCostly(actor: Actor): Promise<QuotaStatus[]> {
    const explanation = "calls that change many records or query providers; plans and dry runs still work";
    return await take(
      this.#costly,
      keyOf(actor),
      (points) => `${points} costly calls per minute is reached (${explanation})`,
    );
  }
}

async function take(
  counted: Counted | null,
  key: string,
  reachedText: (points: number) => string,
): Promise<QuotaStatus[]> {
  if (!counted) return [];
  const { reached, status } = await count(counted, key);
  if (!reached) return [status];
  const { name, points } = counted.quota;
  const message = `The limit "${name}" of ${reachedText(points)}. Wait ${status.resetSeconds} seconds.`;
  throw new LimitReached(message, [status]);
}

function callsReached(points: number): string {
  return `${points} calls per minute is reached`;
}

function keyOf({ tokenId, tsigKey, userId, ip, claimedIp }: Actor): string {
  if (tokenId !== null) return `token:${tokenId}`;
  if (tsigKey !== undefined) return `key:${tsigKey}`;
  if (userId !== null) return `user:${userId}`;
  return `address:${addressKey(ip ?? "")}${claimedIp ? ` for ${networkKey(claimedIp)}` : ""}`;
}

async function count({ quota, counter }: Counted, key: string): Promise<{ reached: boolean; status: QuotaStatus }> {
  try {
    return { reached: false, status: statusOf(quota, await counter.consume(key)) };
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return { reached: true, status: statusOf(quota, refusal) };
    throw refusal;
  }
}

function statusOf(quota: Quota, { remainingPoints, msBeforeNext }: RateLimiterRes): QuotaStatus {
  return { quota, remaining: remainingPoints, resetSeconds: secondsLeft(msBeforeNext) };
}

/** A caller's usage of a quota. */
export interface QuotaStatus {
  quota: Quota;
  remaining: number;
  /** Seconds until the window ends. */
  resetSeconds: number;
}

/** A quota is exhausted: the last of `quotas`. */
export class LimitReached extends AppError {
  readonly quotas: readonly QuotaStatus[];

  constructor(message: string, quotas: readonly QuotaStatus[]) {
    super("TOO_MANY_REQUESTS", message, { retryAfterSeconds: quotas.at(-1)?.resetSeconds ?? 1 });
    this.quotas = quotas;
  }
}

/** Converts the time until a window ends to whole seconds for headers, at least 1. */
export function secondsLeft(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000));
}

/** Sets the RateLimit-Policy and RateLimit headers (draft-ietf-httpapi-ratelimit-headers-10 §§3–4). */
export function setQuotaHeaders(http: Pick<HttpPort, "setHeader">, quotas: readonly QuotaStatus[]): void {
  if (quotas.length === 0) return;
  http.setHeader("RateLimit-Policy", quotas.map(({ quota }) => policyField(quota)).join(", "));
  http.setHeader("RateLimit", quotas.map(limitField).join(", "));
}

const policies = new WeakMap<Quota, string>();

/** Returns the quota's policy field, built once. */
function policyField(quota: Quota): string {
  const known = policies.get(quota);
  if (known !== undefined) return known;
  const field = `"${quota.name}";q=${quota.points};w=${quota.windowSeconds}`;
  policies.set(quota, field);
  return field;
}

function limitField({ quota, remaining, resetSeconds }: QuotaStatus): string {
  return `"${quota.name}";r=${remaining};t=${resetSeconds}`;
}

/** Counts a call that is not a procedure and sets the rate-limit headers. @throws LimitReached */
export async function countCall(limits: RequestLimits, http: HttpPort, actor: Actor): Promise<void> {
  await settingHeaders(http, () => limits.take(actor));
}

/** Counts a call that turns out to be costly, after `countCall`. @throws LimitReached */
export async function countCostlyCall(limits: RequestLimits, http: HttpPort, actor: Actor): Promise<void> {
  await settingHeaders(http, () => limits.takeCostly(actor));
}

async function settingHeaders(http: HttpPort, take: () => Promise<QuotaStatus[]>): Promise<void> {
  try {
    setQuotaHeaders(http, await take());
  } catch (error) {
    if (error instanceof LimitReached) setQuotaHeaders(http, error.quotas);
    throw error;
  }
}

/** A limit per key within a time window that begins with the first use. */
export interface Quota {
  /** Name in headers and keys. */
  name: string;
  points: number;
  windowSeconds: number;
}

/** Creates a counter for a quota. */
export type MakeCounter = (quota: Quota) => RateLimiterAbstract;

/** Returns a factory of counters in Redis, shared by all instances, or in this process without Redis or while it is unreachable. */
export function countersIn(redis: Redis | null): MakeCounter {
  return ({ name, points, windowSeconds }) => {
    const options = { keyPrefix: `zonewright:${name}`, points, duration: windowSeconds };
    const memory = new RateLimiterMemory(options);
    if (!redis) return memory;
    return new RateLimiterRedis({
      ...options,
      storeClient: redis.client,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      insuranceLimiter: memory,
    });
  };
}
