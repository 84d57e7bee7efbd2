import { queries, type EntityManager } from "../database/database.ts";
import type { PlannedChange } from "../dns/live-record.ts";
import { isSignatureOverSoa } from "../dns/server-managed.ts";
import { hasSignatureOverSoa } from "../database/server-managed-rows.ts";

/**
 * What a plan says of signatures that were made elsewhere: Zonewright does not sign, and every edit makes some of them invalid. Nothing where
 * the provider signs, or where the changes themselves bring or take the signature over the SOA.
 */
export async function signatureWarnings(
  em: EntityManager,
  zone: { id: string; signed: boolean },
  changes: readonly PlannedChange[],
): Promise<string[]> {
  if (zone.signed || changes.length === 0) return [];
  const signatures = changes.filter(({ before, after }) => isSignatureOverSoa(after ?? before));
  if (signatures.some(({ after }) => after !== null)) return [broughtSigned];
  if (signatures.length > 0) return [];
  const { isSigned } = await queries(em)
    .selectFrom("domains")
    .select(hasSignatureOverSoa.as("isSigned"))
    .where("id", "=", zone.id)
    .executeTakeFirstOrThrow();
  return isSigned ? [signedElsewhere] : [];
}

const signedElsewhere =
  "This zone was signed elsewhere (RRSIG), and Zonewright does not sign: the change makes its signatures invalid, and validating resolvers " +
  "will treat the zone as bogus until it is signed again.";

const broughtSigned =
  "These records were signed elsewhere (RRSIG), and Zonewright does not sign: the serial that it sets in the SOA, and every later change, " +
  "make the signatures invalid (bogus for validating resolvers). Sign the zone after the last change, or let its name server sign it.";
