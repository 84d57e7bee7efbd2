import { sql } from "kysely";
import { theService, type Actor } from "../access/actor.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { ProviderConnections } from "../dns-providers/connections.ts";
import {
  ProviderError,
  type BeforeCall,
  type ChangeOutcome,
  type DnsProvider,
  type RecordChange,
} from "../dns-providers/provider.ts";
import { AppError } from "../platform/errors.ts";
import { bookmark } from "./bookmark.ts";
import { secondsToSettle } from "./certainty.ts";
import { providerPart } from "./provider-part.ts";
import { leaveOpen, storedIntent, type Intent } from "./intent.ts";
import type { Lease } from "./lease.ts";
import type { Notifications } from "../notifications/notify.ts";
import { failedChange } from "./failed-notice.ts";
import { allOrTakenBack, putBack } from "./provider-call.ts";
import { outcomesIn, provenOurs, readServed } from "./read-back.ts";
import { begunCalls, whileHeld } from "./call-journal.ts";
import { settle } from "./settle.ts";

/**
 * How to close changes whose provider cannot confirm them. `wait`: leave them pending. `acceptObserved`: take what the zone shows now as the
 * outcome, if it can be read. `abandon`: close them even if it cannot.
 */
export type Resolution = "wait" | "acceptObserved" | "abandon";

/** Who settles, and how far that may go; the service itself, and no further than is known, when left out. */
interface Settling {
  resolution: Resolution;
  actor: Actor;
}

/** What settling depends on beside the zone. */
interface Circumstances {
  settling?: Settling;
  /** Through which those hear of failures whose answer was not awaited any more. */
  notifications: Notifications;
}

type PendingSet = Awaited<ReturnType<typeof pendingSets>>[number];

/**
 * Settles changes whose outcome a crash or a lost connection left open, by reading the zone back from its provider.
 * The caller holds the lease. Cheap when there is nothing to repair.
 * @throws AppError PROVIDER_ERROR when the provider cannot be read now, UNAVAILABLE while a change that is not seen there may still be made.
 * @returns how many change sets were settled.
 */
export async function repairZone(
  em: EntityManager,
  domainId: string,
  lease: Lease,
  connections: ProviderConnections,
  now: () => Date,
  { settling = { resolution: "wait", actor: theService }, notifications }: Circumstances,
): Promise<number> {
  const pending = await pendingSets(em, domainId);
  for (const set of pending) {
    const intent = storedIntent(set.intent);
    const { outcomes, isRead, givenUp } = await establish(
      em,
      set,
      intent,
      lease,
      connections,
      now(),
      settling.resolution,
    );
    await em.fork().transactional(async (tx) => {
      const at = now();
      const author = { trigger: "on_change", createdBy: set.actor_id, now: at } as const;
      // The snapshots that the change would have made.
      if (set.change_kind === "import" && outcomes.some(({ ok }) => ok)) await bookmark(tx, domainId, author);
      await settle(tx, domainId, {
        kind: set.change_kind,
        actorId: set.actor_id,
        actor: givenUp && settling.resolution !== "wait" ? settling.actor : theService,
        ...(givenUp ? { about: { givenUp } } : {}),
        changes: intent.changes,
        outcomes,
        lease,
        fingerprint: null,
        changeSetId: set.id,
        repaired: isRead,
        now: at,
      });
      if (set.change_kind === "rollback") await bookmark(tx, domainId, author);
      const { id, name: domainName, owner_id: ownerId, actor_id: actorId } = set;
      const { changes } = intent;
      const notice = failedChange({ id, domainId, domainName, ownerId, actorId, changes, outcomes });
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
      "change_sets.intent",
      "domains.name",
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
  /** Whether the zone was read for it. */
  isRead: boolean;
  /** Whether it was settled without being known for certain. */
  givenUp: boolean;
}

/** @throws AppError as `repairZone` does */
async function establish(
  em: EntityManager,
  set: PendingSet,
  intent: Intent,
  lease: Lease,
  connections: ProviderConnections,
  now: Date,
  resolution: Resolution,
): Promise<Established> {
  const connect = () => connections.connect({ ...set, id: set.config_id }).provider;
  try {
    const provider = connect();
    if (!provider) return { outcomes: intent.changes.map(() => unread), isRead: false, givenUp: true };
    const calls = await begunCalls(em, set.id);
    const { outcomes, wait } = await whatHappened(provider, set.name, intent, calls, whileHeld(lease), now);
    if (outcomes === null) throw await notYet(em, set.id, intent, wait, now);
    return { outcomes, isRead: true, givenUp: false };
  } catch (error) {
    const isOpen = error instanceof AppError && (error.code === "PROVIDER_ERROR" || error.code === "UNAVAILABLE");
    if (!isOpen || resolution === "wait") throw error;
    const read = await asRead(connect, set.name, intent, error.code === "UNAVAILABLE");
    if (read === null && resolution === "acceptObserved") throw error;
    return { outcomes: read ?? intent.changes.map(() => unread), isRead: read !== null, givenUp: true };
  }
}

interface Happened {
  /** Null while what is not there may still come, or be taken back. */
  outcomes: ChangeOutcome[] | null;
  /** How long after a call without an answer a reading settles what came of it, in seconds. */
  wait: number;
}

/** Of a set of all or none, what was made is taken back, as far as it is proven to be ours. */
async function whatHappened(
  provider: DnsProvider,
  zone: string,
  { together, changes, openSince }: Intent,
  calls: readonly RecordChange[][],
  beforeCall: BeforeCall,
  now: Date,
): Promise<Happened> {
  let wait = secondsToSettle(provider, { signed: false });
  try {
    const { sent, outcomesOf } = providerPart(changes, together);
    const read = await readServed(provider, zone, [...sent, ...calls.flat()]);
    const { served, signed } = read;
    wait = secondsToSettle(provider, read);
    const outcomes = outcomesIn(served, sent);
    if (!outcomes.every(({ ok }) => ok) && secondsLeft(wait, openSince, now) > 0) return { outcomes: null, wait };
    const ours = provenOurs(served, sent, calls);
    const taking = { isOurs: (index: number) => ours[index] ?? false, mayStayOpen: true, signed, beforeCall };
    const found = await putBack(provider, zone, sent, { outcomes, before: null, after: null }, taking);
    const settled = together ? await allOrTakenBack(provider, zone, sent, found, taking) : found;
    return { outcomes: outcomesOf(settled.outcomes), wait };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.effect === "unknown") return { outcomes: null, wait };
    throw new AppError("PROVIDER_ERROR", `An earlier change could not be settled: ${error.message} ${wayOut}`, {
      cause: error,
    });
  }
}

const wayOut =
  "Where this provider will not come back, an administrator can move the domain to another configuration with force: true.";

const unread: ChangeOutcome = {
  ok: false,
  message: "What came of it is not known: it was given up while its provider could not be asked.",
  unknown: true,
};

/** What the zone shows of changes now; null where it cannot be read. @param mayCome whether what it does not show may still be made. */
async function asRead(
  connect: () => DnsProvider | null,
  zone: string,
  { together, changes }: Intent,
  mayCome: boolean,
): Promise<ChangeOutcome[] | null> {
  try {
    const provider = connect();
    if (!provider) return null;
    const { sent, outcomesOf } = providerPart(changes, together);
    const { served } = await readServed(provider, zone, sent);
    const outcomes = outcomesIn(served, sent);
    return outcomesOf(mayCome ? outcomes.map((outcome) => (outcome.ok || outcome.gone ? outcome : notSeen)) : outcomes);
  } catch (error) {
    if (error instanceof ProviderError || error instanceof AppError) return null;
    throw error;
  }
}

const notSeen: ChangeOutcome = {
  ok: false,
  message:
    "What came of it is not known: the zone did not show it when it was given up, and its provider may have made it later.",
  unknown: true,
};

/** How long until a reading settles a change, in seconds. The time counts from when it was first found that nobody is at it any more. */
function secondsLeft(wait: number, openSince: string | undefined, now: Date): number {
  return openSince === undefined ? wait : wait - (now.getTime() - Date.parse(openSince)) / 1_000;
}

/** Why a change is not settled yet. Its time counts from now on, if it did not before or another call was left without an answer. */
async function notYet(
  em: EntityManager,
  changeSetId: string,
  intent: Intent,
  wait: number,
  now: Date,
): Promise<AppError> {
  const left = intent.openSince === undefined ? 0 : secondsLeft(wait, intent.openSince, now);
  if (left <= 0) await leaveOpen(em.fork(), changeSetId, intent, now);
  const seconds = Math.ceil(left > 0 ? left : wait);
  return new AppError(
    "UNAVAILABLE",
    `An earlier change of this zone ended without an answer of its provider, which may still make it; try again in ${seconds} seconds.`,
    { retryAfterSeconds: seconds },
  );
}

/** Zones with changes left open and no lease on them. */
export async function zonesToRepair(em: EntityManager): Promise<string[]> {
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
