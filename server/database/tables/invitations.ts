import { defineEntity, p } from "@mikro-orm/core";
import type { Role } from "./roles.ts";

/** Allows anyone with its code to register. */
export const InvitationSchema = defineEntity({
  name: "Invitation",
  tableName: "invitations",
  properties: {
    id: p.uuid().primary(),
    /** The code itself is shown once and not stored. */
    codeHash: p.text(),
    /** The role of users who register with it. */
    role: p.text().$type<Role>(),
    maxUses: p.integer(),
    uses: p.integer(),
    expiresAt: p.datetime().nullable(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime(),
    /** When its creator lost the right to invite; null while the creator has it. */
    endedAt: p.datetime().nullable(),
  },
});

export class Invitation extends InvitationSchema.class {}
InvitationSchema.setClass(Invitation);
