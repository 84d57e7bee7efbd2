import { z } from "zod";
import { id, pageOf, paging, timestamp, timestampInput } from "../../../api/schemas.ts";
import { roles } from "../../../database/tables/users.ts";

/** The states of an invitation. `ended`: its creator was deleted, disabled or demoted. */
const invitationStates = ["open", "used_up", "expired", "ended"] as const;

export type InvitationState = (typeof invitationStates)[number];

const role = z.enum(roles).meta({ description: "Role of users who register with it.", example: "member" });
const maxUses = z
  .int("This must be a whole number.")
  .min(1, "This must be at least 1.")
  .max(10_000, "This must be at most 10000.")
  .meta({ description: "How many users may register with it, 1 to 10000.", example: 1 });

export const listInvitationsInput = z.strictObject(paging(20, 100));

export const createInvitationInput = z.strictObject({
  role: role.default("member"),
  maxUses: maxUses.default(1),
  expiresAt: timestampInput("When it expires; null for never.").nullable().default(null),
});

export const invitationIdInput = z.strictObject({ id: id("The invitation's id.") });

const invitation = z
  .object({
    id: id("The invitation's id."),
    role,
    maxUses,
    uses: z.int().meta({ description: "How many users have registered with it.", example: 0 }),
    expiresAt: timestamp("When it expires; null for never.").nullable(),
    createdBy: id("The administrator who created it, possibly deleted since; null if unknown.").nullable(),
    createdAt: timestamp("When it was created."),
    state: z.enum(invitationStates).meta({
      description:
        "`open`: users can register. `used_up`, `expired`: no longer. `ended`: its creator was deleted, disabled or demoted.",
      example: "open",
    }),
  })
  .meta({ id: "Invitation", description: "An invitation to register." });

export const invitationPage = z
  .object({ invitations: z.array(invitation).meta({ description: "Newest first." }), ...pageOf })
  .meta({ id: "InvitationPage", description: "A page of invitations." });

export const newInvitation = z
  .object({
    ...invitation.shape,
    code: z.string().meta({
      description: "Registration code, shown only once.",
      example: "7ZK4M-9T2QX-WB3EH-8VJ5R-N1D6A-C",
    }),
  })
  .meta({ id: "NewInvitation", description: "An invitation with its code." });
