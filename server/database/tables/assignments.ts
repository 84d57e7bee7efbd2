import { defineEntity, p } from "@mikro-orm/core";

/** To see records, or to change them as well. */
export type AssignmentAccess = "read" | "write";

/** Lets a member reach the records of a domain whose hosts match. */
export const AssignmentSchema = defineEntity({
  name: "Assignment",
  tableName: "assignments",
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    domainId: p.uuid(),
    /** Canonical, see `host-pattern.ts`. */
    subdomainPattern: p.text(),
    access: p.text().$type<AssignmentAccess>(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime(),
  },
});

/** A member's wish for an assignment. */
export const AssignmentRequestSchema = defineEntity({
  name: "AssignmentRequest",
  tableName: "assignment_requests",
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Null for a domain that is not managed here, or not any more. */
    domainId: p.uuid().nullable(),
    domainName: p.text(),
    /** How the member named the domain: the other of the two they may not know. */
    namedBy: p.text().$type<"id" | "name">(),
    subdomainPattern: p.text(),
    host: p.text().nullable(),
    access: p.text().$type<AssignmentAccess>(),
    reason: p.text().nullable(),
    status: p.text().$type<"pending" | "approved" | "rejected">(),
    note: p.text().nullable(),
    decidedBy: p.uuid().nullable(),
    decidedAt: p.datetime().nullable(),
    /** The assignment that it became, which may be gone. */
    assignmentId: p.uuid().nullable(),
    createdAt: p.datetime(),
  },
});
