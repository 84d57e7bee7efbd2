import { useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { client } from "../api.ts";

export type ProviderConfig = RouterOutputs["providerConfigs"]["list"]["configs"][number];

/** The provider configurations, by name; none before the first answer. */
export function useProviderConfigs(): readonly ProviderConfig[] {
  const { data } = useQuery({
    queryKey: ["provider-configs"],
    queryFn: async ({ signal }) => (await client.providerConfigs.list.query(undefined, { signal })).configs,
    staleTime: 60_000,
  });
  return data ?? [];
}
