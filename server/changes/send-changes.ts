import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { ProviderError, type ApplyResult, type DnsProvider } from "../dns-providers/provider.ts";
import { AppError } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { countActions, type PlannedChange } from "../dns/record.ts";
import { providerPart } from "./provider-part.ts";
import { causeColumns, type Cause } from "./cause.ts";
import type { ChangeSetKind } from "../database/tables/change-sets.ts";
import { failureOf, failuresText } from "./failures.ts";
import { intentText, leaveOpen } from "./intent.ts";
import { lostLease, type Lease } from "./lease.ts";
import { storeFollows, type Follow } from "./follows.ts";
import { callProvider } from "./provider-call.ts";
import { notingCalls } from "./call-journal.ts";

/** A zone whose records are sent to its provider. */
interface SentZone {
  id: string;
  providerZone: string;
  /** Fingerprint of the provider's content that the records here stand for. */
  fingerprint: string | null;
  /** Whether the provider signs the zone. */
  signed: boolean;
  provider: DnsProvider;
}

/** A change set about to be sent. */
interface ChangeSet {
  kind: ChangeSetKind;
  actorId: string;
  /** Name of the TSIG key that was used. */
  tsigKey: string | null;
  /** Why it is made, as its author wrote it. */
  message: string | null;
  changes: PlannedChange[];
  /** All of the changes or none. */
  atomic: boolean;
  cause?: Cause | undefined;
  /** What other zones must do afterwards. */
  follows?: readonly Follow[] | undefined;
  now: () => Date;
}

/**
 * Stores a change set as pending, so that a repair can settle it after a crash, with what other zones must do afterwards.
 * @returns the change set's id.
 * @throws AppError UNAVAILABLE when the lease was lost.
 */
export async function commitIntent(em: EntityManager, domainId: string, lease: Lease, set: ChangeSet): Promise<string> {
  return await em.transactional(async (tx) => {
    const id = await storeIntent(tx, domainId, lease, set);
    if (set.follows && set.actorId !== null)
      await storeFollows(tx, { id, actorId: set.actorId, now: set.now() }, set.follows);
    return id;
  });
}

async function storeIntent(em: EntityManager, domainId: string, lease: Lease, set: ChangeSet): Promise<string> {
  const id = newId();
  const { creates, updates, deletes } = countActions(set.changes);
  const { caused_by, reverts_id, batch_item_id, change_request_id } = causeColumns(set.cause);
  // Only while the lease is held: another process that took it may have moved the zone.
  const intended = await sql<{ id: string }>`
    insert into change_sets (id, domain_id, kind, state, actor_id, tsig_key, message, creates, updates, deletes, intent, repaired, caused_by, reverts_id, batch_item_id, change_request_id, created_at)
    select ${id}::uuid, id, ${set.kind}, 'pending', ${set.actorId}::uuid, ${set.tsigKey}::text, ${set.message}::text, ${creates}::int, ${updates}::int, ${deletes}::int,
      ${intentText(set)}::jsonb, false, ${caused_by}::uuid, ${reverts_id}::uuid, ${batch_item_id}::uuid, ${change_request_id}::uuid, ${set.now()}::timestamptz
    from domains where id = ${domainId} and lease_token = ${lease.token} and lease_until > now()
    returning id
  `.execute(queries(em));
  if (intended.rows.length === 0)
    throw await lostLease(em, domainId, "Planning took too long, and nothing was changed. Try again.");
  return id;
}

/**
 * Sends the changes of a pending change set to the provider.
 * @throws AppError PROVIDER_ERROR when nothing was changed, and when the outcome is unknown: the change set then stays pending.
 */
export async function sendChanges(
  em: EntityManager,
  zone: SentZone,
  lease: Lease,
  { id, changes, atomic, now }: ChangeSet & { id: string },
): Promise<ApplyResult> {
  const { sent, outcomesOf } = providerPart(changes, atomic);
  try {
    const answer: ApplyResult =
      sent.length === 0
        ? { outcomes: [], before: null, after: null }
        : await callProvider(zone.provider, zone.providerZone, sent, {
            atomic,
            plannedOn: zone.fingerprint,
            signed: zone.signed,
            mayStayOpen: true,
            beforeCall: notingCalls(em, zone.id, lease, { id, changes: sent }),
          });
    return { ...answer, outcomes: outcomesOf(answer.outcomes) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.effect === "unknown") {
      await leaveOpen(em, id, { atomic, changes }, now());
      throw new AppError(
        "PROVIDER_ERROR",
        `${error.message} The outcome is not known yet; the zone will be read back to find out.`,
        { cause: error },
      );
    }
    const failures = changes.map((change) => failureOf(change, error.message));
    await queries(em)
      .with("noted", (db) => db.deleteFrom("change_set_calls").where("change_set_id", "=", id))
      .updateTable("change_sets")
      .set({
        state: "failed",
        ...countActions([]),
        finished_at: now(),
        intent: null,
        failures: failuresText(failures),
      })
      .where("id", "=", id)
      .where("state", "=", "pending")
      .execute();
    throw new AppError("PROVIDER_ERROR", error.message, { cause: error });
  }
}
