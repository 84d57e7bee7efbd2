import { textAnswerOf, passingLarge } from "../../api/large-answers.ts";
import { auditingMay } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { auditPage, auditText, exportAuditInput, listAuditInput } from "./schemas.ts";
import { exportEntries, listEntries } from "./trail.ts";

export function createAuditRouter() {
  return router({
    list: auditingMay("audit:read", {
      method: "GET",
      path: "/audit",
      operationId: "listAudit",
      tag: "Audit",
      summary: "List the audit trail",
      description: "The append-only trail of sign-ins and changes, newest first. Filters combine.",
    })
      .input(listAuditInput)
      .output(auditPage)
      .query(({ ctx, input }) => listEntries(ctx.em, input)),

    export: auditingMay("audit:read", {
      method: "GET",
      path: "/audit/export",
      operationId: "exportAudit",
      costly: true,
      tag: "Audit",
      summary: "Export the audit trail",
      description:
        "Returns entries as text, newest first: up to 10,000, fewer if they are long. To go on, pass the id of the last line as `before`, until " +
        "an answer is empty. An apostrophe precedes cells that a spreadsheet would run as a formula.",
      textField: "content",
    })
      .input(exportAuditInput)
      .output(passingLarge(auditText))
      .query(async ({ ctx, input }) => {
        const { pieces, next } = await exportEntries(ctx.em, input);
        return textAnswerOf("content", pieces, { next });
      }),
  });
}
