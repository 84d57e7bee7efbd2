import { defineEntity, p } from "@mikro-orm/core";

/** What the world sees of a zone, as of its last check. */
export const DelegationSchema = defineEntity({
  name: "Delegation",
  tableName: "delegations",
  properties: {
    domainId: p.uuid().primary(),
    /** When the job checks it next. A claim moves it. */
    nextCheckAt: p.datetime(),
    /** Null: not yet checked. */
    checkedAt: p.datetime().nullable(),
    /** When the zone above last changed what it says; null: not since the first check. */
    changedAt: p.datetime().nullable(),
    /** See `StoredFacts`. */
    facts: p.json().$type<unknown>().nullable(),
    /** When its dangling records were last reported; null: never. */
    danglingReportedAt: p.datetime().nullable(),
  },
});

/** Something wrong with it. Those that are no longer seen stay while they are snoozed. */
export const DelegationFindingSchema = defineEntity({
  name: "DelegationFinding",
  tableName: "delegation_findings",
  properties: {
    domainId: p.uuid().primary(),
    code: p.text().primary(),
    /** Relative to the zone. */
    name: p.text().primary(),
    /** Empty: none. */
    recordType: p.text().primary(),
    /** The name server, or the target of a dangling record. Empty: neither. */
    subject: p.text().primary(),
    severity: p.text(),
    message: p.text(),
    /** Whether the last check that could tell saw it. */
    present: p.boolean(),
    /** Whether it was reported in a notification. */
    notified: p.boolean(),
    firstSeenAt: p.datetime(),
    lastSeenAt: p.datetime(),
    snoozedUntil: p.datetime().nullable(),
  },
});
