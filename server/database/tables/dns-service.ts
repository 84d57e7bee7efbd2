import { defineEntity, p } from "@mikro-orm/core";

/** The serials of a zone that is, or once was, held here for secondaries. A trigger on `domains` adds it. */
export const PrimaryZoneSchema = defineEntity({
  name: "PrimaryZone",
  tableName: "primary_zones",
  properties: {
    domainId: p.uuid().primary(),
    /** The serial is this plus the domain's revision, modulo 2^32. */
    serialBase: p.bigint("number"),
    /** The first revision whose serial counts from this base. Older serials lead to a whole transfer. */
    baseRevision: p.integer(),
    /** Its label in the catalog zone (RFC 9432 §4.1), new each time the zone arrives. */
    catalogLabel: p.text(),
    /** The newest serial that secondaries were notified of; null: none. */
    notifiedSerial: p.bigint("number").nullable(),
  },
});

/** The last serial of a zone whose domain was deleted. A trigger on `domains` adds it, and those of new zones go on after it. */
export const PrimaryLastSerialSchema = defineEntity({
  name: "PrimaryLastSerial",
  tableName: "primary_last_serials",
  properties: {
    /** The zone's name where secondaries transfer it. */
    zone: p.text().primary(),
    /** Modulo 2^32. */
    serial: p.bigint("number"),
    /** When the domain was deleted. Forgotten after a year. */
    leftAt: p.datetime(),
  },
});

/** The catalog zone of a configuration. */
export const PrimaryCatalogSchema = defineEntity({
  name: "PrimaryCatalog",
  tableName: "primary_catalogs",
  properties: {
    providerConfigId: p.uuid().primary(),
    serial: p.bigint("number"),
    notifiedSerial: p.bigint("number").nullable(),
  },
});

/** A change of a catalog's members that its serial does not count yet. */
export const PrimaryCatalogChangeSchema = defineEntity({
  name: "PrimaryCatalogChange",
  tableName: "primary_catalog_changes",
  properties: {
    position: p.bigint("number").primary(),
    providerConfigId: p.uuid(),
  },
});

/** What is known of one secondary of one zone. */
export const PrimarySecondarySchema = defineEntity({
  name: "PrimarySecondary",
  tableName: "primary_secondaries",
  properties: {
    /** The domain, or the configuration for its catalog. */
    zoneId: p.uuid().primary(),
    /** `notify:<address>:<port>`, `key:<name>` or `address:<address>`. */
    identity: p.text().primary(),
    /** With its port if that is not 53. */
    address: p.text(),
    keyName: p.text().nullable(),
    /** The newest serial that it transferred or answered with, or, of a catalog, acknowledged. */
    serial: p.bigint("number").nullable(),
    /** When that serial was first seen there. */
    servedAt: p.datetime().nullable(),
    /** Its last query for the SOA. */
    askedAt: p.datetime().nullable(),
    /** The last NOTIFY that it acknowledged. */
    notifiedAt: p.datetime().nullable(),
    transferredAt: p.datetime().nullable(),
    transferKind: p.text().$type<"axfr" | "ixfr">().nullable(),
    transferRecords: p.integer().nullable(),
    transferOctets: p.bigint("number").nullable(),
    transferMilliseconds: p.integer().nullable(),
    /** Why it could not be notified or asked; null: nothing went wrong. */
    error: p.text().nullable(),
    behindSince: p.datetime().nullable(),
    behindReported: p.boolean().default(false),
    /** The newest serial that it transferred, or had when it asked for a difference. */
    transferredSerial: p.bigint("number").nullable(),
    /** When it was last asked what it serves, or could not be reached. */
    lookedAt: p.datetime().nullable(),
    /** The serial that it lacked at `behindSince`; null: it is not behind. */
    behindSerial: p.bigint("number").nullable(),
  },
});

/** A revision that a secondary was notified of. The newest 100 of each domain stay. */
export const SecondaryRevisionSchema = defineEntity({
  name: "SecondaryRevision",
  tableName: "secondary_revisions",
  properties: {
    domainId: p.uuid().primary(),
    revision: p.integer().primary(),
    /** As in `primary_secondaries`. */
    identity: p.text().primary(),
    /** The first revision that the announcement covers: changes in quick succession lead to one. */
    since: p.integer(),
    /** When it was first seen to have the revision; null: not yet. */
    reachedAt: p.datetime().nullable(),
    /** Whether it answered with the serial. Otherwise it only transferred it. */
    answered: p.boolean().default(false),
  },
});

/** A signed dynamic update that was received in the last minutes. */
export const DynamicUpdateSchema = defineEntity({
  name: "DynamicUpdate",
  tableName: "dynamic_updates",
  properties: {
    /** Hash of its signature. */
    id: p.text().primary(),
    /** Null: not yet known. */
    rcode: p.integer().nullable(),
    createdAt: p.datetime(),
  },
});

/** A TXT record that an ACME client published and has not cleaned up. */
export const AcmeChallengeSchema = defineEntity({
  name: "AcmeChallenge",
  tableName: "acme_challenges",
  properties: {
    domainId: p.uuid().primary(),
    /** Relative to the domain. */
    name: p.text().primary(),
    value: p.text().primary(),
    createdBy: p.uuid(),
    createdAt: p.datetime(),
  },
});

/** What clients of PowerDNS's API set of a zone. */
export const PowerdnsZoneSchema = defineEntity({
  name: "PowerdnsZone",
  tableName: "powerdns_zones",
  properties: {
    domainId: p.uuid().primary(),
    settings: p.json().$type<unknown>(),
  },
});

/** A kind of metadata that clients of PowerDNS's API set of a zone. */
export const PowerdnsMetadataSchema = defineEntity({
  name: "PowerdnsMetadata",
  tableName: "powerdns_metadata",
  properties: {
    domainId: p.uuid().primary(),
    kind: p.text().primary(),
    contents: p.json().$type<unknown>(),
  },
});

/** The comments of an RRset with what records do not hold: account and time of each. They count while the records have the same text. */
export const PowerdnsCommentSchema = defineEntity({
  name: "PowerdnsComment",
  tableName: "powerdns_comments",
  properties: {
    domainId: p.uuid().primary(),
    /** Canonical, relative to the zone. */
    name: p.text().primary(),
    recordType: p.text().primary(),
    /** The text that the records have as their comment. */
    content: p.text(),
    notes: p.json().$type<unknown>(),
  },
});
