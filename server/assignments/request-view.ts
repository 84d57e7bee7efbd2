import type { Caller } from "../access/caller.ts";
import { readsEverything } from "../database/tables/roles.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { onePage } from "../database/one-page.ts";
import { qualifiedName } from "../dns/names/views.ts";
import { notFound } from "../platform/errors.ts";

type Status = "pending" | "approved" | "rejected";

function requestRows(em: EntityManager) {
  return queries(em)
    .selectFrom("assignment_requests")
    .innerJoin("users", "users.id", "assignment_requests.user_id")
    .leftJoin("domains", "domains.id", "assignment_requests.domain_id")
    .selectAll("assignment_requests")
    .select(["users.username", "domains.name as meant_name", "domains.view as meant_view"]);
}

/** A request with its requester. */
export type RequestRow = Awaited<ReturnType<ReturnType<typeof requestRows>["executeTakeFirstOrThrow"]>>;

/** @throws AppError NOT_FOUND */
export async function findRequest(em: EntityManager, id: string): Promise<RequestRow> {
  const row = await requestRows(em).where("assignment_requests.id", "=", id).executeTakeFirst();
  if (!row) throw notFound("request");
  return row;
}

/** Returns a page of the caller's requests, or of all requests for an administrator or auditor. */
export async function pageOfRequests(
  em: EntityManager,
  caller: Caller,
  { page, limit, status }: { page: number; limit: number; status?: Status | undefined },
) {
  const found = requestRows(em)
    .$if(!readsEverything(caller.role), (query) => query.where("assignment_requests.user_id", "=", caller.userId))
    .$if(status !== undefined, (query) => query.where("assignment_requests.status", "=", status ?? "pending"));
  const { rows, total } = await onePage(found.orderBy("assignment_requests.id", "desc"), { page, limit });
  return { requests: rows.map((row) => requestView(row, caller)), total, page, limit };
}

/** Returns a request as the caller may see it. Until approval, a member sees only the domain id or name that they supplied. */
export function requestView(row: RequestRow, { role }: Pick<Caller, "role">) {
  const knows = (by: "id" | "name") => readsEverything(role) || row.status === "approved" || row.named_by === by;
  return {
    id: row.id,
    userId: row.user_id,
    username: row.username,
    domainId: knows("id") ? row.domain_id : null,
    domainName: knows("name") ? nameFor(row, readsEverything(role) || row.status === "approved") : null,
    subdomainPattern: row.subdomain_pattern,
    host: row.host,
    access: row.access,
    reason: row.reason,
    status: row.status,
    note: row.note,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
    assignmentId: row.assignment_id,
    createdAt: row.created_at,
  };
}

/** Returns the domain's name and view if the reader may know which domain it is, otherwise the name as requested. */
function nameFor(row: RequestRow, knowsDomain: boolean): string {
  if (!knowsDomain || row.meant_name === null || row.meant_view === null) return row.domain_name;
  return qualifiedName({ name: row.meant_name, view: row.meant_view });
}
