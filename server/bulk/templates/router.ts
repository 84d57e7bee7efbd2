import { answerOf, passingLarge } from "../../api/large-answers.ts";
import { admin, may } from "../../api/procedures.ts";
import { success } from "../../api/schemas.ts";
import { router } from "../../api/trpc.ts";
import { startedJob } from "../batches/batch.ts";
import type { Template } from "./form/template.ts";
import {
  appliedIdInput,
  appliedPage,
  applyLinkedInput,
  applyTemplateInput,
  createTemplateInput,
  linkedPlan,
  listAppliedInput,
  listTemplatesInput,
  planTemplateInput,
  templateApplied,
  templateDetail,
  templateIdInput,
  templatePage,
  templatePlan,
  updateTemplateInput,
} from "./schemas.ts";
import type { DomainTemplates } from "./applied.ts";
import type { LinkedTemplates } from "./linked-plan.ts";
import type { TemplatePlans } from "./service.ts";
import type { NewVersion, Templates } from "./store.ts";

const tag = "Templates";

export function createTemplatesRouter({
  domainTemplates,
  linkedTemplates,
  templatePlans,
  templates,
}: {
  domainTemplates: DomainTemplates;
  linkedTemplates: LinkedTemplates;
  templatePlans: TemplatePlans;
  templates: Templates;
}) {
  return router({
    list: may("records:read", {
      method: "GET",
      path: "/templates",
      operationId: "listTemplates",
      tag,
      summary: "List templates",
      description: "Lists built-in templates, then those that administrators added.",
    })
      .input(listTemplatesInput)
      .output(templatePage)
      .query(({ ctx, input }) => templates.list(ctx.em, input)),

    get: may("records:read", {
      method: "GET",
      path: "/templates/{id}",
      operationId: "getTemplate",
      tag,
      summary: "Get a template",
      description: "Includes the template as it was given.",
    })
      .input(templateIdInput)
      .output(templateDetail)
      .query(({ ctx, input }) => templates.get(ctx.em, input.id)),

    create: admin({
      method: "POST",
      path: "/templates",
      operationId: "createTemplate",
      tag,
      summary: "Add a template",
      description:
        "Takes a template in the JSON form of Domain Connect as it is. Unknown fields and records of unknown types are stored; `unsupported` " +
        "lists the records that cannot be applied. `logoUrl` is never fetched.",
      status: 201,
      errors: [409],
    })
      .input(createTemplateInput)
      .output(templateDetail)
      .mutation(({ ctx, input }) => templates.create(ctx.em, ctx.caller, input as Template)),

    update: admin({
      method: "PUT",
      path: "/templates/{id}",
      operationId: "updateTemplate",
      tag,
      summary: "Change a template",
      description:
        "Replaces the template. Domains stay as they are; `POST …/linked/plan` shows what the new version means for those that are linked, and " +
        "`POST …/linked/apply` carries it out. Send the `revision` that you changed, so that you do not overwrite what others stored meanwhile.",
      errors: [409],
    })
      .input(updateTemplateInput)
      .output(templateDetail)
      .mutation(({ ctx, input }) => templates.update(ctx.em, ctx.caller, input as NewVersion)),

    delete: admin({
      method: "DELETE",
      path: "/templates/{id}",
      operationId: "deleteTemplate",
      tag,
      summary: "Delete a template",
      description: "Returns 409 while domains are linked to it. Records that it wrote stay.",
      errors: [409],
    })
      .input(templateIdInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await templates.delete(ctx.em, ctx.caller, input.id);
        return { success: true as const };
      }),

    linkedPlan: admin({
      method: "POST",
      path: "/templates/{id}/linked/plan",
      operationId: "planLinkedTemplate",
      costly: true,
      tag,
      summary: "Plan a changed template over its linked domains",
      description:
        "Returns what the present version changes in each linked domain, up to 10,000 domains, and changes nothing. An `OnApply` record " +
        "that was removed from a domain is not written again. Send the returned `planHash` to apply the plan.",
      errors: [409],
    })
      .input(templateIdInput)
      .output(passingLarge(linkedPlan))
      .mutation(
        async ({ ctx, input }) => await answerOf(linkedPlan, await linkedTemplates.plan(ctx.em, ctx.caller, input.id)),
      ),

    applyLinked: admin({
      method: "POST",
      path: "/templates/{id}/linked/apply",
      operationId: "applyLinkedTemplate",
      costly: true,
      tag,
      summary: "Apply a changed template to its linked domains",
      description:
        "Starts a job that changes domain by domain, each in one atomic change, or returns 409 if the plan is outdated. A domain that changed " +
        "since the plan or whose provider refuses is listed as failed and does not stop the rest. `GET /api/records/replace/{jobId}` shows its " +
        "progress, `…/stop` stops it and `…/revert` reverts it. If more than 30 % of a zone with ten or more records would be deleted or " +
        "replaced, `force: true` is required.",
      status: 202,
      example: { planHash: "Qm9yaW5n…" },
      errors: [409],
    })
      .input(applyLinkedInput)
      .output(startedJob)
      .mutation(({ ctx, input }) => linkedTemplates.apply(ctx.em, ctx.caller, input)),

    listApplied: may("records:read", {
      method: "GET",
      path: "/domains/{id}/templates",
      operationId: "listDomainTemplates",
      tag,
      summary: "List the templates applied to a domain",
      description: "For an assigned domain, returns only those applied at hosts that match your host patterns.",
    })
      .input(listAppliedInput)
      .output(appliedPage)
      .query(({ ctx, input }) => domainTemplates.list(ctx.em, ctx.caller, input)),

    plan: may("records:write", {
      method: "POST",
      path: "/domains/{id}/templates/{templateId}/plan",
      operationId: "planTemplate",
      tag,
      summary: "Plan a template",
      description:
        "Returns what the template would change at the host, and changes nothing. Records that conflict with it are deleted, within the hosts " +
        "that you may change. Send the returned `planHash` to apply it.",
      errors: [409],
    })
      .input(planTemplateInput)
      .output(passingLarge(templatePlan))
      .mutation(
        async ({ ctx, input }) => await answerOf(templatePlan, await templatePlans.plan(ctx.em, ctx.caller, input)),
      ),

    applyPlan: may("records:write", {
      method: "POST",
      path: "/domains/{id}/templates/{templateId}/apply",
      operationId: "applyTemplate",
      costly: true,
      tag,
      summary: "Apply a template",
      description:
        "Applies all changes of the plan, or returns 409 and changes nothing if the zone or the template has changed since. The domain " +
        "remembers the template; applying it at the same host again replaces what it wrote there.",
      errors: [409, 502],
    })
      .input(applyTemplateInput)
      .output(passingLarge(templateApplied))
      .mutation(
        async ({ ctx, input }) => await answerOf(templateApplied, await templatePlans.apply(ctx.em, ctx.caller, input)),
      ),

    unlink: may("records:write", {
      method: "DELETE",
      path: "/domains/{id}/templates/{appliedId}",
      operationId: "unlinkTemplate",
      tag,
      summary: "Forget that a template was applied",
      description: "Its records stay. The domain no longer follows the template.",
    })
      .input(appliedIdInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await domainTemplates.unlink(ctx.em, ctx.caller, input);
        return { success: true as const };
      }),
  });
}
