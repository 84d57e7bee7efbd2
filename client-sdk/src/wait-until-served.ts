import type { RouterInputs, ServedRecords } from "./app-router.ts";
import { abortedError, isZonewrightError, notServedError, type ZonewrightError } from "./errors.ts";
import { follow, pause } from "./pause.ts";
import type { Procedures } from "./procedures.ts";

/** The input of {@link ServingHelpers.waitUntilServed}: the domain's id, a name and type, and values, or that they should be gone. */
export type ServedInput = RouterInputs["delegation"]["checkServed"];

/** The options of {@link ServingHelpers.waitUntilServed}. */
export interface WaitUntilServedOptions {
  /** How long to wait. Default: 120. */
  timeoutSeconds?: number | undefined;
  /** Ends the wait; it then fails with ABORTED. */
  signal?: AbortSignal | undefined;
  /** Runs after each answer that is not final yet, such as to show which servers are behind. */
  onWaiting?: ((answer: ServedRecords) => void) | undefined;
}

/** Waits for name servers. */
export interface ServingHelpers {
  /**
   * Waits until every name server of a domain serves the values of a name and type, or any values, or with `absent` none of them. The service asks
   * the name servers, at growing intervals of up to ten seconds.
   * @example
   * const { domainId: id, name, value } = await client.acme.present.mutate(challenge);
   * await client.waitUntilServed({ id, name, recordType: "TXT", values: [value] });
   * @throws ZonewrightError TIMEOUT, whose message names the servers that are behind; CONFLICT if the domain's name servers cannot be asked, such as
   * those of a view
   */
  waitUntilServed(input: ServedInput, options?: WaitUntilServedOptions): Promise<ServedRecords>;
}

const longestPauseSeconds = 10;
/** Statuses of the service, or of a proxy in front of it, that pass. */
const busy: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export function servingHelpers({ delegation }: Procedures): ServingHelpers {
  return {
    async waitUntilServed(input, { timeoutSeconds = 120, signal, onWaiting } = {}) {
      if (!(timeoutSeconds > 0)) throw new TypeError("timeoutSeconds must be a number above 0.");
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), Math.min(timeoutSeconds * 1000, 2 ** 31 - 1));
      const unfollow = follow(deadline, signal);
      let answer: ServedRecords | null = null;
      let failure: ZonewrightError | null = null;
      try {
        for (let attempts = 0; ; attempts += 1) {
          let seconds = Math.min(longestPauseSeconds, 2 ** attempts);
          try {
            answer = await delegation.checkServed.mutate(input, { signal: deadline.signal });
            if (answer.served) return answer;
            if (answer.notCheckedBecause !== null) throw notServedError("CONFLICT", answer.notCheckedBecause);
            onWaiting?.(answer);
          } catch (error) {
            if (deadline.signal.aborted || !isZonewrightError(error) || !passes(error, answer !== null)) throw error;
            failure = error;
            seconds = Math.max(seconds, error.retryAfterSeconds ?? 0);
          }
          await pause(seconds, deadline.signal);
        }
      } catch (error) {
        if (signal?.aborted) throw abortedError(signal.reason);
        if (deadline.signal.aborted) throw notServedError("TIMEOUT", lateness(timeoutSeconds, answer, failure));
        throw error;
      } finally {
        clearTimeout(timer);
        unfollow();
      }
    },
  };
}

/** Returns whether a later attempt may succeed: the service or a proxy is busy or slow, or the connection broke after it had worked. */
function passes({ code, status }: ZonewrightError, everAnswered: boolean): boolean {
  return (status !== null && busy.has(status)) || code === "TIMEOUT" || (code === "NETWORK_ERROR" && everAnswered);
}

function lateness(seconds: number, answer: ServedRecords | null, failure: ZonewrightError | null): string {
  const start = `Not served after ${seconds} seconds`;
  if (answer === null) return `${start}: ${failure?.message ?? "the service did not answer."}`;
  if (answer.error !== null) return `${start}: ${answer.error}`;
  const late = answer.servers.filter(({ state, counts }) => state !== "current" && counts);
  const named = late.length > 0 ? late : answer.servers.filter(({ counts }) => !counts);
  const reasons = named.map(
    ({ name, address, detail }) => `${name}${address === null ? "" : ` (${address})`}: ${detail ?? ""}`,
  );
  return reasons.length === 0 ? `${start}: no name server could be asked.` : `${start} by ${reasons.join(" ")}`;
}
