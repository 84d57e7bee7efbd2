import { z } from "zod";
import type { AuditAction } from "./actions.ts";
import { id, line, optionalFlag, pageOf, paging, shownId, timestamp, timestampInput } from "../../api/schemas.ts";

const filters = {
  actorId: id("Only entries of this user.").optional(),
  actorName: line(64, 1).optional().meta({
    description: "Only entries of users with this username, also of deleted ones. Case does not matter.",
    example: "ada",
  }),
  action: line(64, 1).optional().meta({ description: "Only entries with this action.", example: "domain.update" }),
  targetType: line(64, 1).optional().meta({ description: "Only entries with this type of target.", example: "domain" }),
  targetId: id("Only entries with this target.").optional(),
  domainId: id(
    "Only entries about this domain: those with it as their target, and those of its requests, snapshots, assignments and keys. Entries of earlier versions " +
      "about approvals, rejections, withdrawals, comments and outcomes of requests name no domain, and are left out.",
  ).optional(),
  from: timestampInput("Only entries at or after this time.").optional(),
  to: timestampInput("Only entries before this time.").optional(),
  before: id(
    "Only entries older than this one. Pass the last id of a page to go on at the same speed however far back.",
  ).optional(),
};

export const listAuditInput = z.strictObject({
  ...paging(50, 100),
  ...filters,
  count: optionalFlag(
    "`false` is faster in a long trail: `total` is then at most one more than the number of entries up to the end of this page.",
  ),
});

export const exportAuditInput = z.strictObject({
  format: z
    .enum(["csv", "jsonl"], "This must be csv or jsonl.")
    .default("csv")
    .meta({ description: "`csv` (RFC 4180) or `jsonl`, one JSON object a line. Default: csv.", example: "csv" }),
  ...filters,
});

export const auditText = z
  .object({
    content: z.string().meta({
      description:
        "A line for each entry, newest first. A table has a header unless `before` is set, and the columns id, at, actor, actorId, tokenId, " +
        "tsigKey, action, target, targetType, targetId, domain, domainId, ip, requestId, before, after; the last two are JSON.",
      example:
        "id,at,actor,action\r\n01a1fb0f-6204-7000-abd4-276e976be8b7,2027-03-01T00:00:00.000Z,ada,domain.update\r\n",
    }),
    next: shownId("Pass it as `before` for the entries that follow; null after the last.").nullable(),
  })
  .meta({ id: "AuditText", description: "Entries of the audit trail as text." });

const state = z.record(z.string(), z.unknown()).nullable();

const auditEntry = z
  .object({
    id: shownId("The entry's id."),
    at: timestamp("When it happened."),
    actorId: shownId("The user who acted; null for a visitor and for the service itself.").nullable(),
    actorName: z.string().nullable().meta({
      description:
        "Username of the user who acted, also after the user was deleted; null for a visitor and for the service itself.",
      example: "ada",
    }),
    tokenId: shownId("The personal token that was used; null for a session.").nullable(),
    tsigKey: z
      .string()
      .nullable()
      .meta({ description: "Name of the TSIG key that a DNS client used; null for calls over HTTP.", example: null }),
    // Clients know the actions of this version; an entry of an earlier one is sent as it is.
    action: z
      .string()
      .meta({ description: "The action, as `<subject>.<verb>`.", example: "domain.update" }) as z.ZodType<AuditAction>,
    targetType: z.string().meta({ description: "Type of the target.", example: "domain" }),
    targetId: shownId("The target; null if there is none, such as for an unknown user.").nullable(),
    targetName: z.string().nullable().meta({
      description: "Name of the target, also after it was deleted; null if it has none.",
      example: "example.com",
    }),
    domainId: shownId(
      "The domain that the entry is about; null if it is about none, or about several, and in entries of earlier versions about what happened to a request after it was made.",
    ).nullable(),
    domainName: z
      .string()
      .nullable()
      .meta({ description: "Name of that domain, also after it was deleted.", example: "example.com" }),
    ip: z
      .string()
      .nullable()
      .meta({ description: "The client's IP address; null for the service itself.", example: "203.0.113.7" }),
    requestId: z
      .string()
      .nullable()
      .meta({ description: "The request, as in its `X-Request-Id`.", example: "6a1f4f0e-6d3c-4a57-9a39-3a1c2f7c8f10" }),
    before: state.meta({
      description: "Changed fields before the action; null if none. Never holds a secret.",
      example: { groupName: null },
    }),
    after: state.meta({
      description: "Changed fields after the action; null if none. Never holds a secret.",
      example: { groupName: "shop" },
    }),
  })
  .meta({ id: "AuditEntry", description: "An entry of the audit trail." });

export const auditPage = z
  .object({ entries: z.array(auditEntry).meta({ description: "Newest first." }), ...pageOf })
  .meta({ id: "AuditPage", description: "A page of the audit trail." });
