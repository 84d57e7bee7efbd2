import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { isZonewrightError } from "@zonewright/client";
import { useState } from "react";
import { client, mayHaveSession, queries } from "../api.ts";

export type CurrentUser = RouterOutputs["auth"]["me"];

/** The signed-in user, or null. */
export const currentUser = queryOptions({
  queryKey: ["me"],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<CurrentUser | null> => {
    if (!mayHaveSession()) return null;
    try {
      return await client.auth.me.query(undefined, { signal });
    } catch (error) {
      if (isZonewrightError(error) && error.code === "UNAUTHORIZED") return null;
      throw error;
    }
  },
});

/** The signed-in user, for pages behind the sign-in. While a page is left after the session ended, still the one who was. */
export function useUser(): CurrentUser {
  const { data } = useSuspenseQuery(currentUser);
  const [last, setLast] = useState(data);
  if (data && data !== last) setLast(data);
  const user = data ?? last;
  if (!user) throw new Error("Nobody is signed in.");
  return user;
}

/** Reads the user again, after the sign-in or a change of the profile. */
export async function refreshUser(): Promise<CurrentUser | null> {
  return await queries.fetchQuery({ ...currentUser, staleTime: 0 });
}
