import type { HttpPort } from "../platform/http-port.ts";
import { AppError } from "../platform/errors.ts";
import type { Quota } from "./counters.ts";

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
