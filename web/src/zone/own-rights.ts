import { useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { client } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { assignedRights, type EditablePart, type OwnRights } from "./assigned-rights.ts";
import { zoneWords } from "../words/zone.ts";
import type { Zone } from "./use-zone.ts";

const everything: OwnRights = {
  locked: false,
  edits: () => true,
  writes: () => true,
  offers: () => true,
  unlocks: true,
  seesAll: true,
  parts: null,
};
const nothing: OwnRights = {
  locked: true,
  edits: () => false,
  writes: () => false,
  offers: () => false,
  unlocks: false,
  seesAll: false,
  parts: [],
};

/** What the signed-in user may do with the records of a zone. Until it is known, nothing. */
export function useOwnRights(zone: Pick<Zone, "id" | "ownerId" | "protectMail">): OwnRights {
  const user = useUser();
  const manages = user.role === "admin" || (user.role === "member" && zone.ownerId === user.id);
  const { data } = useQuery({
    queryKey: ["own-rights", zone.id],
    enabled: !manages && user.role === "member",
    queryFn: async ({ signal }) => await assignmentsOf(zone, user, signal),
  });
  if (manages) return everything;
  if (user.role !== "member") return nothing;
  return data ? assignedRights(data, zone.protectMail) : nothing;
}

/** All assignments of a user in a zone. */
export async function assignmentsOf(zone: Pick<Zone, "id">, user: { id: string }, signal: AbortSignal) {
  const found: RouterOutputs["assignments"]["list"]["assignments"] = [];
  for (let page = 1; ; page += 1) {
    const input = { domainId: zone.id, userId: user.id, page, limit: 100 };
    const { assignments, total } = await client.assignments.list.query(input, { signal });
    found.push(...assignments);
    if (assignments.length === 0 || found.length >= total) return found;
  }
}

/** A host pattern as people say it. */
export function hostsText(pattern: string): string {
  return pattern === "*" ? zoneWords.allHosts : pattern;
}

/** The records of an assignment as people say it. */
export function recordsText({ subdomainPattern, recordTypes }: EditablePart): string {
  const hosts = hostsText(subdomainPattern);
  return recordTypes.length === 0 ? hosts : `${hosts} (${recordTypes.join(", ")})`;
}

/** The parts of a zone that a member may change, as a sentence; null for those who may change all of it, or nothing. */
export function partsText({ parts }: OwnRights): string | null {
  if (parts === null || parts.length === 0) return null;
  return zoneWords.mayChange([...new Set(parts.map(recordsText))].join(", "));
}
