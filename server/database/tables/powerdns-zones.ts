import { defineEntity, p } from "@mikro-orm/core";

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
