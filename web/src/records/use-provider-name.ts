import { useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { client } from "../api.ts";
import { formatTtl } from "../ui/ttl.ts";
import { recordsWords } from "../words/records.ts";

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

/** A kind of providers, with what it can store. */
export type ProviderKind = RouterOutputs["providers"]["list"]["providers"][number];

/** The kind of a zone's provider: undefined until it is known, null if it cannot be read. */
export function useProviderKind({ providerId }: { providerId: string }): ProviderKind | null | undefined {
  const { data, error } = useQuery({
    queryKey: ["provider-kinds"],
    staleTime: Infinity,
    queryFn: async ({ signal }) => (await client.providers.list.query(undefined, { signal })).providers,
  });
  if (!data) return error ? null : undefined;
  return data.find(({ id }) => id === providerId) ?? null;
}

/** The TTL of a record in words. A proxied record says that it is: the provider chooses its TTL. */
export function ttlText(
  { ttl, proxied = false }: { ttl: number; proxied?: boolean | undefined },
  kind?: ProviderKind | null,
): string {
  if (proxied) return recordsWords.proxied;
  return ttl === kind?.automaticTtl ? recordsWords.ttlAutomatic : formatTtl(ttl);
}
