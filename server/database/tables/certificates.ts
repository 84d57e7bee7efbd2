import { defineEntity, p } from "@mikro-orm/core";

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
