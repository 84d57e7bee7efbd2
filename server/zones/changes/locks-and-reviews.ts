import type { Role } from "../../database/tables/users.ts";
import type { ReviewRequired } from "../../database/tables/domains.ts";
import { isChallenge, recordLabel, sameAsWritten, type PlannedChange } from "../../dns/record.ts";
import { AppError, badField } from "../../platform/errors.ts";

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
interface ReviewedZone {
  id: string;
  /** Null: as the installation says. */
  reviewRequired: ReviewRequired | null;
  /** Whether TXT records at `_acme-challenge` need a review, too. */
  reviewAcme: boolean;
}

/** A change that is about to be made. */
interface UnreviewedChange extends Explained {
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
    if (!this.requires(zone, { role, changes })) return false;
    if (override) return true;
    throw reviewRequired(zone.id);
  }

  /** Returns whether changes need a review. */
  requires(zone: Omit<ReviewedZone, "id">, { role, changes }: Pick<UnreviewedChange, "role" | "changes">): boolean {
    if (!this.binds(zone, role)) return false;
    return !changes.every((change) => isNoteOnly(change) || (!zone.reviewAcme && isAcmeChallenge(change)));
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

  /**
   * Refuses to change the registration of a domain that needs reviews, as `refuseUnreviewed` does.
   * @param what what is refused, if it cannot be requested
   */
  refuseRegistration(
    zone: ReviewedZone,
    { role, message, override = false }: Omit<UnreviewedChange, "changes">,
    what?: string,
  ): boolean {
    checkOverride({ role, message, override });
    if (!this.binds(zone, role)) return false;
    if (override) return true;
    const how =
      what === undefined
        ? `This domain requires reviews, also of its registration. Request one with POST /api/domains/${zone.id}/change-requests. `
        : `This domain requires reviews, so only an administrator can ${what}, with a reason. `;
    throw new AppError("REVIEW_REQUIRED", `${how}To override it, send \`override: true\` and a reason in \`message\`.`);
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

/*
 * The lock of records. The change pipeline asks here for every plan, so no way to write misses it: a locked record is published as it is, and
 * stays, unless the domain's owner or an administrator says otherwise in the call. Other notes of a locked record may change.
 */

type Sides = Pick<PlannedChange, "before" | "after">;

/** What a caller may do about locks. */
export interface Unlocking {
  /** Whether they are the domain's owner or an administrator. */
  mayUnlock: boolean;
  /** Whether the call says so. */
  unlock?: boolean | undefined;
}

/** Returns whether a change deletes a locked record, or changes what it publishes. */
export function touchesLocked({ before, after }: Sides): boolean {
  return before !== null && before.locked && (after === null || !sameAsWritten(before, after));
}

/** Returns why only the domain's owner and administrators may make a change: it touches, sets or clears a lock; null if others may, too. */
export function reservedByLock(change: Sides): string | null {
  const { before, after } = change;
  if (before && touchesLocked(change))
    return `${recordLabel(before)} is locked; only the domain's owner and administrators may change it. Ask one of them.`;
  if (after && (before?.locked ?? false) !== after.locked)
    return "Only the domain's owner and administrators may lock a record, or clear its lock. Leave `locked` out.";
  return null;
}

/**
 * Refuses changes that the locks of records forbid.
 * @returns whether the changes touch locked records
 * @throws AppError FORBIDDEN for others than the owner and administrators; CONFIRMATION_REQUIRED without `unlock`
 */
export function refuseLocked(changes: readonly Sides[], { mayUnlock, unlock = false }: Unlocking): boolean {
  if (!mayUnlock) refuseReserved(changes);
  const warning = unlock ? null : lockWarning(changes);
  if (warning !== null)
    throw new AppError("CONFIRMATION_REQUIRED", warning, { issues: [{ path: ["unlock"], message: warning }] });
  return changes.some(touchesLocked);
}

/** Returns why a change of a locked record is refused; null if it may be made. */
export function lockRefusal(change: Sides, { mayUnlock, unlock = false }: Unlocking): string | null {
  if (!touchesLocked(change) || (mayUnlock && unlock)) return null;
  return mayUnlock ? lockWarning([change]) : reservedByLock(change);
}

/** Refuses changes that only the owner and administrators may make. @throws AppError FORBIDDEN */
export function refuseReserved(changes: readonly Sides[]): void {
  for (const change of changes) {
    const reason = reservedByLock(change);
    if (reason !== null) throw new AppError("FORBIDDEN", reason);
  }
}

/** What to say after the name of one locked record, and of several. */
type Advice = readonly [one: string, several: string];

const toCaller: Advice = [
  "To change it, repeat the call with unlock: true.",
  "To change them, repeat the call with unlock: true.",
];

const toReviewers = {
  unlocked: ["The request changes it all the same.", "The request changes them all the same."],
  refused: [
    "The request cannot change it: it was made without `unlock`.",
    "The request cannot change them: it was made without `unlock`.",
  ],
} as const satisfies Record<string, Advice>;

/** Returns why changes need `unlock: true`, naming up to three locked records; null if they do not. */
export function lockWarning(changes: readonly Sides[], [one, several]: Advice = toCaller): string | null {
  const locked = changes.flatMap((change) => (change.before && touchesLocked(change) ? [change.before] : []));
  const [first] = locked;
  if (!first) return null;
  if (locked.length === 1) return `${recordLabel(first)} is locked. ${one}`;
  const more = locked.length > mostNamed ? ` and ${locked.length - mostNamed} more` : "";
  const names = locked.slice(0, mostNamed).map(recordLabel).join(", ");
  return `${names}${more} are locked. ${several}`;
}

/** Warns the reviewers of a request that it changes locked records. @param unlock whether the request may */
export function requestLockWarning(changes: readonly Sides[], unlock: boolean): string | null {
  return lockWarning(changes, unlock ? toReviewers.unlocked : toReviewers.refused);
}

const mostNamed = 3;
