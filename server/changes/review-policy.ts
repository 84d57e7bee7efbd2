import type { Role } from "../database/tables/roles.ts";
import type { ReviewRequired } from "../database/tables/domains.ts";
import { isChallenge, sameAsWritten, type PlannedChange } from "../dns/record.ts";
import { AppError, badField } from "../platform/errors.ts";

/** What a call that changes records says about its change. */
export interface Explained {
  /** Why the change is made. */
  message?: string | undefined;
  /** Administrators only: makes it without the review that the domain requires. */
  override?: boolean | undefined;
  /** The domain's owner and administrators only: also changes and deletes locked records. */
  unlock?: boolean | undefined;
}

/** A domain and what it requires. */
export interface ReviewedZone {
  id: string;
  /** Null: as the installation says. */
  reviewRequired: ReviewRequired | null;
  /** Whether TXT records at `_acme-challenge` need a review, too. */
  reviewAcme: boolean;
}

/** A change that is about to be made. */
export interface UnreviewedChange extends Explained {
  /** The role of the person whose change it is; null if they are gone. */
  role: Role | null;
  changes: readonly PlannedChange[];
}

/** Decides which changes need a review before they are made. Syncs never do: the provider has them already. */
export class ReviewPolicy {
  /** The rule of domains that have none of their own. */
  readonly fallback: ReviewRequired;

  constructor(fallback: ReviewRequired) {
    this.fallback = fallback;
  }

  /** Returns the rule of a domain. */
  requiredIn({ reviewRequired }: Pick<ReviewedZone, "reviewRequired">): ReviewRequired {
    return reviewRequired ?? this.fallback;
  }

  /** Returns whether a domain's rule is binding for a role. */
  binds(zone: Pick<ReviewedZone, "reviewRequired">, role: Role | null): boolean {
    const required = this.requiredIn(zone);
    return required === "everyone" || (required === "members" && role !== "admin");
  }

  /**
   * Refuses changes that need a review.
   * @returns whether an administrator overrode the rule
   * @throws AppError REVIEW_REQUIRED; FORBIDDEN and BAD_REQUEST for an override by others or without a reason
   */
  refuseUnreviewed(zone: ReviewedZone, { role, changes, message, override = false }: UnreviewedChange): boolean {
    checkOverride({ role, message, override });
    if (!this.binds(zone, role)) return false;
    if (changes.every((change) => isNoteOnly(change) || (!zone.reviewAcme && isAcmeChallenge(change)))) return false;
    if (override) return true;
    throw reviewRequired(zone.id);
  }

  /** Refuses to move a zone that needs reviews, as `refuseUnreviewed` does. A move cannot be requested. */
  refuseMove(zone: ReviewedZone, { role, message, override = false }: Omit<UnreviewedChange, "changes">): boolean {
    const { id } = zone;
    checkOverride({ role, message, override });
    if (!this.binds(zone, role)) return false;
    if (override) return true;
    throw new AppError(
      "REVIEW_REQUIRED",
      "This domain requires reviews, so only an administrator can move it, with a reason. " +
        "To override it, send `override: true` and a reason in `message`. " +
        `Records are changed by a request: POST /api/domains/${id}/change-requests.`,
    );
  }
}

/** @throws AppError FORBIDDEN for an override by others than administrators, BAD_REQUEST for one without a reason */
export function checkOverride({ role, message, override = false }: Omit<UnreviewedChange, "changes">): void {
  if (!override) return;
  if (role !== "admin")
    throw new AppError("FORBIDDEN", "Only administrators can override a review. Leave `override` out.");
  if ((message ?? "").trim() === "") throw badField(["message"], "To override a review, say why in `message`.");
}

function reviewRequired(domainId: string): AppError {
  return new AppError(
    "REVIEW_REQUIRED",
    `This domain requires a review of each change. Request one with POST /api/domains/${domainId}/change-requests.`,
  );
}

/**
 * Returns whether a change publishes nothing: only notes differ. Clearing a lock is more than a note: reviewers of the next change would no longer
 * be warned of it.
 */
function isNoteOnly({ before, after }: PlannedChange): boolean {
  return before !== null && after !== null && sameAsWritten(before, after) && (after.locked || !before.locked);
}

/** Returns whether a change concerns only proofs for certificate authorities (RFC 8555 §8.4), which expire in minutes. */
function isAcmeChallenge({ before, after }: PlannedChange): boolean {
  return [before, after].every((record) => record === null || isChallenge(record));
}
