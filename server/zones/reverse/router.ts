import { may } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { report, reportInput } from "./schemas.ts";
import type { ReverseReport } from "./report.ts";

export function createReverseRouter({ reverseReport }: { reverseReport: ReverseReport }) {
  return router({
    report: may("records:read", {
      method: "GET",
      path: "/reverse/report",
      operationId: "reportReverse",
      costly: true,
      tag: "DNS records",
      summary: "Report missing and wrong PTR records",
      description:
        "Compares the addresses and PTR records of all domains you may see, and returns the changes that fix the differences. Each page looks " +
        "at up to 500 records: follow `next` until it is null.",
    })
      .input(reportInput)
      .output(report)
      .query(({ ctx, input }) => reverseReport.page(ctx.em, ctx.caller, input)),
  });
}
