import { expressionBuilder, sql, type RawBuilder } from "kysely";
import type { z } from "zod";
import { hasPermission, type Caller } from "../../access/caller.ts";
import { visibleDomains, type VisibleDomains } from "../../access/visible-domains.ts";
import { fromJson, queries, type EntityManager } from "../../database/database.ts";
import type { Tables } from "../../database/tables/all.ts";
import { invalidProblems, knownCertificates, whereEndsSoon } from "../../registry/certificates/findings.ts";
import { harmfulDnssecCodes, type DnssecFinding } from "../../registry/dnssec/findings.ts";
import type { StoredFacts } from "../../registry/delegation/store.ts";
import { registrableOf } from "../../registry/expiry/registration.ts";
import { judgeKnown } from "../../registry/registrars/plan.ts";
import { registeredParent, stillFailed, storedReading } from "../../registry/registrars/stored-reading.ts";
import { listDomains, type DomainFilter } from "./list.ts";
import { costOf, portfolioRows, shownRow } from "./portfolio.ts";
import type { portfolioFindings, portfolioPage } from "./portfolio-schemas.ts";

type Page = z.input<typeof portfolioPage>;
type Found = z.input<typeof portfolioFindings>;

/** Something to do about a domain, from its registration or its delegation. */
type PortfolioFinding = Page["domains"][number]["findings"][number];

/** Returns a page of the domains that the caller may see, with what is known of their registrations. */
export async function listPortfolio(em: EntityManager, caller: Caller, filter: DomainFilter, now: Date): Promise<Page> {
  const { domains, ...page } = await listDomains(em, caller, filter, now);
  const ids = domains.map(({ id }) => id);
  const known = await knownOf(em, caller, await visibleDomains(em, caller), ids, now);
  const delegated = await delegationFindings(em, ids, now);
  return {
    ...page,
    domains: domains.map((domain) => {
      const { registration, findings = [] } = known.get(domain.id) ?? {};
      const others = delegated.get(domain.id) ?? [];
      const isSaid = others.some(({ code }) => code === "ds_without_dnskey");
      const all = registration ? [...findings.filter(({ code }) => !(isSaid && saysTheSame(code))), ...others] : [];
      const byHarm = all.toSorted((one, other) => harmOf(one) - harmOf(other));
      return Object.assign(domain, { registration: registration ?? null, findings: byHarm });
    }),
  };
}

/** Findings of each sort that are read, and findings that are returned. */
const mostFindings = 100;
const day = 24 * 3_600_000;
const soonDays = 30;

/** What harms most comes first: the domain is lost, or nobody reaches it, or soon. The console's page of a domain has the same order. */
export const harms: Readonly<Partial<Record<PortfolioFinding["code"], number>>> = {
  expired: 1,
  ds_without_dnskey: 2,
  ds_mismatch: 2,
  broken: 2,
  not_delegated: 2,
  expires_without_renewal: 3,
  signatures_expiring: 3,
  certificate_invalid: 4,
  expires_soon: 5,
  certificate_expiring: 5,
  unlocked: 6,
  registrar_failed: 8,
};
export const harmsOfOthers = { error: 4, warning: 7, info: 9 } as const;

function harmOf({ code, severity }: Pick<PortfolioFinding, "code" | "severity">): number {
  return harms[code] ?? harmsOfOthers[severity];
}

/** Whether a finding of DNSSEC repeats one of the delegation, of DS records that match no key. */
function saysTheSame(code: PortfolioFinding["code"]): boolean {
  return code === "ds_mismatch" || code === "broken";
}

interface FoundRow {
  id: string;
  code: PortfolioFinding["code"];
  severity: PortfolioFinding["severity"];
  expires_at: Date | null;
  /** Null: its registration is judged anew. */
  message: string | null;
}

/**
 * Returns the findings that harm most, of all domains that the caller sees as a whole. Tokens that may not read registrations get none of
 * those. Each sort is read from an index in its own order, so a large portfolio costs no more than a small one.
 */
export async function worstFindings(em: EntityManager, caller: Caller, now: Date): Promise<Found> {
  const visible = await visibleDomains(em, caller);
  const readsRegistrations = hasPermission(caller, "registrations:read");
  const seen = sql`${visible.condition(expressionBuilder<Tables, "domains">())} and ${visible.wholly()}
    and domains.status = 'active'`;
  const soon = new Date(now.getTime() + soonDays * day);
  const renews = sql`domains.registrar_state->'state'->>'autoRenew'`;
  const expiring = sql`domains.expires_at > ${now}::timestamptz and domains.expires_at <= ${soon}::timestamptz`;
  const registered = (code: string, severity: string, condition: RawBuilder<unknown>) => sql`(
    select domains.id, ${code}::text as code, ${severity}::text as severity, domains.expires_at, null::text as message
    from domains where ${seen} and ${condition} order by domains.expires_at limit ${mostFindings + 1})`;
  // The index leaves out what is only information; the condition says the same, so that it is used.
  const delegated = (severity: string) => sql`(
    select domains.id, f.code, f.severity, domains.expires_at, f.message
    from delegation_findings f join domains on domains.id = f.domain_id
    where f.present and f.severity <> 'info' and f.severity = ${severity}
      and (f.snoozed_until is null or f.snoozed_until <= ${now}::timestamptz) and ${seen}
    order by f.first_seen_at limit ${mostFindings + 1})`;
  // A domain may have many hosts. The first one stands for all.
  const certified = (code: string, severity: string, condition: (host: string) => RawBuilder<unknown>) => sql`(
    select domains.id, ${code}::text as code, ${severity}::text as severity, h.not_after as expires_at, null::text as message
    from tls_hosts h join domains on domains.id = h.domain_id
    where ${seen} and ${condition("h")} and not exists (
      select from tls_hosts o where o.domain_id = h.domain_id and ${condition("o")}
        and (coalesce(o.not_after, 'infinity'), o.host, o.port) < (coalesce(h.not_after, 'infinity'), h.host, h.port)
    )
    order by h.not_after limit ${mostFindings + 1})`;
  // The conditions are those of the indexes. A fault of a zone above is a warning, for which there is nothing to change here.
  const signed = (condition: RawBuilder<unknown>, isTheFinding: RawBuilder<unknown>) => sql`(
    select domains.id, f->>'code' as code, f->>'severity' as severity, domains.expires_at, f->>'message' as message
    from delegations g join domains on domains.id = g.domain_id, jsonb_array_elements(g.dnssec->'findings') f
    where ${condition} and ${isTheFinding} and ${seen}
    order by g.domain_id limit ${mostFindings + 1})`;
  const differing = sql`(
    select domains.id, difference.code, 'warning' as severity, domains.expires_at, null::text as message
    from delegations g join domains on domains.id = g.domain_id, lateral (
      values ('name_servers_differ', g.name_servers_differ), ('ds_differ', g.ds_differ)
    ) as difference (code, present)
    where (g.name_servers_differ or g.ds_differ) and difference.present and ${seen}
    order by g.domain_id limit ${mostFindings + 1})`;
  const registrations = [
    differing,
    signed(
      sql`g.dnssec->>'state' = 'broken' and not exists (
        select from delegation_findings d where d.domain_id = g.domain_id and d.code = 'ds_without_dnskey' and d.present)`,
      sql`f->>'severity' = 'error'`,
    ),
    signed(
      sql`jsonb_path_exists(g.dnssec, '$.findings[*] ? (@.code starts with "signatures_")')`,
      sql`starts_with(f->>'code', 'signatures_')`,
    ),
    registered("expired", "error", sql`domains.expires_at <= ${now}::timestamptz`),
    registered("expires_without_renewal", "error", sql`${expiring} and ${renews} = 'false'`),
    registered("expires_soon", "warning", sql`${expiring} and ${renews} is null`),
    // The condition of its index. What failed more than a week ago has no finding any longer.
    registered("change_failed", "error", sql`domains.registrar_state->'failed' <> '{}'::jsonb`),
    registered("unlocked", "warning", sql`domains.registrar_state->'state'->>'locked' = 'false'`),
    registered("registrar_failed", "warning", sql`domains.registrar_state->>'error' is not null`),
    certified("certificate_invalid", "error", (host) => sql`${sql.ref(`${host}.problem`)} in ${invalidProblems}`),
    certified("certificate_expiring", "warning", (host) => whereEndsSoon(host, now)),
  ];
  const { rows } = await sql<FoundRow>`${sql.join(
    [...(readsRegistrations ? registrations : []), delegated("error"), delegated("warning")],
    sql` union all `,
  )}`.execute(queries(em));
  const ranked = rows.toSorted(
    (one, other) => harmOf(one) - harmOf(other) || timeOf(one.expires_at) - timeOf(other.expires_at),
  );
  const shown = ranked.slice(0, mostFindings);
  const known = await knownOf(em, caller, visible, [...new Set(shown.map(({ id }) => id))], now);
  return {
    findings: shown.flatMap(({ id, code, severity, message }) => {
      const { domain, findings = [] } = known.get(id) ?? {};
      const text = message ?? findings.find((finding) => finding.code === code)?.message;
      return domain && text !== undefined ? [{ domainId: id, ...domain, code, severity, message: text }] : [];
    }),
    more: ranked.length > shown.length,
    withoutRegistrations: !readsRegistrations,
  };
}

function timeOf(date: Date | null): number {
  return date?.getTime() ?? Number.POSITIVE_INFINITY;
}

/** Returns what is known of the registrations of domains that the caller sees as a whole, by id. */
async function knownOf(em: EntityManager, caller: Caller, visible: VisibleDomains, ids: readonly string[], now: Date) {
  const readsRegistrations = hasPermission(caller, "registrations:read");
  const certificates = await knownCertificates(em, ids, now);
  const rows = await portfolioRows(em)
    .select("domains.registry_expires_at")
    // Rather than a join, for which the planner reads all of them.
    .select((eb) =>
      eb.selectFrom("delegations").select("facts").whereRef("delegations.domain_id", "=", "domains.id").as("facts"),
    )
    .select((eb) =>
      eb
        .selectFrom("delegations")
        .select(sql`dnssec->'findings'`.as("findings"))
        .whereRef("delegations.domain_id", "=", "domains.id")
        .as("dnssec"),
    )
    .where("domains.id", "=", any(ids))
    .where(visible.wholly())
    .execute();
  return new Map(
    rows.map((row) => {
      const { registrar, autoRenew, locked, costHundredths, currency } = shownRow(row, caller);
      const reading = storedReading(row.registrar_state, row.registrar_config_id);
      const facts = fromJson(row.facts) as StoredFacts | null;
      const registered = registrableOf(row.name)?.name ?? row.name;
      const findings = judgeKnown(
        {
          name: registered,
          expiresAt: row.expires_at,
          registryExpiresAt: row.registry_expires_at,
          registrar: reading?.state ?? null,
          registrarError: reading?.error ?? null,
          failed: stillFailed(reading, reading?.state ?? null, now),
          certificates: certificates.get(row.id) ?? null,
          parent: registeredParent(row.name, facts?.parent ?? null),
        },
        now,
      );
      const { name, view, expiry_source: expirySource, account } = row;
      const yearlyCost = costOf(costHundredths);
      return [
        row.id,
        {
          domain: { name, view },
          registration: { expirySource, registrar, account, autoRenew, locked, yearlyCost, currency },
          findings: readsRegistrations ? [...findings, ...harmfulOf(fromJson(row.dnssec))] : [],
        },
      ];
    }),
  );
}

/** Returns what the last check of a domain's DNSSEC found that harms it, and that can be mended in the domain. */
function harmfulOf(stored: unknown): PortfolioFinding[] {
  return ((stored ?? []) as DnssecFinding[]).flatMap(({ code, severity, message }) => {
    const known = harmfulDnssecCodes.find((one) => one === code);
    return known && (severity === "error" || !saysTheSame(known)) ? [{ code: known, severity, message }] : [];
  });
}

/** Ids in one parameter, also none. */
function any(ids: readonly string[]) {
  return sql<string>`any(${`{${ids.join(",")}}`}::uuid[])`;
}

async function delegationFindings(em: EntityManager, ids: readonly string[], now: Date) {
  const rows = await queries(em)
    .selectFrom("delegation_findings")
    .select(["domain_id", "code", "severity", "message"])
    .where("domain_id", "=", any(ids))
    .where("present", "=", true)
    .where((eb) => eb.or([eb("snoozed_until", "is", null), eb("snoozed_until", "<=", now)]))
    .orderBy("code")
    .orderBy("name")
    .execute();
  const found = new Map<string, PortfolioFinding[]>();
  for (const { domain_id: id, code, severity, message } of rows) {
    const finding = { code, severity, message } as PortfolioFinding;
    found.set(id, [...(found.get(id) ?? []), finding]);
  }
  return found;
}
