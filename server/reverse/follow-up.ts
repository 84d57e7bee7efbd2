import { theService } from "../access/actor.ts";
import type { Caller } from "../access/caller.ts";
import { trustedCaller } from "../access/trusted-caller.ts";
import { linkedChangeSets, type Chosen, type FollowedZone, type FollowOutcome } from "../changes/follows.ts";
import type { ReviewPolicy } from "../changes/review-policy.ts";
import type { ChangePipeline, Planned } from "../changes/pipeline.ts";
import type { ZoneContext } from "../changes/zone-context.ts";
import type { Database, EntityManager } from "../database/database.ts";
import type { ProviderConnections } from "../dns-providers/connections.ts";
import type { PlannedChange } from "../dns/record.ts";
import type { Notifications } from "../notifications/notify.ts";
import { AppError } from "../platform/errors.ts";
import type { Logger } from "../platform/log.ts";
import { kindOfZone } from "../records/provider-limits.ts";
import { followFailed } from "./failed-notice.ts";
import { ManagedZones } from "./managed-zones.ts";
import {
  dropFailed,
  endFollow,
  makeDue,
  pendingFollows,
  postponeFollow,
  type PendingFollow,
} from "./pending-follows.ts";
import { planFollows } from "./planner.ts";
import { pointerChanges } from "./pointer-changes.ts";
import { Resolution } from "./resolution.ts";

/** The first retries come after 1, 2, 4 … minutes, the later ones hourly: the last about 8 hours after the change. */
const firstRetryMilliseconds = 60_000;
const longestRetryMilliseconds = 3_600_000;
const mostAttempts = 13;
const mostInRun = 200;
/** A caller waits for no zone that is begun later. The job carries out the rest. */
const callerWaitMilliseconds = 15_000;

interface Parts {
  database: Database;
  connections: ProviderConnections;
  review: ReviewPolicy;
  notifications: Notifications;
  log: Logger;
  now: () => Date;
}

interface FollowPlanned extends Planned {
  /** The first change that the reverse zone cannot hold, and how many there are. */
  refused: { message: string; count: number } | null;
}

/**
 * Lets PTR records follow the addresses of other zones. What must follow is stored with the change; each reverse zone is then a change set of
 * its own. It is planned anew when its turn comes, from the addresses as they are by then, so repeating it does no harm.
 */
export class ReverseFollows {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Plans what follows changes of a zone's addresses. */
  async plan(
    em: EntityManager,
    caller: Caller,
    zone: FollowedZone,
    changes: readonly PlannedChange[],
    chosen: Chosen = false,
  ) {
    return await planFollows(em, caller, this.#parts.connections, {
      zone,
      changes,
      chosen,
      review: this.#parts.review,
    });
  }

  /** Carries out what follows a change set, zone by zone. What fails is retried by `ReverseFollowJob`. Never throws. */
  async carryOut(pipeline: ChangePipeline, caller: Caller, changeSetId: string): Promise<FollowOutcome[]> {
    const { database, log } = this.#parts;
    const deadline = performance.now() + callerWaitMilliseconds;
    try {
      const outcomes: FollowOutcome[] = [];
      for (const follow of await pendingFollows(database.fork(), { changeSetId })) {
        const { domainId, domainName } = follow;
        const isLate = performance.now() > deadline;
        const made = isLate
          ? { revision: null, error: later }
          : await this.attempt(pipeline, follow, trustedCaller(caller));
        outcomes.push({ domainId, domainName, ...made });
      }
      return outcomes;
    } catch (error) {
      log.error({ err: error, changeSetId }, "PTR records could not follow a change yet");
      return [];
    }
  }

  /** Changes one reverse zone. Schedules another attempt if that fails. */
  async attempt(
    pipeline: ChangePipeline,
    follow: PendingFollow,
    caller: Caller,
  ): Promise<{ revision: number | null; error: string | null }> {
    const { database, log } = this.#parts;
    try {
      const { revision, error } = await this.#change(pipeline, follow, caller);
      if (error === null) await endFollow(database.fork(), follow.id);
      else await this.#postpone(follow, error);
      return { revision, error };
    } catch (error) {
      if (!(error instanceof AppError))
        log.error({ err: error, domainId: follow.domainId }, "PTR records could not follow");
      const message = error instanceof AppError ? error.message : "An internal error occurred.";
      await this.#postpone(follow, message);
      return { revision: null, error: message };
    }
  }

  async #change(pipeline: ChangePipeline, { domainId, changeSetId, items, actorRole }: PendingFollow, caller: Caller) {
    const fork = this.#parts.database.fork();
    const {
      planned,
      outcomes,
      revision,
      changeSetId: madeId,
    } = await pipeline.run<FollowPlanned>(fork, {
      domainId,
      caller,
      role: actorRole,
      need: "write",
      kind: items.length === 1 ? "edit" : "bulk",
      cause: { causedBy: changeSetId },
      plan: (em, zone) => planFollow(em, zone, items),
    });
    const failures = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.message]));
    const count = failures.length + (planned.refused?.count ?? 0);
    const [message = planned.refused?.message] = failures;
    const error = message === undefined ? null : `${count} of the PTR changes failed: ${message}`;
    if (madeId !== null) return { revision: outcomes.some(({ ok }) => ok) ? revision : null, error };
    // An earlier attempt, interrupted before it could say so, may have made the changes.
    const linked = await linkedChangeSets(this.#parts.database.fork(), changeSetId);
    return { revision: linked.findLast((set) => set.domainId === domainId)?.revision ?? null, error };
  }

  /** Schedules another attempt; after the last one, gives up and notifies. */
  async #postpone(follow: PendingFollow, error: string): Promise<void> {
    const { database, notifications, log, now } = this.#parts;
    const attempts = follow.attempts + 1;
    const details = { domainId: follow.domainId, changeSetId: follow.changeSetId, attempts, error };
    if (attempts < mostAttempts) {
      const wait = Math.min(firstRetryMilliseconds * 2 ** follow.attempts, longestRetryMilliseconds);
      await postponeFollow(database.fork(), follow.id, new Date(now().getTime() + wait));
      log.warn(details, "PTR records could not follow a change yet");
      return;
    }
    await database.fork().transactional(async (tx) => {
      await endFollow(tx, follow.id);
      await notifications.notifyAll(tx, followFailed(follow, error));
    });
    log.error(details, "gave up letting PTR records follow a change");
  }
}

interface JobParts {
  database: Database;
  pipeline: ChangePipeline;
  follows: ReverseFollows;
  log: Logger;
  now: () => Date;
}

/** Carries out what follows change sets and has failed before, or was interrupted. */
export class ReverseFollowJob {
  readonly #parts: JobParts;
  readonly #stopping = new AbortController();
  #first: Promise<void> = Promise.resolve();

  constructor(parts: JobParts) {
    this.#parts = parts;
  }

  /** Starts carrying out what a crash left. Nothing else uses an embedded database, so all of it is due. */
  async start(): Promise<void> {
    const { database, now } = this.#parts;
    if (database.embedded) await makeDue(database.fork(), now());
    this.#first = this.runOnce(this.#stopping.signal);
  }

  /** Stops the first run if it is still going. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#first;
  }

  /** Carries out what is due. */
  async runOnce(signal?: AbortSignal): Promise<void> {
    const { database, pipeline, follows, log, now } = this.#parts;
    try {
      await dropFailed(database.fork());
      for (const follow of await pendingFollows(database.fork(), { dueAt: now(), most: mostInRun })) {
        if (signal?.aborted) return;
        const caller = trustedCaller({ ...theService, userId: follow.actorId, at: now() });
        await follows.attempt(pipeline, follow, caller);
      }
    } catch (error) {
      log.error({ err: error }, "could not look for PTR records that must follow a change");
    }
  }
}

const later = "The PTR records of this zone follow in the background.";

/** Plans the PTR changes of a reverse zone from what its addresses are now. */
async function planFollow(em: EntityManager, zone: ZoneContext, items: PendingFollow["items"]): Promise<FollowPlanned> {
  // A new PTR record gets the default TTL, which depends on the zone at some providers.
  const kind = await kindOfZone(zone, [undefined]);
  const { changes } = await pointerChanges(em, { ...zone, kind }, items, new Resolution(new ManagedZones()));
  const refused = changes.flatMap(({ refusal }) => refusal ?? []);
  const [message] = refused;
  return {
    changes: changes.flatMap(({ change, refusal }) => (refusal === null ? [change] : [])),
    refused: message === undefined ? null : { message, count: refused.length },
  };
}
