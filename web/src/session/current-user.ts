import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { isZonewrightError } from "@zonewright/client";
import { client, mayHaveSession, queries } from "../api.ts";

export type CurrentUser = RouterOutputs["auth"]["me"];

/** The last user who was signed in here. */
let last: CurrentUser | null = null;

/** The signed-in user, or null. */
export const currentUser = queryOptions({
  queryKey: ["me"],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<CurrentUser | null> => {
    if (!mayHaveSession()) return null;
    try {
      last = await client.auth.me.query(undefined, { signal });
      return last;
    } catch (error) {
      if (isZonewrightError(error) && error.code === "UNAUTHORIZED") return null;
      throw error;
    }
  },
});

/** The signed-in user, for pages behind the sign-in. After the session ended, still the one who was: their work waits on the page. */
export function useUser(): CurrentUser {
  const { data } = useSuspenseQuery(currentUser);
  const user = data ?? last;
  if (!user) throw new Error("Nobody is signed in.");
  return user;
}

/** Reads the user again, after the sign-in or a change of the profile. */
export async function refreshUser(): Promise<CurrentUser | null> {
  return await queries.fetchQuery({ ...currentUser, staleTime: 0 });
}
