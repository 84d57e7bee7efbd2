import { auditingMay } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { auditPage, listAuditInput } from "./schemas.ts";

export const auditRouter = router({
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
    .query(({ ctx, input }) => ctx.services.audit.list(ctx.em, input)),
});
