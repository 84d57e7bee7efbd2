import {
  createRecordInput,
  dnsRecord,
  listRecordsInput,
  recordIdInput,
  recordPage,
  updateRecordInput,
} from "../records/schemas.ts";
import { createRecord, deleteRecord, updateRecord } from "../records/single-record.ts";
import { domainDetail, domainIdInput, domainPage, listDomainsInput } from "../domains/schemas.ts";
import { route } from "../api/route.ts";
import { success } from "../api/schemas.ts";
import { may, router } from "../api/trpc.ts";

const tag = "Open API";

/** The Open API: the same schemas and services under a path that stays. */
export const v1Router = router({
  listDomains: may("domains:read")
    .meta(
      route.may("domains:read", {
        method: "GET",
        path: "/v1/domains",
        operationId: "v1ListDomains",
        tag,
        summary: "List domains",
        description: "As `listDomains`.",
      }),
    )
    .input(listDomainsInput)
    .output(domainPage)
    .query(({ ctx, input }) => ctx.services.domains.list(ctx.em, ctx.caller, input)),

  getDomain: may("domains:read")
    .meta(
      route.may("domains:read", {
        method: "GET",
        path: "/v1/domains/{id}",
        operationId: "v1GetDomain",
        tag,
        summary: "Get a domain",
        description: "As `getDomain`.",
      }),
    )
    .input(domainIdInput)
    .output(domainDetail)
    .query(({ ctx, input }) => ctx.services.domains.get(ctx.em, ctx.caller, input.id)),

  listRecords: may("records:read")
    .meta(
      route.may("records:read", {
        method: "GET",
        path: "/v1/domains/{id}/records",
        operationId: "v1ListRecords",
        tag,
        summary: "List records",
        description: "As `listRecords`.",
      }),
    )
    .input(listRecordsInput)
    .output(recordPage)
    .query(({ ctx, input }) => ctx.services.records.list(ctx.em, ctx.caller, input)),

  createRecord: may("records:write")
    .meta(
      route.may("records:write", {
        method: "POST",
        path: "/v1/domains/{id}/records",
        operationId: "v1CreateRecord",
        tag,
        summary: "Create a record",
        description: "As `createRecord`.",
        status: 201,
        errors: [409, 502],
      }),
    )
    .input(createRecordInput)
    .output(dnsRecord)
    .mutation(({ ctx, input }) => createRecord(ctx, input)),

  updateRecord: may("records:write")
    .meta(
      route.may("records:write", {
        method: "PUT",
        path: "/v1/domains/{id}/records/{recordId}",
        operationId: "v1UpdateRecord",
        tag,
        summary: "Change a record",
        description: "As `updateRecord`.",
        example: { value: "192.0.2.7", ttl: 300 },
        errors: [409, 412, 502],
      }),
    )
    .input(updateRecordInput)
    .output(dnsRecord)
    .mutation(({ ctx, input }) => updateRecord(ctx, input)),

  deleteRecord: may("records:write")
    .meta(
      route.may("records:write", {
        method: "DELETE",
        path: "/v1/domains/{id}/records/{recordId}",
        operationId: "v1DeleteRecord",
        tag,
        summary: "Delete a record",
        description: "As `deleteRecord`.",
        errors: [412, 502],
      }),
    )
    .input(recordIdInput)
    .output(success)
    .mutation(({ ctx, input }) => deleteRecord(ctx, input)),
});
