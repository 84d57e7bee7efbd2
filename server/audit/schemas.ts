import { z } from "zod";
import { id, line, pageOf, paging, shownId, timestamp, timestampInput } from "../api/schemas.ts";

/** A filter by a moment; what `optional` wraps loses its description in a query. */
function moment(description: string) {
  const override = { type: "string", format: "date-time" } as const;
  return timestampInput(description).optional().meta({ description, override, example: "2027-03-01T00:00:00Z" });
}

export const listAuditInput = z.strictObject({
  ...paging(50, 100),
  actorId: id("").optional().meta({ description: "Only what this user did." }),
  action: line(64, 1).optional().meta({ description: "Only this action.", example: "domain.update" }),
  targetType: line(64, 1)
    .optional()
    .meta({ description: "Only what was done to things of this type.", example: "domain" }),
  targetId: id("").optional().meta({ description: "Only what was done to this thing." }),
  from: moment("Only what was done at this moment or later."),
  to: moment("Only what was done before this moment."),
});

const state = z.record(z.string(), z.unknown()).nullable();

const auditEntry = z
  .object({
    id: shownId("The entry's id."),
    at: timestamp("When it was done."),
    actorId: shownId("Who did it; null for a visitor and for the service itself.").nullable(),
    tokenId: shownId("The personal token that it was done with; null for a session.").nullable(),
    action: z.string().meta({ description: "What was done, `<subject>.<verb>`.", example: "domain.update" }),
    targetType: z.string().meta({ description: "What kind of thing it was done to.", example: "domain" }),
    targetId: shownId("Which one; null where there is none, such as an unknown user.").nullable(),
    ip: z.string().nullable().meta({ description: "The client's address.", example: "203.0.113.7" }),
    requestId: z
      .string()
      .nullable()
      .meta({ description: "The call, as in its `X-Request-Id`.", example: "6a1f4f0e-6d3c-4a57-9a39-3a1c2f7c8f10" }),
    before: state.meta({
      description: "What it was, where that changed. Never a secret.",
      example: { groupName: null },
    }),
    after: state.meta({ description: "What it is since. Never a secret.", example: { groupName: "shop" } }),
  })
  .meta({ id: "AuditEntry", description: "One thing that somebody did." });

export const auditPage = z
  .object({ entries: z.array(auditEntry).meta({ description: "The entries, newest first." }), ...pageOf })
  .meta({ id: "AuditPage", description: "A page of the audit trail." });
