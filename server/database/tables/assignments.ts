import { defineEntity, p } from "@mikro-orm/core";

/** What a member may request: to view records, or also to change them. */
export type RequestedAccess = "read" | "write";

/** View records, propose changes for others to review, or change them. */
export type AssignmentAccess = "read" | "propose" | "write";

/** Gives a member access to records, by host and type, of a domain or of every domain in a group or with a tag. */
export const AssignmentSchema = defineEntity({
  name: "Assignment",
  tableName: "assignments",
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Exactly one of `domainId`, `groupName` and `tag` is set. */
    domainId: p.uuid().nullable(),
    groupName: p.text().nullable(),
    tag: p.text().nullable(),
    /** Canonical, see `host-pattern.ts`. */
    subdomainPattern: p.text(),
    access: p.text().$type<AssignmentAccess>(),
    /** Empty: all types. */
    recordTypes: p.array(),
    /** Whether changes by others may be reviewed. */
    review: p.boolean().default(false),
    /** The assignment counts before this time; null: always. */
    expiresAt: p.datetime().nullable(),
    /** When the member was notified that it ends within a day. */
    endNotifiedAt: p.datetime().nullable(),
    /** The identity whose groups give it; null: given by hand. */
    identityBindingId: p.uuid().nullable(),
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
    access: p.text().$type<RequestedAccess>(),
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
