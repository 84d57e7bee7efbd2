import type { Caller } from "../../../access/caller.ts";
import { parseHostPattern } from "../../../access/host-pattern.ts";
import { zoneFor, type Zone } from "../../../access/zone-access.ts";
import type { EntityManager } from "../../../database/database.ts";
import type { TsigKeyAccess } from "../../../database/tables/tsig-keys.ts";
import { AppError, badField } from "../../../platform/errors.ts";

interface ScopeWish {
  domainId: string;
  /** As typed. */
  hostPattern: string;
  recordTypes: readonly string[];
  access: TsigKeyAccess;
}

/**
 * Returns the host pattern of a new key in canonical form.
 * @throws AppError BAD_REQUEST at the field that exceeds what the caller may do
 */
export async function patternFor(em: EntityManager, caller: Caller, wish: ScopeWish): Promise<string> {
  const { name, rights } = await zoneOf(em, caller, wish.domainId);
  const parsed = parseHostPattern(wish.hostPattern, name);
  if (!parsed.ok) throw badField(["hostPattern"], parsed.message);
  const reads = wish.access === "read";
  const may = reads ? rights.sees : rights.changes;
  if (may.isNone)
    throw badField(["access"], `You may only read ${name}. Choose \`read\`, or ask for write access first.`);
  const pattern = parsed.value;
  // Of `*`, the key covers what its owner may access.
  if (pattern === "*") return pattern;
  const verb = reads ? "see" : "change";
  if (!may.includesSomeAt(pattern))
    throw badField(
      ["hostPattern"],
      `You may not ${verb} all records of ${pattern} in ${name}. Choose a pattern within your assignments, or "*" for all of them.`,
    );
  for (const [index, type] of wish.recordTypes.entries())
    if (!may.includesSomeAt(pattern, [type]))
      throw badField(
        ["recordTypes", index],
        `You may not ${verb} ${type} records of ${pattern} in ${name}. Leave out ${type}.`,
      );
  return pattern;
}

async function zoneOf(em: EntityManager, caller: Caller, domainId: string): Promise<Zone> {
  try {
    return await zoneFor(em, caller, domainId, "read");
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") throw unknownDomain();
    throw error;
  }
}

export function unknownDomain(): AppError {
  return badField(["domainId"], "No domain has this ID. Choose one that you may access.");
}
