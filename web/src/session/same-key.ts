import { sending } from "../api.ts";

const lostForMilliseconds = 600_000;

/** Sends changes so that one whose answer was lost is made once, although somebody presses again within ten minutes. */
function withSameKey(send: typeof fetch): typeof fetch {
  let lost: { change: string; key: string; until: number } | null = null;
  return async (url, init) => {
    const { "idempotency-key": own, ...headers } = (init?.headers ?? {}) as Record<string, string>;
    // The client sends text to an address given as text.
    const change = `${url as string} ${(init?.body ?? "") as string}`;
    // A plan makes no change.
    if (own === undefined || /\.plan|"dryRun":true/.test(change)) return await send(url, init);
    const key = lost?.change === change && lost.until > Date.now() ? lost.key : own;
    const sent = { change, key, until: Date.now() + lostForMilliseconds };
    try {
      const answer = await send(url, { ...init, headers: { ...headers, "idempotency-key": key } });
      // What is made next may be its opposite, so that the same change is wanted anew. With 409, its own outcome may be too large to be sent again.
      if (answer.ok || answer.status === 409) lost = null;
      else if (answer.status >= 500) lost = sent;
      return answer;
    } catch (error) {
      lost = sent;
      throw error;
    }
  };
}

/** To be called once, before the first change. */
export function keepKeysOfLostAnswers(): void {
  sending.send = withSameKey(sending.send);
}
