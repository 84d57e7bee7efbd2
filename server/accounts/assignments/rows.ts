import { everyColumn } from "../../database/every-column.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import type { AssignmentAccess } from "../../database/tables/assignments.ts";
import { qualifiedName } from "../../dns/names/names.ts";

/** What an assignment covers: exactly one of a domain, a group and a tag. */
export interface Target {
  domainId: string | null;
  groupName: string | null;
  tag: string | null;
}

export interface NewAssignment extends Target {
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
export function auditedAssignment(given: NewAssignment) {
  const { userId, domainId, groupName, tag, subdomainPattern, access, recordTypes, review, expiresAt } = given;
  const target = domainId !== null ? { domainId } : groupName !== null ? { groupName } : { tag };
  return { userId, ...target, subdomainPattern, access, recordTypes, review, expiresAt };
}

/** Selects assignments with the names of their domains. */
export function assignmentRows(em: EntityManager) {
  return queries(em)
    .selectFrom("assignments as a")
    .leftJoin("domains", "domains.id", "a.domain_id")
    .select(everyColumn("assignments", "a"))
    .select(["domains.name as zone_name", "domains.view as zone_view"]);
}

export type Row = Awaited<ReturnType<ReturnType<typeof assignmentRows>["executeTakeFirstOrThrow"]>>;

/** Returns the fields of a stored assignment. */
export function rowFields(row: Row) {
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
