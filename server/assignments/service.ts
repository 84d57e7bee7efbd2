import type { Audit } from "../audit/audit.ts";
import type { Caller } from "../access/caller.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { onePage } from "../database/one-page.ts";
import { AppError, badField, notFound } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import type { Notifications } from "../notifications/notify.ts";
import type { AssignmentAccess } from "../database/tables/assignments.ts";
import { qualifiedName, zoneNameOf } from "../dns/names/views.ts";
import { lockDomain } from "../access/lock-domain.ts";
import { parseHostPattern } from "../access/host-pattern.ts";
import { assignmentNotice, partOf, rightTo } from "./notices.ts";

export interface NewAssignment {
  userId: string;
  domainId: string;
  subdomainPattern: string;
  access: AssignmentAccess;
}

interface Parts {
  audit: Audit;
  notifications: Notifications;
  now: () => Date;
}

/** Manages members' access to domains they do not own. */
export class Assignments {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the caller's assignments, or all of them for an administrator. */
  async list(
    em: EntityManager,
    caller: Caller,
    filter: { page: number; limit: number; userId?: string | undefined; domainId?: string | undefined },
  ) {
    const { page, limit, userId, domainId } = filter;
    const found = assignmentRows(em)
      .$if(caller.role !== "admin", (query) => query.where("assignments.user_id", "=", caller.userId))
      .$if(userId !== undefined, (query) => query.where("assignments.user_id", "=", userId ?? ""))
      .$if(domainId !== undefined, (query) => query.where("assignments.domain_id", "=", domainId ?? ""));
    const { rows, total } = await onePage(found.orderBy("assignments.id", "desc"), { page, limit });
    return { assignments: rows.map(view), total, page, limit };
  }

  /** Creates an assignment, effective from the member's next call. @throws AppError BAD_REQUEST, CONFLICT when an identical one exists */
  async create(em: EntityManager, caller: Caller, input: NewAssignment) {
    return await em.transactional(async (tx) => {
      const domain = await lockDomain(tx, input.domainId);
      if (domain === null) throw badField(["domainId"], "No domain has this ID. Choose an existing domain.");
      const pattern = parseHostPattern(input.subdomainPattern, zoneNameOf(domain));
      if (!pattern.ok) throw badField(["subdomainPattern"], pattern.message);
      const given = { ...input, subdomainPattern: pattern.value };
      const { id, isNew } = await this.assign(tx, caller, given);
      if (!isNew) throw new AppError("CONFLICT", "This user already has this assignment.");
      const { access } = input;
      const subject = { ...given, domainName: domain, host: null };
      const part = partOf(subject);
      await this.#parts.notifications.notify(
        tx,
        assignmentNotice("assignment.create", subject, {
          title: `${part} was assigned to you`,
          content: `${caller.username} gave you permission to ${rightTo(access)} of ${part}.`,
          to: { userIds: [input.userId] },
        }),
      );
      return await find(tx, id);
    });
  }

  /**
   * Stores an assignment in the caller's transaction unless an identical one exists.
   * @param given its pattern is canonical.
   */
  async assign(tx: EntityManager, caller: Caller, given: NewAssignment): Promise<{ id: string; isNew: boolean }> {
    const { userId, domainId, subdomainPattern, access } = given;
    const user = await queries(tx)
      .selectFrom("users")
      .select("id")
      .where("id", "=", userId)
      .forKeyShare()
      .executeTakeFirst();
    if (!user) throw badField(["userId"], "No user has this ID. Choose an existing user.");
    const id = newId();
    const made = await queries(tx)
      .insertInto("assignments")
      .values({
        id,
        user_id: userId,
        domain_id: domainId,
        subdomain_pattern: subdomainPattern,
        access,
        created_by: caller.userId,
        created_at: this.#parts.now(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    if (!made) {
      const present = await queries(tx)
        .selectFrom("assignments")
        .select("id")
        .where("user_id", "=", userId)
        .where("domain_id", "=", domainId)
        .where("subdomain_pattern", "=", subdomainPattern)
        .where("access", "=", access)
        .executeTakeFirstOrThrow(
          () => new AppError("CONFLICT", "The assignment was revoked at the same time. Try again."),
        );
      return { id: present.id, isNew: false };
    }
    await this.#parts.audit.record(tx, caller, {
      action: "assignment.create",
      targetType: "assignment",
      targetId: id,
      after: { userId, domainId, subdomainPattern, access },
    });
    return { id, isNew: true };
  }

  /** Deletes an assignment, effective from the member's next call. @throws AppError NOT_FOUND */
  async delete(em: EntityManager, caller: Caller, id: string): Promise<void> {
    await em.transactional(async (tx) => {
      const { userId, domainId, domainName, subdomainPattern, access } = await find(tx, id);
      const gone = await queries(tx).deleteFrom("assignments").where("id", "=", id).returning("id").executeTakeFirst();
      if (!gone) throw notFound("assignment");
      await this.#parts.audit.record(tx, caller, {
        action: "assignment.delete",
        targetType: "assignment",
        targetId: id,
        before: { userId, domainId, subdomainPattern, access },
      });
      const subject = { domainId, domainName, subdomainPattern, access, host: null };
      const part = partOf(subject);
      await this.#parts.notifications.notify(
        tx,
        assignmentNotice("assignment.delete", subject, {
          title: `${part} is no longer assigned to you`,
          content: `${caller.username} withdrew your permission to ${rightTo(access)} of ${part}.`,
          to: { userIds: [userId] },
        }),
      );
    });
  }
}

function assignmentRows(em: EntityManager) {
  return queries(em)
    .selectFrom("assignments")
    .innerJoin("domains", "domains.id", "assignments.domain_id")
    .select([
      "assignments.id",
      "assignments.user_id",
      "assignments.domain_id",
      "domains.name as zone_name",
      "domains.view as zone_view",
      "assignments.subdomain_pattern",
      "assignments.access",
      "assignments.created_by",
      "assignments.created_at",
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof assignmentRows>["executeTakeFirstOrThrow"]>>;

async function find(em: EntityManager, id: string) {
  const row = await assignmentRows(em).where("assignments.id", "=", id).executeTakeFirst();
  if (!row) throw notFound("assignment");
  return view(row);
}

function view(row: Row) {
  return {
    id: row.id,
    userId: row.user_id,
    domainId: row.domain_id,
    domainName: qualifiedName({ name: row.zone_name, view: row.zone_view }),
    subdomainPattern: row.subdomain_pattern,
    access: row.access,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}
