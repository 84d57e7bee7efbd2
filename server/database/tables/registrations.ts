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
    /** When the parent zone last changed what it says; null: not since the first check. */
    changedAt: p.datetime().nullable(),
    /** See `StoredFacts`. */
    facts: p.json().$type<unknown>().nullable(),
    /** See `StoredDnssec`. */
    dnssec: p.json().$type<unknown>().nullable(),
    /** Whether the parent zone has other name servers than the registrar. */
    nameServersDiffer: p.boolean().default(false),
    /** Whether the parent zone has other DS records than the registrar. */
    dsDiffer: p.boolean().default(false),
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

/** A reminder that was sent, or superseded by a later one. */
export const ExpiryReminderSchema = defineEntity({
  name: "ExpiryReminder",
  tableName: "expiry_reminders",
  properties: {
    domainId: p.uuid().primary(),
    /** The expiry date in UTC. A renewal changes the date and so restarts the reminders. */
    expiresOn: p.date().primary(),
    /** Days before that date; -1 for the notice that it has expired. */
    days: p.integer().primary(),
    toldAt: p.datetime(),
  },
});

export const tlsModes = ["off", "listed", "all"] as const;

/** Which hosts of a domain are watched. */
export const TlsWatchSchema = defineEntity({
  name: "TlsWatch",
  tableName: "tls_watches",
  properties: {
    domainId: p.uuid().primary(),
    /** `all`: those that are listed, and each host with addresses that answers on port 443. */
    mode: p.text().$type<(typeof tlsModes)[number]>(),
    /** When the job checks them next. A claim moves it. Null: they are not watched. */
    nextCheckAt: p.datetime().nullable(),
    /** Hosts beyond the limit. */
    leftOut: p.integer(),
  },
});

/** A host, and the certificate that it showed last, which stays while it is unreachable. */
export const TlsHostSchema = defineEntity({
  name: "TlsHost",
  tableName: "tls_hosts",
  properties: {
    domainId: p.uuid().primary(),
    /** Relative to the domain. */
    host: p.text().primary(),
    port: p.integer().primary(),
    starttls: p.text().$type<"smtp">().nullable(),
    /** Whether somebody listed it; else it was found. */
    listed: p.boolean(),
    notBefore: p.datetime().nullable(),
    notAfter: p.datetime().nullable(),
    issuer: p.text().nullable(),
    /** SHA-256 of the certificate. */
    fingerprint: p.text().nullable(),
    /** See `problems`. Null: none, or not yet checked. */
    problem: p.text().nullable(),
    /** The problem in words. */
    error: p.text().nullable(),
    checkedAt: p.datetime().nullable(),
  },
});

/** A notice about a certificate that was sent, or superseded by a later one. Those of problems go once the host reads sound. */
export const CertificateNoticeSchema = defineEntity({
  name: "CertificateNotice",
  tableName: "certificate_notices",
  properties: {
    domainId: p.uuid().primary(),
    /** Empty: whichever certificate has the problem. */
    fingerprint: p.text().primary(),
    /** Days before its end, or a problem. */
    about: p.text().primary(),
    /** The host and port with the problem; empty for the end of a certificate, wherever it is. */
    host: p.text().primary(),
    toldAt: p.datetime(),
  },
});
