import { defineEntity, p } from "@mikro-orm/core";

/** What a program calls with in its owner's name, limited to some permissions. Only a hash is stored. */
export const PersonalTokenSchema = defineEntity({
  name: "PersonalToken",
  tableName: "personal_tokens",
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    name: p.text(),
    tokenHash: p.text(),
    permissions: p.array(),
    createdAt: p.datetime(),
    /** Null: never. */
    expiresAt: p.datetime().nullable(),
    /** Some minutes behind at the most. */
    lastUsedAt: p.datetime().nullable(),
  },
});

export class PersonalToken extends PersonalTokenSchema.class {}
PersonalTokenSchema.setClass(PersonalToken);
