import type { Audit } from "../audit/audit.ts";
import type { Caller } from "../access/caller.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { AppError, badField, notFound } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { parseOwner, parseZoneName } from "../dns/names/names.ts";
import type { Notifications } from "../notifications/notify.ts";
import type { AssignmentAccess } from "../database/tables/assignments.ts";
import { holdDomain, holdDomainNamed } from "../access/held-domain.ts";
import { matchesHost, parseHostPattern } from "../access/host-pattern.ts";
import { assignmentNotice, partOf, rightTo } from "./notices.ts";
import { findRequest, pageOfRequests, requestView, type RequestRow } from "./request-view.ts";
import type { Assignments } from "./service.ts";

/** As many as one person may have waiting: administrators read them. */
const mostPending = 50;

export interface NewRequest {
  domainId?: string | undefined;
  domainName?: string | undefined;
  subdomainPattern?: string | undefined;
  host: string | null;
  access: AssignmentAccess;
  reason: string | null;
}

/** What members ask administrators for. */
export class AssignmentRequests {
  readonly #assignments: Assignments;
  readonly #audit: Audit;
  readonly #notifications: Notifications;
  readonly #now: () => Date;

  constructor(parts: { assignments: Assignments; audit: Audit; notifications: Notifications; now: () => Date }) {
    this.#assignments = parts.assignments;
    this.#audit = parts.audit;
    this.#notifications = parts.notifications;
    this.#now = parts.now;
  }

  list(em: EntityManager, caller: Caller, filter: Parameters<typeof pageOfRequests>[2]) {
    return pageOfRequests(em, caller, filter);
  }

  /**
   * Also for a domain that is not managed here: whoever asks by name learns nothing of which ones are.
   * @throws AppError BAD_REQUEST, NOT_FOUND for an unknown domain id, CONFLICT for a request that waits already or one too many
   */
  async create(em: EntityManager, caller: Caller, input: NewRequest) {
    return await em.transactional(async (tx) => {
      const domain = await namedDomain(tx, input);
      const { host, pattern } = wantedHosts(input, domain.name);
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
          created_at: this.#now(),
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning("id")
        .executeTakeFirst();
      if (!made) throw new AppError("CONFLICT", "You have asked for this already; an administrator will decide.");
      await this.#audit.record(tx, caller, {
        action: "assignment.request",
        targetType: "assignment_request",
        targetId: id,
        after: { domainId: domain.id, domainName: domain.name, subdomainPattern: pattern, host, access, reason },
      });
      const subject = { domainId: domain.id, domainName: domain.name, subdomainPattern: pattern, host, access };
      const part = partOf(subject);
      await this.#notifications.notify(
        tx,
        assignmentNotice("assignment.request", subject, {
          title: `${caller.username} asks for ${part}`,
          content: `${caller.username} would like to ${rightTo(access)} of ${part}.${quoted(reason)}`,
          to: { administrators: true },
        }),
      );
      return requestView(await findRequest(tx, id), caller);
    });
  }

  /** Makes the assignment, unless there is just this one. @throws AppError NOT_FOUND, CONFLICT when it is decided or the domain is not here */
  async approve(em: EntityManager, caller: Caller, { id, note }: { id: string; note: string | null }) {
    return await em.transactional(async (tx) => {
      const request = await this.#decide(tx, caller, id, "approved", note);
      const domainId = request.domain_id ?? (await holdDomainNamed(tx, request.domain_name));
      if (domainId === null || (await holdDomain(tx, domainId)) === null)
        throw new AppError("CONFLICT", `${request.domain_name} is not managed here; add it first, then approve this.`);
      const { user_id: userId, subdomain_pattern: subdomainPattern, access } = request;
      const assigned = await this.#assignments.assign(tx, caller, { userId, domainId, subdomainPattern, access });
      await queries(tx)
        .updateTable("assignment_requests")
        .set({ assignment_id: assigned.id, domain_id: domainId })
        .where("id", "=", id)
        .execute();
      const decided = { ...request, domain_id: domainId };
      await this.#tell(tx, caller, "approve", decided, { assignmentId: assigned.id });
      return requestView(await findRequest(tx, id), caller);
    });
  }

  /** @throws AppError NOT_FOUND, CONFLICT when it is decided already */
  async reject(em: EntityManager, caller: Caller, { id, note }: { id: string; note: string | null }) {
    return await em.transactional(async (tx) => {
      const request = await this.#decide(tx, caller, id, "rejected", note);
      await this.#tell(tx, caller, "reject", request, {});
      return requestView(await findRequest(tx, id), caller);
    });
  }

  /** However many decide at once, one does. */
  async #decide(tx: EntityManager, caller: Caller, id: string, status: "approved" | "rejected", note: string | null) {
    const decided = await queries(tx)
      .updateTable("assignment_requests")
      .set({ status, note, decided_by: caller.userId, decided_at: this.#now() })
      .where("id", "=", id)
      .where("status", "=", "pending")
      .returning("id")
      .executeTakeFirst();
    const request = await findRequest(tx, id);
    if (!decided) throw new AppError("CONFLICT", `This request was ${request.status} already.`);
    return request;
  }

  async #tell(
    tx: EntityManager,
    caller: Caller,
    verb: "approve" | "reject",
    request: RequestRow,
    more: { assignmentId?: string },
  ): Promise<void> {
    const { note, user_id: userId, subdomain_pattern: subdomainPattern, access } = request;
    await this.#audit.record(tx, caller, {
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
    // Whoever asked is told of the domain what they may know of it.
    const { domainId, domainName, host } = requestView(request, { ...caller, role: "member" });
    const subject = { domainId, domainName, subdomainPattern, host, access };
    const part = partOf(subject);
    const approved = verb === "approve";
    await this.#notifications.notify(
      tx,
      assignmentNotice(`assignment.${verb}`, subject, {
        title: approved ? `${part} is assigned to you` : `Your request for ${part} was rejected`,
        content: approved
          ? `${caller.username} lets you ${rightTo(access)} of ${part}.${quoted(note)}`
          : `${caller.username} does not let you ${rightTo(access)} of ${part}.${quoted(note)}`,
        to: { userIds: [userId] },
      }),
    );
  }
}

function quoted(text: string | null): string {
  return text === null || text.trim() === "" ? "" : ` “${text}”`;
}

interface NamedDomain {
  id: string | null;
  name: string;
  namedBy: "id" | "name";
}

async function namedDomain(tx: EntityManager, { domainId, domainName }: NewRequest): Promise<NamedDomain> {
  if (domainId !== undefined && domainName === undefined) {
    const name = await holdDomain(tx, domainId);
    if (name === null) throw notFound("domain");
    return { id: domainId, name, namedBy: "id" };
  }
  if (domainName === undefined || domainId !== undefined)
    throw badField(["domainName"], "Name the domain by domainId or by domainName, one of the two.");
  const parsed = parseZoneName(domainName);
  if (!parsed.ok) throw badField(["domainName"], parsed.message);
  return { id: await holdDomainNamed(tx, parsed.value), name: parsed.value, namedBy: "name" };
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
  const { total } = await queries(tx)
    .selectFrom("assignment_requests")
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .where("user_id", "=", userId)
    .where("status", "=", "pending")
    .executeTakeFirstOrThrow();
  if (Number(total) >= mostPending)
    throw new AppError("CONFLICT", `You have ${mostPending} requests waiting; wait until some are decided.`);
}
