import { hashKey, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { RouterInputs, RouterOutputs } from "@zonewright/client";
import { client, healing, queries } from "../api.ts";

export type ChangeRequest = RouterOutputs["changeRequests"]["get"];
export type RequestSummary = RouterOutputs["changeRequests"]["list"]["requests"][number];

/** Which requests a list shows. */
export const shownKinds = ["review", "open", "approved", "mine", "all"] as const;
export type Shown = (typeof shownKinds)[number];

export const pageSize = 50;

const filters: Record<Shown, RouterInputs["changeRequests"]["list"]> = {
  review: { toReview: "true" },
  open: { state: "open" },
  approved: { state: "approved" },
  mine: { mine: "true" },
  all: {},
};

/** A page of requests, those of one domain if it is given. */
export function requestsQuery(shown: Shown, page: number, domain?: string) {
  return queryOptions({
    queryKey: ["requests", "list", shown, page, domain ?? null],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      await client.changeRequests.list.query({ ...filters[shown], domain, page, limit: pageSize }, { signal }),
  });
}

const whileOpenMilliseconds = 15_000;

/** A request with its plan as the zone is now. */
export function requestQuery(id: string) {
  return queryOptions({
    queryKey: ["requests", "one", id],
    queryFn: async ({ signal }) => await client.changeRequests.get.query({ id }, { signal }),
    // No event tells when the attempt of a process that crashed has ended, nor when its author withdraws a request.
    refetchInterval: ({ state: { error, data } }) => {
      const open = data?.closedAt === null && whileOpenMilliseconds;
      return healing(error) || (data?.applying === true ? 3_000 : open);
    },
  });
}

/**
 * Whether a request would by now do something else than what somebody read who may still decide about it. What could not be judged when it was
 * read has no `changesHash`, and no PTR records.
 */
export function isOvertaken(read: ChangeRequest, now: ChangeRequest): boolean {
  if (!now.mayReview && !now.mayApply) return false;
  const done = ({ plan, registrationPlan }: ChangeRequest) => hashKey([plan, registrationPlan]);
  const touched = ({ changesHash, reverse }: ChangeRequest) => hashKey([changesHash, reverse]);
  return done(read) !== done(now) || (read.changesHash !== null && touched(read) !== touched(now));
}

/** Reads every request again, after one was changed. */
export async function refreshRequests(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ["requests"] });
}
