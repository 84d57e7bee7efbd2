import { toast } from "../ui/toast.tsx";
import { sessionWords } from "../words/session.ts";
import type { ExternalReturn } from "./external.ts";
import { endExternal } from "./journey.ts";

/** Says how a return from an identity provider ended, to someone who is signed in. */
function sayReturn(back: ExternalReturn): void {
  const errors: Readonly<Record<string, string>> = sessionWords.errors;
  if (back.kind === "bound") toast({ title: sessionWords.bound(back.providerId) });
  else if (back.kind === "error") toast({ title: errors[back.code] ?? sessionWords.errors.unknown });
}

/** Ends the journey of a return. @returns the page where it began, if that was remembered */
export function endReturn(back: ExternalReturn, isSignedIn: boolean): string | undefined {
  if (isSignedIn) sayReturn(back);
  return endExternal()?.next;
}
