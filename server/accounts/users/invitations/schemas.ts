import { z } from "zod";
import { id, pageOf, paging, timestamp, timestampInput } from "../../../api/schemas.ts";
import { roles } from "../../../database/tables/roles.ts";
import { invitationStates } from "./states.ts";

const role = z.enum(roles).meta({ description: "The role of who registers with it.", example: "member" });
const maxUses = z
  .int("This must be a whole number.")
  .min(1, "This must be at least 1.")
  .max(10_000, "This must be at most 10000.")
  .meta({ description: "How many people may register with it.", example: 1 });

export const listInvitationsInput = z.strictObject(paging(20, 100));

export const createInvitationInput = z.strictObject({
  role: role.default("member"),
  maxUses: maxUses.default(1),
  expiresAt: timestampInput("From when on it is not valid; null: never.").nullable().default(null),
});

export const invitationIdInput = z.strictObject({ id: id("The invitation's id.") });

const invitation = z
  .object({
    id: id("The invitation's id."),
    role,
    maxUses,
    uses: z.int().meta({ description: "How many have registered with it.", example: 0 }),
    expiresAt: timestamp("From when on it is not valid; null: never.").nullable(),
    createdBy: id("The administrator who made it, who may be deleted by now; null where nobody knows.").nullable(),
    createdAt: timestamp("When it was made."),
    state: z.enum(invitationStates).meta({
      description:
        "Whether people can register with it: `open`; `used_up`; `expired`; `ended`, because its maker was deleted, disabled or is no longer an administrator.",
      example: "open",
    }),
  })
  .meta({ id: "Invitation", description: "Lets people register who know its code." });

export const invitationPage = z
  .object({ invitations: z.array(invitation).meta({ description: "Newest first." }), ...pageOf })
  .meta({ id: "InvitationPage", description: "A page of invitations." });

export const newInvitation = z
  .object({
    ...invitation.shape,
    code: z.string().meta({
      description: "For who shall register. Shown this once.",
      example: "7ZK4M-9T2QX-WB3EH-8VJ5R-N1D6A-C",
    }),
  })
  .meta({ id: "NewInvitation", description: "An invitation with its code." });
