import { alias } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { domainsRouter } from "../domains/router.ts";
import { recordsRouter } from "../records/router.ts";

const tag = "Open API";

/** The Open API: the same procedures under stable paths. */
export const v1Router = router({
  listDomains: alias(domainsRouter.list, { path: "/v1/domains", operationId: "v1ListDomains", tag }),
  getDomain: alias(domainsRouter.get, { path: "/v1/domains/{id}", operationId: "v1GetDomain", tag }),
  listRecords: alias(recordsRouter.list, { path: "/v1/domains/{id}/records", operationId: "v1ListRecords", tag }),
  createRecord: alias(recordsRouter.create, { path: "/v1/domains/{id}/records", operationId: "v1CreateRecord", tag }),
  updateRecord: alias(recordsRouter.update, {
    path: "/v1/domains/{id}/records/{recordId}",
    operationId: "v1UpdateRecord",
    tag,
  }),
  deleteRecord: alias(recordsRouter.delete, {
    path: "/v1/domains/{id}/records/{recordId}",
    operationId: "v1DeleteRecord",
    tag,
  }),
});
