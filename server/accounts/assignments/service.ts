import { sql, type SqlBool } from "kysely";
import type { Audit } from "../../notifications/audit/audit.ts";
import { type Caller, theService } from "../../access/caller.ts";
import { readsEverything, coversDomain } from "../../access/zone-access.ts";
import { queries, type EntityManager, type Database } from "../../database/database.ts";
import { newestPage, everyColumn } from "../../database/query-helpers.ts";
import { AppError, badField, notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { zoneNameOf, qualifiedName } from "../../dns/names/names.ts";
import { lockDomain, lockUsers } from "../../access/locks.ts";
import { parseHostPattern } from "../../access/host-pattern.ts";
import { assignmentNotice, partOf, rightTo } from "./notices.ts";
import type { AssignmentAccess } from "../../database/tables/assignments.ts";

/** What an assignment covers: exactly one of a domain, a group and a tag. */
interface Target {
  domainId: string | null;
  groupName: string | null;
  tag: string | null;
}

interface NewAssignment extends Target {
  userId: string;
  /** Canonical. */
  subdomainPattern: string;
  access: AssignmentAccess;
  /** Empty: all types. */
  recordTypes: readonly string[];
  review: boolean;
  /** Null: never ends. */
  expiresAt: Date | null;
}

/** Returns an assignment as the audit trail shows it. */
function auditedAssignment(given: NewAssignment) {
  const { userId, domainId, groupName, tag, subdomainPattern, access, recordTypes, review, expiresAt } = given;
  const target = domainId !== null ? { domainId } : groupName !== null ? { groupName } : { tag };
  return { userId, ...target, subdomainPattern, access, recordTypes, review, expiresAt };
}

/** Selects assignments with the names of their domains. */
function assignmentRows(em: EntityManager) {
  return queries(em)
    .selectFrom("assignments as a")
    .leftJoin("domains", "domains.id", "a.domain_id")
    .select(everyColumn("assignments", "a"))
    .select(["domains.name as zone_name", "domains.view as zone_view"]);
}

type Row = Awaited<ReturnType<ReturnType<typeof assignmentRows>["executeTakeFirstOrThrow"]>>;

/** Returns the fields of a stored assignment. */
function rowFields(row: Row) {
  const domainName =
    row.zone_name === null || row.zone_view === null
      ? null
      : qualifiedName({ name: row.zone_name, view: row.zone_view });
  return {
    id: row.id,
    userId: row.user_id,
    domainId: row.domain_id,
    domainName,
    groupName: row.group_name,
    tag: row.tag,
    subdomainPattern: row.subdomain_pattern,
    access: row.access,
    recordTypes: row.record_types,
    review: row.review,
    expiresAt: row.expires_at,
  };
}

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
    const { rows, total } = await newestPage(found, "a.id", { page, limit });
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

const mostInTransaction = 100;

interface AssignmentEndsParts {
  database: Database;
  audit: Audit;
  notifications: Notifications;
  now: () => Date;
}

/** Announces the end of assignments a day before, and deletes those that have ended. Their rights end on time without it. */
export class AssignmentEnds {
  readonly #parts: AssignmentEndsParts;

  constructor(parts: AssignmentEndsParts) {
    this.#parts = parts;
  }

  /** Does what is due. @param signal ends the run after the transaction in flight */
  async runOnce(signal?: AbortSignal): Promise<void> {
    await this.#all((tx) => this.#deleteEnded(tx), signal);
    await this.#all((tx) => this.#announce(tx), signal);
  }

  /** Repeats work, each time in a transaction of its own, until nothing is left to do. */
  async #all(work: (tx: EntityManager) => Promise<number>, signal: AbortSignal | undefined): Promise<void> {
    for (let count = 1; count > 0;) {
      if (signal?.aborted) return;
      count = await this.#parts.database.fork().transactional(work);
    }
  }

  async #deleteEnded(tx: EntityManager): Promise<number> {
    const { audit, notifications, now } = this.#parts;
    const rows = await locked(tx, assignmentRows(tx).where("a.expires_at", "<=", now()));
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    await queries(tx).deleteFrom("assignments").where("id", "in", ids).execute();
    for (const row of rows) {
      const { id, domainName, ...ended } = rowFields(row);
      const before = auditedAssignment(ended);
      await audit.record(tx, theService, { action: "assignment.end", targetType: "assignment", targetId: id, before });
      const subject = { ...ended, domainName, host: null };
      const part = partOf(subject);
      await notifications.notify(
        tx,
        assignmentNotice("assignment.delete", subject, {
          title: `${part} is no longer assigned to you`,
          content: `Your permission to ${rightTo(ended.access, ended.recordTypes)} of ${part} has ended.`,
          to: { userIds: [ended.userId] },
        }),
      );
    }
    return rows.length;
  }

  async #announce(tx: EntityManager): Promise<number> {
    const { notifications, now } = this.#parts;
    const due = assignmentRows(tx)
      .where("a.expires_at", ">", now())
      .where("a.expires_at", "<=", new Date(now().getTime() + day))
      .where("a.end_notified_at", "is", null);
    const rows = await locked(tx, due);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    await queries(tx).updateTable("assignments").set({ end_notified_at: now() }).where("id", "in", ids).execute();
    for (const row of rows) {
      const ending = rowFields(row);
      const subject = { ...ending, host: null };
      const part = partOf(subject);
      await notifications.notify(
        tx,
        assignmentNotice("assignment.ending", subject, {
          title: `${part} is assigned to you for less than a day`,
          content: `Your permission to ${rightTo(ending.access, ending.recordTypes)} of ${part} ends at ${ending.expiresAt?.toISOString() ?? ""}.`,
          to: { userIds: [ending.userId] },
        }),
      );
    }
    return rows.length;
  }
}

/** Locks the next of some assignments, after their users, and returns those that are free. */
async function locked(tx: EntityManager, due: ReturnType<typeof assignmentRows>): Promise<Row[]> {
  const next = await due.orderBy("a.expires_at").limit(mostInTransaction).execute();
  if (next.length === 0) return [];
  await lockUsers(
    tx,
    next.map(({ user_id: userId }) => userId),
  );
  return await due
    .where(
      "a.id",
      "in",
      next.map(({ id }) => id),
    )
    .orderBy("a.expires_at")
    .forUpdate("a")
    .skipLocked()
    .execute();
}
