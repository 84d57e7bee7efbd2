import { queryOptions, useQuery } from "@tanstack/react-query";
import { client } from "../api.ts";
import { formatTtl } from "../ui/ttl.ts";
import { zoneWords } from "../words/zone.ts";
import { shortestTtl, ttlText, type ProviderKind } from "./ttl.ts";

/** A domain whose provider's kind is known, or one that is asked for it if need be. */
export type TtlPlace = { providerId: string } | { domainId: string | null };

/** All kinds of providers. They stay as they are until the service is upgraded. */
export const providerKinds = queryOptions({
  queryKey: ["provider-kinds"],
  staleTime: Infinity,
  queryFn: async ({ signal }) => (await client.providers.list.query(undefined, { signal })).providers,
});

/** The kind of a zone's provider: undefined until it is known, null if it cannot be read. */
export function useProviderKind({ providerId }: { providerId: string | undefined }): ProviderKind | null | undefined {
  const { data, error } = useQuery({ ...providerKinds, enabled: providerId !== undefined });
  if (!data) return error ? null : undefined;
  return data.find(({ id }) => id === providerId) ?? null;
}

/** Whether a TTL of 1 is automatic in a domain. False until it is known, and if nobody needs to know: then nothing is asked for. */
export function useIsAutomatic(place: TtlPlace, needed: boolean): boolean {
  const domainId = "domainId" in place ? place.domainId : null;
  const { data } = useQuery({
    queryKey: ["provider-of", domainId],
    enabled: needed && domainId !== null,
    queryFn: async ({ signal }) => (await client.domains.get.query({ id: domainId ?? "" }, { signal })).providerId,
  });
  const providerId = "providerId" in place ? place.providerId : data;
  const kind = useProviderKind({ providerId: needed ? providerId : undefined });
  return needed && kind?.automaticTtl === shortestTtl;
}

/** The TTL of a record of a domain. Only the shortest one asks what the provider means by it. */
export function Ttl({ ttl, proxied, place }: { ttl: number; proxied: boolean; place: TtlPlace }) {
  return ttl === shortestTtl && !proxied ? <ShortestTtl place={place} /> : ttlText({ ttl, proxied });
}

function ShortestTtl({ place }: { place: TtlPlace }) {
  return useIsAutomatic(place, true) ? zoneWords.ttlAutomatic : formatTtl(shortestTtl);
}
