import { outsideRights, type Rights } from "../../access/zone-access.ts";
import { isApexNs } from "../../dns/record.ts";
import type { DynamicUpdate, Prerequisite, UpdateOperation } from "../../dns/wire/updates.ts";

/**
 * Returns why a key may not send an update, whatever the zone holds; null if it may. Prerequisites about names and records that it does not
 * cover would let it find out about them. Whether a name of its own is in use, it may ask whatever its types.
 */
export function refusedByRights({ prerequisites, operations }: DynamicUpdate, rights: Rights): string | null {
  for (const prerequisite of prerequisites) {
    const reason = unseen(prerequisite, rights);
    if (reason !== null) return reason;
  }
  for (const operation of operations) {
    const reason = unchangeable(operation, rights);
    if (reason !== null) return reason;
  }
  return null;
}

function unseen(prerequisite: Prerequisite, { sees }: Rights): string | null {
  if (prerequisite.kind === "nameInUse" || prerequisite.kind === "nameUnused") {
    const { name } = prerequisite;
    // DHCP servers ask this of a name for which they may write only some types (RFC 4703 §5.3).
    return sees.includesSomeAt(name)
      ? null
      : `A prerequisite asks whether ${name} has any records, and this key does not cover that name.`;
  }
  const rrset = prerequisite.kind === "rrsetHas" ? prerequisite.record : prerequisite;
  const { name, recordType } = rrset;
  const isPublic = isApexNs(rrset) || (name === "@" && recordType === "SOA");
  return isPublic || sees.includes({ name, recordType })
    ? null
    : `A prerequisite asks for the ${recordType} records of ${name}, which this key does not cover.`;
}

function unchangeable(operation: UpdateOperation, rights: Rights): string | null {
  if (operation.kind === "deleteName") {
    const { name } = operation;
    return rights.owns || rights.changes.includesAllAt(name)
      ? null
      : `Deleting everything at ${name} takes a key that covers all of its types.`;
  }
  const rrset = operation.kind === "deleteRrset" ? operation : operation.record;
  // Operations on the SOA are ignored, or refused for another reason.
  return rrset.recordType === "SOA" ? null : outsideRights(rrset, rights);
}
