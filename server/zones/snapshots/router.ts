import { answerOf, passingLarge } from "../../api/large-answers.ts";
import { adminMay, may } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import {
  compareInput,
  createSnapshotInput,
  diffInput,
  listSnapshotsInput,
  restoreInput,
  rollbackInput,
  rollbackResult,
  snapshot,
  snapshotDiff,
  getSnapshotInput,
  snapshotPage,
} from "./schemas.ts";
import type { Rollback } from "./rollback.ts";
import type { Snapshots } from "./service.ts";

const tag = "Snapshots";

export function createSnapshotsRouter({ rollback, snapshots }: { rollback: Rollback; snapshots: Snapshots }) {
  return router({
    list: may("snapshots:read", {
      method: "GET",
      path: "/domains/{id}/snapshots",
      operationId: "listSnapshots",
      tag,
      summary: "List a domain's snapshots",
    })
      .input(listSnapshotsInput)
      .output(passingLarge(snapshotPage))
      .query(async ({ ctx, input }) => await answerOf(snapshotPage, await snapshots.list(ctx.em, ctx.caller, input))),

    create: may("snapshots:write", {
      method: "POST",
      path: "/domains/{id}/snapshots",
      operationId: "createSnapshot",
      tag,
      summary: "Take a snapshot",
      description: "A snapshot is a bookmark in the zone's history: taking one costs the same for any zone size.",
      status: 201,
    })
      .input(createSnapshotInput)
      .output(snapshot)
      .mutation(({ ctx, input }) => snapshots.create(ctx.em, ctx.caller, input)),

    get: may("snapshots:read", {
      method: "GET",
      path: "/domains/{id}/snapshots/{snapshotId}",
      operationId: "getSnapshot",
      tag,
      summary: "Get a snapshot with its records",
    })
      .input(getSnapshotInput)
      .output(passingLarge(snapshot))
      .query(async ({ ctx, input }) => await answerOf(snapshot, await snapshots.get(ctx.em, ctx.caller, input))),

    diff: may("snapshots:read", {
      method: "GET",
      path: "/domains/{id}/snapshots/diff",
      operationId: "diffSnapshots",
      tag,
      summary: "Compare two snapshots or revisions",
      description:
        "Matches records by id, then by type, name and value. Each side is a snapshot or a revision. A revision that is no longer stored " +
        "returns 410.",
      errors: [410],
    })
      .input(diffInput)
      .output(passingLarge(snapshotDiff))
      .query(async ({ ctx, input }) => await answerOf(snapshotDiff, await snapshots.diff(ctx.em, ctx.caller, input))),

    rollback: adminMay("snapshots:write", {
      method: "POST",
      path: "/domains/{id}/snapshots/{snapshotId}/rollback",
      operationId: "rollbackSnapshot",
      costly: true,
      tag,
      summary: "Roll a zone back to a snapshot",
      description:
        "Restores the snapshot's records, then takes an `on_change` snapshot of the result. If more than 30 % of a zone with ten or more " +
        "records would change, `force: true` is required.",
      errors: [409, 502],
    })
      .input(rollbackInput)
      .output(passingLarge(rollbackResult))
      .mutation(
        async ({ ctx, input }) => await answerOf(rollbackResult, await rollback.run(ctx.em, ctx.caller, input)),
      ),

    restore: adminMay("snapshots:write", {
      method: "POST",
      path: "/domains/{id}/restore",
      operationId: "restoreDomain",
      costly: true,
      tag,
      summary: "Roll a zone back to a revision",
      description:
        "Does what a rollback to a snapshot does, for any revision that is still stored. One that is no longer stored returns 410. If more " +
        "than 30 % of a zone with ten or more records would change, `force: true` is required.",
      errors: [409, 410, 502],
    })
      .input(restoreInput)
      .output(passingLarge(rollbackResult))
      .mutation(
        async ({ ctx, input }) => await answerOf(rollbackResult, await rollback.run(ctx.em, ctx.caller, input)),
      ),
  });
}

/** `domains.compare`. It answers as a comparison of snapshots does. */
export function createCompareRouter({ snapshots }: { snapshots: Snapshots }) {
  return router({
    compare: may("records:read", {
      method: "POST",
      path: "/domains/{id}/compare",
      operationId: "compareDomains",
      costly: true,
      tag: "Domains",
      summary: "Compare the records of two domains",
      description:
        "Returns the records that only `with` has (`added`), that only this domain has (`removed`), and that differ (`modified`), such as the " +
        "internal view of a name against its public one. Matches records by type, name and value, names relative to their domains. Of assigned domains, compares only hosts " +
        "that you may see in both. Changes nothing.",
    })
      .input(compareInput)
      .output(passingLarge(snapshotDiff))
      .mutation(
        async ({ ctx, input }) => await answerOf(snapshotDiff, await snapshots.compare(ctx.em, ctx.caller, input)),
      ),
  });
}
