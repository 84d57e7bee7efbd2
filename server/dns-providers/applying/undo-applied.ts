import { refuse } from "../../platform/result.ts";
import { ProviderError } from "../provider.ts";

/**
 * Makes a call that undoes an earlier call of the same set.
 * @param reason the refusal that made it necessary.
 * @throws ProviderError with effect `unknown` if it fails
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
  const message = `${reason.replace(/[^.!?]$/, "$&.")} Earlier changes in the set could not be undone: ${answer.message}`;
  throw new ProviderError(message, "unknown", { answered, refusal: reason });
}
