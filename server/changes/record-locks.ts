import { recordLabel, sameAsWritten, type PlannedChange } from "../dns/record.ts";
import { AppError } from "../platform/errors.ts";

/*
 * The lock of records. The change pipeline asks here for every plan, so no way to write misses it: a locked record is published as it is, and
 * stays, unless the domain's owner or an administrator says otherwise in the call. Other notes of a locked record may change.
 */

type Sides = Pick<PlannedChange, "before" | "after">;

/** What a caller may do about locks. */
interface Unlocking {
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

/** Refuses changes that only the owner and administrators may make. @throws AppError FORBIDDEN */
export function refuseReserved(changes: readonly Sides[]): void {
  for (const change of changes) {
    const reason = reservedByLock(change);
    if (reason !== null) throw new AppError("FORBIDDEN", reason);
  }
}

/** Returns why changes need `unlock: true`, naming up to three locked records; null if they do not. */
export function lockWarning(changes: readonly Sides[]): string | null {
  const locked = changes.flatMap((change) => (change.before && touchesLocked(change) ? [change.before] : []));
  const [first] = locked;
  if (!first) return null;
  if (locked.length === 1) return `${recordLabel(first)} is locked. To change it, repeat the call with unlock: true.`;
  const more = locked.length > mostNamed ? ` and ${locked.length - mostNamed} more` : "";
  const names = locked.slice(0, mostNamed).map(recordLabel).join(", ");
  return `${names}${more} are locked. To change them, repeat the call with unlock: true.`;
}

const mostNamed = 3;
