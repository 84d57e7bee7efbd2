import { useQueries } from "@tanstack/react-query";
import { client } from "../../api.ts";

/** The usernames of some users, by their ids, as they arrive. For administrators. */
export function useUserNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const unique = [...new Set(ids)];
  const results = useQueries({
    queries: unique.map((id) => ({
      queryKey: ["user-name", id],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await client.users.get.query({ id }, { signal })).username,
      staleTime: Infinity,
    })),
  });
  return new Map(unique.flatMap((id, index) => (results[index]?.data ? [[id, results[index].data] as const] : [])));
}
