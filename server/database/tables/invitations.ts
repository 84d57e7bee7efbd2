import { defineEntity, p } from "@mikro-orm/core";
import type { Role } from "./roles.ts";

/** Lets people register who know its code. */
export const InvitationSchema = defineEntity({
  name: "Invitation",
  tableName: "invitations",
  properties: {
    id: p.uuid().primary(),
    /** The code itself is shown once and not kept. */
    codeHash: p.text(),
    /** Of who registers with it. */
    role: p.text().$type<Role>(),
    maxUses: p.integer(),
    uses: p.integer(),
    expiresAt: p.datetime().nullable(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime(),
    /** When its maker lost the right to invite; null: the maker has it still. */
    endedAt: p.datetime().nullable(),
  },
});

export class Invitation extends InvitationSchema.class {}
InvitationSchema.setClass(Invitation);
