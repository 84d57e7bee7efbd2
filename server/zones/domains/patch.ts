import type { z } from "zod";
import type { Caller } from "../../access/caller.ts";
import type { Domain } from "../../database/tables/domains.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { isReverseZone } from "../../dns/reverse/zones.ts";
import { AppError, badField } from "../../platform/errors.ts";
import { costOf } from "./portfolio.ts";
import type { updateDomainInput } from "./schemas.ts";

export type DomainPatch = z.infer<typeof updateDomainInput>;

/** Fields that a patch sets as they are given. */
const plainFields = [
  "ownerId",
  "groupName",
  "notes",
  "currency",
  "snapshotSchedule",
  "reverse",
  "reverseFollowGrant",
  "protectMail",
  "reviewRequired",
  "reviewAcme",
  "status",
] as const;
type PlainField = (typeof plainFields)[number];
/** Fields that the audit trail shows, besides the cost. */
const auditedColumns = [
  ...plainFields,
  "expiresAt",
  "expirySource",
  "expiryRemindDays",
  "autoCheckExpiry",
  "tags",
  "registrarConfigId",
] as const;

/** Sets the fields that a patch names, apart from the place of the zone. */
export function applyPatch(domain: Domain, patch: DomainPatch): void {
  const given: { [Field in PlainField]?: Domain[Field] | undefined } = patch;
  for (const field of plainFields) if (given[field] !== undefined) Object.assign(domain, { [field]: given[field] });
  if (patch.expiresAt !== undefined) setExpiry(domain, patch.expiresAt);
  if (patch.tags !== undefined) domain.tags = uniqueTags(patch.tags);
  if (patch.yearlyCost !== undefined)
    domain.yearlyCostHundredths = patch.yearlyCost === null ? null : Math.round(patch.yearlyCost * 100);
  if ((domain.yearlyCostHundredths ?? null) !== null && (domain.currency ?? null) === null)
    throw badField(["currency"], "Send a `currency`, such as EUR, for the `yearlyCost`.");
  if (patch.registrarConfigId !== undefined) setRegistrar(domain, patch.registrarConfigId);
}

/** Names the registrar whose account has the domain's name, or none. The next lookup, which is due at once, takes the date from there. */
function setRegistrar(domain: Domain, configId: string | null): void {
  if ((domain.registrarConfigId ?? null) === configId) return;
  domain.registrarConfigId = configId;
  domain.registrarState = null;
  domain.expiryNextCheckAt = null;
  // A registrar's date, or one entered for lack of it, is looked up anew. Until then the date stays.
  if (domain.expirySource === "registrar" || (configId !== null && domain.expirySource === "manual"))
    domain.expirySource = null;
}

/** Returns the user-editable fields of a domain for the audit trail. */
export function auditedFields(domain: Domain) {
  const columns = Object.fromEntries(auditedColumns.map((column) => [column, domain[column] ?? null]));
  const audited = columns as Pick<Domain, (typeof auditedColumns)[number]>;
  return { ...audited, yearlyCost: costOf(domain.yearlyCostHundredths ?? null) };
}

/** Refuses a change of the review rule by others than administrators. @throws AppError FORBIDDEN */
export function refuseReviewSettings(caller: Caller, { reviewRequired, reviewAcme }: DomainPatch): void {
  if (caller.role === "admin" || (reviewRequired === undefined && reviewAcme === undefined)) return;
  throw new AppError("FORBIDDEN", "Only administrators can change `reviewRequired` and `reviewAcme`. Ask one of them.");
}

/** Refuses a change of the owner by others than administrators. @throws AppError FORBIDDEN */
export function refuseOwner(caller: Caller, { ownerId }: DomainPatch): void {
  if (caller.role === "admin" || ownerId === undefined) return;
  throw new AppError("FORBIDDEN", "Only administrators can change a domain's `ownerId`. Ask one of them.");
}

/** Refuses that others than administrators name a registrar, whose account holds more than their domains. @throws AppError FORBIDDEN */
export function refuseRegistrar(caller: Caller, { registrarConfigId }: DomainPatch): void {
  if (caller.role === "admin" || registrarConfigId === undefined) return;
  throw new AppError("FORBIDDEN", "Only administrators can change `registrarConfigId`. Ask one of them.");
}

/** @throws AppError FORBIDDEN, BAD_REQUEST */
export function refuseGrant(caller: Caller, zone: string, grant: boolean): void {
  if (caller.role !== "admin")
    throw new AppError("FORBIDDEN", "Only administrators can change `reverseFollowGrant`. Ask one of them.");
  if (grant && !isReverseZone(zone))
    throw badField(
      ["reverseFollowGrant"],
      `\`reverseFollowGrant\` is for zones of PTR records, under in-addr.arpa or ip6.arpa; ${zone} is not one.`,
    );
}

export function setExpiry(domain: Domain, expiresAt: Date | null): void {
  domain.expiresAt = expiresAt;
  domain.expirySource = expiresAt ? "manual" : null;
  // Clearing the date requests a lookup.
  if (!expiresAt) domain.expiryNextCheckAt = null;
}

/** Returns each tag once, as first written: `Prod` and `prod` are one tag. */
export function uniqueTags(tags: readonly string[]): string[] {
  return tags.filter((tag, index) => tags.findIndex((other) => other.toLowerCase() === tag.toLowerCase()) === index);
}

export function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}

/** Keeps a user from being deleted until the transaction ends. @throws AppError BAD_REQUEST if there is no such user */
export async function mustBeUser(tx: EntityManager, ownerId: string): Promise<void> {
  const user = await queries(tx)
    .selectFrom("users")
    .select("id")
    .where("id", "=", ownerId)
    .where("disabled_at", "is", null)
    .forKeyShare()
    .executeTakeFirst();
  if (!user) throw badField(["ownerId"], "No user has this ID. Choose an existing user who is not disabled.");
}
