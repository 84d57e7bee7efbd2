import type { ChangeOutcome, DnsProvider, ProviderError } from "../dns-providers/provider.ts";

/** How long after a call without an answer a reading settles what came of it, in seconds. */
export function secondsToSettle({ settlesAfterSeconds = 0, readLagSeconds = 0 }: DnsProvider): number {
  return Math.max(settlesAfterSeconds, readLagSeconds);
}

/** Whether a reading at once settles what came of changes: what it shows is there, and what it does not may only not be there yet. */
export function isCertain(
  provider: DnsProvider,
  { answered }: ProviderError,
  outcomes: readonly ChangeOutcome[],
): boolean {
  if (outcomes.every(({ ok }) => ok)) return true;
  return answered ? (provider.readLagSeconds ?? 0) === 0 : secondsToSettle(provider) === 0;
}
