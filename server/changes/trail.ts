import { writeEntry } from "../audit/audit.ts";
import type { EntityManager } from "../database/database.ts";
import { dataOf, type PlannedChange } from "../dns/live-record.ts";
import type { Settlement } from "./settle.ts";
import { countActions } from "./commit.ts";

/** As many as the history shows of a change set. */
const toldRecords = 100;

interface Outcome {
  changeSetId: string;
  revision: number | null;
  done: readonly PlannedChange[];
  failures: number;
}

/** One entry of the audit trail for a whole change set: how much it did, and up to a hundred records as they were and are. */
export async function recordTrail(
  tx: EntityManager,
  domainId: string,
  { kind, actor, about, repaired, now }: Pick<Settlement, "kind" | "actor" | "about" | "repaired" | "now">,
  { changeSetId, revision, done, failures }: Outcome,
): Promise<void> {
  const told = done.slice(0, toldRecords);
  await writeEntry(tx, now, actor, {
    action: `records.${kind}`,
    targetType: "domain",
    targetId: domainId,
    before: { records: told.flatMap(({ id, before }) => (before ? [{ id, ...dataOf(before) }] : [])) },
    after: {
      changeSetId,
      revision,
      ...countActions(done),
      failures,
      repaired,
      ...about,
      records: told.flatMap(({ id, after }) => (after ? [{ id, ...dataOf(after) }] : [])),
    },
  });
}
