import { queries, type EntityManager } from "../database/database.ts";
import type { PlannedChange } from "../dns/record.ts";

/** A pending change set: what a repair needs to find out its outcome. */
export interface Intent {
  /** All of the changes or none. */
  atomic: boolean;
  changes: PlannedChange[];
  /** When it was first noticed that no call for it is in flight, as an ISO time; left out until then. */
  openSince?: string | undefined;
}

/** The stored form of an intent. `together` is its stored name for `atomic`, which 0.1 reads and writes too. */
interface StoredIntent extends Omit<Intent, "atomic"> {
  together: boolean;
}

/** Returns the stored form of an intent. */
export function intentText({ atomic, changes, openSince }: Intent): string {
  return JSON.stringify({ together: atomic, changes, openSince } satisfies StoredIntent);
}

/** Leaves a change set pending. Its outcome is read back once in-flight calls have ended. */
export async function leaveOpen(em: EntityManager, changeSetId: string, intent: Intent, since: Date): Promise<void> {
  await queries(em)
    .updateTable("change_sets")
    .set({ intent: intentText({ ...intent, openSince: since.toISOString() }) })
    .where("id", "=", changeSetId)
    .where("state", "=", "pending")
    .execute();
}

/** Reads a stored intent. JSON has no dates, so those are revived. */
export function storedIntent(stored: unknown): Intent {
  const read: unknown = typeof stored === "string" ? JSON.parse(stored) : stored;
  // Early versions stored a bare list of changes.
  const { together, ...intent } = (Array.isArray(read) ? { together: false, changes: read } : read) as StoredIntent;
  for (const { before, after } of intent.changes) {
    for (const record of [before, after]) {
      if (!record) continue;
      // 0.1 stored no strings, no status and no notes but the comment.
      record.strings ??= null;
      record.status ??= "active";
      record.locked ??= false;
      record.ownerId ??= null;
      record.reviewAt = record.reviewAt ? new Date(record.reviewAt) : null;
    }
    if (!before) continue;
    before.createdAt = new Date(before.createdAt);
    before.updatedAt = new Date(before.updatedAt);
  }
  return { ...intent, atomic: together };
}
