import { useQueries } from "@tanstack/react-query";
import { isZonewrightError } from "@zonewright/client";
import { client } from "../api.ts";

/** The usernames of some users, by their ids, as they arrive; null for a deleted user. For administrators and auditors. */
export function useUserNames(ids: readonly string[]): ReadonlyMap<string, string | null> {
  const unique = [...new Set(ids)];
  const results = useQueries({
    queries: unique.map((id) => ({
      queryKey: ["user-name", id],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        try {
          return (await client.users.get.query({ id }, { signal })).username;
        } catch (error) {
          if (isZonewrightError(error) && error.code === "NOT_FOUND") return null;
          throw error;
        }
      },
      staleTime: Infinity,
    })),
  });
  return new Map(
    unique.flatMap((id, index) => {
      const name = results[index]?.data;
      return name === undefined ? [] : [[id, name] as const];
    }),
  );
}
