import { changedFields, countActions, dataOf, type PlannedChange } from "../dns/record.ts";
import { flatMapped, inSlices } from "../platform/slices.ts";

/** Returns planned changes as answers show them. */
export async function planView(changes: readonly PlannedChange[]) {
  return {
    creates: await inSlices(
      flatMapped(changes, (change) => (change.action === "create" ? [dataOf(change.after)] : [])),
    ),
    updates: await inSlices(
      flatMapped(changes, ({ action, id, before, after }) =>
        action === "update"
          ? [{ id, before: dataOf(before), after: dataOf(after), changes: changedFields(before, after) }]
          : [],
      ),
    ),
    deletes: await inSlices(
      flatMapped(changes, (change) =>
        change.action === "delete" ? [{ id: change.id, ...dataOf(change.before) }] : [],
      ),
    ),
  };
}

/** Returns the number of changes of each kind, as answers show it. */
export function countsView(changes: readonly PlannedChange[]) {
  const { creates, updates, deletes } = countActions(changes);
  return { created: creates, updated: updates, deleted: deletes };
}
