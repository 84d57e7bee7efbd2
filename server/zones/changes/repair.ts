import { sql } from "kysely";
import { theService, type Actor } from "../../access/caller.ts";
import { queries, type EntityManager, type Database } from "../../database/database.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import { ProviderError, type ChangeOutcome, type DnsProvider } from "../../dns-providers/provider.ts";
import { AppError } from "../../platform/errors.ts";
import { bookmark } from "./bookmark.ts";
import { begunCalls, leaveOpen, providerPart, storedIntent, whileHeld, type Intent } from "./send-changes.ts";
import { clearDeadLeases, clearLeases, takeLease, zoneTurn, type Lease } from "./zone-context.ts";
import type { Notifications, TypedNotice } from "../../notifications/notify.ts";
import {
  allOrTakenBack,
  outcomesIn,
  provenOurs,
  putBack,
  putTtlsBack,
  readServed,
  retimedOnly,
  secondsToSettle,
} from "./provider-call.ts";
import { settle } from "./settle.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../platform/log.ts";
import type { PlannedChange } from "../../dns/record.ts";

/**
 * How to close changes whose provider cannot confirm them. `wait`: leave them pending. `acceptObserved`: take what the zone shows now as the
 * outcome, if it can be read. `abandon`: close them even if it cannot.
 */
export type Resolution = "wait" | "acceptObserved" | "abandon";

/** What a repair depends on besides the zone. */
interface Circumstances {
  connections: ProviderConnections;
  /** Where failures are reported whose answer nobody waits for any longer. */
  notifications: Notifications;
  now: () => Date;
  /** How far settling may go. Default: `wait`. */
  resolution?: Resolution;
  /** Who settles. Default: the service. */
  actor?: Actor;
}

type PendingSet = Awaited<ReturnType<typeof pendingSets>>[number];

/**
 * Settles change sets that a crash or a lost connection left pending, by reading the zone back from its provider. The caller holds the
 * lease. Cheap when nothing is pending.
 * @throws AppError PROVIDER_ERROR when the provider cannot be read now, UNAVAILABLE while a change that it does not show may still be made.
 * @returns how many change sets were settled.
 */
export async function repairZone(
  em: EntityManager,
  domainId: string,
  lease: Lease,
  { connections, notifications, now, resolution = "wait", actor = theService }: Circumstances,
): Promise<number> {
  const pending = await pendingSets(em, domainId);
  for (const set of pending) {
    const intent = storedIntent(set.intent);
    const connection = connections.tryConnect({ ...set, id: set.config_id });
    const provider = connection instanceof AppError ? connection : connection.provider;
    const found = await establish(em, { set, intent, provider, lease, now: now() }, resolution);
    const { outcomes, isRead, givenUp } = found;
    await em.fork().transactional(async (tx) => {
      const at = now();
      const author = { trigger: "on_change", createdBy: set.actor_id, now: at } as const;
      // The snapshots that the change would have made.
      if (set.change_kind === "import" && outcomes.some(({ ok }) => ok)) await bookmark(tx, domainId, author);
      await settle(tx, domainId, {
        kind: set.change_kind,
        actorId: set.actor_id,
        message: set.message,
        actor: givenUp && resolution !== "wait" ? actor : theService,
        ...(givenUp ? { about: { givenUp } } : {}),
        changes: intent.changes,
        outcomes,
        lease,
        locked: null,
        fingerprint: null,
        changeSetId: set.id,
        repaired: isRead,
        now: at,
      });
      if (set.change_kind === "rollback") await bookmark(tx, domainId, author);
      const { id, message, owner_id: ownerId, actor_id: actorId } = set;
      const { changes } = intent;
      const notice = failedChange({
        id,
        domainId,
        domainName: qualifiedName(set),
        ownerId,
        actorId,
        message,
        changes,
        outcomes,
      });
      if (notice) await notifications.notify(tx, notice);
    });
  }
  return pending.length;
}

async function pendingSets(em: EntityManager, domainId: string) {
  return await queries(em)
    .selectFrom("change_sets")
    .innerJoin("domains", "domains.id", "change_sets.domain_id")
    .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
    .select([
      "change_sets.id",
      "change_sets.kind as change_kind",
      "change_sets.actor_id",
      "change_sets.message",
      "change_sets.intent",
      "domains.name",
      "domains.view",
      "domains.provider_zone",
      "domains.owner_id",
      "provider_configs.id as config_id",
      "provider_configs.kind",
      "provider_configs.config",
    ])
    .where("change_sets.domain_id", "=", domainId)
    .where("change_sets.state", "=", "pending")
    .orderBy("change_sets.id")
    .execute();
}

interface Established {
  outcomes: ChangeOutcome[];
  /** Whether the zone was read for them. */
  isRead: boolean;
  /** Whether the set is closed although its outcome is not known for certain. */
  givenUp: boolean;
}

/** A pending change set and what its repair needs. */
interface Repairing {
  set: PendingSet;
  intent: Intent;
  /** The zone's provider, or why its configuration cannot be used; null for a kind without a back end. */
  provider: DnsProvider | AppError | null;
  lease: Lease;
  now: Date;
}

/** @throws AppError as `repairZone` does */
async function establish(em: EntityManager, repairing: Repairing, resolution: Resolution): Promise<Established> {
  const { provider, intent } = repairing;
  const unknown = intent.changes.map(() => unread);
  if (provider === null) return { outcomes: unknown, isRead: false, givenUp: true };
  const read = provider instanceof AppError ? provider : await readOutcomes(em, provider, repairing);
  if (!(read instanceof AppError)) return { outcomes: read, isRead: true, givenUp: false };
  if (resolution === "wait") throw read;
  const mayCome = read.code === "UNAVAILABLE";
  const observed = provider instanceof AppError ? null : await observedOutcomes(provider, repairing, mayCome);
  if (observed === null && resolution === "acceptObserved") throw read;
  return { outcomes: observed ?? unknown, isRead: observed !== null, givenUp: true };
}

/**
 * Reads the outcomes back from the zone. If an atomic set was made in part, takes back what is proven to be ours.
 * @returns the outcomes, or why they are not known: PROVIDER_ERROR if the zone cannot be read, UNAVAILABLE while a change that it does not
 * show may still be made or taken back
 */
async function readOutcomes(
  em: EntityManager,
  provider: DnsProvider,
  { set, intent, lease, now }: Repairing,
): Promise<ChangeOutcome[] | AppError> {
  const { atomic, changes, openSince } = intent;
  const zone = set.provider_zone;
  const calls = await begunCalls(em, set.id);
  let wait = secondsToSettle(provider, { signed: false });
  try {
    const { sent, outcomesOf } = providerPart(changes, atomic);
    const read = await readServed(provider, zone, [...sent, ...calls.flat()]);
    const { served, signed } = read;
    wait = secondsToSettle(provider, read);
    const outcomes = outcomesIn(served, sent);
    if (!outcomes.every(({ ok }) => ok) && secondsLeft(wait, openSince, now) > 0)
      return await notYet(em, set.id, intent, { wait, now });
    const ours = provenOurs(served, sent, calls);
    const isOurs = (index: number) => ours[index] ?? false;
    const taking = { isOurs, mayStayOpen: true, signed, beforeCall: whileHeld(lease) };
    const call = { provider, zone, changes: sent };
    const retimed = retimedOnly(served, sent, outcomes, calls);
    const put = await putBack(call, { outcomes, before: null, after: null }, retimed, taking);
    const found = await putTtlsBack(call, put, retimed, taking);
    const settled = atomic ? await allOrTakenBack(call, found, taking) : found;
    if (settled.outcomes.some(isMade)) await provider.publish?.(zone);
    return outcomesOf(settled.outcomes);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.effect === "unknown") return await notYet(em, set.id, intent, { wait, now });
    return new AppError(
      "PROVIDER_ERROR",
      `The outcome of an earlier change could not be read back: ${error.message} ${wayOut}`,
      { cause: error },
    );
  }
}

const wayOut =
  "If this provider is gone for good, ask an administrator to move the domain to another configuration. " +
  "Moving it with force: true abandons the change.";

const unread: ChangeOutcome = {
  ok: false,
  message: "Outcome unknown: abandoned while the provider was unreachable.",
  unknown: true,
};

/**
 * Returns the outcomes that the zone shows now, and has its provider serve them; null if it cannot be read.
 * @param mayCome whether a change that it does not show may still be made
 */
async function observedOutcomes(
  provider: DnsProvider,
  { set, intent: { atomic, changes } }: Repairing,
  mayCome: boolean,
): Promise<ChangeOutcome[] | null> {
  try {
    const { sent, outcomesOf } = providerPart(changes, atomic);
    const { served } = await readServed(provider, set.provider_zone, sent);
    const found = outcomesIn(served, sent);
    const outcomes = mayCome ? found.map((outcome) => (outcome.ok || outcome.gone ? outcome : notSeen)) : found;
    const isServed = !outcomes.some(isMade) || (await isPublished(provider, set.provider_zone));
    return outcomesOf(isServed ? outcomes : outcomes.map((outcome) => (isMade(outcome) ? notServed : outcome)));
  } catch (error) {
    if (error instanceof ProviderError) return null;
    throw error;
  }
}

function isMade(outcome: ChangeOutcome): boolean {
  return outcome.ok || outcome.gone === true;
}

/** Has a provider serve what is stored. @returns false if that failed */
async function isPublished(provider: DnsProvider, zone: string): Promise<boolean> {
  try {
    await provider.publish?.(zone);
    return true;
  } catch (error) {
    if (error instanceof ProviderError) return false;
    throw error;
  }
}

const notServed: ChangeOutcome = {
  ok: false,
  message: "Outcome unknown: the provider had stored the change when it was abandoned, but not served it.",
  unknown: true,
};

const notSeen: ChangeOutcome = {
  ok: false,
  message:
    "Outcome unknown: the zone did not show the change when it was abandoned; the provider may have made it later.",
  unknown: true,
};

/** Returns how many seconds are left until a reading is final. They count from when it was first noticed that no call is in flight. */
function secondsLeft(wait: number, openSince: string | undefined, now: Date): number {
  return openSince === undefined ? wait : wait - (now.getTime() - Date.parse(openSince)) / 1_000;
}

/** Returns the error for a change set that cannot be settled yet. Its time starts now, unless it runs already and no other call was left without an answer. */
async function notYet(
  em: EntityManager,
  changeSetId: string,
  intent: Intent,
  { wait, now }: { wait: number; now: Date },
): Promise<AppError> {
  const left = intent.openSince === undefined ? 0 : secondsLeft(wait, intent.openSince, now);
  if (left <= 0) await leaveOpen(em.fork(), changeSetId, intent, now);
  const seconds = Math.ceil(left > 0 ? left : wait);
  return new AppError(
    "UNAVAILABLE",
    `The provider did not answer an earlier change of this zone and may still make it. Try again in ${seconds} seconds.`,
    { retryAfterSeconds: seconds },
  );
}

/** Returns the zones that have pending change sets and no lease. */
async function zonesToRepair(em: EntityManager): Promise<string[]> {
  const rows = await queries(em)
    .selectFrom("change_sets")
    .innerJoin("domains", "domains.id", "change_sets.domain_id")
    .select("domains.id")
    .distinct()
    .where("change_sets.state", "=", "pending")
    .where((eb) => eb.or([eb("domains.lease_until", "is", null), eb("domains.lease_until", "<", sql<Date>`now()`)]))
    .execute();
  return rows.map(({ id }) => id);
}

/** How long the start waits for the first run, in case a provider is slow. */
const startWaitMilliseconds = 2_000;
/** A busy zone is skipped: every edit settles pending change sets first. */
const waitMilliseconds = 1_000;

interface Parts {
  database: Database;
  connections: ProviderConnections;
  notifications: Notifications;
  log: Logger;
  now: () => Date;
}

/** Settles change sets that a crash left pending: at the start, then by the job `changes.repair`. */
export class RepairJob {
  readonly #parts: Parts;
  readonly #stopping = new AbortController();
  #first: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Frees the leases of processes that are gone, then starts the first run. Nothing else uses an embedded database, so every lease in it is
   * stale; in a shared one, those of dead processes on this machine are.
   */
  async start(): Promise<void> {
    if (this.#parts.database.embedded) await clearLeases(this.#parts.database.fork());
    else await clearDeadLeases(this.#parts.database.fork());
    this.#first = this.runOnce(this.#stopping.signal);
    await Promise.race([this.#first, sleep(startWaitMilliseconds, undefined, { ref: false })]);
  }

  /** Stops the first run if it is still going. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#first;
  }

  async runOnce(signal?: AbortSignal): Promise<void> {
    try {
      for (const domainId of await zonesToRepair(this.#parts.database.fork())) {
        if (signal?.aborted) return;
        await this.settle(domainId);
      }
    } catch (error) {
      this.#parts.log.error({ err: error }, "could not look for pending change sets");
    }
  }

  /** Settles the pending change sets of one zone, or logs why they cannot be settled yet. */
  async settle(domainId: string): Promise<void> {
    const fork = () => this.#parts.database.fork();
    try {
      using turn = await zoneTurn(domainId, waitMilliseconds);
      await using lease = await takeLease(fork, domainId, turn.deadline);
      const settled = await repairZone(fork(), domainId, lease, this.#parts);
      this.#parts.log.warn({ domainId, settled }, "settled pending change sets");
    } catch (error) {
      this.#parts.log.error({ err: error, domainId }, "could not settle pending change sets yet");
    }
  }
}

const listedFailures = 3;

/** A change set that a repair settled when nobody waited for its answer any longer. */
interface Settled {
  id: string;
  domainId: string;
  domainName: string;
  ownerId: string | null;
  actorId: string | null;
  message: string | null;
  changes: readonly PlannedChange[];
  outcomes: readonly ChangeOutcome[];
}

/** Returns the notice of a settled change set, for its author and the domain's owner; null if all of it was made. */
export function failedChange(settled: Settled): TypedNotice<"record.change_failed"> | null {
  const { id: changeSetId, domainId, domainName, message, changes, outcomes } = settled;
  const failures = changes.flatMap((change, index) => {
    const outcome = outcomes[index];
    if (!outcome || outcome.ok) return [];
    const { recordType, name } = change.after ?? change.before;
    return [`${change.action} ${recordType} ${name}: ${outcome.message}`];
  });
  if (failures.length === 0) return null;
  const more =
    failures.length > listedFailures
      ? ` And ${failures.length - listedFailures} more; the domain's history lists them.`
      : "";
  return {
    event: "record.change_failed",
    title: `${failures.length} of ${changes.length} changes to ${domainName} failed`,
    content: `${failures.slice(0, listedFailures).join(" ")}${more}`,
    level: "error",
    metadata: { domainId, domainName, changeSetId, failed: failures.length, message },
    to: { userIds: [settled.actorId, settled.ownerId].filter((userId) => userId !== null) },
  };
}
