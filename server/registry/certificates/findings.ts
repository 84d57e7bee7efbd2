import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { absoluteName } from "../../dns/names/names.ts";
import { invalid } from "./read.ts";

/** A certificate that ends within this time should have been renewed already, unless it is short-lived. */
const soonDays = 14;
const day = 24 * 3_600_000;

interface Lifetime {
  notBefore: Date | null;
  notAfter: Date | null;
}

/**
 * Returns from when a certificate counts as ending, if it does so this many days before its end. Never before the last third of its
 * lifetime: short-lived ones are renewed late. Null: its end is unknown.
 */
export function endingFrom({ notBefore, notAfter }: Lifetime, days: number): number | null {
  if (notAfter === null) return null;
  const third = notBefore === null ? Number.POSITIVE_INFINITY : (notAfter.getTime() - notBefore.getTime()) / 3;
  return notAfter.getTime() - Math.min(days * day, third);
}

/** Returns whether a host's certificate should have been renewed already. */
export function endsSoon(host: Lifetime & { problem: string | null }, now: Date): boolean {
  const from = endingFrom(host, soonDays);
  if (from === null || host.notAfter === null || from > now.getTime()) return false;
  return host.problem === null || (host.problem === "unreachable" && host.notAfter > now);
}

/** The same as `endsSoon` for rows of `tls_hosts`. */
export function whereEndsSoon(host: string, now: Date) {
  const [problem, start, end] = ["problem", "not_before", "not_after"].map((column) => sql.ref(`${host}.${column}`));
  const soon = new Date(now.getTime() + soonDays * day);
  return sql<boolean>`(${end} <= ${soon}::timestamptz
    and (${start} is null or ${end} - (${end} - ${start}) / 3 <= ${now}::timestamptz)
    and (${problem} is null or ${problem} = 'unreachable' and ${end} > ${now}::timestamptz))`;
}

/** The worst host of a domain, and how many others are like it. */
interface Worst {
  name: string;
  notAfter: Date | null;
  error: string | null;
  others: number;
}

/** What is known of a domain's certificates. Null: nothing is wrong. */
export interface KnownCertificates {
  invalid: Worst | null;
  expiring: Worst | null;
}

export const invalidProblems = sql`(${sql.join(invalid.map((problem) => sql.lit(problem)))})`;

/** Returns what is wrong with the certificates of domains, by id. */
export async function knownCertificates(
  em: EntityManager,
  ids: readonly string[],
  now: Date,
): Promise<Map<string, KnownCertificates>> {
  const { rows } = await sql<{
    id: string;
    domain: string;
    host: string;
    notAfter: Date | null;
    error: string | null;
    total: string;
    isInvalid: boolean;
  }>`
    select * from (
      select h.domain_id as id, d.name as domain, h.host, h.not_after as "notAfter", h.error, i.invalid as "isInvalid",
        count(*) over (partition by h.domain_id, i.invalid) as total,
        row_number() over (partition by h.domain_id, i.invalid order by h.not_after, h.host, h.port) as place
      from tls_hosts h join domains d on d.id = h.domain_id
        cross join lateral (select coalesce(h.problem in ${invalidProblems}, false) as invalid) i
      where h.domain_id = any(${`{${ids.join(",")}}`}::uuid[])
        and (i.invalid or ${whereEndsSoon("h", now)})
    ) ranked where place = 1
  `.execute(queries(em));
  const known = new Map<string, KnownCertificates>();
  for (const { id, domain, host, notAfter, error, total, isInvalid } of rows) {
    const worst = { name: absoluteName(host, domain), notAfter, error, others: Number(total) - 1 };
    const other = known.get(id) ?? { invalid: null, expiring: null };
    known.set(id, { ...other, [isInvalid ? "invalid" : "expiring"]: worst });
  }
  return known;
}
