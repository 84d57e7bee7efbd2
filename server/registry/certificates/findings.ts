import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { absoluteName } from "../../dns/names/names.ts";
import { invalid } from "./read.ts";

/** A certificate that ends within this time should have been renewed already. */
export const certificateSoonDays = 14;
const day = 24 * 3_600_000;

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
  const soon = new Date(now.getTime() + certificateSoonDays * day);
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
      select h.domain_id as id, d.name as domain, h.host, h.not_after as "notAfter", h.error, h.problem is not null as "isInvalid",
        count(*) over (partition by h.domain_id, h.problem is not null) as total,
        row_number() over (partition by h.domain_id, h.problem is not null order by h.not_after, h.host, h.port) as place
      from tls_hosts h join domains d on d.id = h.domain_id
      where h.domain_id = any(${`{${ids.join(",")}}`}::uuid[])
        and (h.problem in ${invalidProblems} or h.problem is null and h.not_after <= ${soon}::timestamptz)
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
