import { answerOf, passingLarge } from "../api/large-answers.ts";
import { route } from "../api/route.ts";
import { adminMay, may, router } from "../api/trpc.ts";
import {
  createSnapshotInput,
  diffInput,
  listSnapshotsInput,
  rollbackInput,
  rollbackResult,
  snapshot,
  snapshotDiff,
  snapshotIdInput,
  snapshotPage,
} from "./schemas.ts";

const tag = "Snapshots";

export const snapshotsRouter = router({
  list: may("snapshots:read")
    .meta(
      route.may("snapshots:read", {
        method: "GET",
        path: "/domains/{id}/snapshots",
        operationId: "listSnapshots",
        tag,
        summary: "List snapshots",
      }),
    )
    .input(listSnapshotsInput)
    .output(passingLarge(snapshotPage))
    .query(
      async ({ ctx, input }) =>
        await answerOf(snapshotPage, await ctx.services.snapshots.list(ctx.em, ctx.caller, input)),
    ),

  create: may("snapshots:write")
    .meta(
      route.may("snapshots:write", {
        method: "POST",
        path: "/domains/{id}/snapshots",
        operationId: "createSnapshot",
        tag,
        summary: "Take a snapshot",
        description: "A bookmark in the zone's history: it takes the same time for any size of zone.",
        status: 201,
      }),
    )
    .input(createSnapshotInput)
    .output(snapshot)
    .mutation(({ ctx, input }) => ctx.services.snapshots.create(ctx.em, ctx.caller, input)),

  get: may("snapshots:read")
    .meta(
      route.may("snapshots:read", {
        method: "GET",
        path: "/domains/{id}/snapshots/{snapshotId}",
        operationId: "getSnapshot",
        tag,
        summary: "Get a snapshot with its records",
      }),
    )
    .input(snapshotIdInput)
    .output(passingLarge(snapshot))
    .query(
      async ({ ctx, input }) => await answerOf(snapshot, await ctx.services.snapshots.get(ctx.em, ctx.caller, input)),
    ),

  diff: may("snapshots:read")
    .meta(
      route.may("snapshots:read", {
        method: "GET",
        path: "/domains/{id}/snapshots/diff",
        operationId: "diffSnapshots",
        tag,
        summary: "Compare two snapshots",
        description: "Records are matched by id, then by type, name and value.",
      }),
    )
    .input(diffInput)
    .output(passingLarge(snapshotDiff))
    .query(
      async ({ ctx, input }) =>
        await answerOf(snapshotDiff, await ctx.services.snapshots.diff(ctx.em, ctx.caller, input)),
    ),

  rollback: adminMay("snapshots:write")
    .meta(
      route.adminMay("snapshots:write", {
        method: "POST",
        path: "/domains/{id}/snapshots/{snapshotId}/rollback",
        operationId: "rollbackSnapshot",
        costly: true,
        tag,
        summary: "Roll a zone back to a snapshot",
        description:
          "Makes the zone what the snapshot says and takes a new `on_change` snapshot of what it then is. A change of more than 30 % of a " +
          "zone of ten or more records needs `force: true`.",
        errors: [409, 502],
      }),
    )
    .input(rollbackInput)
    .output(passingLarge(rollbackResult))
    .mutation(
      async ({ ctx, input }) =>
        await answerOf(rollbackResult, await ctx.services.rollback.run(ctx.em, ctx.caller, input)),
    ),
});
