import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import type { Pointers } from "./check.ts";
import type { Pointer } from "./observation.ts";

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
export async function stillThere(em: EntityManager, domainId: string, asked: readonly Pointer[]): Promise<Set<string>> {
  if (asked.length === 0) return new Set();
  const { rows } = await sql<Pointer>`
    select distinct r.name, r.record_type as "recordType", ${target} as target
    from records r join json_to_recordset(${JSON.stringify(asked)}::json) as a(name text, "recordType" text, target text)
      on a.name = r.name and a."recordType" = r.record_type
    where r.domain_id = ${domainId} and ${points}
  `.execute(queries(em));
  return new Set(rows.map(pointerKey));
}

export function pointerKey({ name, recordType, target }: Pointer): string {
  return JSON.stringify([name, recordType, target]);
}
