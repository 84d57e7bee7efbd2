import { queryOptions, useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { client, messageOf, queries } from "../api.ts";
import { toast } from "../ui/toast.tsx";

type Preferences = RouterOutputs["profile"]["preferences"];
export type SavedSearch = Preferences["savedSearches"][number];

const preferences = queryOptions({
  queryKey: ["preferences"],
  queryFn: async ({ signal }) => await client.profile.preferences.query(undefined, { signal }),
});

/** What the user chose for their own pages; undefined until it is known. */
export function usePreferences(): Preferences | undefined {
  return useQuery(preferences).data;
}

/** Changes what is stored now, which another browser may have changed. @throws what the service answers */
export async function changePreferences(change: (now: Preferences) => Partial<Preferences>): Promise<void> {
  const now = await queries.fetchQuery({ ...preferences, staleTime: 0 });
  queries.setQueryData(preferences.queryKey, await client.profile.updatePreferences.mutate(change(now)));
}

/** Like {@link changePreferences}, for what has no form: a failure is a message. */
export function changePreferencesOrSay(change: (now: Preferences) => Partial<Preferences>): void {
  void changePreferences(change).catch((error: unknown) => toast({ title: messageOf(error) }));
}

/** Pins a zone, by the name in its address, or takes the pin away. */
export function togglePin(name: string): void {
  changePreferencesOrSay(({ pinnedZones }) => ({
    pinnedZones: pinnedZones.includes(name) ? pinnedZones.filter((each) => each !== name) : [...pinnedZones, name],
  }));
}
