import { useQuery } from "@tanstack/react-query";
import { client } from "../api.ts";

/** The name of a provider configuration, or the empty string until it is known. */
export function useProviderName(configId: string): string {
  const { data } = useQuery({
    queryKey: ["provider-names"],
    queryFn: async ({ signal }) => {
      const { configs } = await client.providerConfigs.list.query(undefined, { signal });
      return new Map(configs.map(({ id, name }) => [id, name]));
    },
  });
  return data?.get(configId) ?? "";
}
