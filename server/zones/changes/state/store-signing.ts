import { createHash } from "node:crypto";
import { sql, type SqlBool } from "kysely";
import { jsonRows, queries, type EntityManager } from "../../../database/database.ts";
import { recordKey, type RecordData } from "../../../dns/record.ts";
import { serialDistance } from "../../../dns/wire/serials.ts";
import { managedAnywhere, managedAtApex, type ZoneSigning } from "../../../dns/zone-file/type-names.ts";
import { mirrorsDueStatement } from "../settle.ts";
import { announceZoneChange } from "../zone-watchers.ts";

/** A statement of the embedded database blocks the event loop until it is done. */
const rowsPerStatement = 250;

/** `isServerManaged` as a condition on `record_type` and `name`. */
const serverManagedRows = sql<SqlBool>`(
  record_type in (${sql.join(managedAnywhere.map((type) => sql.lit(type)))})
  or (name = '@' and record_type in (${sql.join(managedAtApex.map((type) => sql.lit(type)))}))
)`;

/**
 * Stores what a reading showed of a zone's signing, in the caller's transaction: whether the provider signs the zone, and its server-managed
 * records, which replace those of the last reading. Such records that were stored as ordinary ones end without a change set: nobody changed
 * them.
 */
export async function storeSigning(
  tx: EntityManager,
  domainId: string,
  { signed, managed }: ZoneSigning,
  now: Date,
): Promise<void> {
  const before = await queries(tx)
    .selectFrom("domains")
    .select(["provider_signed", "server_managed_count"])
    .where("id", "=", domainId)
    .forUpdate()
    .executeTakeFirst();
  if (!before) return;
  const ended = (signed || before.provider_signed) && (await endStored(tx, domainId));
  const turned = before.provider_signed !== signed;
  if (before.server_managed_count > 0) {
    await queries(tx).deleteFrom("server_managed_records").where("domain_id", "=", domainId).execute();
  }
  for (let start = 0; start < managed.length; start += rowsPerStatement) {
    await insertRows(tx, domainId, managed.slice(start, start + rowsPerStatement), now);
  }
  if (ended || turned) await mirrorAnew(tx, domainId, { turned, now });
  if (!turned && before.server_managed_count === 0 && managed.length === 0) return;
  await queries(tx)
    .updateTable("domains")
    .set((eb) => ({
      provider_signed: signed,
      server_managed_count: eb
        .selectFrom("server_managed_records")
        .select((count) => count.fn.countAll<number>().as("total"))
        .where("domain_id", "=", domainId),
    }))
    .where("id", "=", domainId)
    .execute();
}

/**
 * Has mirrors follow. Those of kind `primary` leave server-managed records out once the provider signs, which no version of a record shows:
 * raised serials have their secondaries transfer the zone whole.
 */
async function mirrorAnew(
  tx: EntityManager,
  domainId: string,
  { turned, now }: { turned: boolean; now: Date },
): Promise<void> {
  const { revision } = await queries(tx)
    .selectFrom("domains")
    .select("revision")
    .where("id", "=", domainId)
    .executeTakeFirstOrThrow();
  const due = await queries(tx).executeQuery(mirrorsDueStatement({ domainId, revision, now }));
  if (due.numAffectedRows === 0n) return;
  if (turned) await raiseSerial(tx, domainId);
  announceZoneChange(tx, { domainId, revision, changeSetId: null });
}

/**
 * Ends server-managed records that were stored as ordinary ones, at a revision of their own that no change set claims.
 * @returns whether there were any
 */
async function endStored(tx: EntityManager, domainId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with ended as (
      update records set until = (select revision + 1 from domains where id = ${domainId})
      where domain_id = ${domainId} and until is null and ${serverManagedRows}
      returning 1
    )
    update domains set revision = revision + 1, record_count = record_count - (select count(*) from ended), soa_signed = false
    where id = ${domainId} and exists (select 1 from ended)
  `.execute(queries(tx));
  return numAffectedRows === 1n;
}

async function insertRows(
  tx: EntityManager,
  domainId: string,
  records: readonly RecordData[],
  now: Date,
): Promise<void> {
  const rows = records.map((record) => ({
    id: idOf(domainId, record),
    t: record.recordType,
    n: record.name,
    d: record.value,
    wn: record.writtenName,
    wd: record.writtenValue,
    s: record.ttl,
  }));
  await sql`
    insert into server_managed_records (record_id, domain_id, record_type, name, value, written_name, written_value, ttl, read_at)
    select r.id, ${domainId}::uuid, r.t, r.n, r.d, r.wn, r.wd, r.s, ${now}::timestamptz
    from ${jsonRows(rows)} as r (id uuid, t text, n text, d text, wn text, wd text, s int)
    on conflict do nothing
  `.execute(queries(tx));
}

/** Returns an id derived from the record's content, so that it stays the same over readings (RFC 9562 §5.8). */
function idOf(domainId: string, record: RecordData): string {
  const digest = createHash("sha256")
    .update(`${domainId}\u0000${recordKey(record)}`)
    .digest()
    .subarray(0, 16);
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = digest.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * Lets the serials of a zone that has arrived at a configuration of kind `primary` go on after its last one elsewhere. A zone that was here
 * before, also as another domain, goes on after its own instead if that is the later one: its secondaries may have kept it, and take no older one (RFC 1982 §3.2).
 * @param last null if it is unknown
 */
export async function adoptSerial(
  tx: EntityManager,
  domainId: string,
  { last, returns }: { last: number | null; returns: boolean },
): Promise<void> {
  const own = returns || (await hadDomainBefore(tx, domainId)) ? await ownSerial(tx, domainId) : null;
  if (last === null || (own !== null && serialDistance(own, last + 1) <= 0)) {
    if (returns) await raiseSerial(tx, domainId);
    return;
  }
  await sql`
    update primary_zones set serial_base = ${last + 1}::bigint - domains.revision, base_revision = domains.revision
    from domains where domains.id = primary_zones.domain_id and domain_id = ${domainId}::uuid
  `.execute(queries(tx));
}

/** Returns whether an earlier domain with this zone was here. The trigger that added the zone let its serials go on after that. */
async function hadDomainBefore(tx: EntityManager, domainId: string): Promise<boolean> {
  const row = await queries(tx)
    .selectFrom("domains")
    .innerJoin("primary_last_serials", "primary_last_serials.zone", "domains.provider_zone")
    .select("domains.id")
    .where("domains.id", "=", domainId)
    .executeTakeFirst();
  return row !== undefined;
}

async function ownSerial(tx: EntityManager, domainId: string): Promise<number> {
  const { serial } = await queries(tx)
    .selectFrom("primary_zones")
    .innerJoin("domains", "domains.id", "primary_zones.domain_id")
    .select(sql<string>`primary_zones.serial_base + domains.revision`.as("serial"))
    .where("domain_id", "=", domainId)
    .executeTakeFirstOrThrow();
  // A driver may return a bigint as text.
  return Number(serial);
}

/** Returns whether the zone had serials here before. */
export async function hasSerial(tx: EntityManager, domainId: string): Promise<boolean> {
  const row = await queries(tx)
    .selectFrom("primary_zones")
    .select("domain_id")
    .where("domain_id", "=", domainId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Raises the serial of a zone that was here before and arrives at a configuration of kind `primary`, which has another SOA, as its main
 * provider or its mirror, or whose main provider begins or ceases to sign it. The gap makes serials from before unknown, so that they lead to a whole transfer.
 */
export async function raiseSerial(tx: EntityManager, domainId: string): Promise<void> {
  await sql`
    update primary_zones set serial_base = serial_base + 1000, base_revision = domains.revision
    from domains where domains.id = primary_zones.domain_id and domain_id = ${domainId}::uuid
  `.execute(queries(tx));
}
