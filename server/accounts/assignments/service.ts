import { sql, type SqlBool } from "kysely";
import type { Audit } from "../../notifications/audit/audit.ts";
import type { Caller } from "../../access/caller.ts";
import { readsEverything, coversDomain } from "../../access/zone-access.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { onePage } from "../../database/one-page.ts";
import { AppError, badField, notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { zoneNameOf } from "../../dns/names/names.ts";
import { lockDomain, lockUsers } from "../../access/locks.ts";
import { parseHostPattern } from "../../access/host-pattern.ts";
import { assignmentNotice, partOf, rightTo } from "./notices.ts";
import { assignmentRows, auditedAssignment, rowFields, type NewAssignment, type Row, type Target } from "./rows.ts";

const day = 24 * 3_600_000;

/** An assignment as a client asks for it. */
export type AssignmentInput = Omit<NewAssignment, keyof Target> & GivenTarget;

interface GivenTarget {
  domainId?: string | undefined;
  groupName?: string | undefined;
  tag?: string | undefined;
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

  /** Returns the caller's assignments, or all of them for an administrator or auditor. */
  async list(
    em: EntityManager,
    caller: Caller,
    filter: { page: number; limit: number; userId?: string | undefined; domainId?: string | undefined },
  ) {
    const { page, limit, userId, domainId } = filter;
    const found = assignmentRows(em)
      .where((eb) => eb.or([eb("a.expires_at", "is", null), eb("a.expires_at", ">", caller.at)]))
      .$if(!readsEverything(caller.role), (query) => query.where("a.user_id", "=", caller.userId))
      .$if(userId !== undefined, (query) => query.where("a.user_id", "=", userId ?? ""))
      .$if(domainId !== undefined, (query) => query.where(coversDomainWithId(domainId ?? "")));
    const { rows, total } = await onePage(found.orderBy("a.id", "desc"), { page, limit });
    return { assignments: rows.map(view), total, page, limit };
  }

  /**
   * Creates an assignment, effective from the member's next call.
   * @throws AppError BAD_REQUEST, CONFLICT when an identical one exists
   */
  async create(em: EntityManager, caller: Caller, input: AssignmentInput) {
    const target = targetOf(input);
    if (input.expiresAt !== null && input.expiresAt <= this.#parts.now())
      throw badField(["expiresAt"], "This must be in the future.");
    return await em.transactional(async (tx) => {
      const domainName = target.domainId === null ? null : await lockDomain(tx, target.domainId);
      if (target.domainId !== null && domainName === null)
        throw badField(["domainId"], "No domain has this ID. Choose an existing domain.");
      const pattern = parseHostPattern(input.subdomainPattern, domainName === null ? null : zoneNameOf(domainName));
      if (!pattern.ok) throw badField(["subdomainPattern"], pattern.message);
      const given = { ...input, ...target, subdomainPattern: pattern.value };
      const { id, isNew } = await this.assign(tx, caller, given);
      if (!isNew) throw new AppError("CONFLICT", "This user already has this assignment.");
      const subject = { ...given, domainName, host: null };
      const part = partOf(subject);
      const until = given.expiresAt === null ? "" : ` It ends at ${given.expiresAt.toISOString()}.`;
      await this.#parts.notifications.notify(
        tx,
        assignmentNotice("assignment.create", subject, {
          title: `${part} was assigned to you`,
          content: `${caller.username} gave you permission to ${rightTo(given.access, given.recordTypes)} of ${part}.${until}`,
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
    const user = await queries(tx)
      .selectFrom("users")
      .select("id")
      .where("id", "=", given.userId)
      .forKeyShare()
      .executeTakeFirst();
    if (!user) throw badField(["userId"], "No user has this ID. Choose an existing user.");
    const id = newId();
    const content = {
      user_id: given.userId,
      domain_id: given.domainId,
      group_name: given.groupName,
      tag: given.tag,
      subdomain_pattern: given.subdomainPattern,
      access: given.access,
      record_types: [...given.recordTypes],
      review: given.review,
      expires_at: given.expiresAt,
      identity_binding_id: null,
    };
    const now = this.#parts.now();
    // The notice about the assignment says when it ends.
    const isShort = given.expiresAt !== null && given.expiresAt.getTime() - now.getTime() <= day;
    const made = await queries(tx)
      .insertInto("assignments")
      .values({
        id,
        ...content,
        created_by: caller.userId,
        created_at: now,
        end_notified_at: isShort ? now : null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    if (!made) {
      const same = Object.entries(content).map(
        ([column, value]) => sql<SqlBool>`${sql.ref(column)} is not distinct from ${value}`,
      );
      const present = await queries(tx)
        .selectFrom("assignments")
        .select("id")
        .where(sql.join<SqlBool>(same, sql` and `))
        .executeTakeFirstOrThrow(
          () => new AppError("CONFLICT", "The assignment was revoked at the same time. Try again."),
        );
      return { id: present.id, isNew: false };
    }
    await this.#parts.audit.record(tx, caller, {
      action: "assignment.create",
      targetType: "assignment",
      targetId: id,
      after: auditedAssignment(given),
    });
    return { id, isNew: true };
  }

  /** Deletes an assignment, effective from the member's next call. @throws AppError NOT_FOUND */
  async delete(em: EntityManager, caller: Caller, id: string): Promise<void> {
    await em.transactional(async (tx) => {
      const { domainName, ...row } = rowFields(await findRow(tx, id));
      await lockUsers(tx, [row.userId]);
      const gone = await queries(tx).deleteFrom("assignments").where("id", "=", id).returning("id").executeTakeFirst();
      if (!gone) throw notFound("assignment");
      await this.#parts.audit.record(tx, caller, {
        action: "assignment.delete",
        targetType: "assignment",
        targetId: id,
        before: auditedAssignment(row),
      });
      const subject = { ...row, domainName, host: null };
      const part = partOf(subject);
      await this.#parts.notifications.notify(
        tx,
        assignmentNotice("assignment.delete", subject, {
          title: `${part} is no longer assigned to you`,
          content: `${caller.username} withdrew your permission to ${rightTo(row.access, row.recordTypes)} of ${part}.`,
          to: { userIds: [row.userId] },
        }),
      );
    });
  }
}

/** @throws AppError BAD_REQUEST unless exactly one is given */
function targetOf({ domainId, groupName, tag }: GivenTarget): Target {
  const given = Object.entries({ domainId, groupName, tag }).filter(([, value]) => value !== undefined);
  const [, second] = given;
  if (given.length !== 1)
    throw badField([second?.[0] ?? "domainId"], "Send exactly one of `domainId`, `groupName` and `tag`.");
  return { domainId: domainId ?? null, groupName: groupName ?? null, tag: tag ?? null };
}

/** Returns the condition that an assignment covers the domain with an id. */
function coversDomainWithId(id: string) {
  return sql<SqlBool>`exists (select from domains covered where covered.id = ${id} and ${coversDomain("covered")})`;
}

async function findRow(em: EntityManager, id: string): Promise<Row> {
  const row = await assignmentRows(em).where("a.id", "=", id).executeTakeFirst();
  if (!row) throw notFound("assignment");
  return row;
}

async function find(em: EntityManager, id: string) {
  return view(await findRow(em, id));
}

/** Answers have always had a domain, so those of a group or tag have an id that no domain has. */
const noDomain = { domainId: "00000000-0000-0000-0000-000000000000", domainName: "" };

function view(row: Row) {
  const { domainId, domainName, ...fields } = rowFields(row);
  const domain = domainId === null || domainName === null ? noDomain : { domainId, domainName };
  return {
    ...fields,
    ...domain,
    fromGroup: row.identity_binding_id !== null,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}
