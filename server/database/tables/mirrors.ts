import { defineEntity, p } from "@mikro-orm/core";

/** What becomes of records that others changed at a mirror: they are put back, or only counted. */
export type OnDrift = "restore" | "report";

/** A further provider configuration that follows the records of a domain. */
export const MirrorSchema = defineEntity({
  name: "Mirror",
  tableName: "mirrors",
  properties: {
    id: p.uuid().primary(),
    domainId: p.uuid(),
    providerConfigId: p.uuid(),
    /** The zone's name at its provider. */
    providerZone: p.text(),
    onDrift: p.text().$type<OnDrift>(),
    /** The revision that it serves as far as it can; null: none yet. */
    revision: p.integer().nullable(),
    /** The domain's revision when it last changed. */
    wantedRevision: p.integer(),
    /** Since when it does not serve the wanted revision; null: it does. */
    behindSince: p.datetime().nullable(),
    lastAppliedAt: p.datetime().nullable(),
    /** When its records were last compared with the domain's. */
    checkedAt: p.datetime().nullable(),
    /** When it is to be reconciled next; null: when the domain changes or the next comparison is due. */
    dueAt: p.datetime().nullable(),
    /** Whether the next reconciliation may delete any number of records that are not the domain's. */
    forceNext: p.boolean().default(false),
    /** Records there that differ from the domain's, after the last comparison. */
    differences: p.integer().default(0),
    /** Those of them that were never the domain's. */
    foreignRecords: p.integer().default(0),
    /** Records of the domain that its provider cannot store. */
    unsupported: p.integer().default(0),
    /** Failed reconciliations in a row. */
    failures: p.integer().default(0),
    /** Why the last reconciliation did not reach everything. */
    error: p.text().nullable(),
    /** Whether the last reconciliation failed as a whole, as it does while the provider is away. */
    unreachable: p.boolean().default(false),
    /** Whether it was reported as failing. */
    reported: p.boolean().default(false),
    leaseToken: p.uuid().nullable(),
    leaseUntil: p.datetime().nullable(),
    createdAt: p.datetime(),
    /** Whether changes are refused that its provider cannot store. */
    strict: p.boolean().default(false),
  },
});

/** When a mirror reached a revision. The newest 100 of each mirror stay. */
export const MirrorRevisionSchema = defineEntity({
  name: "MirrorRevision",
  tableName: "mirror_revisions",
  properties: {
    mirrorId: p.uuid().primary(),
    revision: p.integer().primary(),
    reachedAt: p.datetime(),
  },
});
