import { defineEntity, p } from "@mikro-orm/core";
import type { TsigAlgorithm } from "../../dns/wire/tsig.ts";

/** What DNS clients may do with a key: change records, read them, or both. */
export const tsigKeyAccess = ["update", "read", "both"] as const;
export type TsigKeyAccess = (typeof tsigKeyAccess)[number];

/** A TSIG key (RFC 8945) with which DNS clients act for its owner on some records of one domain. */
export const TsigKeySchema = defineEntity({
  name: "TsigKey",
  tableName: "tsig_keys",
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** What it is for, as its owner says. */
    name: p.text().nullable(),
    /** Canonical DNS name, with 64 random bits. Unique. */
    keyName: p.text(),
    algorithm: p.text().$type<TsigAlgorithm>(),
    /** In base64, encrypted with a key of SECRET_KEYS. */
    secret: p.text(),
    domainId: p.uuid(),
    /** Canonical, see `access/host-pattern.ts`. */
    hostPattern: p.text(),
    /** Empty: every type. */
    recordTypes: p.array(),
    access: p.text().$type<TsigKeyAccess>(),
    createdAt: p.datetime(),
    /** Null: never. */
    expiresAt: p.datetime().nullable(),
    /** At most a minute out of date. */
    lastUsedAt: p.datetime().nullable(),
    /** The address that used it last. */
    lastUsedFrom: p.text().nullable(),
    /** Why a message signed with it was last refused. */
    lastError: p.text().nullable(),
    lastErrorAt: p.datetime().nullable(),
  },
});

export class TsigKeyRow extends TsigKeySchema.class {}
TsigKeySchema.setClass(TsigKeyRow);
