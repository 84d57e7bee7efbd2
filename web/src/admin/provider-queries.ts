import { queryOptions } from "@tanstack/react-query";
import { isZonewrightError } from "@zonewright/client";
import { client, queries } from "../api.ts";
import { local } from "../ui/storage.ts";

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

const testKey = (id: string) => `zonewright.provider-test.${id}`;

/** The last test of a configuration in this browser: the service keeps none. */
export function lastTest(id: string) {
  return queryOptions<Tested | null>({
    queryKey: ["provider-test", id],
    queryFn: () => {
      const stored = JSON.parse(local.getItem(testKey(id)) ?? "null") as (Omit<Tested, "at"> & { at: string }) | null;
      return stored && { ...stored, at: new Date(stored.at) };
    },
    staleTime: 0,
  });
}

/** Remembers whether the provider could be reached, and how many zones it has. */
export function noteTest(id: string, { zones, error }: Pick<Tested, "zones" | "error">): Tested {
  const tested = { at: new Date(), zones, error };
  local.setItem(testKey(id), JSON.stringify(tested));
  queries.setQueryData(lastTest(id).queryKey, tested);
  return tested;
}

/** Connects to the provider and remembers how it went. */
export async function testConfig(id: string): Promise<Tested> {
  const { error, zones } = await client.providerConfigs.test.mutate({ id });
  return noteTest(id, { zones: zones ?? 0, error });
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
