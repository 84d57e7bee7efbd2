import { may } from "../../api/procedures.ts";
import { pageIfAsked, pageOfAll, success } from "../../api/schemas.ts";
import { router } from "../../api/trpc.ts";
import {
  createdMirror,
  createMirrorInput,
  deleteMirrorInput,
  listMirrorsInput,
  mirrorPage,
  mirrors as mirrorsSchema,
  mirrorsInput,
  reconcileInput,
} from "./schemas.ts";
import type { Mirrors } from "./service.ts";

const tag = "Domains";

export function createMirrorsRouter({ mirrors }: { mirrors: Mirrors }) {
  return router({
    list: may("domains:read", {
      method: "GET",
      path: "/domains/{id}/mirrors",
      operationId: "listMirrors",
      tag,
      summary: "List a domain's mirrors",
      description:
        "Mirrors are further provider configurations that follow the domain's records. This returns how far each follows.",
    })
      .input(mirrorsInput.extend(pageIfAsked))
      .output(mirrorsSchema)
      .query(async ({ ctx, input }) => {
        const all = await mirrors.list(ctx.em, ctx.caller, input.id);
        return { ...all, mirrors: pageOfAll(all.mirrors, input) };
      }),

    listAll: may("domains:read", {
      method: "GET",
      path: "/mirrors",
      operationId: "listAllMirrors",
      tag,
      summary: "List the mirrors of all domains",
      description: "Covers the domains that you may see. Those that need attention come first.",
    })
      .input(listMirrorsInput)
      .output(mirrorPage)
      .query(({ ctx, input }) => mirrors.listAll(ctx.em, ctx.caller, input)),

    create: may("domains:write", {
      method: "POST",
      path: "/domains/{id}/mirrors",
      operationId: "createMirror",
      errors: [403, 409, 502],
      tag,
      summary: "Add a mirror",
      description:
        "Lets another provider configuration follow the domain's records. The zone is created there if it does not exist. If the zone there has " +
        "records that the domain does not have, they are deleted; above the safety threshold that needs `force`. With `dryRun: true`, " +
        "this returns the plan only. Records that the provider cannot store return 400. For the owner and administrators; owners need a " +
        "configuration with `membersMayUse`, and a zone that does not exist there.",
    })
      .input(createMirrorInput)
      .output(createdMirror)
      .mutation(({ ctx, input }) => mirrors.create(ctx.em, ctx.caller, input)),

    reconcile: may("domains:write", {
      method: "POST",
      path: "/domains/{id}/mirrors/{mirrorId}/reconcile",
      operationId: "reconcileMirror",
      tag,
      summary: "Reconcile a mirror",
      description:
        "Compares a mirror with the domain and applies the differences now, instead of after the next change. A failure is in the mirror's " +
        "`error`. For the owner and administrators.",
    })
      .input(reconcileInput)
      .output(mirrorsSchema)
      .mutation(({ ctx, input }) => mirrors.reconcile(ctx.em, ctx.caller, input)),

    delete: may("domains:write", {
      method: "DELETE",
      path: "/domains/{id}/mirrors/{mirrorId}",
      operationId: "deleteMirror",
      tag,
      summary: "Remove a mirror",
      description:
        "The configuration no longer follows the domain. The zone there stays as it is. Secondaries that follow a catalog zone drop the zone, " +
        "so that needs `force=true` (409 otherwise). For the owner and administrators.",
      errors: [409],
    })
      .input(deleteMirrorInput)
      .output(success)
      .mutation(({ ctx, input }) =>
        mirrors.delete(ctx.em, ctx.caller, {
          ...input,
          force: input.force === "true",
          deleteZone: input.deleteZone === "true",
        }),
      ),
  });
}
