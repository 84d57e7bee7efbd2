import { defineEntity, p } from "@mikro-orm/core";

/** A token with which programs act for its owner, limited to some permissions. Only a hash is stored. */
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
    /** The domains it is narrowed to. Null: not narrowed by domain. Never empty. */
    domainIds: p.array().columnType("uuid[]").nullable(),
    /** Canonical, see `access/host-pattern.ts`. Null: every host. */
    hostPattern: p.text().nullable(),
    /** Null: every type. Never empty. */
    recordTypes: p.array().nullable(),
    /** At most some minutes out of date. */
    lastUsedAt: p.datetime().nullable(),
  },
});

export class PersonalToken extends PersonalTokenSchema.class {}
PersonalTokenSchema.setClass(PersonalToken);
