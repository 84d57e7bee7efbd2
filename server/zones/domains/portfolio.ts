import { sql } from "kysely";
import type { Caller } from "../../access/caller.ts";
import { visibleDomains } from "../../access/visible-domains.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { csvRow } from "../../platform/csv.ts";

interface Cursor {
  name: string;
  view: string;
}

/** Rows per statement, so that other calls get their turn in between. */
const rowsAtOnce = 2_000;
const columns = [
  "name",
  "view",
  "provider",
  "group",
  "tags",
  "expires",
  "registrar",
  "notes",
  "owner",
  "yearlyCost",
  "currency",
];

/**
 * Returns the domains that the caller sees as a whole as a table (RFC 4180), with a header. Cells that a spreadsheet would take for a
 * formula begin with an apostrophe.
 */
export async function exportPortfolio(em: EntityManager, caller: Caller): Promise<string[]> {
  const visible = await visibleDomains(em, caller);
  const pieces = [csvRow(columns)];
  let after: Cursor = { name: "", view: "" };
  for (;;) {
    const rows = await queries(em)
      .selectFrom("domains")
      .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
      .leftJoin("registrar_configs", "registrar_configs.id", "domains.registrar_config_id")
      .leftJoin("users", "users.id", "domains.owner_id")
      .select(["domains.name", "domains.view", "domains.group_name", "domains.tags", "domains.expires_at"])
      .select(["domains.registrar", "domains.notes", "domains.yearly_cost_hundredths", "domains.currency"])
      .select(["provider_configs.name as provider", "registrar_configs.name as account", "users.username as owner"])
      .where((eb) => eb.and([visible.condition(eb), visible.wholly()]))
      .where(sql<boolean>`(domains.name, domains.view) > (${after.name}, ${after.view})`)
      .orderBy("domains.name")
      .orderBy("domains.view")
      .limit(rowsAtOnce)
      .execute();
    const lines = rows.map((row) =>
      csvRow([
        row.name,
        row.view,
        row.provider,
        row.group_name ?? "",
        row.tags.join("; "),
        row.expires_at?.toISOString().slice(0, 10) ?? "",
        row.account ?? row.registrar ?? "",
        row.notes ?? "",
        row.owner ?? "",
        costOf(row.yearly_cost_hundredths)?.toFixed(2) ?? "",
        row.currency ?? "",
      ]),
    );
    pieces.push(lines.join(""));
    const last: Cursor | undefined = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) return pieces;
    after = { name: last.name, view: last.view };
  }
}

/** Returns what the domains that the caller sees as a whole cost in a year, by group and currency. */
export async function sumCosts(em: EntityManager, caller: Caller) {
  const visible = await visibleDomains(em, caller);
  const rows = await queries(em)
    .selectFrom("domains")
    .select(["group_name", "currency"])
    .select((eb) => [
      eb.fn.countAll<string>().as("domains"),
      eb.fn.sum<string | null>("yearly_cost_hundredths").as("hundredths"),
    ])
    .where((eb) => eb.and([visible.condition(eb), visible.wholly()]))
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

/** Returns a cost as clients see it. */
export function costOf(hundredths: number | string | null): number | null {
  return hundredths === null ? null : Number(hundredths) / 100;
}
