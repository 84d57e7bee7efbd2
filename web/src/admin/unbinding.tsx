import { isZonewrightError } from "@zonewright/client";
import { AskFirst } from "../ui/ask-first.tsx";
import { adminWords } from "../words/admin.ts";

const text = adminWords.signIn;

/** Options of a call that may remove identities bound to accounts. */
export const confirmingRemoval = { context: { headers: { "x-confirm-delete": "true" } } };

/** The question of a call that would remove identities, in the service's own words. @throws any other failure */
export function questionOf(failure: unknown): string {
  if (isZonewrightError(failure) && failure.code === "CONFIRMATION_REQUIRED") return failure.message;
  throw failure;
}

/** Asks once more before identities are removed. */
export function Unbinding(props: { message: string; onConfirm: () => void; onClose: () => void }) {
  const { message, onConfirm, onClose } = props;
  return (
    <AskFirst title={text.unbindTitle} action={text.unbind} onConfirm={onConfirm} onClose={onClose}>
      {message}
    </AskFirst>
  );
}
