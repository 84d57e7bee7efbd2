import type { Rights } from "../../access/zone-access.ts";
import type { Issue } from "../../platform/errors.ts";
import type { PreparedEdit } from "./edits.ts";
import { fileRefused } from "./refusals.ts";
import type { PlannedChange } from "../../dns/live-record.ts";
import type { RecordData } from "../../dns/record.ts";
import { inSlices, mapped } from "../../platform/slices.ts";

/** Types that take over every name below their own: a delegation (RFC 1034 §4.2.1) and a redirection (RFC 6672 §2.3). */
const takingOver = new Set(["NS", "DNAME"]);

/** Why the caller may not write or delete such a record; null when they may. */
function outsideRights(
  { recordType, name }: Pick<RecordData, "recordType" | "name">,
  { changes }: Rights,
): string | null {
  if (changes.isAll) return null;
  if (!changes.includes(name)) return `Your assignments do not let you change the records of ${name}.`;
  if (!takingOver.has(recordType) || changes.includesTree(name)) return null;
  return `${recordType} records of ${name} decide on every name below it, too, and your assignments do not let you change all of those.`;
}

/** Refuses edits of records that the caller sees and may not change, and what would put a record where they may not. */
export function withinRights(prepared: readonly PreparedEdit[], rights: Rights): PreparedEdit[] {
  if (rights.changes.isAll) return [...prepared];
  return prepared.map((edit) => {
    if (!edit.ok) return edit;
    const { before, draft } = edit;
    const present = before && outsideRights(before, rights);
    const wanted = draft && outsideRights(draft, rights);
    const issues: Issue[] = [];
    if (present) issues.push({ path: ["recordId"], message: present });
    else if (wanted) issues.push({ path: ["name"], message: wanted });
    return issues.length === 0 ? edit : { ok: false, code: "FORBIDDEN", issues };
  });
}

/**
 * A file may name what the caller sees and may not change, as long as it stays as it is; of what they do not see it is not even told whether
 * it would.
 * @throws AppError FORBIDDEN with an issue for each record
 */
export async function refuseBeyondRights(
  given: readonly RecordData[],
  changes: readonly PlannedChange[],
  rights: Rights,
): Promise<void> {
  if (rights.changes.isAll) return;
  const messages = new Set<string>();
  const note = (record: RecordData | null) => {
    const message = record && outsideRights(record, rights);
    if (message !== null) messages.add(message);
  };
  await inSlices(mapped(given, (record) => !rights.sees.includes(record.name) && note(record)));
  await inSlices(mapped(changes, ({ before, after }) => [note(before), note(after)]));
  if (messages.size > 0) throw fileRefused("FORBIDDEN", [...messages]);
}
