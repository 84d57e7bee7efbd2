import type { Need } from "../access/zone-access.ts";
import type { Caller } from "../access/caller.ts";
import type { Database, EntityManager } from "../database/database.ts";
import type { Sent } from "../database/one-trip.ts";
import type { ChangeOutcome } from "../dns-providers/provider.ts";
import type { ProviderConnections } from "../dns-providers/connections.ts";
import { throughProvider } from "../dns-providers/through-provider.ts";
import { bookmark } from "./bookmark.ts";
import type { Cause } from "./cause.ts";
import { storeFollows, type Follow } from "./follows.ts";
import { droppedRecords, fingerprintOf } from "./changed-elsewhere.ts";
import type { ChangeSetKind } from "../database/tables/change-sets.ts";
import { holdLease, inZoneTurn, leaseWaitMilliseconds, type Lease } from "./lease.ts";
import { MovedAway } from "./moved-away.ts";
import type { Notifications } from "../notifications/notify.ts";
import type { PlannedChange } from "../dns/record.ts";
import { refuseLocked, refuseReserved } from "./record-locks.ts";
import { readSplits } from "./state/unread-splits.ts";
import { repairZone, type Resolution } from "./repair.ts";
import type { Explained, ReviewPolicy } from "./review-policy.ts";
import type { Role } from "../database/tables/roles.ts";
import { commitIntent, sendChanges } from "./send-changes.ts";
import { storeSigning } from "./state/store-signing.ts";
import type { ZoneSigning } from "../dns/server-managed.ts";
import { settle } from "./settle.ts";
import { lockZone, readZoneContext, type ZoneContext } from "./zone-context.ts";

export interface Planned {
  changes: PlannedChange[];
  /** The records that the provider maintains itself, if the plan read the whole zone. */
  signing?: ZoneSigning;
  /** What other zones must do afterwards. Stored together with the change set. */
  follows?: readonly Follow[];
  /** Whether an approval covers exactly these changes. */
  reviewed?: boolean;
}

export interface ChangeRequest<P extends Planned> extends Explained {
  domainId: string;
  caller: Caller;
  /** The role of the person whose change it is, if the caller stands for them; null if they are gone. Default: the caller's. */
  role?: Role | null;
  /** What the call requires. The plan checks which hosts it may touch. */
  need: Exclude<Need, "read">;
  kind: ChangeSetKind;
  /** Plans and checks the changes. Runs while the zone is locked; throws AppError to refuse. */
  plan: (em: EntityManager, zone: ZoneContext) => Promise<P>;
  /** Statements to send with the one that locks the zone; they run after it, before rights are checked. Undone if the zone has a provider. */
  ahead?: ((tx: EntityManager) => readonly Sent[]) | undefined;
  /** All changes or none, at the provider too. Default: each on its own. */
  atomic?: boolean;
  /** How to close earlier change sets whose outcome is unknown. Default: `wait`. */
  resolution?: Resolution;
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
}

export interface ChangeResult<P extends Planned> {
  planned: P;
  /** The outcome of each planned change, in the same order. */
  outcomes: ChangeOutcome[];
  /** The zone's revision afterwards. */
  revision: number;
  /** When it was written: the `updatedAt` of what changed. */
  at: Date;
  /** The id of the snapshot that `bookmarkAfter` made. */
  snapshotId: string | null;
  /** Null if nothing was to be changed. */
  changeSetId: string | null;
}

/** Rules that a caller set aside: a review that an administrator overrode, the lock of records. */
interface SetAside {
  reviewOverridden?: true;
  unlocked?: true;
}

/** What step 7 writes. */
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
  /** The pending change set, if step 5 made one. */
  changeSetId?: string;
  /** Records that the provider deleted by itself. */
  dropped?: readonly PlannedChange[];
}

/**
 * Changes records; nothing else does. `run` takes one change set through these steps:
 *
 * 1. Queue for the zone. A zone with a provider also takes the zone's lease, which excludes other processes.
 * 2. Repair: settle earlier change sets whose outcome a crash or a lost connection left unknown.
 * 3. Read the zone and plan the changes.
 * 4. Check them: rights, record rules, zone rules, provider limits, safety threshold; `request.plan` does this and step 3. Then the locks of
 *    records, and the domain's review rule: every change of records passes here, so no way to write can miss them.
 * 5. Commit the intent: a pending change set, from which a repair learns what was in flight.
 * 6. Call the provider, outside any transaction.
 * 7. Write the outcome: one transaction records what really happened, per change, and raises the revision.
 *
 * A kind without a back end (`manual`) needs no steps 2, 5 and 6: the others are a single transaction that locks the zone's row.
 */
export class ChangePipeline {
  readonly #database: Database;
  readonly #connections: ProviderConnections;
  readonly #now: () => Date;
  readonly #notifications: Notifications;
  readonly #review: ReviewPolicy;
  readonly #waitMilliseconds: number;

  /**
   * @param notifications for change sets that a repair finds failed.
   * @param review which changes need a review.
   * @param waitMilliseconds how long to wait for a zone that another process holds.
   */
  constructor(
    database: Database,
    connections: ProviderConnections,
    now: () => Date,
    notifications: Notifications,
    review: ReviewPolicy,
    waitMilliseconds = leaseWaitMilliseconds,
  ) {
    this.#database = database;
    this.#connections = connections;
    this.#now = now;
    this.#notifications = notifications;
    this.#review = review;
    this.#waitMilliseconds = waitMilliseconds;
  }

  /** Plans and applies changes. @throws AppError UNAVAILABLE, NOT_FOUND, FORBIDDEN, PROVIDER_ERROR, and what `request.plan` throws */
  async run<P extends Planned>(em: EntityManager, request: ChangeRequest<P>): Promise<ChangeResult<P>> {
    // 1. Queue before taking a connection: however many edits wait for a zone, it uses one connection at most.
    return await inZoneTurn(request.domainId, this.#waitMilliseconds, async (deadline) => {
      try {
        return await em.transactional((tx) => this.#runWithoutProvider(tx, request));
      } catch (error) {
        if (error instanceof HasProvider) return await this.#runWithProvider(request, deadline);
        throw error;
      }
    });
  }

  /** Runs the steps for a zone without a provider. @throws HasProvider if it has one */
  async #runWithoutProvider<P extends Planned>(tx: EntityManager, request: ChangeRequest<P>): Promise<ChangeResult<P>> {
    const zone = await lockZone(tx, this.#connections, request);
    if (zone.provider) throw new HasProvider();
    // 3 and 4.
    const plan = await this.#plan(tx, request, zone);
    const outcomes = plan.planned.changes.map(() => ({ ok: true }) as const);
    // 7.
    return await this.#writeOutcome(tx, request, { zone, ...plan, outcomes, lease: null, fingerprint: null });
  }

  /** Runs the steps for a zone with a provider. @param deadline as `performance.now()` counts */
  async #runWithProvider<P extends Planned>(request: ChangeRequest<P>, deadline: number): Promise<ChangeResult<P>> {
    const fork = () => this.#database.fork();
    const work = async (lease: Lease) => {
      // 2.
      await repairZone(fork(), request.domainId, lease, {
        connections: this.#connections,
        notifications: this.#notifications,
        now: this.#now,
        resolution: request.resolution ?? "wait",
        actor: request.caller,
      });
      // 3 and 4.
      const zone = await readZoneContext(fork(), this.#connections, request);
      const { provider } = zone;
      if (!provider) throw new MovedAway();
      // Read before the zone, so that a write in between changes the fingerprint.
      const fingerprint = request.alreadyThere ? await fingerprintOf(provider, zone.providerZone) : null;
      if (!request.alreadyThere) await this.#readUnreadSplits(fork(), zone);
      const plan = await this.#plan(fork(), request, zone);
      const { planned } = plan;
      const { changes } = planned;
      let finished: Finished<P>;
      if (request.alreadyThere || changes.length === 0) {
        finished = { zone, ...plan, outcomes: changes.map(() => ({ ok: true })), lease, fingerprint };
      } else {
        const { kind, atomic = false, caller, cause } = request;
        const { follows } = planned;
        const message = storedMessage(request.message);
        const tsigKey = caller.tsigKey ?? null;
        const set = { kind, actorId: caller.userId, tsigKey, message, changes, atomic, cause, follows, now: this.#now };
        // 5.
        const changeSetId = await commitIntent(fork(), zone.id, lease, set);
        // 6.
        const sent = await sendChanges(fork(), { ...zone, provider }, lease, { ...set, id: changeSetId });
        const { outcomes, before, after } = sent;
        const dropped = await droppedRecords(fork(), zone.id, sent.dropped ?? [], changes);
        // Content that somebody else wrote and that was not read stays unknown until a sync.
        const known = before === zone.fingerprint ? after : null;
        finished = { zone, ...plan, outcomes, lease, fingerprint: known, changeSetId, dropped };
      }
      // 7.
      return await fork().transactional((tx) => this.#writeOutcome(tx, request, finished));
    };
    return await holdLease(fork, request.domainId, work, deadline);
  }

  /** Plans the changes, and refuses those of locked records and those that need a review. */
  async #plan<P extends Planned>(
    em: EntityManager,
    request: ChangeRequest<P>,
    zone: ZoneContext,
  ): Promise<{ planned: P; setAside: SetAside }> {
    const planned = await request.plan(em, zone);
    const { message, override, unlock, caller, role = caller.role } = request;
    const { changes } = planned;
    const setAside: SetAside = refuseLocked(changes, { mayUnlock: zone.rights.changesProtected, unlock })
      ? { unlocked: true }
      : {};
    if (request.alreadyThere || planned.reviewed) return { planned, setAside };
    const overridden = this.#review.refuseUnreviewed(zone, { role, changes, message, override });
    return { planned, setAside: overridden ? { ...setAside, reviewOverridden: true } : setAside };
  }

  async #writeOutcome<P extends Planned>(
    tx: EntityManager,
    request: ChangeRequest<P>,
    { zone, planned, setAside, outcomes, lease, fingerprint, changeSetId, dropped = [] }: Finished<P>,
  ): Promise<ChangeResult<P>> {
    const now = this.#now();
    const author = { trigger: "on_change", createdBy: request.caller.userId, now } as const;
    if (planned.signing) await storeSigning(tx, zone.id, planned.signing, now);
    if (request.bookmarkBefore && outcomes.some(({ ok }) => ok)) await bookmark(tx, zone.id, author);
    const { revision, changeSetId: settledId } = await settle(tx, zone.id, {
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
    return { planned, outcomes, revision, at: now, snapshotId, changeSetId: settledId };
  }

  /** Returns a plan without applying it. Locked records are refused to others than the owner and administrators. @throws AppError NOT_FOUND, FORBIDDEN, PROVIDER_ERROR, and what `request.plan` throws */
  async dryRun<P extends Planned>(
    em: EntityManager,
    request: Pick<ChangeRequest<P>, "domainId" | "caller" | "need" | "plan">,
  ): Promise<P> {
    const zone = await readZoneContext(em, this.#connections, request);
    await this.#readUnreadSplits(em, zone);
    const planned = await request.plan(em, zone);
    if (!zone.rights.changesProtected) refuseReserved(planned.changes);
    return planned;
  }

  /** Returns a zone as it is now, without a lock. @throws AppError NOT_FOUND, FORBIDDEN */
  async zone(em: EntityManager, caller: Caller, domainId: string, need: Need): Promise<ZoneContext> {
    return await readZoneContext(em, this.#connections, { domainId, caller, need });
  }

  /** Reads how a zone's TXT records from 0.1 are split: without it a change of one cannot name what the provider has. @throws AppError PROVIDER_ERROR */
  async #readUnreadSplits(em: EntityManager, zone: ZoneContext): Promise<void> {
    if (!zone.splitsUnread || !zone.provider) return;
    await throughProvider(readSplits(em, zone, zone.provider));
    zone.splitsUnread = false;
  }
}

/** Thrown to roll back what assumed that a zone has no provider. */
class HasProvider extends Error {}

/** Returns a message as it is stored. An empty one is none. */
export function storedMessage(message = ""): string | null {
  return message.trim() || null;
}
