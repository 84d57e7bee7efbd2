import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { isZonewrightError, type RouterOutputs } from "@zonewright/client";
import { client, queries } from "../api.ts";

/** A domain with all of its fields. */
export type Zone = RouterOutputs["domains"]["get"];

/** A name of a domain leads to one, to none, or to several views of which none is the default. */
export type FoundZone =
  | { kind: "found"; zone: Zone }
  | { kind: "missing" }
  | { kind: "ambiguous"; choices: readonly string[] };

/** As many zones as a template is applied to at a time: each is planned and changed by a call of its own. */
export const mostZones = 50;

/** `example.com!internal`, or `example.com` in the default view: the name in the address of a domain's pages. */
export function zoneName({ name, view }: Pick<Zone, "name" | "view">): string {
  return view === "" ? name : `${name}!${view}`;
}

/** The domain of a name as it stands in the address. Its key is `["zone", name]`. */
export function zoneQuery(name: string) {
  return queryOptions({
    queryKey: ["zone", name],
    queryFn: async ({ signal }): Promise<FoundZone> => {
      try {
        const { domains } = await client.domains.list.query({ name, limit: 1 }, { signal });
        const [domain] = domains;
        if (!domain) return { kind: "missing" };
        return { kind: "found", zone: await client.domains.get.query({ id: domain.id }, { signal }) };
      } catch (error) {
        if (!isZonewrightError(error)) throw error;
        if (error.code === "CONFLICT") return { kind: "ambiguous", choices: await viewsOf(name, signal) };
        // Not a possible name, or deleted between the two calls.
        if (error.code === "BAD_REQUEST" || error.code === "NOT_FOUND") return { kind: "missing" };
        throw error;
      }
    },
  });
}

async function viewsOf(name: string, signal: AbortSignal): Promise<string[]> {
  const { domains } = await client.domains.list.query({ search: name, limit: 100 }, { signal });
  const same = name.toLowerCase().replace(/\.$/, "");
  return domains.filter((domain) => domain.name === same).map(zoneName);
}

/** The name in the address of the zone's pages. */
export function useZoneName(): string {
  return useParams({ from: "/inside/d/$name" }).name;
}

/** The domain of the pages below `/d/…`. They are shown only when it was found. */
export function useZone(): Zone {
  const { data } = useSuspenseQuery(zoneQuery(useZoneName()));
  if (data.kind !== "found") throw new Error("The zone's pages need a zone.");
  return data.zone;
}

/** Reads the domain again, after something about it changed. */
export async function refreshZone(name: string): Promise<void> {
  await queries.invalidateQueries({ queryKey: ["zone", name] });
}

/** Reads the domain and its records again, after this page changed them. */
export async function refreshRecords(zone: Zone): Promise<void> {
  await Promise.all([refreshZone(zoneName(zone)), queries.invalidateQueries({ queryKey: ["records", zone.id] })]);
}

/** Takes a changed domain into the cache, so that the page shows it immediately. */
export function storeZone(name: string, zone: Zone): void {
  const found: FoundZone = { kind: "found", zone };
  queries.setQueryData(zoneQuery(name).queryKey, found);
  void queries.invalidateQueries({ queryKey: ["domains"], refetchType: "none" });
}
