import { sql } from "kysely";
import { jsonRows, queries, type EntityManager } from "../database/database.ts";
import { changedSets, factsOf, type ParentSet, type StoredFacts } from "./facts.ts";
import { judge, type Finding, type FindingCode } from "./findings.ts";
import type { Observation, Pointer } from "./observation.ts";
import { pointerKey, stillThere } from "./pointers.ts";
import { takeUnreported, type Report } from "./unreported.ts";

/** A check is due again after this time. */
export const betweenChecks = 24 * 3_600_000;

interface Key {
  code: FindingCode;
  name: string;
  recordType: string;
  subject: string;
}

export interface Stored {
  domain: { id: string; name: string; ownerId: string | null };
  facts: StoredFacts;
  changed: ParentSet[];
  dangling: Report;
}

/** Stores a check, within a transaction. @returns null if the domain was deleted */
export async function storeCheck(
  tx: EntityManager,
  domainId: string,
  seen: Observation,
  now: Date,
): Promise<Stored | null> {
  const domain = await queries(tx)
    .selectFrom("domains")
    .select(["id", "name", "owner_id"])
    .where("id", "=", domainId)
    .forKeyShare()
    .executeTakeFirst();
  if (!domain) return null;
  const next = new Date(now.getTime() + betweenChecks);
  // Creates the row if it is missing, and locks it.
  await sql`
    insert into delegations (domain_id, next_check_at) values (${domainId}, ${next}::timestamptz)
    on conflict (domain_id) do update set next_check_at = excluded.next_check_at
  `.execute(queries(tx));
  const known = await queries(tx)
    .selectFrom("delegations")
    .select(["facts", "changed_at"])
    .where("domain_id", "=", domainId)
    .executeTakeFirstOrThrow();
  const before = known.facts as StoredFacts | null;
  const facts = factsOf(seen, before, now);
  const changed = changedSets(before?.parent ?? null, facts.parent);
  await queries(tx)
    .updateTable("delegations")
    .set({
      checked_at: now,
      changed_at: changed.length > 0 ? now : known.changed_at,
      facts: sql`${JSON.stringify(facts)}::jsonb`,
    })
    .where("domain_id", "=", domainId)
    .execute();
  await storeFindings(tx, domainId, seen, now);
  const dangling = await takeUnreported(tx, domainId, now);
  return { domain: { id: domain.id, name: domain.name, ownerId: domain.owner_id }, facts, changed, dangling };
}

async function storeFindings(tx: EntityManager, domainId: string, seen: Observation, now: Date): Promise<void> {
  const { findings, leavesOpen } = judge(seen);
  const found = new Map(findings.map((finding) => [keyText(keyOf(finding)), finding]));
  const stored = await queries(tx)
    .selectFrom("delegation_findings")
    .select(["code", "name", "record_type as recordType", "subject"])
    .where("domain_id", "=", domainId)
    .execute();
  const unseen = stored
    .map(({ code, name, recordType, subject }): Key => ({ code: code as FindingCode, name, recordType, subject }))
    .filter((row) => !found.has(keyText(row)));
  const pointers = unseen.filter(({ code }) => code === "dangling").map(pointerOf);
  const there = await stillThere(tx, domainId, pointers);
  const gone = unseen.filter((key) => {
    if (key.code === "dangling" && !there.has(pointerKey(pointerOf(key)))) return true;
    return !leavesOpen(findingOf(key));
  });
  const rows = [...found.values()].map((finding) => {
    const { severity, message } = finding;
    return Object.assign(keyOf(finding), { severity, message });
  });
  // A new finding is snoozed like others of its code and name.
  await sql`
    insert into delegation_findings
      (domain_id, code, name, record_type, subject, severity, message, present, notified, first_seen_at, last_seen_at, snoozed_until)
    select ${domainId}::uuid, f.code, f.name, f."recordType", f.subject, f.severity, f.message, true, false,
      ${now}::timestamptz, ${now}::timestamptz,
      (select max(o.snoozed_until) from delegation_findings o
       where o.domain_id = ${domainId} and o.code = f.code and o.name = f.name)
    from ${jsonRows(rows)} as f(code text, name text, "recordType" text, subject text, severity text, message text)
    on conflict (domain_id, code, name, record_type, subject) do update set
      severity = excluded.severity, message = excluded.message, last_seen_at = excluded.last_seen_at,
      first_seen_at = case when delegation_findings.present then delegation_findings.first_seen_at else excluded.first_seen_at end,
      present = true
  `.execute(queries(tx));
  const ended = sql`from ${jsonRows(gone)} as g(code text, name text, "recordType" text, subject text)
    where delegation_findings.domain_id = ${domainId} and delegation_findings.code = g.code and delegation_findings.name = g.name
      and delegation_findings.record_type = g."recordType" and delegation_findings.subject = g.subject`;
  // The snooze of a finding that comes and goes must last.
  await sql`update delegation_findings set present = false, notified = false ${ended}`.execute(queries(tx));
  await sql`
    delete from delegation_findings
    where domain_id = ${domainId} and not present and (snoozed_until is null or snoozed_until <= ${now}::timestamptz)
  `.execute(queries(tx));
}

function keyOf({ code, name, recordType, server, target }: Finding): Key {
  return { code, name, recordType: recordType ?? "", subject: server ?? target ?? "" };
}

function keyText({ code, name, recordType, subject }: Key): string {
  return JSON.stringify([code, name, recordType, subject]);
}

function pointerOf({ name, recordType, subject }: Key): Pointer {
  return { name, recordType, target: subject };
}

/** Returns the parts of a stored finding; see `keyOf`. */
export function findingOf({ code, name, recordType, subject }: Key) {
  const shown = subject === "" ? null : subject;
  return code === "dangling"
    ? { code, name, recordType, server: null, target: shown }
    : { code, name, recordType: null, server: shown, target: null };
}
