import { z } from "zod";
import { id, line, pageOf, paging, shownId, timestamp, timestampInput } from "../../api/schemas.ts";

export const listAuditInput = z.strictObject({
  ...paging(50, 100),
  actorId: id("Only entries of this user.").optional(),
  action: line(64, 1).optional().meta({ description: "Only entries with this action.", example: "domain.update" }),
  targetType: line(64, 1).optional().meta({ description: "Only entries with this type of target.", example: "domain" }),
  targetId: id("Only entries with this target.").optional(),
  from: timestampInput("Only entries at or after this time.").optional(),
  to: timestampInput("Only entries before this time.").optional(),
});

const state = z.record(z.string(), z.unknown()).nullable();

const auditEntry = z
  .object({
    id: shownId("The entry's id."),
    at: timestamp("When it happened."),
    actorId: shownId("The user who acted; null for a visitor and for the service itself.").nullable(),
    tokenId: shownId("The personal token that was used; null for a session.").nullable(),
    tsigKey: z
      .string()
      .nullable()
      .meta({ description: "Name of the TSIG key that a DNS client used; null for calls over HTTP.", example: null }),
    action: z.string().meta({ description: "The action, as `<subject>.<verb>`.", example: "domain.update" }),
    targetType: z.string().meta({ description: "Type of the target.", example: "domain" }),
    targetId: shownId("The target; null if there is none, such as for an unknown user.").nullable(),
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
