import type { ChangeOutcome, DnsProvider, ProviderError } from "../dns-providers/provider.ts";
import type { ReadBack } from "./read-back.ts";

type Read = Pick<ReadBack, "signed">;

/** How long after a call without an answer a reading settles what came of it, in seconds. */
export function secondsToSettle(provider: DnsProvider, read: Read): number {
  return Math.max(provider.settlesAfterSeconds ?? 0, lagOf(provider, read));
}

/** For how many seconds a reading may not show what is done. */
function lagOf({ readLagSeconds = 0, signingLagSeconds = 0 }: DnsProvider, { signed }: Read): number {
  return Math.max(readLagSeconds, signed ? signingLagSeconds : 0);
}

/** Whether a reading at once settles what came of changes: what it shows is there, and what it does not may only not be there yet. */
export function isCertain(
  provider: DnsProvider,
  { answered }: ProviderError,
  read: Read,
  outcomes: readonly ChangeOutcome[],
): boolean {
  if (outcomes.every(({ ok }) => ok)) return true;
  return (answered ? lagOf(provider, read) : secondsToSettle(provider, read)) === 0;
}
