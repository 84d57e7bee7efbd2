import type { DnsRecord } from "@zonewright/client";

/** A record as the console has it from a list: an address unless `changed` says otherwise, named as its id. */
export const listedRecord = (id: string, changed: Partial<DnsRecord> = {}): DnsRecord => ({
  id,
  domainId: "zone",
  recordType: "A",
  name: id,
  value: "192.0.2.1",
  strings: null,
  ttl: 300,
  priority: null,
  proxied: false,
  serverManaged: false,
  locked: false,
  ownerId: null,
  reviewAt: null,
  status: "active",
  createdAt: new Date(0),
  comment: null,
  updatedAt: new Date(0),
  version: 1,
  ...changed,
});
