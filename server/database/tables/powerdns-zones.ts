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
