import { queryOptions } from "@tanstack/react-query";
import { client } from "../api.ts";

/** The tags, groups and views in use. */
export const labelsInUse = queryOptions({
  queryKey: ["domain-tags"],
  queryFn: async ({ signal }) => await client.domains.tags.query(undefined, { signal }),
});

/** The provider configurations, by name. */
export const providerConfigs = queryOptions({
  queryKey: ["provider-configs"],
  queryFn: async ({ signal }) => (await client.providerConfigs.list.query(undefined, { signal })).configs,
});
