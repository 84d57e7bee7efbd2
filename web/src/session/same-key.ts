import type { RouterInputs } from "@zonewright/client";
import { sending } from "../api.ts";

const lostForMilliseconds = 600_000;

type Procedure = {
  [Router in keyof RouterInputs]: `${Router}.${keyof RouterInputs[Router] & string}`;
}[keyof RouterInputs];

/** What makes something new each time. A call that sets a state, or looks again, is meant anew by whoever presses again. */
const making: ReadonlySet<string> = new Set<Procedure>([
  "assignments.request",
  "changeRequests.comment",
  "changeRequests.create",
  "portfolio.startImport",
  "replacements.applyPlan",
  "replacements.revert",
  "snapshots.create",
]);

/** Sends what makes something new so that it is made once, if its answer was lost and somebody presses again within ten minutes. */
function withSameKey(send: typeof fetch): typeof fetch {
  const lost = new Map<string, { key: string; until: number }>();
  return async (url, init) => {
    const { "idempotency-key": own, ...headers } = (init?.headers ?? {}) as Record<string, string>;
    // The client sends text to an address given as text.
    const address = url as string;
    if (own === undefined || !making.has(new URL(address).pathname.split("/").at(-1) ?? ""))
      return await send(url, init);
    const change = `${address} ${(init?.body ?? "") as string}`;
    const before = lost.get(change);
    const key = before && before.until > Date.now() ? before.key : own;
    const remember = () => void lost.set(change, { key, until: Date.now() + lostForMilliseconds });
    try {
      const answer = await send(url, { ...init, headers: { ...headers, "idempotency-key": key } });
      // With 409, its own outcome may be too large to be sent again.
      if (answer.ok || answer.status === 409) lost.delete(change);
      else if (answer.status >= 500) remember();
      return answer;
    } catch (error) {
      remember();
      throw error;
    }
  };
}

/** To be called once, before the first change. */
export function keepKeysOfLostAnswers(): void {
  sending.send = withSameKey(sending.send);
}
