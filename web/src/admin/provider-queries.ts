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

/** Connects to the provider. The service keeps the outcome, for everybody who sees the configuration. @returns the provider's refusal, or null */
export async function testConfig(id: string): Promise<string | null> {
  try {
    return (await client.providerConfigs.test.mutate({ id })).error;
  } finally {
    await queries.invalidateQueries({ queryKey: providerConfigs.queryKey });
  }
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
