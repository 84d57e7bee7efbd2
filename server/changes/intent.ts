import { queries, type EntityManager } from "../database/database.ts";
import type { PlannedChange } from "../dns/live-record.ts";

/** What a change set was to do, kept while nobody knows what came of it: what a repair needs. */
export interface Intent {
  together: boolean;
  changes: PlannedChange[];
  /** Since when nobody here is at it any more, as an ISO time; left out until that is noticed. */
  openSince?: string | undefined;
}

/** As it is stored. */
export function intentText({ together, changes, openSince }: Intent): string {
  return JSON.stringify({ together, changes, openSince });
}

/** Keeps that what came of a change is to be read, but not before what is still under way has ended. */
export async function leaveOpen(em: EntityManager, changeSetId: string, intent: Intent, since: Date): Promise<void> {
  await queries(em)
    .updateTable("change_sets")
    .set({ intent: intentText({ ...intent, openSince: since.toISOString() }) })
    .where("id", "=", changeSetId)
    .where("state", "=", "pending")
    .execute();
}

/** An intent as the database has it. JSON has no dates; the rest was stored as it was. */
export function storedIntent(stored: unknown): Intent {
  const read: unknown = typeof stored === "string" ? JSON.parse(stored) : stored;
  // A bare list was stored before sets of all or none were told apart.
  const intent = (Array.isArray(read) ? { together: false, changes: read } : read) as Intent;
  for (const { before, after } of intent.changes) {
    // 0.1 stored no strings.
    if (after) after.strings ??= null;
    if (!before) continue;
    before.strings ??= null;
    before.createdAt = new Date(before.createdAt);
    before.updatedAt = new Date(before.updatedAt);
  }
  return intent;
}
