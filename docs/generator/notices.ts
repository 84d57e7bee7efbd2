import { assignmentNotice } from "../../server/accounts/assignments/notices.ts";
import { signInNotice } from "../../server/accounts/auth/sign-in.ts";
import { wayInNotice, type WayInChange } from "../../server/accounts/auth/ways-in.ts";
import { failedChange } from "../../server/zones/changes/repair.ts";
import { disabledNotice } from "../../server/notifications/channels/deliverer.ts";
import { certificatesExpiring, certificatesInvalid } from "../../server/registry/certificates/notices.ts";
import { dnssecNotice } from "../../server/registry/dnssec/service.ts";
import { danglingRecords, delegationChanged } from "../../server/registry/delegation/service.ts";
import { changeFailed } from "../../server/registry/registrars/tasks.ts";
import { secondaryNotice } from "../../server/dns-service/secondary-check.ts";
import { driftNotice } from "../../server/zones/drift/drift-job.ts";
import { finishedNotice, progressNotice } from "../../server/bulk/batches/notices.ts";
import { requestNotice } from "../../server/zones/change-requests/notices.ts";
import { noNotes } from "../../server/dns/record.ts";
import type { Batch } from "../../server/bulk/batches/batch.ts";
import { expired, reminderNotice, type DueReminder } from "../../server/registry/expiry/remind-job.ts";
import { failedLookup, registrationChanged } from "../../server/registry/expiry/notices.ts";
import { reviewDue } from "../../server/zones/records/review-reminders.ts";
import { mirrorNotice } from "../../server/zones/mirrors/reconciler.ts";
import { visitor } from "../../server/access/caller.ts";
import { administratorAdded, signInProviderChanged } from "../../server/accounts/users/administrator-notices.ts";
import { changeMessage } from "../../server/zones/change-reports/reporter.ts";
import type { NotificationEvent, ZoneChanged, Notice } from "../../server/platform/events.ts";

const domainId = "01a1fb0f-6204-7000-abd4-276e976be8b7";
const userId = "01a1fb0f-6204-7000-abd4-276e976be8b8";
const otherId = "01a1fb0f-6204-7000-abd4-276e976be8b9";

const subject = {
  domainId,
  domainName: "example.com",
  subdomainPattern: "*.dev",
  host: null,
  access: "write",
} as const;
const message = { title: "", content: "", to: {} };

const reminder: DueReminder = {
  domainId,
  name: "example.com",
  ownerId: userId,
  expiresAt: new Date("2027-03-01T00:00:00Z"),
  days: 7,
  source: "rdap",
  registryExpiresAt: new Date("2027-03-01T00:00:00Z"),
  registrarExpiresAt: null,
};

const title = "Replacement of A 192.0.2.1";
const replacement: Batch = {
  id: otherId,
  kind: "replace",
  actor: { ...visitor({ ip: "203.0.113.7" }, otherId), userId },
  request: { recordType: "A", value: "192.0.2.1", newValue: "198.51.100.7" },
  message: "Move to the new load balancer",
  override: false,
  unlock: false,
  force: false,
  revertsId: null,
  state: "running",
  reason: null,
  createdAt: new Date("2027-02-22T00:00:00Z"),
  finishedAt: null,
};
const secondary = {
  address: "192.0.2.53",
  domain: { id: domainId, name: "example.com", view: "", ownerId: userId },
  zones: 1,
  error: null,
};
const delegated = { id: domainId, name: "example.com", ownerId: userId };
const signing = {
  parentDs: ["4711 13 2 0f0f0f0f"],
  dsToPublish: ["12345 13 2 49fd46e6"],
  signaturesExpireAt: "2027-03-02T08:00:00.000Z",
  chainReason: "The SOA records of example.com have a signature that expired on 2027-03-01 at 12:00 UTC.",
};
const watched = { host: "www", port: 443, issuer: "Let's Encrypt, R11" };
const replaced = { total: 300, waiting: 0, running: 0, done: 0, failed: 1, skipped: 0 };

const changeRequest = {
  id: otherId,
  number: 12,
  title: "Move www to the new load balancer",
  domainId,
  domainName: "example.com",
  author: { ...visitor({ ip: "203.0.113.7" }, otherId), userId },
  authorName: "ada",
  applyAt: null,
};
const told = { by: { id: userId, name: "grace" }, note: null, to: [userId] };

const mirrored = {
  mirrorId: "01990a5c-0000-7000-8000-000000000009",
  domain: { id: domainId, name: "example.com", view: "", ownerId: userId },
  configName: "Second location",
};

/** Returns one notice per event, built by the functions that build the real ones. */
export function exampleNotices(): Record<NotificationEvent, Notice> {
  return {
    "assignment.create": assignmentNotice("assignment.create", subject, message),
    "assignment.delete": assignmentNotice("assignment.delete", subject, message),
    "assignment.ending": assignmentNotice("assignment.ending", subject, message),
    "assignment.request": assignmentNotice("assignment.request", { ...subject, host: "www.dev" }, message),
    "assignment.approve": assignmentNotice("assignment.approve", { ...subject, host: "www.dev" }, message),
    "assignment.reject": assignmentNotice("assignment.reject", { ...subject, host: "www.dev" }, message),
    "domain.expiring": reminderNotice(reminder, new Date("2027-02-22T00:00:00Z")),
    "domain.expired": reminderNotice({ ...reminder, days: expired }, new Date("2027-03-02T00:00:00Z")),
    "domain.expiry_check_failed": failedLookup(
      { id: domainId, name: "example.com", view: "" },
      userId,
      "whois.example does not answer.",
    ),
    "domain.registration_changed": registrationChanged({ id: domainId, name: "example.com", view: "" }, userId, [
      { fact: "statuses", before: ["client transfer prohibited"], after: ["active"] },
      { fact: "nameServers", before: ["ns1.dns.example", "ns2.dns.example"], after: ["ns1.other.example"] },
      { fact: "locked", before: ["on"], after: ["off"] },
    ]),
    "domain.registration_change_failed": changeFailed({ id: domainId, name: "example.com", view: "" }, userId, [
      {
        field: "nameServers",
        before: ["ns1.dns.example", "ns2.dns.example"],
        after: ["ns1.other.example"],
        at: new Date("2027-03-01T12:00:00Z"),
        reason: "The registry refuses ns1.other.example.",
      },
    ]),
    "domain.delegation_changed": delegationChanged(delegated, ["nameServers"], {
      zone: "com",
      seenAt: "2027-03-01T00:00:00.000Z",
      nameServers: ["ns1.dns.example", "ns2.dns.example"],
      glue: [],
      ds: [],
    }),
    "domain.dangling": danglingRecords(delegated, {
      isLast: false,
      records: [{ name: "shop", recordType: "CNAME", target: "shop.hosting.example" }],
    }),
    "certificate.expiring": certificatesExpiring(
      { ...delegated, view: "" },
      [{ ...watched, notAfter: new Date("2027-03-08T12:00:00Z"), error: null }],
      7,
      new Date("2027-03-01T12:00:00Z"),
    ),
    "certificate.invalid": certificatesInvalid({ ...delegated, view: "" }, [
      {
        ...watched,
        notAfter: new Date("2027-05-01T12:00:00Z"),
        error:
          "The certificate that www.example.com shows is for other names: host.example.net. Install one for www.example.com.",
      },
    ]),
    "dnssec.ds_mismatch": dnssecNotice(
      delegated,
      {
        code: "ds_mismatch",
        message: `No DS record in the parent zone matches a key of example.com. Validating resolvers refuse all its names. Replace the DS records at the registrar with: ${signing.dsToPublish.join(", ")}.`,
      },
      signing,
    ),
    "dnssec.broken": dnssecNotice(
      delegated,
      {
        code: "broken",
        message: `Validating resolvers refuse all names of example.com. ${signing.chainReason} Re-sign the zone, or remove its DS records at the registrar until it is.`,
      },
      signing,
    ),
    "dnssec.expiring_signatures": dnssecNotice(
      delegated,
      {
        code: "signatures_expiring",
        message:
          "Signatures of example.com expire in 20 hours, and should have been renewed by now. Check the server that signs the zone, and that its secondaries get the new signatures.",
      },
      signing,
    ),
    "record.change_failed": failedNotice(),
    "record.review_due": reviewDue(
      { id: domainId, name: "example.com" },
      [{ id: otherId, recordType: "A", name: "www", value: "192.0.2.1", reviewAt: new Date("2027-03-01T00:00:00Z") }],
      userId,
    ),
    "zone.changed": { ...changeMessage(changedZone, new Date("2027-03-01T09:30:00Z")), to: {} },
    "zone.drift": driftNotice(
      { domainId, name: "example.com", counts: { created: 1, updated: 0, deleted: 0 }, error: null },
      userId,
    ),
    "zone.secondary_behind": secondaryNotice({ ...secondary, kind: "behind" }),
    "zone.secondary_ahead": secondaryNotice({ ...secondary, kind: "ahead" }),
    "zone.secondary_recovered": secondaryNotice({ ...secondary, kind: "recovered" }),
    "mirror.failing": mirrorNotice(mirrored, "PowerDNS does not answer."),
    "mirror.recovered": mirrorNotice(mirrored, null),
    "replacement.progress": progressNotice(title, replacement, { ...replaced, waiting: 150, done: 149 }, 50),
    "replacement.finished": finishedNotice(title, { ...replacement, state: "done" }, { ...replaced, done: 299 }),
    "change.requested": requestNotice("change.requested", changeRequest, told),
    "change.approved": requestNotice("change.approved", changeRequest, { ...told, note: "Looks right." }),
    "change.rejected": requestNotice("change.rejected", changeRequest, { ...told, note: "Wait until Monday." }),
    "change.applied": requestNotice("change.applied", changeRequest, told),
    "change.failed": requestNotice("change.failed", changeRequest, {
      by: null,
      note: "The zone has changed since the approval.",
      to: [userId],
    }),
    "security.new_sign_in": signInNotice(userId, { ip: "203.0.113.7", userAgent: "Mozilla/5.0 …" }),
    "security.factor_added": wayIn({ event: "security.factor_added", method: "passkey", name: "Laptop" }),
    "security.factor_removed": wayIn({ event: "security.factor_removed", method: "totp", name: null }),
    "security.recovery_codes_replaced": wayIn({ event: "security.recovery_codes_replaced" }),
    "security.identity_added": wayIn({ event: "security.identity_added", ...github }),
    "security.identity_removed": wayIn({ event: "security.identity_removed", ...github }),
    "security.token_created": wayIn({ event: "security.token_created", tokenId: otherId, name: "Backup script" }),
    "security.feed_created": wayIn({ event: "security.feed_created", feedId: otherId, name: "Calendar on my phone" }),
    "security.key_created": wayIn({
      event: "security.key_created",
      keyId: otherId,
      keyName: "zw-q7m2xk4cha5de",
      name: "certbot on web1",
      domainName: "example.com",
    }),
    "security.email_changed": wayIn({ event: "security.email_changed" }),
    "security.access_revoked": wayIn({
      event: "security.access_revoked",
      ways: ["2 personal tokens", "sign-in with github"],
    }),
    "security.password_changed": wayIn({ event: "security.password_changed" }),
    "security.administrator_added": administratorAdded(
      { userId, username: "ada", how: "registered", invitationId: otherId },
      visitor({ ip: "203.0.113.7" }, otherId),
    ),
    "security.sign_in_provider_changed": signInProviderChanged(
      { configId: otherId, ...github, change: "changed", fields: ["tokenUrl", "clientSecret"] },
      visitor({ ip: "203.0.113.7" }, otherId),
    ),
    "channel.disabled": disabledNotice({ id: otherId, name: "On-call", channel: "webhook" }, "It answered 500."),
  };
}

const github = { providerId: "github", provider: "GitHub" };

function wayIn(change: WayInChange): Notice {
  return wayInNotice(change, { userId, username: "ada", ip: "203.0.113.7" });
}

const changedZone: ZoneChanged = {
  domainId,
  domainName: "example.com",
  changeSetId: otherId,
  revision: 42,
  kind: "edit",
  message: "Move www to the new load balancer",
  actor: "ada",
  means: "token",
  meansName: "Deploy script",
  creates: 1,
  updates: 0,
  deletes: 0,
  changes: [
    {
      action: "create",
      recordId: userId,
      before: null,
      after: { recordType: "A", name: "www", value: "192.0.2.1", ttl: 3600 },
    },
  ],
  at: "2027-03-01T09:30:00.000Z",
  url: "https://dns.example.com/d/example.com/records",
};

function failedNotice(): Notice {
  const record = {
    recordType: "A",
    name: "www",
    value: "192.0.2.1",
    strings: null,
    ttl: 3600,
    priority: null,
    proxied: false,
    status: "active" as const,
    ...noNotes,
  };
  const notice = failedChange({
    id: otherId,
    domainId,
    domainName: "example.com",
    ownerId: userId,
    actorId: userId,
    message: "Move www to the new load balancer",
    changes: [{ action: "create", id: domainId, before: null, after: record }],
    outcomes: [{ ok: false, message: "refused" }],
  });
  if (!notice) throw new Error("A failed change must raise a notice.");
  return notice;
}
