import { sql } from "kysely";
import { theService } from "../audit/actor.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { ProviderConnections } from "../dns-providers/connections.ts";
import { ProviderError, type ChangeOutcome, type DnsProvider } from "../dns-providers/provider.ts";
import { AppError } from "../errors.ts";
import { bookmark } from "./bookmark.ts";
import { secondsToSettle } from "./certainty.ts";
import { asSent, leaveOpen, settle, type Intent } from "./change-sets.ts";
import type { Lease } from "./lease.ts";
import type { Notifications } from "../notifications/notify.ts";
import type { PlannedChange } from "../records/live-record.ts";
import { failedChange } from "./failed-notice.ts";
import { allOrTakenBack, putBack } from "./provider-call.ts";
import { readBack } from "./read-back.ts";

/**
 * Settles changes whose outcome a crash or a lost connection left open, by reading the zone back from its provider.
 * The caller holds the lease. Cheap when there is nothing to repair.
 * @param notifications through which those hear of failures whose answer was not awaited any more
 * @throws AppError PROVIDER_ERROR when the provider cannot be read now, UNAVAILABLE while a change that is not seen there may still be made.
 * @returns how many change sets were settled.
 */
export async function repairZone(
  em: EntityManager,
  domainId: string,
  lease: Lease,
  connections: ProviderConnections,
  now: () => Date,
  notifications: Notifications | null = null,
): Promise<number> {
  const pending = await queries(em)
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
  for (const set of pending) {
    const { provider } = connections.connect({ ...set, id: set.config_id });
    const intent = reviveIntent(set.intent);
    const { changes } = intent;
    const outcomes = await whatHappened(provider, set.name, intent, now());
    if (outcomes === null) throw await notYet(em, set.id, intent, provider, now());
    await em.fork().transactional(async (tx) => {
      const at = now();
      const author = { trigger: "on_change", createdBy: set.actor_id, now: at } as const;
      // The snapshots that the change would have made.
      if (set.change_kind === "import" && outcomes.some(({ ok }) => ok)) await bookmark(tx, domainId, author);
      await settle(tx, domainId, {
        kind: set.change_kind,
        actorId: set.actor_id,
        actor: theService,
        changes,
        outcomes,
        lease,
        fingerprint: null,
        changeSetId: set.id,
        repaired: true,
        now: at,
      });
      if (set.change_kind === "rollback") await bookmark(tx, domainId, author);
      const { id, name: domainName, owner_id: ownerId, actor_id: actorId } = set;
      const notice = failedChange({ id, domainId, domainName, ownerId, actorId, changes, outcomes });
      if (notice) await notifications?.notify(tx, notice);
    });
  }
  return pending.length;
}

/**
 * A zone that is not at its provider any more has none of the changes. Of a set of all or none, what was made is taken back.
 * @returns null while what is not there may still come, or be taken back.
 */
async function whatHappened(
  provider: DnsProvider | null,
  zone: string,
  { together, changes, openSince }: Intent,
  now: Date,
): Promise<ChangeOutcome[] | null> {
  const gone = changes.map((): ChangeOutcome => ({ ok: false, message: "The zone is not at that provider any more." }));
  if (!provider) return gone;
  try {
    const sent = changes.map(asSent);
    const read = { outcomes: await readBack(provider, zone, changes), before: null, after: null };
    if (!read.outcomes.every(({ ok }) => ok) && secondsLeft(provider, openSince, now) > 0) return null;
    const found = await putBack(provider, zone, sent, read, true);
    return together ? (await allOrTakenBack(provider, zone, sent, found, true)).outcomes : found.outcomes;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.zoneMissing) return gone;
    if (error.effect === "unknown") return null;
    throw new AppError("PROVIDER_ERROR", `An earlier change could not be settled: ${error.message}`, { cause: error });
  }
}

/** How long until a reading settles a change, in seconds. The time counts from when it was first found that nobody is at it any more. */
function secondsLeft(provider: DnsProvider, openSince: string | undefined, now: Date): number {
  const seconds = secondsToSettle(provider);
  return openSince === undefined ? seconds : seconds - (now.getTime() - Date.parse(openSince)) / 1_000;
}

/** Why a change is not settled yet. Its time counts from now on, if it did not before or another call was left without an answer. */
async function notYet(
  em: EntityManager,
  changeSetId: string,
  intent: Intent,
  provider: DnsProvider | null,
  now: Date,
): Promise<AppError> {
  const left = provider && intent.openSince !== undefined ? secondsLeft(provider, intent.openSince, now) : 0;
  if (left <= 0) await leaveOpen(em.fork(), changeSetId, intent, now);
  const seconds = Math.ceil(left > 0 || !provider ? left : secondsToSettle(provider));
  return new AppError(
    "UNAVAILABLE",
    `An earlier change of this zone ended without an answer of its provider, which may still make it; try again in ${seconds} seconds.`,
    { retryAfterSeconds: seconds },
  );
}

/** JSON has no dates; the rest of an intent is stored as it was. Earlier versions stored the changes alone. */
function reviveIntent(stored: unknown): Intent {
  const intent = (typeof stored === "string" ? JSON.parse(stored) : (stored ?? [])) as Intent | PlannedChange[];
  const { together, changes, openSince } = Array.isArray(intent)
    ? { together: false, changes: intent, openSince: undefined }
    : intent;
  for (const { before } of changes) {
    if (!before) continue;
    before.createdAt = new Date(before.createdAt);
    before.updatedAt = new Date(before.updatedAt);
  }
  return { together, changes, openSince };
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
