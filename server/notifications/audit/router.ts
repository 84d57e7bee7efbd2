import { auditingMay } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { auditPage, listAuditInput } from "./schemas.ts";
import type { Audit } from "./audit.ts";

export function createAuditRouter({ audit }: { audit: Audit }) {
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
      .query(({ ctx, input }) => audit.list(ctx.em, input)),
  });
}
