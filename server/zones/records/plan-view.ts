import {
  changedFields,
  changedNotes,
  countActions,
  statedDataOf,
  type Differences,
  type LiveRecord,
  type PlannedChange,
  type RecordDraft,
} from "../../dns/record.ts";
import { flatMapped, inSlices } from "../../platform/slices.ts";

/** Returns planned changes as answers show them. */
export async function planView(changes: readonly PlannedChange[]) {
  return {
    creates: await inSlices(
      flatMapped(changes, (change) => (change.action === "create" ? [statedDataOf(change.after)] : [])),
    ),
    updates: await inSlices(
      flatMapped(changes, ({ action, id, before, after }) =>
        action === "update"
          ? [{ id, before: statedDataOf(before), after: statedDataOf(after), changes: fieldChanges(before, after) }]
          : [],
      ),
    ),
    deletes: await inSlices(
      flatMapped(changes, (change) =>
        change.action === "delete" ? [{ id: change.id, ...statedDataOf(change.before) }] : [],
      ),
    ),
  };
}

/** Returns the fields that an update changes. A comment is not among them. */
function fieldChanges(before: LiveRecord, after: RecordDraft): Differences<RecordDraft> {
  const { comment: _, ...notes } = changedNotes(before, after);
  return { ...changedFields(before, after), ...notes };
}

/** Returns the number of changes of each kind, as answers show it. */
export function countsView(changes: readonly PlannedChange[]) {
  const { creates, updates, deletes } = countActions(changes);
  return { created: creates, updated: updates, deleted: deletes };
}
