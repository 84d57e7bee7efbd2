import { defineEntity, p } from "@mikro-orm/core";

/** View records, or also change them. */
export type AssignmentAccess = "read" | "write";

/** Gives a member access to a domain's records whose hosts match a pattern. */
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

/** A member's request for an assignment. */
export const AssignmentRequestSchema = defineEntity({
  name: "AssignmentRequest",
  tableName: "assignment_requests",
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Null if the domain is not, or no longer, managed here. */
    domainId: p.uuid().nullable(),
    domainName: p.text(),
    /** How the member identified the domain; they may not know the other of the two. */
    namedBy: p.text().$type<"id" | "name">(),
    subdomainPattern: p.text(),
    host: p.text().nullable(),
    access: p.text().$type<AssignmentAccess>(),
    reason: p.text().nullable(),
    status: p.text().$type<"pending" | "approved" | "rejected">(),
    note: p.text().nullable(),
    decidedBy: p.uuid().nullable(),
    decidedAt: p.datetime().nullable(),
    /** The resulting assignment, which may be deleted. */
    assignmentId: p.uuid().nullable(),
    createdAt: p.datetime(),
  },
});
