import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { ProviderError, type ApplyResult, type DnsProvider } from "../dns-providers/provider.ts";
import { AppError } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import type { PlannedChange } from "../dns/live-record.ts";
import { countActions } from "../dns/live-record.ts";
import { providerPart } from "./provider-part.ts";
import type { ChangeSetKind } from "../database/tables/change-sets.ts";
import { failureOf, failuresText } from "./failures.ts";
import { intentText, leaveOpen } from "./intent.ts";
import { lostLease, type Lease } from "./lease.ts";
import { callProvider } from "./provider-call.ts";
import { notingCalls } from "./call-journal.ts";

export interface SentZone {
  id: string;
  name: string;
  /** Mark of the provider's content that the records here stand for. */
  fingerprint: string | null;
  /** Whether the provider signs the zone. */
  signed: boolean;
}

/**
 * Commits the intent, then calls the provider.
 * @throws AppError PROVIDER_ERROR when nothing was changed, or when nobody can say yet: then a repair settles it;
 * UNAVAILABLE when the lease was lost before anything was sent.
 */
export async function sendChanges(
  em: EntityManager,
  zone: SentZone,
  provider: DnsProvider,
  lease: Lease,
  set: { kind: ChangeSetKind; actorId: string; changes: PlannedChange[]; together: boolean; now: () => Date },
): Promise<ApplyResult & { changeSetId: string }> {
  const changeSetId = newId();
  const { creates, updates, deletes } = countActions(set.changes);
  // Only while the zone is still ours: whoever took it since may have moved it elsewhere.
  const intended = await sql<{ id: string }>`
    insert into change_sets (id, domain_id, kind, state, actor_id, creates, updates, deletes, intent, repaired, created_at)
    select ${changeSetId}::uuid, id, ${set.kind}, 'pending', ${set.actorId}::uuid, ${creates}::int, ${updates}::int, ${deletes}::int,
      ${intentText(set)}::jsonb, false, ${set.now()}::timestamptz
    from domains where id = ${zone.id} and lease_token = ${lease.token} and lease_until > now()
    returning id
  `.execute(queries(em));
  if (intended.rows.length === 0)
    throw await lostLease(em, zone.id, "Planning took too long, and nothing was changed; try again.");
  return { changeSetId, ...(await carryOut(em, zone, provider, lease, changeSetId, set)) };
}

async function carryOut(
  em: EntityManager,
  zone: SentZone,
  provider: DnsProvider,
  lease: Lease,
  changeSetId: string,
  { changes, together, now }: { changes: PlannedChange[]; together: boolean; now: () => Date },
): Promise<ApplyResult> {
  const { sent, outcomesOf } = providerPart(changes, together);
  try {
    const answer: ApplyResult =
      sent.length === 0
        ? { outcomes: [], before: null, after: null }
        : await callProvider(provider, zone.name, sent, {
            together,
            plannedOn: zone.fingerprint,
            signed: zone.signed,
            mayStayOpen: true,
            beforeCall: notingCalls(em, zone.id, lease, { id: changeSetId, changes: sent }),
          });
    return { ...answer, outcomes: outcomesOf(answer.outcomes) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.effect === "unknown") {
      await leaveOpen(em, changeSetId, { together, changes }, now());
      throw new AppError(
        "PROVIDER_ERROR",
        `${error.message} What came of it is not known yet; the zone will be read back.`,
        { cause: error },
      );
    }
    const failures = changes.map((change) => failureOf(change, error.message));
    await queries(em)
      .with("noted", (db) => db.deleteFrom("change_set_calls").where("change_set_id", "=", changeSetId))
      .updateTable("change_sets")
      .set({
        state: "failed",
        ...countActions([]),
        finished_at: now(),
        intent: null,
        failures: failuresText(failures),
      })
      .where("id", "=", changeSetId)
      .where("state", "=", "pending")
      .execute();
    throw new AppError("PROVIDER_ERROR", error.message, { cause: error });
  }
}
