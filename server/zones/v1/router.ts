import { alias } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import type { createDomainsRouter } from "../domains/router.ts";
import type { createRecordsRouter } from "../records/router.ts";

const tag = "Open API";

/** The Open API: the same procedures under stable paths. */
export function createV1Router({
  domains,
  records,
}: {
  domains: ReturnType<typeof createDomainsRouter>;
  records: ReturnType<typeof createRecordsRouter>;
}) {
  return router({
    listDomains: alias(domains.list, { path: "/v1/domains", operationId: "v1ListDomains", tag }),
    getDomain: alias(domains.get, { path: "/v1/domains/{id}", operationId: "v1GetDomain", tag }),
    listRecords: alias(records.list, { path: "/v1/domains/{id}/records", operationId: "v1ListRecords", tag }),
    createRecord: alias(records.create, { path: "/v1/domains/{id}/records", operationId: "v1CreateRecord", tag }),
    updateRecord: alias(records.update, {
      path: "/v1/domains/{id}/records/{recordId}",
      operationId: "v1UpdateRecord",
      tag,
    }),
    deleteRecord: alias(records.delete, {
      path: "/v1/domains/{id}/records/{recordId}",
      operationId: "v1DeleteRecord",
      tag,
    }),
  });
}
