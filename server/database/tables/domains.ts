import { defineEntity, p } from "@mikro-orm/core";

/** Whose changes need a review: nobody's, those of members, or everyone's. */
export type ReviewRequired = "off" | "members" | "everyone";

/** `offer`: plans list the PTR changes, to be chosen. `follow`: every edit makes them. */
export type ReverseMode = "off" | "offer" | "follow";

/** A managed zone with its registration data, revision and lease. */
export const DomainSchema = defineEntity({
  name: "Domain",
  tableName: "domains",
  properties: {
    id: p.uuid().primary(),
    /** Lower-case A-labels. */
    name: p.text(),
    /** Distinguishes domains of one name; empty: the default view. */
    view: p.text().default(""),
    providerConfigId: p.uuid(),
    /** The zone's name at its provider, unique there: the name, with the view at providers that tell views apart. */
    providerZone: p.text(),
    ownerId: p.uuid().nullable(),
    expiresAt: p.datetime().nullable(),
    /** `expiresAt` minus the longest reminder, updated with either, so that "expiring" is a range query. */
    expiringFrom: p.datetime().nullable(),
    /** Set by users; `expiring` and `expired` are derived from the date, see `status.ts`. */
    status: p.text().$type<"active" | "disabled">(),
    groupName: p.text().nullable(),
    tags: p.array(),
    notes: p.text().nullable(),
    expiryRemindDays: p.array((text) => Number(text)).$type<number[]>(),
    autoCheckExpiry: p.boolean(),
    expirySource: p.text().$type<"rdap" | "whois" | "registrar" | "manual">().nullable(),
    expiryCheckedAt: p.datetime().nullable(),
    /** Time of the next automatic lookup; null: as soon as possible. */
    expiryNextCheckAt: p.datetime().nullable(),
    /** Consecutive failed automatic lookups. */
    expiryCheckFailures: p.integer(),
    /** `expiresAt` is the earlier of these two dates. */
    registryExpiresAt: p.datetime().nullable(),
    registrarExpiresAt: p.datetime().nullable(),
    registrar: p.text().nullable(),
    /** What the registry said besides dates; null: not looked up yet. See registry/expiry/store-finding.ts. */
    registration: p.json().$type<unknown>().nullable(),
    /** The registrar configuration whose account has the name; null: none is set. */
    registrarConfigId: p.uuid().nullable(),
    /** What that registrar said last; null: not asked yet. See StoredReading in registry/registrars/stored-reading.ts. */
    registrarState: p.json().$type<unknown>().nullable(),
    /** What the registration costs in a year, in hundredths of the currency. */
    yearlyCostHundredths: p.integer().nullable(),
    /** ISO 4217. */
    currency: p.text().nullable(),
    /** Whether PTR records follow the addresses of this zone. */
    reverse: p.text().$type<ReverseMode>().default("off"),
    /** Reverse zones: whether PTR records here may follow changes of people without rights in this zone. */
    reverseFollowGrant: p.boolean().default(false),
    /** Whether only the owner and administrators change MX records, unless an assignment names the type. */
    protectMail: p.boolean().default(false),
    /** Whose changes need a review; null: as the installation says. */
    reviewRequired: p.text().$type<ReviewRequired>().nullable(),
    /** Whether TXT records at `_acme-challenge` need one, too. */
    reviewAcme: p.boolean().default(false),
    snapshotSchedule: p.text().$type<"off" | "daily" | "weekly">(),
    scheduledSnapshotAt: p.datetime().nullable(),
    /** Incremented by every change set; record versions refer to it. */
    revision: p.integer(),
    /** The first revision from which every state is stored. Earlier states are stored only as far as snapshots need them. */
    historyFrom: p.integer().default(0),
    /** Number of live records, maintained by the change pipeline. */
    recordCount: p.integer(),
    /** Whether the provider signs the zone, as last read. */
    providerSigned: p.boolean(),
    /** Whether its live records include a signature over the SOA: with `providerSigned` false, somebody else signed the zone. */
    soaSigned: p.boolean().default(false),
    /** Number of records that the provider maintains, as last read. Not included in `recordCount`. */
    serverManagedCount: p.integer(),
    /** Version number of the newest snapshot. */
    snapshotSequence: p.integer(),
    /** Fingerprint of the provider's content as last read or written. */
    providerFingerprint: p.text().nullable(),
    /** Whether it has TXT records stored by 0.1 whose split into strings has not been read yet. */
    splitsUnread: p.boolean().default(false),
    /** When the zone was imported, or its last comparison with its provider began; null: neither. */
    driftCheckedAt: p.datetime().nullable(),
    /** When the zone was first found to differ or to be unreadable; null if no difference is known. Set together with the counts or the error. */
    driftFoundAt: p.datetime().nullable(),
    driftCreated: p.integer().nullable(),
    driftUpdated: p.integer().nullable(),
    driftDeleted: p.integer().nullable(),
    /** Why the provider cannot read the zone, in its own words. */
    driftError: p.text().nullable(),
    leaseToken: p.uuid().nullable(),
    leaseUntil: p.datetime().nullable(),
    /** The process that holds the lease, as written by `lock-file.ts`. */
    leaseHolder: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class Domain extends DomainSchema.class {}
DomainSchema.setClass(Domain);

type ImportState = "waiting" | "running" | "done" | "failed";

/** An import of zones. Only the latest of each provider configuration is stored. */
export const ZoneImportSchema = defineEntity({
  name: "ZoneImport",
  tableName: "zone_imports",
  properties: {
    id: p.uuid().primary(),
    providerConfigId: p.uuid(),
    startedAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
    /** Renewed while the process running it is alive. */
    leaseUntil: p.datetime().nullable(),
  },
});

/** A zone in an import. */
export const ZoneImportItemSchema = defineEntity({
  name: "ZoneImportItem",
  tableName: "zone_import_items",
  properties: {
    importId: p.uuid().primary(),
    position: p.integer().primary(),
    name: p.text(),
    state: p.text().$type<ImportState>(),
    domainId: p.uuid().nullable(),
    records: p.integer().nullable(),
    error: p.text().nullable(),
  },
});

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
    /** Until when its provider may not show all that was sent there; null: it does. */
    settlesAt: p.datetime().nullable(),
    /** Whether changes were sent there whose end is not known: they may be stored and not served. */
    unconfirmed: p.boolean().default(false),
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
