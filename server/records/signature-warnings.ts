import { queries, type EntityManager } from "../database/database.ts";
import { servedChanges, type PlannedChange } from "../dns/record.ts";
import { notFound } from "../platform/errors.ts";
import { isSignatureOverSoa } from "../dns/server-managed.ts";

/**
 * Returns warnings about signatures made elsewhere: Zonewright does not sign, and every edit invalidates some of them. Returns none if the
 * provider signs, or if the changes delete the signature over the SOA.
 */
export async function signatureWarnings(
  em: EntityManager,
  zone: { id: string; signed: boolean },
  planned: readonly PlannedChange[],
): Promise<string[]> {
  const changes = servedChanges(planned);
  if (zone.signed || changes.length === 0) return [];
  const signatures = changes.filter(({ before, after }) => isSignatureOverSoa(after ?? before));
  if (signatures.some(({ after }) => after !== null)) return [broughtSigned];
  if (signatures.length > 0) return [];
  const { soa_signed: isSigned } = await queries(em)
    .selectFrom("domains")
    .select("soa_signed")
    .where("id", "=", zone.id)
    .executeTakeFirstOrThrow(() => notFound("domain"));
  return isSigned ? [signedElsewhere] : [];
}

/** The warning about a change of a zone that was signed elsewhere. */
export const signedElsewhere =
  "This zone was signed elsewhere (RRSIG). Zonewright does not sign, so the change invalidates its signatures, and validating resolvers " +
  "treat the zone as bogus until it is signed again.";

const broughtSigned =
  "These records were signed elsewhere (RRSIG). Zonewright does not sign: its SOA serial, and every later change, invalidate the signatures, " +
  "and validating resolvers treat the zone as bogus. Sign the zone after the last change, or let its name server sign it.";
