import { answerOf, passingLarge } from "../api/large-answers.ts";
import { route } from "../api/route.ts";
import { success } from "../api/schemas.ts";
import { may, router } from "../api/trpc.ts";
import { createRecord, deleteRecord, updateRecord } from "./single-record.ts";
import {
  applied,
  applyInput,
  bulkInput,
  bulkResult,
  plan,
  planInput,
  zonefileExportInput,
  zonefileInput,
  zonefileResult,
  zonefileText,
} from "./change-schemas.ts";
import {
  createRecordInput,
  dnsRecord,
  listRecordsInput,
  recordIdInput,
  recordPage,
  updateRecordInput,
} from "./schemas.ts";

const tag = "DNS records";

export const recordsRouter = router({
  list: may("records:read")
    .meta(
      route.may("records:read", {
        method: "GET",
        path: "/domains/{id}/records",
        operationId: "listRecords",
        tag,
        summary: "List records",
        description: "Of a domain that is assigned to you those whose hosts match; `total` counts these.",
      }),
    )
    .input(listRecordsInput)
    .output(recordPage)
    .query(({ ctx, input }) => ctx.services.records.list(ctx.em, ctx.caller, input)),

  create: may("records:write")
    .meta(
      route.may("records:write", {
        method: "POST",
        path: "/domains/{id}/records",
        operationId: "createRecord",
        tag,
        summary: "Create a record",
        description:
          "The value is stored in canonical form. A different TTL than its RRset has becomes that of the whole RRset.",
        status: 201,
        errors: [409, 502],
      }),
    )
    .input(createRecordInput)
    .output(dnsRecord)
    .mutation(({ ctx, input }) => createRecord(ctx, input)),

  update: may("records:write")
    .meta(
      route.may("records:write", {
        method: "PUT",
        path: "/domains/{id}/records/{recordId}",
        operationId: "updateRecord",
        tag,
        summary: "Change a record",
        description:
          'Fields left out stay as they are. With `If-Match: "<version>"` only while the record is at that version.',
        example: { value: "192.0.2.7", ttl: 300 },
        errors: [409, 412, 502],
      }),
    )
    .input(updateRecordInput)
    .output(dnsRecord)
    .mutation(({ ctx, input }) => updateRecord(ctx, input)),

  delete: may("records:write")
    .meta(
      route.may("records:write", {
        method: "DELETE",
        path: "/domains/{id}/records/{recordId}",
        operationId: "deleteRecord",
        tag,
        summary: "Delete a record",
        description: 'With `If-Match: "<version>"` only while the record is at that version.',
        errors: [412, 502],
      }),
    )
    .input(recordIdInput)
    .output(success)
    .mutation(({ ctx, input }) => deleteRecord(ctx, input)),

  bulkCreate: may("records:write")
    .meta(
      route.may("records:write", {
        method: "POST",
        path: "/domains/{id}/records/bulk",
        operationId: "bulkCreateRecords",
        costly: true,
        tag,
        summary: "Create up to 100 records",
        description:
          "Each item is checked on its own; a failed item does not stop or undo the others, unless `mode` is `atomic`.",
        errors: [409, 502],
      }),
    )
    .input(bulkInput)
    .output(bulkResult)
    .mutation(({ ctx, input }) => ctx.services.records.bulkCreate(ctx.em, ctx.caller, input)),

  plan: may("records:write")
    .meta(
      route.may("records:write", {
        method: "POST",
        path: "/domains/{id}/records/plan",
        operationId: "planRecords",
        largeBody: true,
        tag,
        summary: "Plan changes: see what they would do",
        description:
          "Judges all changes together on the state that they lead to, and changes nothing. Give `planHash` to apply.",
        errors: [409],
      }),
    )
    .input(planInput)
    .output(passingLarge(plan))
    .mutation(
      async ({ ctx, input }) => await answerOf(plan, await ctx.services.records.plan(ctx.em, ctx.caller, input)),
    ),

  applyPlan: may("records:write")
    .meta(
      route.may("records:write", {
        method: "POST",
        path: "/domains/{id}/records/apply",
        operationId: "applyRecords",
        largeBody: true,
        costly: true,
        tag,
        summary: "Apply a plan",
        description:
          "Only while the zone is as it was when the plan was made; else 409, and nothing is changed. Several changes that delete more than 30 % " +
          "of a zone of ten or more records, or give them other values, need `force: true`.",
        errors: [409, 502],
      }),
    )
    .input(applyInput)
    .output(passingLarge(applied))
    .mutation(
      async ({ ctx, input }) => await answerOf(applied, await ctx.services.records.apply(ctx.em, ctx.caller, input)),
    ),

  exportZonefile: may("records:read")
    .meta(
      route.may("records:read", {
        method: "GET",
        path: "/domains/{id}/zonefile",
        operationId: "exportZonefile",
        tag,
        summary: "Export the zone as a master file",
        description:
          "RFC 1035 master file, as name servers load it; of an assigned domain with the records of your hosts. With `revision` the zone as it was then, " +
          "as long as that state is stored.",
        textField: "zonefile",
        errors: [410],
      }),
    )
    .input(zonefileExportInput)
    .output(zonefileText)
    .query(({ ctx, input }) => ctx.services.zoneFiles.export(ctx.em, ctx.caller, input)),

  importZonefile: may("records:write")
    .meta(
      route.may("records:write", {
        method: "POST",
        path: "/domains/{id}/zonefile",
        operationId: "importZonefile",
        largeBody: true,
        costly: true,
        tag,
        summary: "Import a master file",
        description:
          "A file with an error changes nothing; the answer names the line and the reason. Known record types are held to their grammar, others must be " +
          "in generic form (RFC 3597). The file's SOA is left aside: the provider keeps its own. " +
          "A snapshot of the state before is kept. Only the owner and administrators replace a zone, and need `force: true` where more than 30 % of ten or more records would go. Files of more than 16 MiB are imported from the provider's folder.",
        errors: [409, 502],
      }),
    )
    .input(zonefileInput)
    .output(passingLarge(zonefileResult))
    .mutation(
      async ({ ctx, input }) =>
        await answerOf(zonefileResult, await ctx.services.zoneFiles.import(ctx.em, ctx.caller, input)),
    ),
});
