import { refuse } from "../../platform/result.ts";
import { ProviderError } from "../provider.ts";

/**
 * Makes a call that takes back what an earlier one of the same set did.
 * @param reason why: what was refused.
 * @throws ProviderError with effect `unknown` where it fails
 */
export async function takeBack(
  call: () => Promise<{ ok: true } | { ok: false; message: string }>,
  reason: string,
): Promise<void> {
  let answered = true;
  const answer = await call().catch((error: unknown) => {
    if (!(error instanceof ProviderError)) throw error;
    ({ answered } = error);
    return refuse(error.message);
  });
  if (answer.ok) return;
  const message = `${reason.replace(/[^.!?]$/, "$&.")} What had been done of the set before could not be taken back: ${answer.message}`;
  throw new ProviderError(message, "unknown", { answered, refusal: reason });
}
