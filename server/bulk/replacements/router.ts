import { answerOf, passingLarge } from "../../api/large-answers.ts";
import { may } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { startPortfolioImportInput } from "../../zones/domains/portfolio-schemas.ts";
import { startedImport, startedJob } from "../batches/batch.ts";
import type { PortfolioImports } from "../portfolio-imports.ts";
import {
  applyReplacementInput,
  jobInput,
  jobPageInput,
  listJobsInput,
  planReplacementInput,
  replacementJob,
  replacementJobPage,
  replacementJobs,
  replacementPlan,
  revertJobInput,
} from "./schemas.ts";
import type { Replacements } from "./service.ts";

const tag = "Replacements";

export function createReplacementsRouter({ replacements }: { replacements: Replacements }) {
  return router({
    plan: may("records:write", {
      method: "POST",
      path: "/records/replace/plan",
      operationId: "planReplacement",
      largeBody: true,
      costly: true,
      tag,
      summary: "Plan a replacement in many domains",
      description:
        "Finds the records with a value in every domain that you may change, and returns what replacing it would do in each; changes nothing. " +
        "Where a name already has the new value, the old record is deleted. Records that you may not change stay as they are. At most 10,000 " +
        "domains. Send the returned `planHash` to apply the plan.",
      example: { recordType: "A", value: "192.0.2.1", newValue: "198.51.100.7" },
      errors: [404],
    })
      .input(planReplacementInput)
      .output(passingLarge(replacementPlan))
      .mutation(
        async ({ ctx, input }) => await answerOf(replacementPlan, await replacements.plan(ctx.em, ctx.caller, input)),
      ),

    applyPlan: may("records:write", {
      method: "POST",
      path: "/records/replace/apply",
      operationId: "applyReplacement",
      largeBody: true,
      costly: true,
      tag,
      summary: "Apply a replacement",
      description:
        "Starts a job that changes domain by domain, each in one atomic change, or returns 409 if the plan is outdated. A domain that changed " +
        "since the plan, that you may no longer change or whose provider refuses is listed as failed and does not stop the rest. If more than " +
        "30 % of a zone with ten or more records would be replaced, `force: true` is required.",
      status: 202,
      example: { recordType: "A", value: "192.0.2.1", newValue: "198.51.100.7", planHash: "Qm9yaW5n…" },
      errors: [404, 409],
    })
      .input(applyReplacementInput)
      .output(startedJob)
      .mutation(({ ctx, input }) => replacements.apply(ctx.em, ctx.caller, input)),

    list: may("records:read", {
      method: "GET",
      path: "/records/replace",
      operationId: "listReplacements",
      tag,
      summary: "List replacements",
      description:
        "Lists running and ended jobs with their progress, newest first, reverts and applied templates included. Members see their own " +
        "jobs, administrators all.",
    })
      .input(listJobsInput)
      .output(replacementJobs)
      .query(({ ctx, input }) => replacements.list(ctx.em, ctx.caller, input)),

    get: may("records:read", {
      method: "GET",
      path: "/records/replace/{jobId}",
      operationId: "getReplacement",
      tag,
      summary: "Get a replacement's progress and result",
      description:
        "Also returns jobs that apply a template to its linked domains. Jobs are deleted 90 days after they end. Members see their own jobs, " +
        "administrators all.",
    })
      .input(jobPageInput)
      .output(replacementJobPage)
      .query(({ ctx, input }) => replacements.get(ctx.em, ctx.caller, input)),

    stop: may("records:write", {
      method: "POST",
      path: "/records/replace/{jobId}/stop",
      operationId: "stopReplacement",
      tag,
      summary: "Stop a replacement",
      description: "Starts no further domains. Changed domains stay changed; revert the job to undo them.",
    })
      .input(jobInput)
      .output(replacementJob)
      .mutation(({ ctx, input }) => replacements.stop(ctx.em, ctx.caller, input)),

    revert: may("records:write", {
      method: "POST",
      path: "/records/replace/{jobId}/revert",
      operationId: "revertReplacement",
      costly: true,
      tag,
      summary: "Revert a replacement",
      description:
        "Starts a job that reverts every change of an ended job. A domain whose records were changed since is listed as failed with the reason " +
        "and does not stop the rest. Of a job that was applied with `force`, the revert needs none; locked records and required reviews need " +
        "`unlock` and `override` again.",
      status: 202,
      errors: [409],
    })
      .input(revertJobInput)
      .output(startedJob)
      .mutation(({ ctx, input }) => replacements.revert(ctx.em, ctx.caller, input)),
  });
}

/** Imports of tables, whose jobs the calls above show and take back. */
export function createPortfolioImportsRouter({ portfolioImports }: { portfolioImports: PortfolioImports }) {
  return router({
    startImport: may("domains:write", {
      method: "POST",
      path: "/domains/import/start",
      operationId: "startPortfolioImport",
      costly: true,
      largeBody: true,
      tag: "Domains",
      summary: "Start an import of a table of domains",
      description:
        "Starts a job that carries out a plan of `POST /api/domains/import` with `dryRun`, without the refused rows: for tables of thousands of " +
        "rows, which a proxy may not wait for. Each row is applied as a whole; a domain that changed since the plan is listed as " +
        "failed and does not stop the rest. `GET /api/records/replace/{jobId}` shows progress and outcome by domain, `…/stop` and `…/revert` " +
        "stop the job and take it back; they need `records:read` and `records:write`.",
      status: 202,
      errors: [409],
    })
      .input(startPortfolioImportInput)
      .output(startedImport)
      .mutation(({ ctx, input }) => portfolioImports.start(ctx.em, ctx.caller, input)),
  });
}
