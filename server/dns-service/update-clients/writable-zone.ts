import { sql } from "kysely";
import type { Caller } from "../../access/caller.ts";
import { visibleDomains } from "../../access/visible-domains.ts";
import { accessColumns, outsideRights, rightsIn } from "../../access/zone-access.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { ownerWithin, parseLabels, shown } from "../../dns/names/names.ts";
import { AppError } from "../../platform/errors.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";

/** A zone and a host in it. */
export interface WritablePlace {
  domainId: string;
  domainName: string;
  /** Relative to the zone: `@` for the apex. */
  host: string;
}

/** Parses a full host name, with or without a trailing dot, into canonical labels. */
export function parseHostName(input: string): Result<string[]> {
  const parsed = parseLabels(input, true);
  if (!parsed.ok) return refuse(parsed.message);
  return parsed.value.labels.length > 1 ? ok(parsed.value.labels) : refuse("it has no domain");
}

/**
 * Returns the longest zone in which the caller may write records of some types at a name. Of several views, the default one counts.
 * @param labels canonical
 * @throws AppError NOT_FOUND if the caller may see no such zone, FORBIDDEN if they may write in none
 */
export async function writablePlace(
  em: EntityManager,
  caller: Caller,
  labels: readonly string[],
  recordTypes: readonly string[],
): Promise<WritablePlace> {
  const name = labels.join(".");
  const visible = await visibleDomains(em, caller);
  const rows = await queries(em)
    .selectFrom("domains")
    .select(["id", "name", "view"])
    .select(accessColumns(caller))
    .where(
      "name",
      "in",
      labels.map((_, index) => labels.slice(index).join(".")),
    )
    .where((eb) => visible.condition(eb))
    .orderBy(sql`length(name)`, "desc")
    .orderBy("view")
    .execute();
  let refusal: string | null = null;
  for (const row of rows) {
    const host = ownerWithin(name, row.name) ?? "@";
    const rights = rightsIn(row, caller, "read");
    const [reason = null] = recordTypes.flatMap(
      (recordType) => outsideRights({ recordType, name: host }, rights) ?? [],
    );
    if (reason === null) return { domainId: row.id, domainName: row.name, host };
    refusal ??= reason;
  }
  if (refusal !== null) throw new AppError("FORBIDDEN", refusal);
  throw new AppError("NOT_FOUND", `This token reaches no domain that holds ${shown(name)}. Use one that names it.`);
}
