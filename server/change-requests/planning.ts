import { permitted, type Caller } from "../access/caller.ts";
import { presentCaller } from "../access/present-caller.ts";
import { outsideRights, rightsOf, zoneFor } from "../access/zone-access.ts";
import type { FollowedChange } from "../changes/follows.ts";
import type { EntityManager } from "../database/database.ts";
import { countActions } from "../dns/record.ts";
import { AppError } from "../platform/errors.ts";
import type { EditPlan } from "../records/editing/plan-edits.ts";
import { planHash } from "../records/editing/reviewed-plan.ts";
import { planView } from "../records/plan-view.ts";
import type { Records } from "../records/service.ts";
import { rrsetHash, touchedPlaces, type Place } from "./rrset-hash.ts";
import type { StoredPlan, StoredRequest } from "./store.ts";

/** A request's plan as its zone is now. */
export interface FreshPlan extends StoredPlan {
  plan: Awaited<ReturnType<typeof planView>> & { warnings: string[] };
  /** Ties the plan to the zone's present revision. */
  planHash: string;
  /** The PTR changes that belong to it. */
  listed: FollowedChange[];
}

/** Returns a plan as requests store and show it. */
export async function freshPlan(em: EntityManager, planned: EditPlan): Promise<FreshPlan> {
  const { zone, changes, followed } = planned;
  const shared = new Map(followed?.warnings.map((warning) => [warning.text, warning.shared]));
  const warnings = planned.warnings.map((text) => shared.get(text) ?? text);
  return {
    places: touchedPlaces(changes),
    plan: { ...(await planView(changes)), warnings },
    changesHash: await rrsetHash(em, zone.id, changes, followed?.hashed),
    planHash: await planHash(zone, changes, followed?.hashed),
    listed: followed?.listed ?? [],
    ...countActions(changes),
  };
}

/** Returns the author of a request with their present rights. @throws AppError CONFLICT if they are gone or their token is */
export async function presentAuthor(em: EntityManager, request: StoredRequest, now: Date): Promise<Caller> {
  const author = await presentCaller(em, request.author, "requests:write", now);
  if (author) return author;
  throw authorGone();
}

export function authorGone(): AppError {
  return new AppError(
    "CONFLICT",
    "The author of this request was deleted or disabled, or the personal token that made it is no longer valid. Request the change again.",
  );
}

/** Plans a request anew, with its author's present rights. @throws AppError as `Records.plan`, and CONFLICT */
export async function planRequest(
  em: EntityManager,
  records: Records,
  request: StoredRequest & { domainId: string },
  now: Date,
): Promise<FreshPlan> {
  const author = await presentAuthor(em, request, now);
  const { domainId: id, changes, reverse, unlock } = request;
  return await freshPlan(em, await records.draft(em, author, { id, changes, reverse, unlock }));
}

/** Returns whether a caller may change records themselves, without a review. */
export async function mayChange(
  em: EntityManager,
  caller: Caller,
  domainId: string,
  places: readonly Place[],
): Promise<boolean> {
  const { rights } = await zoneFor(em, caller, domainId, "read");
  return places.every((place) => outsideRights(place, rights) === null);
}

/** Refuses a change without an approval to a personal token that could not make it itself. @throws AppError FORBIDDEN */
export async function refuseBeyondToken(em: EntityManager, caller: Caller, plan: EditPlan): Promise<void> {
  permitted(caller, "records:write");
  const { narrowing } = caller;
  if (narrowing === null) return;
  const { rights } = await zoneFor(em, caller, plan.zone.id, "read");
  const [reason] = touchedPlaces(plan.changes).flatMap((place) => outsideRights(place, rights) ?? []);
  if (reason !== undefined) throw new AppError("FORBIDDEN", reason);
  for (const { included, address, domainId, record } of plan.followed?.listed ?? []) {
    if (!included || domainId === null) continue;
    if (narrowing.domainIds?.includes(domainId) !== false && record && narrowing.scope.includes(record)) continue;
    throw new AppError(
      "FORBIDDEN",
      `The PTR record of ${address} would follow, which this token does not cover. Use one that does.`,
    );
  }
}

/** Leaves out what a reader may not see of the PTR changes in somebody else's plan. */
export async function listedFor(
  em: EntityManager,
  reader: Caller,
  listed: readonly FollowedChange[],
): Promise<FollowedChange[]> {
  const sees = new Map<string, (place: Place) => boolean>();
  const shown: FollowedChange[] = [];
  for (const change of listed) {
    const { domainId, record } = change;
    if (domainId === null) {
      shown.push(change);
      continue;
    }
    let maySee = sees.get(domainId);
    if (!maySee) {
      const rights = await rightsOf(em, reader, domainId);
      maySee = (place) => rights?.sees.includes(place) ?? false;
      sees.set(domainId, maySee);
    }
    if (record && maySee(record)) shown.push(change);
    else
      shown.push({
        ...change,
        domainId: null,
        domainName: null,
        action: null,
        recordId: null,
        record: null,
        before: null,
      });
  }
  return shown;
}
