import { answerOf, passingLarge, textAnswerOf } from "../../api/large-answers.ts";
import { success } from "../../api/schemas.ts";
import { may } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { applied, applyInput, bulkInput, bulkResult, plan, planInput } from "./change-schemas.ts";
import {
  exportedText,
  exportInput,
  revertInput,
  revertResult,
  zonefileExportInput,
  planZonefileInput,
  zonefileInput,
  zonefileResult,
  zonefileText,
} from "./whole-zone-schemas.ts";
import {
  createRecordInput,
  deleteRecordInput,
  dnsRecord,
  listRecordsInput,
  foundRecords,
  recordPage,
  searchRecordsInput,
  updateRecordInput,
} from "./schemas.ts";
import { searchRecords } from "./search.ts";
import { AppError } from "../../platform/errors.ts";
import type { Records } from "./service.ts";
import type { Revert } from "./revert.ts";
import type { ZoneFileTransfer } from "./zone-file-transfer.ts";
import type { HttpPort } from "../../platform/http-port.ts";

const tag = "DNS records";

export function createRecordsRouter({
  records,
  revert,
  zoneFiles,
}: {
  records: Records;
  revert: Revert;
  zoneFiles: ZoneFileTransfer;
}) {
  return router({
    list: may("records:read", {
      method: "GET",
      path: "/domains/{id}/records",
      operationId: "listRecords",
      tag,
      summary: "List a domain's records",
      description:
        "For an assigned domain, returns and counts only records that match your host patterns. `at` lists an earlier state while it is " +
        "stored (410 otherwise).",
      errors: [410],
    })
      .input(listRecordsInput)
      .output(recordPage)
      .query(({ ctx, input }) => records.list(ctx.em, ctx.caller, input)),

    search: may("records:read", {
      method: "GET",
      path: "/records",
      operationId: "searchRecords",
      costly: true,
      tag,
      summary: "Search records in all domains",
      description:
        "Finds records in every domain you may see, by part of a name or value (`search`), an exact value (`value`), a host (`host`) " +
        "or part of a comment (`comment`). Filters combine. Of assigned domains, finds only records that match your host patterns.",
    })
      .input(searchRecordsInput)
      .output(foundRecords)
      .query(({ ctx, input }) => searchRecords(ctx.em, ctx.caller, input)),

    create: may("records:write", {
      method: "POST",
      path: "/domains/{id}/records",
      operationId: "createRecord",
      tag,
      summary: "Create a record",
      description:
        "Stores the value in canonical form. A TTL that differs from the RRset's replaces the TTL of the whole RRset.",
      status: 201,
      errors: [409, 502],
    })
      .input(createRecordInput)
      .output(dnsRecord)
      .mutation(async ({ ctx, input }) => withVersionTag(ctx.http, await records.create(ctx.em, ctx.caller, input))),

    update: may("records:write", {
      method: "PUT",
      path: "/domains/{id}/records/{recordId}",
      operationId: "updateRecord",
      tag,
      summary: "Change a record",
      description:
        'Omitted fields keep their values. With `If-Match: "<version>"`, returns 412 if the record has another version.',
      example: { value: "192.0.2.7", ttl: 300 },
      errors: [409, 412, 502],
    })
      .input(updateRecordInput)
      .output(dnsRecord)
      .mutation(async ({ ctx, input }) =>
        withVersionTag(ctx.http, await records.update(ctx.em, ctx.caller, input, ifMatchVersion(ctx.http))),
      ),

    delete: may("records:write", {
      method: "DELETE",
      path: "/domains/{id}/records/{recordId}",
      operationId: "deleteRecord",
      tag,
      summary: "Delete a record",
      description: 'With `If-Match: "<version>"`, returns 412 if the record has another version.',
      errors: [409, 412, 502],
    })
      .input(deleteRecordInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        const deletion = { ...input, override: input.override === "true", unlock: input.unlock === "true" };
        await records.delete(ctx.em, ctx.caller, deletion, ifMatchVersion(ctx.http));
        return { success: true as const };
      }),

    bulkCreate: may("records:write", {
      method: "POST",
      path: "/domains/{id}/records/bulk",
      operationId: "bulkCreateRecords",
      costly: true,
      tag,
      summary: "Create up to 100 records",
      description:
        "Checks each item by itself. A failed item neither stops nor undoes the others, unless `mode` is `atomic`.",
      errors: [409, 502],
    })
      .input(bulkInput)
      .output(bulkResult)
      .mutation(({ ctx, input }) => records.bulkCreate(ctx.em, ctx.caller, input)),

    plan: may("records:write", {
      method: "POST",
      path: "/domains/{id}/records/plan",
      operationId: "planRecords",
      largeBody: true,
      tag,
      summary: "Plan changes to a domain's records",
      description:
        "Checks all changes together against the resulting zone, and changes nothing. Send the returned `planHash` to apply the plan.",
      errors: [409],
    })
      .input(planInput)
      .output(passingLarge(plan))
      .mutation(async ({ ctx, input }) => await answerOf(plan, await records.plan(ctx.em, ctx.caller, input))),

    applyPlan: may("records:write", {
      method: "POST",
      path: "/domains/{id}/records/apply",
      operationId: "applyRecords",
      largeBody: true,
      costly: true,
      tag,
      summary: "Apply a plan",
      description:
        "Applies all changes, or returns 409 and changes nothing if the zone has changed since the plan. If several changes would delete " +
        "or replace more than 30 % of a zone with ten or more records, `force: true` is required.",
      errors: [409, 502],
    })
      .input(applyInput)
      .output(passingLarge(applied))
      .mutation(async ({ ctx, input }) => await answerOf(applied, await records.apply(ctx.em, ctx.caller, input))),

    revert: may("records:write", {
      method: "POST",
      path: "/domains/{id}/history/{changeSetId}/revert",
      operationId: "revertChange",
      costly: true,
      tag,
      summary: "Revert a change",
      description:
        "Undoes one change set by a new change, all or nothing: deletes what it created, restores what it changed or deleted. " +
        "Items that the provider refused stay as they are. Returns 409 and changes nothing if its records were changed since, naming them and " +
        "what they are now. With `dryRun`, returns the plan and its `planHash`. If it would delete or replace more than 30 % of a zone with ten " +
        "or more records, `force: true` is required. A change older than the stored history returns 410.",
      errors: [409, 410, 502],
    })
      .input(revertInput)
      .output(passingLarge(revertResult))
      .mutation(async ({ ctx, input }) => await answerOf(revertResult, await revert.run(ctx.em, ctx.caller, input))),

    exportZonefile: may("records:read", {
      method: "GET",
      path: "/domains/{id}/zonefile",
      operationId: "exportZonefile",
      tag,
      summary: "Export a zone as a zone file",
      description:
        "Returns an RFC 1035 master file that name servers load. For an assigned domain, it has only the records that match your host " +
        "patterns. `revision` exports an earlier state while it is stored (410 otherwise). The SOA is the provider's; if it cannot be read, " +
        "Zonewright writes one, and a comment above it says so.",
      textField: "zonefile",
      errors: [410],
    })
      .input(zonefileExportInput)
      .output(passingLarge(zonefileText))
      .query(async ({ ctx, input }) => textAnswerOf("zonefile", await zoneFiles.export(ctx.em, ctx.caller, input))),

    export: may("records:read", {
      method: "GET",
      path: "/domains/{id}/export",
      operationId: "exportRecords",
      tag,
      summary: "Export records in a format",
      description:
        "Returns the records as text in the format of another tool. For an assigned domain, it has only the records that match your host " +
        "patterns. `revision` exports an earlier state while it is stored (410 otherwise).",
      textField: "content",
      errors: [410],
    })
      .input(exportInput)
      .output(passingLarge(exportedText))
      .query(async ({ ctx, input }) => textAnswerOf("content", await zoneFiles.export(ctx.em, ctx.caller, input))),

    planZonefile: may("records:read", {
      method: "POST",
      path: "/domains/{id}/zonefile/plan",
      operationId: "planZonefile",
      largeBody: true,
      tag,
      summary: "Compare a domain with a zone file",
      description:
        "Returns what an import would change, as `dryRun` of an import does, and changes nothing. Takes rights in the domain as the import does, but a token " +
        "needs only `records:read`. Send the returned `planHash` to import exactly that.",
      errors: [409, 502],
    })
      .input(planZonefileInput)
      .output(passingLarge(zonefileResult))
      .mutation(
        async ({ ctx, input }) => await answerOf(zonefileResult, await zoneFiles.plan(ctx.em, ctx.caller, input)),
      ),

    importZonefile: may("records:write", {
      method: "POST",
      path: "/domains/{id}/zonefile",
      operationId: "importZonefile",
      largeBody: true,
      costly: true,
      tag,
      summary: "Import a zone file",
      description:
        "Takes zone files and the formats of other tools. A file with an error changes nothing; the error names the line and the reason. Known record types are checked against their " +
        "grammar; unknown types must use the generic form of RFC 3597. The file's SOA is ignored, because the provider maintains its own. " +
        "An import that changes something first takes a snapshot. Mode `replace` requires the owner or an administrator. If it would " +
        "delete more than 30 % of a zone with ten or more records, `force: true` is required. Import files over 16 MiB from the provider's " +
        "folder.",
      errors: [409, 502],
    })
      .input(zonefileInput)
      .output(passingLarge(zonefileResult))
      .mutation(
        async ({ ctx, input }) => await answerOf(zonefileResult, await zoneFiles.import(ctx.em, ctx.caller, input)),
      ),
  });
}

/** Returns the version that `If-Match` names (RFC 9110 §13.1.1); null for none. @throws AppError BAD_REQUEST for anything but one version or `*` */
function ifMatchVersion(http: HttpPort): number | null {
  const header = http.header("if-match")?.trim();
  if (header === undefined || header === "" || header === "*") return null;
  const [, version] = /^"(\d{1,9})"$/.exec(header) ?? [];
  if (version === undefined) throw new AppError("BAD_REQUEST", 'If-Match must be the ETag of the record, such as "3".');
  return Number(version);
}

/** Returns the record, with its version as the answer's `ETag`. */
function withVersionTag<R extends { version: number }>(http: HttpPort, record: R): R {
  http.setHeader("ETag", `"${record.version}"`);
  return record;
}
