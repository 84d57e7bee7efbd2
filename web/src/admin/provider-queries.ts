import { queryOptions } from "@tanstack/react-query";
import { isZonewrightError } from "@zonewright/client";
import { client, queries } from "../api.ts";

/** The kinds of providers with their fields. */
export const providerKinds = queryOptions({
  queryKey: ["provider-kinds"],
  staleTime: Infinity,
  queryFn: async ({ signal }) => (await client.providers.list.query(undefined, { signal })).providers,
});

/** The provider configurations, by name. */
export const providerConfigs = queryOptions({
  queryKey: ["provider-configs"],
  queryFn: async ({ signal }) => (await client.providerConfigs.list.query(undefined, { signal })).configs,
});

export interface Tested {
  at: Date;
  zones: number;
  error: string | null;
}

/** The last test of a configuration in this browser tab. */
export function lastTest(id: string) {
  return queryOptions<Tested | null>({
    queryKey: ["provider-test", id],
    queryFn: () => null,
    enabled: false,
    staleTime: Infinity,
    gcTime: Infinity,
  });
}

/** Connects to the provider and remembers how it went. */
export async function testConfig(id: string): Promise<Tested> {
  const { error, zones } = await client.providerConfigs.test.mutate({ id });
  const tested = { at: new Date(), zones: zones ?? 0, error };
  queries.setQueryData(lastTest(id).queryKey, tested);
  return tested;
}

/** Reads the configurations again wherever they are shown. */
export async function configsChanged(): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ["provider-configs"] }),
    queries.invalidateQueries({ queryKey: ["provider-names"] }),
  ]);
}

/** The sentence about a setting, or null. */
export function configIssue(error: unknown, field: string): string | null {
  if (!isZonewrightError(error)) return null;
  return error.issues?.find(({ path }) => path[0] === "config" && path[1] === field)?.message ?? null;
}
