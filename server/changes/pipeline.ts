import { sql } from "kysely";
import { accessColumns, rightsIn, type Need, type Rights } from "../access/zone-access.ts";
import type { Caller } from "../access/caller.ts";
import { queries, type Database, type EntityManager } from "../database/database.ts";
import { allMade } from "../dns-providers/applying/change-outcomes.ts";
import { ProviderError, type ChangeOutcome, type DnsProvider, type ProviderKind } from "../dns-providers/provider.ts";
import type { ProviderConnections } from "../dns-providers/connections.ts";
import { keepFinding } from "./state/found-drift.ts";
import { throughProvider } from "../dns-providers/through-provider.ts";
import { AppError, notFound } from "../platform/errors.ts";
import { bookmark } from "./bookmark.ts";
import type { ChangeSetKind } from "../database/tables/change-sets.ts";
import { holdLease, inZoneTurn, leaseWaitMilliseconds, type Lease } from "./lease.ts";
import type { Notifications } from "../notifications/notify.ts";
import type { ProviderComparison } from "./state/compare-with-provider.ts";
import type { PlannedChange } from "../dns/live-record.ts";
import { readSplits } from "./state/unread-splits.ts";
import { repairZone, type Resolution } from "./repair.ts";
import { sendChanges } from "./send-changes.ts";
import { liveAtNames } from "./state/live-queries.ts";
import { recordKey, type RecordData } from "../dns/record.ts";
import { keepSigning } from "./state/keep-signing.ts";
import type { ZoneSigning } from "../dns/server-managed.ts";
import { settle } from "./settle.ts";

/** A zone that is ours alone while a change is planned and carried out. */
export interface ZoneContext {
  id: string;
  name: string;
  /** Of its provider configuration. */
  configId: string;
  revision: number;
  recordCount: number;
  fingerprint: string | null;
  /** Whether the provider signs the zone, as last read. */
  signed: boolean;
  /** Whether 0.1 stored TXT records of it and nobody has read since how they are cut. */
  splitsUnread: boolean;
  /** What the caller may do here. */
  rights: Rights;
  kind: ProviderKind;
  /** Null for a kind without a back end. */
  provider: DnsProvider | null;
}

export interface Planned {
  changes: PlannedChange[];
  /** What the provider was read to maintain itself, where the plan read all of the zone. */
  signing?: ZoneSigning;
}

export interface ChangeRequest<P extends Planned> {
  domainId: string;
  caller: Caller;
  /** What it takes; which hosts a change may touch is for the plan to see to. */
  need: Exclude<Need, "read">;
  kind: ChangeSetKind;
  /** Reads the zone and plans. Runs while the zone is held; throws AppError to refuse. */
  plan: (em: EntityManager, zone: ZoneContext) => Promise<P>;
  /** All changes or none, at the provider too. */
  together?: boolean;
  /** How earlier changes that are open end; `known` when left out. */
  resolution?: Resolution;
  /** True: the provider has these changes already (sync), so nothing is sent. */
  alreadyThere?: boolean;
  /** What the audit trail tells beside the records. */
  about?: Readonly<Record<string, unknown>>;
  /** Keeps an `on_change` snapshot of the state before. */
  bookmarkBefore?: boolean;
  /** Keeps an `on_change` snapshot of the state after. */
  bookmarkAfter?: boolean;
}

export interface Carried<P extends Planned> {
  planned: P;
  /** What became of each planned change, in the same order. */
  outcomes: ChangeOutcome[];
  revision: number;
  /** When it was written: the `updatedAt` of what changed. */
  at: Date;
  /** Id of the snapshot that `bookmarkAfter` made. */
  snapshotId: string | null;
}

/**
 * The one way in which records change: plan, check, apply, one change at a time for each zone.
 *
 * With a provider, the intent is committed first, then the provider is called outside any transaction, then one
 * transaction writes what really happened. Without one, the whole change is a single transaction.
 */
export class ChangePipeline {
  readonly #database: Database;
  readonly #connections: ProviderConnections;
  readonly #now: () => Date;
  readonly #notifications: Notifications;
  readonly #waitMilliseconds: number;

  /**
   * @param notifications told of earlier changes that are found to have failed.
   * @param waitMilliseconds how long to wait for a zone that another process holds.
   */
  constructor(
    database: Database,
    connections: ProviderConnections,
    now: () => Date,
    notifications: Notifications,
    waitMilliseconds = leaseWaitMilliseconds,
  ) {
    this.#database = database;
    this.#connections = connections;
    this.#now = now;
    this.#notifications = notifications;
    this.#waitMilliseconds = waitMilliseconds;
  }

  async run<P extends Planned>(em: EntityManager, request: ChangeRequest<P>): Promise<Carried<P>> {
    // In turn before a connection is taken: however many edits wait for a zone, it has one connection at most.
    return await inZoneTurn(request.domainId, this.#waitMilliseconds, async (deadline) => {
      const done = await em.transactional(async (tx) => {
        const zone = await this.#hold(tx, request, true);
        return zone.provider ? null : await this.#inOneTransaction(tx, zone, request);
      });
      if (done) return done;
      const fork = () => this.#database.fork();
      const work = async (lease: Lease) => {
        const settling = { resolution: request.resolution ?? "wait", actor: request.caller };
        const notifications = this.#notifications;
        await repairZone(fork(), request.domainId, lease, this.#connections, this.#now, { settling, notifications });
        const zone = await this.#hold(fork(), request, false);
        return await this.#throughProvider(zone, request, lease);
      };
      return await holdLease(fork, request.domainId, work, deadline);
    });
  }

  /** A zone as it is now, held by nobody. @throws AppError NOT_FOUND, FORBIDDEN */
  async look(em: EntityManager, caller: Caller, domainId: string, need: Need): Promise<ZoneContext> {
    return await this.#hold(em, { domainId, caller, need }, false);
  }

  /** Plans without changing anything. */
  async preview<P extends Planned>(
    em: EntityManager,
    request: Pick<ChangeRequest<P>, "domainId" | "caller" | "need" | "plan">,
  ): Promise<P> {
    const zone = await this.look(em, request.caller, request.domainId, request.need);
    await knowSplits(em, zone);
    return await request.plan(em, zone);
  }

  async #inOneTransaction<P extends Planned>(
    tx: EntityManager,
    zone: ZoneContext,
    request: ChangeRequest<P>,
  ): Promise<Carried<P>> {
    const planned = await request.plan(tx, zone);
    const outcomes = allMade(planned.changes);
    return await this.#finish(tx, zone, request, planned, outcomes, null, null);
  }

  async #throughProvider<P extends Planned>(
    zone: ZoneContext,
    request: ChangeRequest<P>,
    lease: Lease,
  ): Promise<Carried<P>> {
    const { provider } = zone;
    if (!provider) throw new AppError("CONFLICT", "The domain's provider was changed at this moment; try again.");
    // Before the zone is read: what is written to it meanwhile then makes another mark.
    const found = request.alreadyThere ? await markOf(provider, zone.name) : null;
    if (!request.alreadyThere) await knowSplits(this.#database.fork(), zone);
    const planned = await request.plan(this.#database.fork(), zone);
    if (request.alreadyThere || planned.changes.length === 0) {
      const outcomes = allMade(planned.changes);
      return await this.#database
        .fork()
        .transactional((tx) => this.#finish(tx, zone, request, planned, outcomes, lease, found));
    }
    const sent = await sendChanges(this.#database.fork(), zone, provider, lease, {
      kind: request.kind,
      actorId: request.caller.userId,
      changes: planned.changes,
      together: request.together ?? false,
      now: this.#now,
    });
    const { changeSetId, outcomes, before, after, dropped = [] } = sent;
    // Content that somebody else wrote and we have not read stays unknown until a sync.
    const mark = before === zone.fingerprint ? after : null;
    const also = await deletionsOf(this.#database.fork(), zone.id, dropped, planned.changes);
    return await this.#database
      .fork()
      .transactional((tx) => this.#finish(tx, zone, request, planned, outcomes, lease, mark, { changeSetId, also }));
  }

  async #finish<P extends Planned>(
    tx: EntityManager,
    zone: ZoneContext,
    request: ChangeRequest<P>,
    planned: P,
    outcomes: ChangeOutcome[],
    lease: Lease | null,
    fingerprint: string | null,
    { changeSetId, also = [] }: { changeSetId?: string; also?: readonly PlannedChange[] } = {},
  ): Promise<Carried<P>> {
    const now = this.#now();
    const author = { trigger: "on_change", createdBy: request.caller.userId, now } as const;
    const happened = outcomes.some(({ ok }) => ok);
    if (planned.signing) await keepSigning(tx, zone.id, planned.signing, now);
    if (request.bookmarkBefore && happened) await bookmark(tx, zone.id, author);
    const revision = await settle(tx, zone.id, {
      kind: request.kind,
      actorId: request.caller.userId,
      actor: request.caller,
      about: request.about,
      changes: [...planned.changes, ...also],
      outcomes: [...outcomes, ...allMade(also)],
      lease,
      fingerprint,
      changeSetId,
      repaired: false,
      now,
    });
    const snapshotId = request.bookmarkAfter ? await bookmark(tx, zone.id, author) : null;
    return { planned, outcomes, revision, at: now, snapshotId };
  }

  async #hold(
    em: EntityManager,
    { domainId, caller, need }: { domainId: string; caller: Caller; need: Need },
    lockRow: boolean,
  ): Promise<ZoneContext> {
    const row = await queries(em)
      .selectFrom("domains")
      .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
      .select([
        "domains.id",
        "domains.name",
        "domains.revision",
        "domains.record_count",
        "domains.provider_fingerprint",
        "domains.provider_signed",
        "domains.splits_unread",
        "provider_configs.id as config_id",
        "provider_configs.kind",
        "provider_configs.config",
      ])
      .select(sql<boolean>`coalesce(domains.lease_until > now(), false)`.as("leased"))
      .select(accessColumns(caller))
      .where("domains.id", "=", domainId)
      .$if(lockRow, (query) => query.forUpdate("domains"))
      .executeTakeFirst();
    if (!row) throw notFound("domain");
    const rights = rightsIn(row, caller, need);
    const { kind, provider } = this.#connections.connect({ ...row, id: row.config_id });
    if (lockRow && !provider && row.leased) {
      throw new AppError("UNAVAILABLE", "The zone is being moved to another provider; try again in a few seconds.", {
        retryAfterSeconds: 3,
      });
    }
    return {
      id: row.id,
      name: row.name,
      configId: row.config_id,
      revision: row.revision,
      recordCount: row.record_count,
      fingerprint: row.provider_fingerprint,
      signed: row.provider_signed,
      splitsUnread: row.splits_unread,
      rights,
      kind,
      provider,
    };
  }
}

/** Records of ours that the provider dropped by itself, as what they are: deleted with the change. */
async function deletionsOf(
  em: EntityManager,
  domainId: string,
  dropped: readonly RecordData[],
  changes: readonly PlannedChange[],
): Promise<PlannedChange[]> {
  if (dropped.length === 0) return [];
  const keys = new Set(dropped.map(recordKey));
  const planned = new Set(changes.map(({ id }) => id));
  const live = await liveAtNames(em, domainId, [...new Set(dropped.map(({ name }) => name))]);
  return live
    .filter((record) => keys.has(recordKey(record)) && !planned.has(record.id))
    .map((before) => ({ action: "delete", id: before.id, before, after: null }));
}

/** Reads how the TXT records of a zone are cut where 0.1 stored them: else a change of one could not name what is there. @throws AppError PROVIDER_ERROR */
async function knowSplits(em: EntityManager, zone: ZoneContext): Promise<void> {
  if (!zone.splitsUnread || !zone.provider) return;
  await throughProvider(readSplits(em, zone, zone.provider));
  zone.splitsUnread = false;
}

/** The provider's mark of the zone's content; null where there is none or it cannot be had now. */
async function markOf(provider: DnsProvider, zone: string): Promise<string | null> {
  return await provider.fingerprint(zone).catch(() => null);
}

/**
 * Whether the zone was changed at its provider by somebody else since we last read or wrote it. Signing changes the marks of a zone, and its
 * beginning too, so a zone of a provider that may sign is compared, and one that agrees gets the new mark.
 */
export async function changedElsewhere(
  em: EntityManager,
  zone: ZoneContext,
  comparison: ProviderComparison,
  now: Date,
): Promise<boolean> {
  const { provider } = zone;
  if (!provider || zone.fingerprint === null) return false;
  const fingerprint = await markOf(provider, zone.name);
  if (fingerprint === null || fingerprint === zone.fingerprint) return false;
  if (!zone.signed && !zone.kind.signsZones) return true;
  try {
    const { changes, signing } = await comparison.plan(em, zone, provider);
    if (changes.length > 0) return true;
    await keepFinding(em.fork(), zone, { found: null, error: null, fingerprint, signing }, now);
  } catch (error) {
    // A provider that cannot be read now is noticed when the plan is applied.
    if (!(error instanceof ProviderError)) throw error;
  }
  return false;
}
