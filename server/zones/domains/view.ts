import { fromJson } from "../../database/database.ts";
import type { Selectable } from "kysely";
import type { Tables } from "../../database/tables/all.ts";
import type { ReviewPolicy } from "../changes/locks-and-reviews.ts";
import { knownKind } from "../../dns-providers/kinds.ts";
import { costOf } from "./portfolio.ts";
import { toUnicodeName } from "../../dns/names/names.ts";
import type { RegistrationFacts } from "../../registry/expiry/store-finding.ts";

/** A domain with its provider's kind. */
export type DomainRow = Selectable<Tables["domains"]> & { kind: string };

export const listColumns = [
  "domains.id",
  "domains.name",
  "domains.view",
  "domains.owner_id",
  "domains.provider_config_id",
  "domains.expires_at",
  "domains.expiring_from",
  "domains.status",
  "domains.group_name",
  "domains.tags",
  "domains.record_count",
  "domains.created_at",
  "domains.updated_at",
  "domains.provider_signed",
  "domains.soa_signed",
  "domains.drift_found_at",
  "domains.drift_error",
  "provider_configs.kind",
] as const;

type NameOf<Column> = Column extends `${string}.${infer Name}` ? Name : never;
type ListRow = Pick<DomainRow, NameOf<(typeof listColumns)[number]>>;

export const domainStatuses = ["active", "expiring", "expired", "disabled"] as const;
export type DomainStatus = (typeof domainStatuses)[number];

/** Returns a domain as lists show it. */
export function listView(row: ListRow, now: Date) {
  return {
    id: row.id,
    name: row.name,
    view: row.view,
    ownerId: row.owner_id,
    providerId: knownKind(row.kind).id,
    providerConfigId: row.provider_config_id,
    expiresAt: row.expires_at,
    status: statusAt(row, now),
    groupName: row.group_name,
    tags: row.tags,
    recordCount: row.record_count,
    signedBy: signedBy(row),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    driftedAt: row.drift_found_at,
    driftError: row.drift_error,
  };
}

/** Returns a domain's status at `now`. Unless disabled, it is derived from the date, so it never needs to be updated. */
function statusAt(
  domain: { status: "active" | "disabled"; expires_at: Date | null; expiring_from: Date | null },
  now: Date,
): DomainStatus {
  if (domain.status === "disabled") return "disabled";
  if (domain.expires_at && domain.expires_at <= now) return "expired";
  return domain.expiring_from && domain.expiring_from <= now ? "expiring" : "active";
}

/** Returns a domain with all of its fields. */
export function detailView(row: DomainRow, now: Date, review: ReviewPolicy) {
  return {
    ...listView(row, now),
    nameUnicode: toUnicodeName(row.name),
    notes: row.notes,
    expiryRemindDays: row.expiry_remind_days,
    autoCheckExpiry: row.auto_check_expiry,
    expirySource: row.expiry_source,
    expiryCheckedAt: row.expiry_checked_at,
    registrar: row.registrar,
    registration: registrationOf(row),
    registrarConfigId: row.registrar_config_id,
    yearlyCost: costOf(row.yearly_cost_hundredths),
    currency: row.currency,
    snapshotSchedule: row.snapshot_schedule,
    reverse: row.reverse,
    reverseFollowGrant: row.reverse_follow_grant,
    protectMail: row.protect_mail,
    reviewRequired: review.requiredIn({ reviewRequired: row.review_required }),
    reviewIsDefault: row.review_required === null,
    reviewAcme: row.review_acme,
    drift: driftOf(row),
    revision: row.revision,
    historyFrom: row.history_from,
  };
}

function registrationOf({ registration }: DomainRow): RegistrationFacts | null {
  return fromJson(registration) as RegistrationFacts | null;
}

/** `file`: its signatures came with an imported file. */
function signedBy(row: ListRow): "provider" | "file" | null {
  if (row.provider_signed) return "provider";
  return row.soa_signed ? "file" : null;
}

function driftOf(row: DomainRow) {
  if (row.drift_found_at === null || row.drift_error !== null) return null;
  return {
    foundAt: row.drift_found_at,
    created: row.drift_created ?? 0,
    updated: row.drift_updated ?? 0,
    deleted: row.drift_deleted ?? 0,
  };
}
