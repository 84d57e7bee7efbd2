import { sql } from "kysely";
import { hasPermission, type Caller } from "../../access/caller.ts";
import { visibleDomains } from "../../access/visible-domains.ts";
import { readsEverything } from "../../access/zone-access.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { csvRow } from "../../platform/csv.ts";
import { takeTurns } from "../../platform/slices.ts";
import { storedReading } from "../../registry/registrars/stored-reading.ts";
import { cellsOf, portfolioColumns, type PortfolioRow } from "./portfolio-table.ts";

interface Cursor {
  name: string;
  view: string;
}

/** Rows per statement, so that other calls get their turn in between. */
const rowsAtOnce = 500;

/** Returns the domains that the caller sees as a whole as a table, with a header. */
export async function exportPortfolio(em: EntityManager, caller: Caller): Promise<string[]> {
  const visible = await visibleDomains(em, caller);
  const pieces = [csvRow(portfolioColumns)];
  let after: Cursor = { name: "", view: "" };
  for (;;) {
    const rows = await portfolioRows(em)
      .where((eb) => eb.and([visible.condition(eb), visible.wholly()]))
      .where(sql<boolean>`(domains.name, domains.view) > (${after.name}, ${after.view})`)
      .orderBy("domains.name")
      .orderBy("domains.view")
      .limit(rowsAtOnce)
      .execute();
    const lines = rows.map((row) => csvRow(Object.values(cellsOf(shownRow(row, caller)))));
    pieces.push(lines.join(""));
    const last: Cursor | undefined = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) return pieces;
    after = { name: last.name, view: last.view };
    await takeTurns();
  }
}

/** Returns what the domains whose costs the caller sees cost in a year, by group and currency. */
export async function sumCosts(em: EntityManager, caller: Caller) {
  const visible = await visibleDomains(em, caller);
  const rows = await queries(em)
    .selectFrom("domains")
    .select(["group_name", "currency"])
    .select((eb) => [
      eb.fn.countAll<string>().as("domains"),
      eb.fn.sum<string | null>("yearly_cost_hundredths").as("hundredths"),
    ])
    .where((eb) => eb.and([visible.condition(eb), visible.wholly(), costsSeenBy(caller)]))
    .groupBy(["group_name", "currency"])
    .orderBy(sql`group_name nulls last`)
    .orderBy(sql`currency nulls last`)
    .execute();
  return {
    groups: rows.map(({ group_name: groupName, currency, domains, hundredths }) => ({
      groupName,
      currency,
      domains: Number(domains),
      yearlyCost: costOf(hundredths),
    })),
  };
}

/** Returns whether the caller sees what a domain costs: its owner does, and those who read everything. */
export function seesCost({ role, userId, narrowing }: Caller, { owner_id: ownerId }: { owner_id: string | null }) {
  return readsEverything(role) || (narrowing === null && ownerId === userId);
}

/** Selects the domains of {@link seesCost}. */
function costsSeenBy({ role, userId, narrowing }: Caller) {
  if (readsEverything(role)) return sql<boolean>`true`;
  return narrowing === null ? sql<boolean>`domains.owner_id = ${userId}` : sql<boolean>`false`;
}

/** Returns a cost as clients see it. */
export function costOf(hundredths: number | string | null): number | null {
  return hundredths === null ? null : Number(hundredths) / 100;
}

/** Selects domains as {@link portfolioRow} reads them. */
export function portfolioRows(em: EntityManager) {
  return queries(em)
    .selectFrom("domains")
    .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
    .leftJoin("registrar_configs", "registrar_configs.id", "domains.registrar_config_id")
    .leftJoin("users", "users.id", "domains.owner_id")
    .select(["domains.id", "domains.name", "domains.view", "domains.group_name", "domains.tags", "domains.expires_at"])
    .select(["domains.expiry_source", "domains.registrar", "domains.registration", "domains.registrar_config_id"])
    .select(["domains.registrar_state", "domains.notes", "domains.yearly_cost_hundredths", "domains.currency"])
    .select(["domains.expiry_remind_days", "domains.owner_id", "provider_configs.name as provider"])
    .select(["registrar_configs.name as account", "users.username as owner"]);
}

export type SelectedRow = Awaited<ReturnType<ReturnType<typeof portfolioRows>["execute"]>>[number];

/** Returns a domain as a row of the table. */
export function portfolioRow(row: SelectedRow): PortfolioRow {
  const state = storedReading(row.registrar_state, row.registrar_config_id)?.state ?? null;
  return {
    name: row.name,
    view: row.view,
    provider: row.provider,
    groupName: row.group_name,
    tags: row.tags,
    expiresAt: row.expires_at,
    registrar: row.account ?? row.registrar,
    notes: row.notes,
    owner: row.owner,
    costHundredths: row.yearly_cost_hundredths,
    currency: row.currency,
    remindDays: row.expiry_remind_days,
    autoRenew: state?.autoRenew ?? null,
    locked: state?.locked ?? null,
  };
}

/** Returns a domain as a row of the table, without what the caller may not see. */
export function shownRow(row: SelectedRow, caller: Caller): PortfolioRow {
  return {
    ...portfolioRow(row),
    ...(seesCost(caller, row) ? {} : { costHundredths: null, currency: null }),
    ...(hasPermission(caller, "registrations:read") ? {} : { autoRenew: null, locked: null }),
  };
}
