import { sql } from "kysely";
import type { VisibleDomains } from "../../access/visible-domains.ts";
import { liveColumns, liveRecord } from "../changes/state/live-queries.ts";
import { jsonRows, queries, type EntityManager } from "../../database/database.ts";
import type { ManagedZone } from "../../dns/reverse/zones.ts";
import type { LiveRecord } from "../../dns/record.ts";

/** How far a report has come: a record of a domain, or with null the end of a domain. */
export interface Position {
  domainId: string;
  recordId: string | null;
}

/** An address or PTR record, and its zone. */
export interface ReportRow {
  domainId: string;
  domainName: string;
  view: string;
  record: LiveRecord;
}

/** Returns the next domains that the caller sees, by id. @param only the only domain asked about */
export async function domainsAfter(
  em: EntityManager,
  visible: VisibleDomains,
  { position, only }: { position: Position | null; only: string | undefined },
  limit: number,
): Promise<ManagedZone[]> {
  return await queries(em)
    .selectFrom("domains")
    .select(["domains.id", "domains.name", "domains.view"])
    .where((eb) => visible.condition(eb))
    .$if(position !== null, (query) =>
      query.where("domains.id", position?.recordId === null ? ">" : ">=", position?.domainId ?? ""),
    )
    .$if(only !== undefined, (query) => query.where("domains.id", "=", only ?? ""))
    .orderBy("domains.id")
    .limit(limit)
    .execute();
}

/** Before the id of every record. */
const firstId = "00000000-0000-0000-0000-000000000000";

/** Returns the next address and PTR records of some domains that the caller sees, by domain and id. */
export async function rowsAfter(
  em: EntityManager,
  visible: VisibleDomains,
  domains: readonly ManagedZone[],
  position: Position | null,
  limit: number,
): Promise<ReportRow[]> {
  const columns = sql.join(liveColumns.map((column) => sql.ref(`r.${column}`)));
  const rows = domains.map(({ id, name, view }) => ({
    d: id,
    n: name,
    v: view,
    // A bound rather than a condition, so that the index is read from here on.
    after: (position?.domainId === id ? position.recordId : null) ?? firstId,
  }));
  const found = await sql<{ domain_id: string; n: string; v: string } & Parameters<typeof liveRecord>[0]>`
    select d.d as domain_id, d.n, d.v, found.*
    from ${jsonRows(rows)} as d (d uuid, n text, v text, after uuid)
    cross join lateral (
      select ${columns} from records r
      where r.domain_id = d.d and r.until is null and r.record_type in ('A', 'AAAA', 'PTR')
        and r.status = 'active' and r.record_id > d.after and ${visible.records("r")}
      order by r.record_id limit ${limit}
    ) found
    order by d.d, found.record_id limit ${limit}
  `.execute(queries(em));
  return found.rows.map((row) => ({
    domainId: row.domain_id,
    domainName: row.n,
    view: row.v,
    record: liveRecord(row),
  }));
}

/** An address that a caller asks about. */
export interface AskedAddress {
  address: string;
  /** The view of the reverse zone. That of the default view serves all views. */
  view: string;
}

/** A name that has an address. */
export interface Holder {
  address: string;
  view: string;
  recordId: string;
  domainId: string;
  domainName: string;
  name: string;
}

/** Returns the first name that has each address, of those that the caller sees: one in the view of the reverse zone if there is any. */
export async function firstHolders(
  em: EntityManager,
  visible: VisibleDomains,
  asked: readonly AskedAddress[],
): Promise<Holder[]> {
  if (asked.length === 0) return [];
  const rows = asked.map(({ address, view }) => ({ a: address, v: view }));
  const { rows: found } = await sql<Holder>`
    select q.a as address, q.v as view, held.*
    from ${jsonRows(rows)} as q (a text, v text)
    cross join lateral (
      select r.record_id as "recordId", r.domain_id as "domainId", d.name as "domainName", r.name
      from records r join domains d on d.id = r.domain_id
      where r.value = q.a and r.until is null and r.record_type in ('A', 'AAAA') and r.status = 'active' and not r.proxied
        and r.name <> '*' and r.name not like '*.%' and (q.v = '' or d.view = q.v) and ${visible.records("r")}
      order by d.view <> q.v, r.record_id limit 1
    ) held
  `.execute(queries(em));
  return found;
}
