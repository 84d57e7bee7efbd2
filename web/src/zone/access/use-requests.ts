import { useInfiniteQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { client, queries } from "../../api.ts";
import { useAction } from "../../ui/use-action.ts";
import { zoneName, type Zone } from "../use-zone.ts";

export type Request = RouterOutputs["assignments"]["listRequests"]["requests"][number];

const pageSize = 100;

export interface Requests {
  /** Those of the zone that have been read, newest first. */
  requests: readonly Request[];
  error: unknown;
  /** Whether there may be older ones. */
  hasOlder: boolean;
  /** Reads on until there is another one for the zone. */
  showOlder: () => void;
  reading: boolean;
}

/** The access requests for a zone. The service lists those for all domains: of each page, the zone's are shown. */
export function useRequests(zone: Zone, status?: Request["status"]): Requests {
  const list = useInfiniteQuery({
    queryKey: ["assignment-requests", status ?? "all"],
    initialPageParam: 1,
    queryFn: async ({ pageParam, signal }) =>
      await client.assignments.listRequests.query({ page: pageParam, limit: pageSize, status }, { signal }),
    getNextPageParam: ({ total }, pages) => (pages.length * pageSize < total ? pages.length + 1 : undefined),
  });
  const older = useAction(async () => {
    const before = ofZone(zone, list.data?.pages).length;
    for (let read = await list.fetchNextPage(); ; read = await list.fetchNextPage()) {
      if (read.error !== null) throw read.error;
      if (!read.hasNextPage || ofZone(zone, read.data?.pages).length > before) return;
    }
  });
  return {
    requests: ofZone(zone, list.data?.pages),
    error: older.error ?? list.error,
    hasOlder: list.hasNextPage,
    showOlder: () => void older.run(),
    reading: older.pending,
  };
}

/** A request that was made while the pages were read can move another onto the next page. */
function ofZone(zone: Zone, pages: readonly { requests: readonly Request[] }[] = []): readonly Request[] {
  const all = new Map(pages.flatMap(({ requests }) => requests).map((request) => [request.id, request]));
  return [...all.values()].filter(({ domainId, domainName }) => domainId === zone.id || domainName === zoneName(zone));
}

/** Reads the requests again, after one was made or decided. */
export async function refreshRequests(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ["assignment-requests"] });
}
