import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Tables } from "../../database/tables/all.ts";

export type DomainStatus = "active" | "expiring" | "expired" | "disabled";

const day = 24 * 3_600_000;

/** Returns when a domain starts to count as expiring: its earliest reminder. */
export function expiringFrom(expiresAt: Date | null, remindDays: readonly number[]): Date | null {
  return expiresAt && new Date(expiresAt.getTime() - Math.max(0, ...remindDays) * day);
}

/** Returns a domain's status at `now`. Unless disabled, it is derived from the date, so it never needs to be updated. */
export function statusAt(
  domain: { status: "active" | "disabled"; expires_at: Date | null; expiring_from: Date | null },
  now: Date,
): DomainStatus {
  if (domain.status === "disabled") return "disabled";
  if (domain.expires_at && domain.expires_at <= now) return "expired";
  return domain.expiring_from && domain.expiring_from <= now ? "expiring" : "active";
}

/** Returns a SQL condition for a status, which can use indexes. */
export function hasStatus(
  eb: ExpressionBuilder<Tables, "domains">,
  status: DomainStatus,
  now: Date,
): Expression<SqlBool> {
  if (status === "disabled") return eb("domains.status", "=", "disabled");
  const enabled = eb("domains.status", "=", "active");
  if (status === "expired") return eb.and([enabled, eb("domains.expires_at", "<=", now)]);
  if (status === "expiring")
    return eb.and([enabled, eb("domains.expiring_from", "<=", now), eb("domains.expires_at", ">", now)]);
  return eb.and([enabled, eb.or([eb("domains.expiring_from", "is", null), eb("domains.expiring_from", ">", now)])]);
}
