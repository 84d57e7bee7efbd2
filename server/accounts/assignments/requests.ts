import type { z } from "zod";
import type { requestInput } from "./schemas.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import type { Caller } from "../../access/caller.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { AppError, badField, notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import { parseOwner, matchesHost, parseQualified, qualifiedName, zoneNameOf } from "../../dns/names/names.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { lockDomain, lockDomainNamed } from "../../access/locks.ts";
import { parseHostPattern } from "../../access/host-pattern.ts";
import { assignmentNotice, partOf, rightTo } from "./notices.ts";
import type { Assignments } from "./service.ts";
import { readsEverything } from "../../access/zone-access.ts";
import { onePage } from "../../database/query-helpers.ts";

/** Maximum pending requests per user, because administrators read them all. */
const mostPending = 50;

export type NewRequest = z.infer<typeof requestInput>;

interface Parts {
  assignments: Assignments;
  audit: Audit;
  notifications: Notifications;
  now: () => Date;
}

/** Handles members' requests for assignments and administrators' decisions. */
export class AssignmentRequests {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns a page of the caller's requests, or of all requests for an administrator or auditor. */
  async list(
    em: EntityManager,
    caller: Caller,
    { page, limit, status }: { page: number; limit: number; status?: RequestRow["status"] | undefined },
  ) {
    const found = requestRows(em)
      .$if(!readsEverything(caller.role), (query) => query.where("assignment_requests.user_id", "=", caller.userId))
      .$if(status !== undefined, (query) => query.where("assignment_requests.status", "=", status ?? "pending"));
    const { rows, total } = await onePage(found.orderBy("assignment_requests.id", "desc"), { page, limit });
    return { requests: rows.map((row) => requestView(row, caller)), total, page, limit };
  }

  /**
   * Creates a request. Accepts names of unmanaged domains too, so that callers cannot find out which domains are managed.
   * @throws AppError BAD_REQUEST, NOT_FOUND for an unknown domain id, CONFLICT for a duplicate of a pending request or one above the limit
   */
  async create(em: EntityManager, caller: Caller, input: NewRequest) {
    return await em.transactional(async (tx) => {
      const domain = await namedDomain(tx, input);
      const { host, pattern } = wantedHosts(input, zoneNameOf(domain.name));
      await refuseTooMany(tx, caller);
      const { access, reason } = input;
      const id = newId();
      const made = await queries(tx)
        .insertInto("assignment_requests")
        .values({
          id,
          user_id: caller.userId,
          domain_id: domain.id,
          domain_name: domain.name,
          named_by: domain.namedBy,
          subdomain_pattern: pattern,
          host,
          access,
          reason,
          status: "pending",
          created_at: this.#parts.now(),
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning("id")
        .executeTakeFirst();
      if (!made)
        throw new AppError("CONFLICT", "You have already requested this. Wait for an administrator to decide.");
      await this.#parts.audit.record(tx, caller, {
        action: "assignment.request",
        targetType: "assignment_request",
        targetId: id,
        after: { domainId: domain.id, domainName: domain.name, subdomainPattern: pattern, host, access, reason },
      });
      // Administrators see which domain a name means now.
      const meant = domain.id === null ? null : await lockDomain(tx, domain.id);
      const subject = {
        domainId: domain.id,
        domainName: meant ?? domain.name,
        subdomainPattern: pattern,
        host,
        access,
      };
      const part = partOf(subject);
      await this.#parts.notifications.notify(
        tx,
        assignmentNotice("assignment.request", subject, {
          title: `${caller.username} requests access to ${part}`,
          content: `${caller.username} would like to ${rightTo(access)} of ${part}.${quoted(reason)}`,
          to: { administrators: true },
        }),
      );
      return requestView(await findRequest(tx, id), caller);
    });
  }

  /**
   * Approves a request: creates the assignment unless an identical one exists.
   * @throws AppError NOT_FOUND, CONFLICT when already decided or the domain is not managed
   */
  async approve(em: EntityManager, caller: Caller, { id, note }: { id: string; note: string | null }) {
    return await em.transactional(async (tx) => {
      // Domains are locked before what belongs to users: the deletion of a domain clears it in requests.
      const pending = await findRequest(tx, id);
      if (pending.status !== "pending") throw alreadyDecided(pending);
      const domainId = await requestedDomain(tx, pending);
      const request = await this.#decide(tx, caller, id, "approved", note);
      const { user_id: userId, subdomain_pattern: subdomainPattern, access } = request;
      const target = { domainId, groupName: null, tag: null };
      const given = { ...target, userId, subdomainPattern, access, recordTypes: [], review: false, expiresAt: null };
      const assigned = await this.#parts.assignments.assign(tx, caller, given);
      await queries(tx)
        .updateTable("assignment_requests")
        .set({ assignment_id: assigned.id, domain_id: domainId })
        .where("id", "=", id)
        .execute();
      const decided = { ...request, domain_id: domainId };
      await this.#notify(tx, caller, "approve", decided, { assignmentId: assigned.id });
      return requestView(await findRequest(tx, id), caller);
    });
  }

  /** Rejects a request. @throws AppError NOT_FOUND, CONFLICT when already decided */
  async reject(em: EntityManager, caller: Caller, { id, note }: { id: string; note: string | null }) {
    return await em.transactional(async (tx) => {
      const request = await this.#decide(tx, caller, id, "rejected", note);
      await this.#notify(tx, caller, "reject", request, {});
      return requestView(await findRequest(tx, id), caller);
    });
  }

  /** Stores a decision. Of several concurrent decisions, only the first succeeds. */
  async #decide(tx: EntityManager, caller: Caller, id: string, status: "approved" | "rejected", note: string | null) {
    const decided = await queries(tx)
      .updateTable("assignment_requests")
      .set({ status, note, decided_by: caller.userId, decided_at: this.#parts.now() })
      .where("id", "=", id)
      .where("status", "=", "pending")
      .returning("id")
      .executeTakeFirst();
    const request = await findRequest(tx, id);
    if (!decided) throw alreadyDecided(request);
    return request;
  }

  async #notify(
    tx: EntityManager,
    caller: Caller,
    verb: "approve" | "reject",
    request: RequestRow,
    more: { assignmentId?: string },
  ): Promise<void> {
    const { note, user_id: userId, subdomain_pattern: subdomainPattern, access } = request;
    await this.#parts.audit.record(tx, caller, {
      action: `assignment.${verb}`,
      targetType: "assignment_request",
      targetId: request.id,
      before: { status: "pending" },
      after: {
        status: request.status,
        note,
        userId,
        domainId: request.domain_id,
        domainName: request.domain_name,
        subdomainPattern,
        access,
        ...more,
      },
    });
    // The notice shows the requester only what they may know about the domain.
    const { domainId, domainName, host } = requestView(request, { ...caller, role: "member" });
    const subject = { domainId, domainName, subdomainPattern, host, access };
    const part = partOf(subject);
    const approved = verb === "approve";
    await this.#parts.notifications.notify(
      tx,
      assignmentNotice(`assignment.${verb}`, subject, {
        title: approved ? `${part} was assigned to you` : `Your request for ${part} was rejected`,
        content: approved
          ? `${caller.username} gave you permission to ${rightTo(access)} of ${part}.${quoted(note)}`
          : `${caller.username} rejected your request to ${rightTo(access)} of ${part}.${quoted(note)}`,
        to: { userIds: [userId] },
      }),
    );
  }
}

function alreadyDecided({ status }: RequestRow): AppError {
  return new AppError("CONFLICT", `This request was already ${status}.`);
}

interface NamedDomain {
  id: string | null;
  name: string;
  namedBy: "id" | "name";
}

async function namedDomain(tx: EntityManager, { domainId, domainName }: NewRequest): Promise<NamedDomain> {
  if (domainId !== undefined && domainName === undefined) {
    const name = await lockDomain(tx, domainId);
    if (name === null) throw notFound("domain");
    return { id: domainId, name, namedBy: "id" };
  }
  if (domainName === undefined || domainId !== undefined)
    throw badField(["domainName"], "Send either `domainId` or `domainName`.");
  const parsed = parseQualified(domainName);
  if (!parsed.ok) throw badField(["domainName"], parsed.message);
  const { view } = parsed.value;
  // `example.com!default` stays apart from the bare name, which may mean another view.
  const name = view === null ? parsed.value.name : qualifiedName({ name: parsed.value.name, view: view || "default" });
  const { id } = await lockDomainNamed(tx, name);
  return { id, name, namedBy: "name" };
}

/**
 * Returns the id of the domain that a request is for. A name is resolved anew, because its views may have changed since.
 * @throws AppError CONFLICT
 */
async function requestedDomain(tx: EntityManager, request: RequestRow): Promise<string> {
  const { domain_id: requested, domain_name: name } = request;
  if (requested !== null && request.named_by === "id" && (await lockDomain(tx, requested)) !== null) return requested;
  const { id, views } = request.named_by === "id" ? { id: null, views: [] } : await lockDomainNamed(tx, name);
  if (views.length > 0)
    throw new AppError(
      "CONFLICT",
      `${name} has several views here: ${views.slice(0, 10).join(", ")}. Reject the request, and assign the hosts of the right view.`,
    );
  if (id === null)
    throw new AppError("CONFLICT", `${name} is not managed here. Add it first, then approve the request.`);
  if (requested !== null && requested !== id)
    throw new AppError(
      "CONFLICT",
      `${name} is no longer the domain that was requested. Reject the request, and assign the hosts of the right view.`,
    );
  return id;
}

function wantedHosts({ host: given, subdomainPattern }: NewRequest, zone: string) {
  const host = given === null ? null : parseOwner(given, zone);
  if (host && !host.ok) throw badField(["host"], host.message);
  const pattern = parseHostPattern(subdomainPattern ?? host?.value ?? "*", zone);
  if (!pattern.ok) throw badField(["subdomainPattern"], pattern.message);
  if (host && !matchesHost(pattern.value, host.value))
    throw badField(["subdomainPattern"], `The pattern ${pattern.value} does not match the host ${host.value}.`);
  return { host: host?.value ?? null, pattern: pattern.value };
}

async function refuseTooMany(tx: EntityManager, { userId }: Caller): Promise<void> {
  // Serializes parallel calls, so that they cannot exceed the limit together. Whoever only refers to the user does not wait.
  await queries(tx).selectFrom("users").select("id").where("id", "=", userId).forNoKeyUpdate().execute();
  const { total } = await queries(tx)
    .selectFrom("assignment_requests")
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .where("user_id", "=", userId)
    .where("status", "=", "pending")
    .executeTakeFirstOrThrow();
  if (Number(total) >= mostPending)
    throw new AppError(
      "CONFLICT",
      `You have ${mostPending} pending requests, which is the limit. Wait until some are decided.`,
    );
}

function requestRows(em: EntityManager) {
  return queries(em)
    .selectFrom("assignment_requests")
    .innerJoin("users", "users.id", "assignment_requests.user_id")
    .leftJoin("domains", "domains.id", "assignment_requests.domain_id")
    .selectAll("assignment_requests")
    .select(["users.username", "domains.name as meant_name", "domains.view as meant_view"]);
}

type RequestRow = Awaited<ReturnType<ReturnType<typeof requestRows>["executeTakeFirstOrThrow"]>>;

/** @throws AppError NOT_FOUND */
async function findRequest(em: EntityManager, id: string): Promise<RequestRow> {
  const row = await requestRows(em).where("assignment_requests.id", "=", id).executeTakeFirst();
  if (!row) throw notFound("request");
  return row;
}

/** Returns a request as the caller may see it. Until approval, a member sees only the domain id or name that they supplied. */
function requestView(row: RequestRow, { role }: Pick<Caller, "role">) {
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

function quoted(text: string | null): string {
  return text === null || text.trim() === "" ? "" : ` “${text}”`;
}
