import { defineEntity, p } from "@mikro-orm/core";

/** A managed zone with its registration data. Its row also carries the zone's revision and lease. */
export const DomainSchema = defineEntity({
  name: "Domain",
  tableName: "domains",
  properties: {
    id: p.uuid().primary(),
    /** Lower-case A-labels. */
    name: p.text(),
    providerConfigId: p.uuid(),
    ownerId: p.uuid().nullable(),
    expiresAt: p.datetime().nullable(),
    /** `expiresAt` less the longest reminder, kept with both, so that "expiring" is a range. */
    expiringFrom: p.datetime().nullable(),
    /** What a person decided; `expiring` and `expired` follow from the date, see `status.ts`. */
    status: p.text().$type<"active" | "disabled">(),
    groupName: p.text().nullable(),
    tags: p.array(),
    notes: p.text().nullable(),
    expiryRemindDays: p.array((text) => Number(text)).$type<number[]>(),
    autoCheckExpiry: p.boolean(),
    expirySource: p.text().$type<"rdap" | "whois" | "manual">().nullable(),
    expiryCheckedAt: p.datetime().nullable(),
    /** When it is looked up by itself the next time; null: as soon as may be. */
    expiryNextCheckAt: p.datetime().nullable(),
    /** Look-ups by itself in a row that came to nothing. */
    expiryCheckFailures: p.integer(),
    /** The dates behind `expiresAt`, kept apart: it is the earlier one. */
    registryExpiresAt: p.datetime().nullable(),
    registrarExpiresAt: p.datetime().nullable(),
    registrar: p.text().nullable(),
    snapshotSchedule: p.text().$type<"off" | "daily" | "weekly">(),
    scheduledSnapshotAt: p.datetime().nullable(),
    /** Raised by one with every change set; record versions refer to it. */
    revision: p.integer(),
    /** The first revision of which, and after which, every state is stored; before it only those that snapshots need. */
    historyFrom: p.integer().default(0),
    /** Live records, kept by the change pipeline. */
    recordCount: p.integer(),
    /** Whether the provider signs the zone, as last read. */
    providerSigned: p.boolean(),
    /** Records that the provider maintains, as last read; they are not among `recordCount`. */
    serverManagedCount: p.integer(),
    /** Version number of the newest snapshot. */
    snapshotSequence: p.integer(),
    /** Mark of the provider's content as last read or written. */
    providerFingerprint: p.text().nullable(),
    /** Whether 0.1 stored TXT records of it and nobody has read since how they are cut. */
    splitsUnread: p.boolean().default(false),
    /** When the zone was read in, or its last comparison with its provider began; null: neither. */
    driftCheckedAt: p.datetime().nullable(),
    /** When the zone was first found to differ, or to be unreadable; null while it agrees as far as is known. The counts or the error come with it. */
    driftFoundAt: p.datetime().nullable(),
    driftCreated: p.integer().nullable(),
    driftUpdated: p.integer().nullable(),
    driftDeleted: p.integer().nullable(),
    /** Why the provider cannot read the zone, as it says itself. */
    driftError: p.text().nullable(),
    leaseToken: p.uuid().nullable(),
    leaseUntil: p.datetime().nullable(),
    /** The process that took the lease, as `process-identity.ts` writes it. */
    leaseHolder: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class Domain extends DomainSchema.class {}
DomainSchema.setClass(Domain);
