import ipaddr from "ipaddr.js";
import { qualifiedName } from "../../dns/names/names.ts";
import {
  isActive,
  nameOf,
  proxiable,
  recordLabel,
  servedChange,
  servedChanges,
  shortValue,
  valueOf,
  type PlannedChange,
  type RecordData,
} from "../../dns/record.ts";
import { atOnce, flatMapped, grouped, type Steps } from "../../platform/slices.ts";
import type { ProviderKind } from "../../dns-providers/provider.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { notFound } from "../../platform/errors.ts";
import { isSignatureOverSoa } from "../../dns/zone-file/type-names.ts";
import { knownKind } from "../../dns-providers/kinds.ts";
import { limitIssues, withPlainTtl } from "./provider-limits.ts";

/** Loopback, RFC 1918, RFC 6598 (carrier-grade NAT), RFC 3927 and RFC 4291 §2.5.6 (link-local), RFC 4193 (unique local). */
const privateRanges: ReadonlySet<string> = new Set([
  "loopback",
  "private",
  "carrierGradeNat",
  "linkLocal",
  "uniqueLocal",
]);

const named = 3;

/** Returns a warning if changes add private addresses to a default view, which is usually the public one. */
export function* privateAddressWarnings(
  zone: { name: string; view: string },
  changes: readonly PlannedChange[],
): Steps<string[]> {
  if (zone.view !== "") return [];
  const found = yield* flatMapped(changes, (change) => {
    const { before, after } = servedChange(change) ?? { before: null, after: null };
    return after && after.value !== before?.value && isPrivate(after) ? [`${after.name} ${after.value}`] : [];
  });
  if (found.length === 0) return [];
  const more = found.length > named ? ` and ${found.length - named} more` : "";
  const internal = qualifiedName({ name: zone.name, view: "internal" });
  return [
    `Private addresses in the default view: ${found.slice(0, named).join(", ")}${more}. If the Internet sees this view, add them to another one, ` +
      `such as ${internal}.`,
  ];
}

/** Returns whether a record gives an address that the Internet does not reach. */
export function isPrivate({ recordType, value }: { recordType: string; value: string }): boolean {
  if (recordType !== "A" && recordType !== "AAAA") return false;
  return ipaddr.isValid(value) && privateRanges.has(ipaddr.process(value).range());
}

/** Returns warnings about records whose values the provider's proxy hid, and that changes publish. */
export function* unproxiedWarnings(
  { name: provider, supportsProxied }: Pick<ProviderKind, "name" | "supportsProxied">,
  planned: readonly PlannedChange[],
): Steps<string[]> {
  if (!supportsProxied) return [];
  const changes = yield* flatMapped(planned, (change) => servedChanges([change]));
  const ended = yield* flatMapped(changes, ({ before, after }) =>
    before?.proxied && !after?.proxied ? [{ before, after }] : [],
  );
  if (ended.length === 0) return [];
  const coming = yield* flatMapped(changes, ({ after }) =>
    after && !after.proxied && proxiable.has(after.recordType) ? [after] : [],
  );
  const ofName = yield* grouped(coming, ({ name }) => name);
  const ofValue = yield* grouped(coming, valueKey);
  return yield* flatMapped(ended, ({ before, after }) => {
    const [same = null] = ofValue.get(valueKey(before)) ?? [];
    const other = after ?? ofName.get(before.name)?.[0] ?? same;
    if (other === null) return [];
    const become =
      other.name !== before.name
        ? `becomes ${recordLabel(other)} and is`
        : other.recordType === before.recordType
          ? "is"
          : `becomes ${other.recordType} ${shortValue(other.value)} and is`;
    return [`${recordLabel(before)} ${become} no longer proxied by ${provider}: its value becomes public.`];
  });
}

const valueKey = ({ recordType, value }: RecordData) => `${recordType} ${value}`;

export const mostWarnings = 100;

/** Returns the first warnings: a change may cause one for each of its records. */
export function notEndless(warnings: readonly string[]): string[] {
  const more = warnings.length - mostWarnings;
  return more <= 0 ? [...warnings] : [...warnings.slice(0, mostWarnings), `And ${more} more warnings of this kind.`];
}

/** Returns a warning if the provider stores names of changed records in lower case. The records here keep them as written. */
export function* loweredNames(
  { name, lowersCase }: Pick<ProviderKind, "name" | "lowersCase">,
  changes: readonly PlannedChange[],
): Steps<string[]> {
  if (lowersCase === undefined) return [];
  const found = new Set(
    yield* flatMapped(changes, ({ before, after }) => (after ? loweredIn(after, before, lowersCase === "names") : [])),
  );
  if (found.size === 0) return [];
  const more = found.size > named ? ` and ${found.size - named} more` : "";
  return [
    `${name} stores ${lowersCase === "owners" ? "record names" : "names"} in lower case: ${[...found].slice(0, named).join(", ")}${more}. ` +
      "They stay as written here. DNS ignores the difference.",
  ];
}

function loweredIn(after: RecordData, before: RecordData | null, values: boolean): string[] {
  return [
    ...(after.writtenName !== undefined && after.writtenName !== before?.writtenName ? [nameOf(after)] : []),
    ...(values && after.writtenValue !== undefined && after.writtenValue !== before?.writtenValue
      ? [valueOf(after)]
      : []),
  ];
}

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

const mostListed = 20;

/** Returns warnings about records that a mirror of the zone cannot store. */
export async function mirrorWarnings(
  em: EntityManager,
  zone: { id: string; name: string; kind: ProviderKind },
  changes: readonly PlannedChange[],
): Promise<string[]> {
  const brought = changes.flatMap(({ after }) => (after && isActive(after) ? [after] : []));
  if (brought.length === 0) return [];
  const mirrors = await queries(em)
    .selectFrom("mirrors")
    .innerJoin("provider_configs", "provider_configs.id", "mirrors.provider_config_id")
    .select(["provider_configs.kind", "provider_configs.name"])
    .where("mirrors.domain_id", "=", zone.id)
    // Strict ones refuse the change.
    .where("mirrors.strict", "=", false)
    .orderBy("mirrors.id")
    .execute();
  const lowered = mirrors.flatMap(({ kind, name }) =>
    atOnce(loweredNames({ ...knownKind(kind), name: `The mirror ${name}` }, changes)),
  );
  const warnings = mirrors.flatMap(({ kind, name }) =>
    brought.flatMap((record) => {
      const mirror = knownKind(kind);
      const [issue] = limitIssues(withPlainTtl(zone.kind, mirror, record), mirror, zone.name);
      return issue ? [`The mirror ${name} will not have ${recordLabel(record)}: ${issue.message}`] : [];
    }),
  );
  return [...warnings.slice(0, mostListed), ...lowered];
}
