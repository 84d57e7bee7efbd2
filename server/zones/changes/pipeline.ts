import type { Need } from "../../access/zone-access.ts";
import type { Caller } from "../../access/caller.ts";
import { unlessNull, type Database, type EntityManager } from "../../database/database.ts";
import type { Sent } from "../../database/statements.ts";
import { throughProvider, type ChangeOutcome } from "../../dns-providers/provider.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import { bookmark } from "./bookmark.ts";
import { settle, type Cause } from "./settle.ts";
import { storeFollows, type Follow, type FollowOutcome } from "./follows.ts";
import { fingerprintOf } from "./state/compare-with-provider.ts";
import type { ChangeSetKind } from "../../database/tables/changes.ts";
import { takeLease, zoneTurn, type Lease, lockZone, readZoneContext, type ZoneContext } from "./zone-context.ts";
import { AppError } from "../../platform/errors.ts";
import type { Notifications } from "../../notifications/notify.ts";
import type { PlannedChange } from "../../dns/record.ts";
import { refuseLocked, refuseReserved, type Explained, type ReviewPolicy } from "./locks-and-reviews.ts";
import { readSplits } from "./state/unread-splits.ts";
import { repairZone, type Resolution } from "./repair.ts";
import type { Role } from "../../database/tables/users.ts";
import { commitIntent, droppedRecords, sendChanges } from "./send-changes.ts";
import { storeSigning } from "./state/store-signing.ts";
import type { ZoneSigning } from "../../dns/zone-file/type-names.ts";

export interface Planned {
  changes: PlannedChange[];
  /** The records that the provider maintains itself, if the plan read the whole zone. */
  signing?: ZoneSigning;
  /** What other zones must do afterwards. Stored together with the change set, and carried out by the last step. */
  follows?: readonly Follow[];
  /** Whether an approval covers exactly these changes. */
  reviewed?: boolean;
  /** How the provider's zone differs from the records here, as changes that a sync would make. Only a push plans from them. */
  differences?: readonly PlannedChange[];
}

/** Changes to plan: their zone, their author, and a function that works them out. */
export interface PlanRequest<P extends Planned> {
  domainId: string;
  caller: Caller;
  /** What the call requires. The plan checks which hosts it may touch. */
  need: Exclude<Need, "read">;
  /** Plans and checks the changes. Nothing else changes the zone while a plan to apply is made. Throws AppError to refuse. */
  plan: (em: EntityManager, zone: ZoneContext) => Promise<P>;
}

/** What to apply: a plan, how the change set is made, and what the history says of it. */
export interface ApplyRequest<P extends Planned> extends PlanRequest<P>, Explained {
  /** The role of the person whose change it is, if the caller stands for them; null if they are gone. Default: the caller's. */
  role?: Role | null;
  /** Statements to send with the one that locks the zone; they run after it, before rights are checked. Undone if the zone has a provider. */
  ahead?: ((tx: EntityManager) => readonly Sent[]) | undefined;
  /** All changes or none, at the provider too. Default: each on its own. */
  atomic?: boolean;
  /** How to close earlier change sets whose outcome is unknown. Default: `wait`. */
  resolution?: Resolution;
  /**
   * How the history names the change. A `push` sends what the zone here has already: the plan read the whole zone at the provider, and
   * `before` of its changes is what that has.
   */
  kind: ChangeSetKind;
  /** Whether the provider has these changes already (sync), so that nothing is sent. */
  alreadyThere?: boolean;
  /** What the change set is made for. */
  cause?: Cause;
  /** What the audit entry says besides the records. */
  about?: Readonly<Record<string, unknown>>;
  /** Stores what belongs to the changes, in the transaction that writes them. Not called if the provider refused any. */
  alongside?: ((tx: EntityManager, revision: number) => Promise<void>) | undefined;
  /** Whether to make an `on_change` snapshot of the state before. */
  bookmarkBefore?: boolean;
  /** Whether to make an `on_change` snapshot of the state after. */
  bookmarkAfter?: boolean;
  /** Whether to leave what follows to the job, for a caller that cannot wait. */
  followLater?: boolean;
}

export interface ChangeResult<P extends Planned> {
  planned: P;
  /** The outcome of each planned change, in the same order. */
  outcomes: ChangeOutcome[];
  /** The zone's revision afterwards. */
  revision: number;
  /** The revision that the changes made; null if none was made. */
  newRevision: number | null;
  /** When it was written: the `updatedAt` of what changed. */
  at: Date;
  /** The id of the snapshot that `bookmarkAfter` made. */
  snapshotId: string | null;
  /** Null if nothing was to be changed. */
  changeSetId: string | null;
  /** The outcome in each other zone that followed. */
  reverse: FollowOutcome[];
  /** Asks whether all name servers of the provider have the changes. Null: it does not say so, or was sent nothing. @throws ProviderError */
  isSettled: (() => Promise<boolean>) | null;
}

/** A change set before others follow it. */
type Changed<P extends Planned> = Omit<ChangeResult<P>, "reverse">;

/** What decides whether a plan may be applied. */
type Refusable = Explained & Pick<ApplyRequest<Planned>, "caller" | "role" | "alreadyThere">;

/** Rules that a caller set aside: a review that an administrator overrode, the lock of records. */
interface SetAside {
  reviewOverridden?: true;
  unlocked?: true;
}

/** What step 8 writes. */
interface Finished<P extends Planned> {
  zone: ZoneContext;
  planned: P;
  /** What the audit entry says of rules that the caller set aside. */
  setAside: SetAside;
  /** The outcome of each planned change, in the same order. */
  outcomes: ChangeOutcome[];
  /** Null when the row lock of the transaction protects the zone. */
  lease: Lease | null;
  /** The fingerprint of the provider's content afterwards; null when unknown. */
  fingerprint: string | null;
  /** The pending change set, if step 6 made one. */
  changeSetId?: string;
  /** Records that the provider deleted by itself. */
  dropped?: readonly PlannedChange[];
  /** What the provider can be asked about the changes. */
  changeRefs?: readonly string[] | undefined;
}

/** Lets PTR records follow changes. */
interface Follower {
  /** Carries out what follows a change set, zone by zone. What fails is retried by a job. Never throws. */
  carryOut(pipeline: ChangePipeline, caller: Caller, changeSetId: string): Promise<FollowOutcome[]>;
}

interface Parts {
  database: Database;
  connections: ProviderConnections;
  /** For change sets that a repair finds failed. */
  notifications: Notifications;
  /** Which changes need a review. */
  review: ReviewPolicy;
  followers: Follower;
  now: () => Date;
  /** How long to wait for a zone that another process holds. Default: longer than a lease lasts. */
  waitMilliseconds?: number;
}

/**
 * Changes records; nothing else does. `run` takes one change set through these steps:
 *
 * 1. Queue for the zone. A zone with a provider also takes the zone's lease, which excludes other processes.
 * 2. Repair: settle earlier change sets whose outcome a crash or a lost connection left unknown.
 * 3. Read the zone, and check that the caller may do in it what `request.need` says.
 * 4. Plan the changes. `request.plan` does this, and checks them: the caller's rights in each record, record rules, zone rules, provider limits,
 *    safety threshold.
 * 5. Check the locks of records and the domain's review rule. Every change of records passes here, so no way to write can miss them.
 * 6. Commit the intent: a pending change set, from which a repair learns what was in flight.
 * 7. Call the provider, outside any transaction.
 * 8. Write the outcome: one transaction records what really happened, per change, and raises the revision.
 * 9. Let PTR records follow: each reverse zone in `planned.follows` becomes a change set of its own, once this zone is free again. No caller
 *    has to remember it. What fails, or was interrupted, a job retries.
 *
 * A kind without a back end (`manual`) needs no steps 2, 6 and 7: after step 1, one transaction locks the zone's row and does 3, 4, 5 and 8.
 */
export class ChangePipeline {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Plans and applies changes. @throws AppError UNAVAILABLE, NOT_FOUND, FORBIDDEN, PROVIDER_ERROR, and what `request.plan` throws */
  async run<P extends Planned>(em: EntityManager, request: ApplyRequest<P>): Promise<ChangeResult<P>> {
    const changed = await this.#change(em, request);
    const { planned, changeSetId } = changed;
    const isFollowed = changeSetId !== null && (planned.follows?.length ?? 0) > 0 && !request.followLater;
    // 9.
    const reverse = isFollowed ? await this.#parts.followers.carryOut(this, request.caller, changeSetId) : [];
    return { ...changed, reverse };
  }

  /** Takes a change set through all steps but the last. */
  async #change<P extends Planned>(em: EntityManager, request: ApplyRequest<P>): Promise<Changed<P>> {
    // 1. Queue before taking a connection: however many edits wait for a zone, it uses one connection at most.
    using turn = await zoneTurn(request.domainId, this.#parts.waitMilliseconds);
    const changed = await unlessNull(em, async (tx) => {
      // 3.
      const zone = await lockZone(tx, this.#parts.connections, request);
      if (zone.provider) return null;
      // 4.
      const planned = await request.plan(tx, zone);
      // 5.
      const setAside = this.#refuse(request, zone, planned);
      // 8.
      const outcomes = planned.changes.map(() => ({ ok: true }) as const);
      const finished = { zone, planned, setAside, outcomes, lease: null, fingerprint: null };
      return await this.#writeOutcome(tx, request, finished);
    });
    return changed ?? (await this.#changeWithProvider(request, turn.deadline));
  }

  /** Runs the steps for a zone with a provider. @param deadline as `performance.now()` counts */
  async #changeWithProvider<P extends Planned>(request: ApplyRequest<P>, deadline: number): Promise<Changed<P>> {
    const fork = () => this.#parts.database.fork();
    await using lease = await takeLease(fork, request.domainId, deadline);
    // 2.
    await repairZone(fork(), request.domainId, lease, {
      ...this.#parts,
      resolution: request.resolution ?? "wait",
      actor: request.caller,
    });
    // 3.
    const zone = await readZoneContext(fork(), this.#parts.connections, request);
    const { provider } = zone;
    if (!provider) throw new MovedAway();
    // Read before the zone's records, so that a write in between changes the fingerprint.
    const comparesAll = request.alreadyThere || request.kind === "push";
    const fingerprint = comparesAll ? await fingerprintOf(provider, zone.providerZone) : null;
    // What is sent is planned on what the provider has, which for a push is not what the records here stand for.
    if (request.kind === "push") zone.fingerprint = fingerprint;
    if (!request.alreadyThere) await this.#readUnreadSplits(fork(), zone);
    // 4.
    const planned = await request.plan(fork(), zone);
    // 5.
    const setAside = this.#refuse(request, zone, planned);
    const { changes } = planned;
    let finished: Finished<P>;
    if (request.alreadyThere || changes.length === 0) {
      const outcomes = changes.map(() => ({ ok: true }) as const);
      const known = differencesLeft(planned, outcomes).length > 0 ? null : fingerprint;
      finished = { zone, planned, setAside, outcomes, lease, fingerprint: known };
    } else {
      const { kind, atomic = false, caller, cause } = request;
      const { follows } = planned;
      const message = storedMessage(request.message);
      const { userId: actorId, tokenId, tsigKey = null } = caller;
      const set = {
        kind,
        actorId,
        tokenId,
        tsigKey,
        message,
        changes,
        atomic,
        cause,
        follows,
        now: this.#parts.now,
      };
      // 6.
      const changeSetId = await commitIntent(fork(), zone.id, lease, set);
      // 7.
      const sent = await sendChanges(fork(), { ...zone, provider }, lease, { ...set, id: changeSetId });
      const { outcomes, before, after, changeRefs } = sent;
      const dropped = await droppedRecords(fork(), zone.id, sent.dropped ?? [], changes);
      // Content that somebody else wrote and that was not read stays unknown until a sync.
      const known = before === zone.fingerprint && differencesLeft(planned, outcomes).length === 0 ? after : null;
      finished = { zone, planned, setAside, outcomes, lease, fingerprint: known, changeSetId, dropped, changeRefs };
    }
    // 8.
    return await fork().transactional((tx) => this.#writeOutcome(tx, request, finished));
  }

  /**
   * Refuses changes of locked records and those that need a review.
   * @returns the rules that the caller set aside
   * @throws AppError FORBIDDEN, CONFIRMATION_REQUIRED, REVIEW_REQUIRED; BAD_REQUEST for an override without a reason
   */
  #refuse(request: Refusable, zone: ZoneContext, { changes, reviewed }: Planned): SetAside {
    const { message, override, unlock, caller, role = caller.role } = request;
    const setAside: SetAside = refuseLocked(changes, { mayUnlock: zone.rights.changesProtected, unlock })
      ? { unlocked: true }
      : {};
    if (request.alreadyThere || reviewed) return setAside;
    const overridden = this.#parts.review.refuseUnreviewed(zone, { role, changes, message, override });
    return overridden ? { ...setAside, reviewOverridden: true } : setAside;
  }

  async #writeOutcome<P extends Planned>(
    tx: EntityManager,
    request: ApplyRequest<P>,
    { zone, planned, setAside, outcomes, lease, fingerprint, changeSetId, dropped = [], changeRefs }: Finished<P>,
  ): Promise<Changed<P>> {
    const now = this.#parts.now();
    const author = { trigger: "on_change", createdBy: request.caller.userId, now } as const;
    if (planned.signing) await storeSigning(tx, zone.id, planned.signing, now);
    if (request.bookmarkBefore && outcomes.some(({ ok }) => ok)) await bookmark(tx, zone.id, author);
    const {
      revision,
      newRevision,
      changeSetId: settledId,
    } = await settle(tx, zone.id, {
      kind: request.kind,
      actorId: request.caller.userId,
      actor: request.caller,
      message: storedMessage(request.message),
      about: { ...request.about, ...setAside },
      changes: [...planned.changes, ...dropped],
      outcomes: [...outcomes, ...dropped.map(() => ({ ok: true }) as const)],
      lease,
      locked: zone.locked,
      fingerprint,
      changeSetId,
      cause: request.cause,
      ...((request.kind === "sync" || request.kind === "push") && { differences: differencesLeft(planned, outcomes) }),
      repaired: false,
      now,
    });
    // With a provider, they were stored together with the intent.
    if (settledId !== null && changeSetId === undefined) {
      const set = { id: settledId, actorId: request.caller.userId, now };
      await storeFollows(tx, set, planned.follows ?? []);
    }
    if (outcomes.every(({ ok }) => ok)) await request.alongside?.(tx, revision);
    const snapshotId = request.bookmarkAfter ? await bookmark(tx, zone.id, author) : null;
    const isSettled = settlingOf(zone, changeRefs);
    return { planned, outcomes, revision, newRevision, at: now, snapshotId, changeSetId: settledId, isSettled };
  }

  /** Returns a plan without applying it. Locked records are refused to others than the owner and administrators. @throws AppError NOT_FOUND, FORBIDDEN, PROVIDER_ERROR, and what `request.plan` throws */
  async dryRun<P extends Planned>(em: EntityManager, request: PlanRequest<P>): Promise<P> {
    const zone = await readZoneContext(em, this.#parts.connections, request);
    await this.#readUnreadSplits(em, zone);
    const planned = await request.plan(em, zone);
    if (!zone.rights.changesProtected) refuseReserved(planned.changes);
    return planned;
  }

  /** Refuses the plan of a zone that does not exist yet, as `run` would. @throws AppError CONFIRMATION_REQUIRED, REVIEW_REQUIRED */
  refuseNew(caller: Caller, zone: ZoneContext, planned: Planned): void {
    this.#refuse({ caller }, zone, planned);
  }

  /** Returns a zone as it is now, without a lock. @throws AppError NOT_FOUND, FORBIDDEN, PROVIDER_ERROR unless what is stored is enough */
  async zone(
    em: EntityManager,
    caller: Caller,
    domainId: string,
    need: Need,
    { isStoredEnough = false }: { isStoredEnough?: boolean } = {},
  ): Promise<ZoneContext> {
    return await readZoneContext(em, this.#parts.connections, { domainId, caller, need, isStoredEnough });
  }

  /** Reads how a zone's TXT records from 0.1 are split: without it a change of one cannot name what the provider has. @throws AppError PROVIDER_ERROR */
  async #readUnreadSplits(em: EntityManager, zone: ZoneContext): Promise<void> {
    if (!zone.splitsUnread || !zone.provider) return;
    await throughProvider(readSplits(em, zone, zone.provider));
    zone.splitsUnread = false;
  }
}

/** Returns the differences that a push leaves at the provider; none after a sync. */
function differencesLeft({ changes, differences = [] }: Planned, outcomes: readonly ChangeOutcome[]): PlannedChange[] {
  if (differences.length === 0) return [];
  const ended = new Set(changes.filter((_, index) => outcomes[index]?.ok).map(({ id }) => id));
  return differences.filter(({ id }) => !ended.has(id));
}

/** Returns what asks whether the name servers of a zone's provider have changes; null if it does not say so. */
function settlingOf({ provider }: ZoneContext, changeRefs: readonly string[] = []): (() => Promise<boolean>) | null {
  if (!provider?.isSettled || changeRefs.length === 0) return null;
  let open = changeRefs;
  return async () => {
    for (const ref of open) {
      if (!(await provider.isSettled?.(ref))) return false;
      open = open.slice(1);
    }
    return true;
  };
}

/** Thrown when a domain was moved while a change of it waited. The same change may succeed. */
export class MovedAway extends AppError {
  constructor() {
    super("CONFLICT", "The domain was moved to another provider during this change. Try again.");
  }
}

/** Returns a message as it is stored. An empty one is none. */
export function storedMessage(message = ""): string | null {
  return message.trim() || null;
}
