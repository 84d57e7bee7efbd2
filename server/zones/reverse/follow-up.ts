import { type Caller, theService, trustedCaller } from "../../access/caller.ts";
import {
  formerPointers,
  linkedChangeSets,
  type Chosen,
  type Reverted,
  type Follow,
  type FollowedChange,
  type FollowedZone,
  type FollowItem,
  type FollowOutcome,
  type FollowPlan,
  type FollowWarning,
} from "../changes/follows.ts";
import type { ReviewPolicy } from "../changes/locks-and-reviews.ts";
import type { ChangePipeline, Planned } from "../changes/pipeline.ts";
import type { ZoneContext } from "../changes/zone-context.ts";
import type { Database, EntityManager } from "../../database/database.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import { isActive, statedDataOf, type PlannedChange, type StatedData } from "../../dns/record.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { AppError } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log.ts";
import { kindOfZone } from "../records/provider-limits.ts";
import {
  followFailed,
  dropFailed,
  endFollow,
  makeDue,
  pendingFollows,
  postponeFollow,
  type PendingFollow,
} from "./pending-follows.ts";
import {
  pointerChanges,
  beyondRights,
  reverseZones,
  seesOwner,
  type PointerChange,
  type ReverseZone,
} from "./pointer-changes.ts";
import { Resolution, pointerPlaces, type Overlay, ManagedZones } from "./places.ts";
import { liveAtNames, pageRows } from "../changes/state/live-queries.ts";
import { absoluteName } from "../../dns/names/names.ts";
import { touchedAddresses, type TouchedAddress } from "../../dns/reverse/pointers.ts";
import { inChunks } from "../../platform/slices.ts";

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
    chosen: Chosen | Reverted = false,
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

const defaultView = "";

/** Plans the PTR changes that follow changes of a zone's addresses. Empty if the zone's `reverse` is off, or no address is touched. */
async function planFollows(
  em: EntityManager,
  caller: Caller,
  connections: ProviderConnections,
  {
    zone,
    changes,
    chosen,
    review,
  }: { zone: FollowedZone; changes: readonly PlannedChange[]; chosen: Chosen | Reverted; review: ReviewPolicy },
): Promise<FollowPlan> {
  const plan: FollowPlan = { listed: [], warnings: [], follows: [], hashed: [] };
  const reverted = isReverted(chosen) ? chosen : null;
  const isOff = zone.reverse === "off" && reverted?.isFollowed !== true;
  const touched = isOff ? [] : touchedAddresses(zone.name, changes);
  if (touched.length === 0) return plan;
  const managed = new ManagedZones();
  const addresses = touched.map(({ address }) => address);
  const places = await pointerPlaces(em, managed, addresses, [zone.view, defaultView]);
  const resolution = new Resolution(managed, await overlayOf(em, zone.id, changes));
  const ids = new Set(
    [...places.values()].flatMap(({ place, bypassed }) => [place.zone.id, bypassed?.zone.id ?? place.zone.id]),
  );
  const zones = await reverseZones(em, caller, connections, review, [...ids]);
  const isChosen = chosenBy(zone, chosen);
  const byZone = new Map<ReverseZone, FollowItem[]>();
  for (const item of touched) {
    const found = places.get(item.address);
    const reverse = found && zones.get(found.place.zone.id);
    if (!found || !reverse) continue;
    const { owner } = found.place;
    if (!seesOwner(reverse, owner) && !reverse.grants) {
      plan.listed.push(hidden(item));
    } else if (found.fault !== null) {
      const text = `${item.address} gets no PTR record: ${found.fault}.`;
      if (item.gained.length > 0) plan.warnings.push({ text, shared: text });
    } else {
      const classless = found.bypassed && zones.get(found.bypassed.zone.id);
      if (found.bypassed && classless && item.gained.length > 0)
        plan.warnings.push(bypassWarning(item, { reverse, owner, classless, inClassless: found.bypassed.owner }));
      const items = byZone.get(reverse) ?? [];
      items.push({ ...item, owner });
      byZone.set(reverse, items);
    }
  }
  for (const [reverse, touching] of byZone) {
    const items = reverted ? await withFormer(em, reverse, touching, reverted) : touching;
    const { changes: pointers, foreign } = await pointerChanges(em, reverse, items, resolution);
    const included = new Set<FollowItem>();
    for (const pointer of pointers) {
      const listed = listedChange(reverse, pointer, isChosen(pointer.item));
      plan.listed.push(listed);
      if (!listed.included) continue;
      included.add(pointer.item);
      plan.hashed.push(hashedChange(reverse, pointer.change));
    }
    if (included.size > 0) plan.follows.push({ domainId: reverse.id, items: [...included] } satisfies Follow);
    for (const { item, target } of foreign) plan.warnings.push(foreignWarning(reverse, item, target));
  }
  return plan;
}

/** Adds the PTR records that the addresses had before the change set that is reverted. */
async function withFormer(
  em: EntityManager,
  reverse: ReverseZone,
  items: readonly FollowItem[],
  reverted: Reverted,
): Promise<FollowItem[]> {
  const owners = items.map(({ owner }) => owner);
  const former = await formerPointers(em, reverse.id, owners, reverted);
  return items.map((item) => ({ ...item, former: former.get(item.owner) ?? [], onlyFormer: reverted.inJob }));
}

function isReverted(chosen: Chosen | Reverted): chosen is Reverted {
  return typeof chosen === "object" && "changeSetId" in chosen;
}

function chosenBy({ reverse }: FollowedZone, chosen: Chosen | Reverted): (item: TouchedAddress) => boolean {
  if (reverse === "follow") return () => true;
  if (isReverted(chosen)) return () => chosen.isFollowed;
  if (typeof chosen === "boolean") return () => chosen;
  const addresses = new Set(chosen);
  return ({ address }) => addresses.has(address);
}

/** Returns the records of the changed names as they will be. */
async function overlayOf(em: EntityManager, domainId: string, changes: readonly PlannedChange[]): Promise<Overlay> {
  const names = new Set(changes.flatMap(({ before, after }) => [before?.name ?? [], after?.name ?? []].flat()));
  const live = await inChunks([...names], pageRows, (some) => liveAtNames(em, domainId, some));
  const changed = new Set(changes.map(({ id }) => id));
  const staying: StatedData[] = live.filter(({ id }) => !changed.has(id));
  const coming = changes.flatMap(({ after }) => after ?? []);
  const records = Map.groupBy([...staying, ...coming].filter(isActive), ({ name }) => name);
  return { domainId, records: new Map([...names].map((name) => [name, records.get(name) ?? []])) };
}

/** An address in a reverse zone that the caller may not see: says nothing about its PTR records. */
function hidden({ address }: TouchedAddress): FollowedChange {
  const nothing = { domainId: null, domainName: null, action: null, recordId: null, record: null, before: null };
  const reason = `Others manage the reverse zone of ${address}. Ask an administrator for its PTR record.`;
  return { address, ...nothing, included: false, reason };
}

function listedChange(zone: ReverseZone, { item, change, refusal }: PointerChange, isChosen: boolean): FollowedChange {
  const { action, before, after } = change;
  const reason = beyondRights(zone, item.owner) ?? refusal;
  // A grant lets people write here, not read: they see only names of their own change.
  const isShown = (record: StatedData) =>
    seesOwner(zone, item.owner) ||
    [item.lost, item.gained, item.respelled ?? []].some((names) => names.includes(record.value));
  const shown = (record: StatedData | null) => (record && isShown(record) ? statedDataOf(record) : null);
  return {
    address: item.address,
    domainId: zone.id,
    domainName: zone.shownName,
    action,
    recordId: before && isShown(before) ? before.id : null,
    record: shown(after ?? before),
    before: action === "update" ? shown(before) : null,
    included: isChosen && reason === null,
    reason,
  };
}

function hashedChange({ id: domainId }: ReverseZone, { action, id, before, after }: PlannedChange): string {
  return JSON.stringify([domainId, action, action === "create" ? null : id, before?.version, after]);
}

/** Says that the PTR record is not in a classless zone, and which CNAME record would have it there. */
function bypassWarning(
  { address }: TouchedAddress,
  {
    reverse,
    owner,
    classless,
    inClassless,
  }: { reverse: ReverseZone; owner: string; classless: ReverseZone; inClassless: string },
): FollowWarning {
  const shared = `The PTR record of ${address} goes to ${reverse.shownName}, which has no CNAME record to a classless zone for it.`;
  if (!seesOwner(classless, inClassless)) return { text: shared, shared };
  const target = absoluteName(inClassless, classless.name);
  const text =
    `The PTR record of ${address} goes to ${reverse.shownName}, not to ${classless.shownName}: there is no CNAME record that leads there. ` +
    `To have it there, create CNAME ${owner} to ${target} in ${reverse.shownName} first.`;
  return { text, shared };
}

function foreignWarning(zone: ReverseZone, { address, owner }: FollowItem, target: string): FollowWarning {
  const pointing = (name: string) =>
    `The PTR record of ${address} stays: it points to ${name}, which is not managed here.`;
  const shared = pointing("a name");
  return { text: seesOwner(zone, owner) ? pointing(target) : shared, shared };
}
