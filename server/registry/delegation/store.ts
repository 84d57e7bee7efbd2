import { sql } from "kysely";
import { jsonRows, queries, type EntityManager } from "../../database/database.ts";
import { judge, type Finding, type FindingCode } from "./findings.ts";
import type { Observation, Pointer, ServerState } from "./observe.ts";
import type { Pointers } from "./check.ts";
import { dsText, type Ds } from "../../dns/dnssec/keys.ts";
import { noteDifferences } from "../registrars/stored-reading.ts";

/** A check is due again after this time. */
export const betweenChecks = 24 * 3_600_000;

interface Key {
  code: FindingCode;
  name: string;
  recordType: string;
  subject: string;
}

interface Stored {
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
  await noteDifferences(tx, domainId);
  await storeFindings(tx, domainId, seen, now);
  const dangling = await takeUnreported(tx, domainId, now);
  return { domain: { id: domain.id, name: domain.name, ownerId: domain.owner_id }, facts, changed, dangling };
}

async function storeFindings(tx: EntityManager, domainId: string, seen: Observation, now: Date): Promise<void> {
  const mirror = await queries(tx)
    .selectFrom("mirrors")
    .select("id")
    .where("domain_id", "=", domainId)
    .limit(1)
    .execute();
  const { findings, leavesOpen } = judge(seen, { hasMirrors: mirror.length > 0 });
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

/** Notifications about dangling records within 24 hours, of all domains. A provider that goes away can leave thousands. */
const mostReports = 50;
const day = 24 * 3_600_000;
/** Key of the advisory lock, unique in the database: "dang" in ASCII. */
const reportLock = 0x64_61_6e_67;

/** Dangling records that are to be reported now. */
export interface Report {
  records: Pointer[];
  /** Whether no other domain is reported for now. */
  isLast: boolean;
}

/**
 * Marks the unreported dangling records of a domain as reported, except those that are snoozed. Beyond the daily number of notifications,
 * they stay unreported until a check on a later day.
 */
async function takeUnreported(tx: EntityManager, domainId: string, now: Date): Promise<Report> {
  const none: Report = { records: [], isLast: false };
  const isDue = sql<boolean>`domain_id = ${domainId} and code = 'dangling' and present and not notified
    and (snoozed_until is null or snoozed_until <= ${now}::timestamptz)`;
  const due = await sql`select from delegation_findings where ${isDue} limit 1`.execute(queries(tx));
  if (due.rows.length === 0) return none;
  // Domains that are checked at the same time count one after the other.
  await sql`select pg_advisory_xact_lock(${reportLock})`.execute(queries(tx));
  const { rows: recent } = await sql`
    select from delegations where dangling_reported_at > ${new Date(now.getTime() - day)}::timestamptz limit ${mostReports}
  `.execute(queries(tx));
  if (recent.length >= mostReports) return none;
  const { rows } = await sql<Pointer>`
    update delegation_findings set notified = true where ${isDue}
    returning name, record_type as "recordType", subject as target
  `.execute(queries(tx));
  await sql`update delegations set dangling_reported_at = ${now}::timestamptz where domain_id = ${domainId}`.execute(
    queries(tx),
  );
  const records = rows.toSorted((one, other) => (pointerKey(one) < pointerKey(other) ? -1 : 1));
  return { records, isLast: recent.length === mostReports - 1 };
}

/** Maximum number of names looked up per check. */
const mostTargets = 500;
/** Maximum number of records that may point to them. */
const mostPointers = 5_000;

/** The last field of the value is the name: `<priority> [<weight> <port>] <target>`. Names have no unescaped space. */
const target = sql<string>`regexp_replace(r.value, '^.* ', '')`;
/** A null MX or SRV points nowhere, and an ACME challenge to a name that exists only at times. */
const points = sql`r.until is null and r.status = 'active' and r.record_type in ('CNAME', 'MX', 'NS', 'SRV', 'ALIAS')
  and ${target} <> '.' and left(r.value, 2) <> '\\#'
  and not (r.record_type = 'CNAME' and (lower(r.name) = '_acme-challenge' or lower(r.name) like '\\_acme-challenge.%'))`;

/**
 * Returns the records of a zone that point to names, for up to 500 names: others each day, if there are more.
 * @param day a number that changes daily
 */
export async function pointersOf(em: EntityManager, domainId: string, day: number): Promise<Pointers> {
  const { rows } = await sql<Pointer & { total: string }>`
    with pointing as (
      select r.name, r.record_type, ${target} as target from records r where r.domain_id = ${domainId} and ${points}
    ), chosen as (
      select target, count(*) over () as total from (select distinct target from pointing) t
      order by md5(target || ${String(day)}::text) limit ${mostTargets}
    )
    select p.name, p.record_type as "recordType", p.target, c.total from pointing p join chosen c on c.target = p.target
    order by p.name, p.record_type, p.target limit ${mostPointers}
  `.execute(queries(em));
  const total = Number(rows[0]?.total ?? 0);
  return {
    pointers: rows.map(({ name, recordType, target }) => ({ name, recordType, target })),
    skipped: Math.max(0, total - mostTargets),
  };
}

/** Returns which of these records the zone still has. */
async function stillThere(em: EntityManager, domainId: string, asked: readonly Pointer[]): Promise<Set<string>> {
  if (asked.length === 0) return new Set();
  const { rows } = await sql<Pointer>`
    select distinct r.name, r.record_type as "recordType", ${target} as target
    from records r join json_to_recordset(${JSON.stringify(asked)}::json) as a(name text, "recordType" text, target text)
      on a.name = r.name and a."recordType" = r.record_type
    where r.domain_id = ${domainId} and ${points}
  `.execute(queries(em));
  return new Set(rows.map(pointerKey));
}

function pointerKey({ name, recordType, target }: Pointer): string {
  return JSON.stringify([name, recordType, target]);
}

/** What the parent zone says, as stored. */
export interface ParentFacts {
  zone: string;
  /** When the parent zone was last seen to say this, as ISO 8601. */
  seenAt: string;
  nameServers: string[];
  glue: { name: string; address: string }[];
  /** Null: not known. */
  ds: Ds[] | null;
}

/** What a check saw, in the form that is stored. */
export interface StoredFacts {
  /** Null: never seen, or its servers show only the lower zone. */
  parent: ParentFacts | null;
  /** Why the last check could not see it; null if it could. */
  parentError: string | null;
  apex: {
    nameServers: string[] | null;
    keys: { tag: number; algorithm: number; entryPoint: boolean }[] | null;
  };
  servers: {
    name: string;
    address: string | null;
    state: ServerState;
    serial: number | null;
    detail: string | null;
  }[];
  targets: { checked: number; unknown: number; skipped: number };
}

/** Returns the facts of a check. What it could not see of the parent zone stays as it was seen last. */
function factsOf(seen: Observation, before: StoredFacts | null, now: Date): StoredFacts {
  const states = [...seen.targets.values()];
  const unknown = states.filter((state) => state === "unknown").length;
  return {
    parent: parentFacts(seen, before?.parent ?? null, now),
    parentError: parentError(seen),
    apex: {
      nameServers: seen.apex.nameServers?.toSorted() ?? null,
      keys: seen.apex.keys?.map(({ tag, algorithm, entryPoint }) => ({ tag, algorithm, entryPoint })) ?? null,
    },
    servers: seen.servers.map(({ name, address, state, serial, detail }) => ({ name, address, state, serial, detail })),
    targets: { checked: states.length - unknown, unknown, skipped: seen.skipped },
  };
}

function parentFacts({ parent }: Observation, before: ParentFacts | null, now: Date): ParentFacts | null {
  if (parent.kind === "unknown" || parent.kind === "hidden") return before;
  const seen = { zone: parent.zone, seenAt: now.toISOString() };
  if (parent.kind === "not_delegated") return { ...seen, nameServers: [], glue: [], ds: [] };
  const glue = parent.glue.toSorted(inOrder(({ name, address }) => `${name} ${address}`));
  const ds = parent.ds?.toSorted(inOrder(dsText)) ?? before?.ds ?? null;
  return { ...seen, nameServers: parent.nameServers.toSorted(), glue, ds };
}

function parentError({ parent }: Observation): string | null {
  if (parent.kind === "unknown") return parent.message;
  if (parent.kind !== "hidden") return null;
  return "The servers of the parent zone serve this zone, too, and show only its own NS records.";
}

const sets = {
  nameServers: ({ nameServers }: ParentFacts) => nameServers,
  ds: ({ ds }: ParentFacts) => ds?.map(dsText) ?? null,
  glue: ({ glue }: ParentFacts) => glue.map(({ name, address }) => `${name} ${address}`),
};

export type ParentSet = keyof typeof sets;

/** Returns which sets of the parent zone differ from before; none if they were not known before. */
function changedSets(before: ParentFacts | null, after: ParentFacts | null): ParentSet[] {
  if (!before || !after) return [];
  return (Object.keys(sets) as ParentSet[]).filter((set) => {
    const [old, present] = [sets[set](before), sets[set](after)];
    return old !== null && old.join() !== present?.join();
  });
}

function inOrder<T>(key: (item: T) => string) {
  return (one: T, other: T) => (key(one) < key(other) ? -1 : 1);
}
