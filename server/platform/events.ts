// These types are part of the client's declarations: do not import server types here.

/** Events that users and channels can be notified of. */
export const notificationEvents = [
  "assignment.create",
  "assignment.delete",
  "assignment.ending",
  "assignment.request",
  "assignment.approve",
  "assignment.reject",
  "domain.expiring",
  "domain.expired",
  "domain.expiry_check_failed",
  "domain.registration_changed",
  "domain.registration_change_failed",
  "domain.delegation_changed",
  "domain.dangling",
  "certificate.expiring",
  "certificate.invalid",
  "dnssec.ds_mismatch",
  "dnssec.broken",
  "dnssec.expiring_signatures",
  "record.change_failed",
  "record.review_due",
  "zone.changed",
  "zone.drift",
  "zone.secondary_behind",
  "zone.secondary_ahead",
  "zone.secondary_recovered",
  "mirror.failing",
  "mirror.recovered",
  "replacement.progress",
  "replacement.finished",
  "change.requested",
  "change.approved",
  "change.rejected",
  "change.applied",
  "change.failed",
  "security.new_sign_in",
  "security.factor_added",
  "security.factor_removed",
  "security.recovery_codes_replaced",
  "security.identity_added",
  "security.identity_removed",
  "security.token_created",
  "security.feed_created",
  "security.key_created",
  "security.access_revoked",
  "security.email_changed",
  "security.password_changed",
  "security.administrator_added",
  "security.sign_in_provider_changed",
  "channel.disabled",
] as const;

export type NotificationEvent = (typeof notificationEvents)[number];

/** When each event occurs, and who is notified in addition to subscribed channels. */
export const eventNotes: Readonly<Record<NotificationEvent, { when: string; to: string }>> = {
  "assignment.create": { when: "An administrator assigned a domain, or some of its hosts.", to: "the member" },
  "assignment.delete": {
    when: "An assignment was withdrawn or has ended, or its domain was deleted.",
    to: "the member",
  },
  "assignment.ending": { when: "An assignment ends within a day. Sent once.", to: "the member" },
  "assignment.request": { when: "A member requested an assignment.", to: "administrators" },
  "assignment.approve": { when: "A request was approved.", to: "the requester" },
  "assignment.reject": { when: "A request was rejected.", to: "the requester" },
  "domain.expiring": {
    when: "A registration expires soon. Sent once per date for each of the domain's `expiryRemindDays`.",
    to: "the domain's owner and administrators",
  },
  "domain.expired": {
    when: "A registration has expired. Sent once per date.",
    to: "the domain's owner and administrators",
  },
  "domain.expiry_check_failed": {
    when: "The daily lookup of an expiry date failed three times in a row. Sent once until a lookup succeeds. Beyond twenty domains a day, one notification covers the rest.",
    to: "the domain's owner and administrators",
  },
  "domain.registration_changed": {
    when: "The registrar, a status, the name servers or the DS records in a registration are not what the last lookup found, or its transfer lock or automatic renewal was turned on or off at the registrar and not here. Grace periods after a registration or renewal are not reported. Beyond twenty domains a day, one notification covers the rest.",
    to: "the domain's owner and administrators",
  },
  "domain.registration_change_failed": {
    when: "A registrar accepted a change of name servers, DS records, transfer lock or automatic renewal, and did not carry it out. Sent once. Beyond twenty domains a day, one notification to administrators covers the rest.",
    to: "the domain's owner, the user who made the change, and administrators",
  },
  "domain.delegation_changed": {
    when: "The NS, DS or glue records of a domain in the parent zone changed since the last check.",
    to: "the domain's owner and administrators",
  },
  "domain.dangling": {
    when: "Records of a domain point to names that do not exist or have no address. Sent once for each record while that lasts, and not while it is snoozed. At most 50 are sent within 24 hours.",
    to: "the domain's owner and administrators",
  },
  "certificate.expiring": {
    when: "Certificates of watched hosts expire soon. Sent once per certificate for each of the domain's `expiryRemindDays`, and once for all certificates of a check.",
    to: "the domain's owner and administrators",
  },
  "certificate.invalid": {
    when: "Watched hosts show certificates that have expired, are for other names, or lead to no known authority. Sent once per host and certificate, and once for all hosts of a check.",
    to: "the domain's owner and administrators",
  },
  "dnssec.ds_mismatch": {
    when: "No DS record in the parent zone matches a key of a domain, so validating resolvers refuse its names. Sent once while that lasts.",
    to: "the domain's owner and administrators",
  },
  "dnssec.broken": {
    when: "A domain does not validate for another reason, such as expired signatures. Sent once while that lasts.",
    to: "the domain's owner and administrators",
  },
  "dnssec.expiring_signatures": {
    when: "Signatures of a domain were not renewed in time: less than a twelfth of their lifetime is left. Sent once while that lasts.",
    to: "the domain's owner and administrators",
  },
  "record.change_failed": {
    when: "A change whose outcome was unknown turned out to have failed, partly or completely. Or PTR records could not follow a change of addresses after several attempts.",
    to: "the user who made the change, and the domain's owner; for PTR records also administrators and the reverse zone's owner",
  },
  "record.review_due": {
    when: "The review date of records has passed. Sent once per date, and once for all such records of a domain with the same owner.",
    to: "the record's owner if they can see the domain, else the domain's owner, else administrators",
  },
  "zone.changed": {
    when: "Records of a zone changed, whoever changed them. Channels can filter these, and receive them together every hour or day.",
    to: "no users",
  },
  "zone.drift": {
    when: "A zone differs from what its provider serves, or cannot be read there. Sent once until that changes.",
    to: "the domain's owner and administrators",
  },
  "zone.secondary_behind": {
    when: "A secondary has not served the newest version of zones for ten minutes. One notification for all zones of a secondary that fall behind in the same minute.",
    to: "administrators, and the domain's owner if it is one zone",
  },
  "zone.secondary_ahead": {
    when: "A secondary serves a newer serial than Zonewright has, as after a restore from a backup.",
    to: "administrators, and the domain's owner if it is one zone",
  },
  "zone.secondary_recovered": {
    when: "A secondary that was behind or ahead serves the newest version again.",
    to: "administrators, and the domain's owner if it is one zone",
  },
  "mirror.failing": {
    when: "A mirror of a domain could not be brought to its newest records three times in a row, or its provider asks for a pause of more than an hour. Sent once until it follows again.",
    to: "the domain's owner and administrators",
  },
  "mirror.recovered": {
    when: "A mirror that was reported as failing has the newest records again.",
    to: "the domain's owner and administrators",
  },
  "replacement.progress": {
    when: "A job for 20 or more domains, such as a replacement, has passed 25, 50 or 75 %. Not mailed to users.",
    to: "the user who started it",
  },
  "replacement.finished": {
    when: "A replacement, a change of a template in its linked domains, or a revert of one has ended or was stopped.",
    to: "the user who started it",
  },
  "change.requested": {
    when: "Somebody requested a change of a domain's records or registration, or a request's approval no longer counts.",
    to: "those who may review it: the domain's owner, administrators, and members whose assignments let them review all of it, but not the author",
  },
  "change.approved": { when: "A change request was approved.", to: "the author" },
  "change.rejected": { when: "A change request was rejected.", to: "the author, and those who had approved it" },
  "change.applied": { when: "A change request was applied.", to: "the author, and those who reviewed it" },
  "change.failed": {
    when: "A change request failed: its zone was no longer what was approved at the set time, a right was missing, or the provider refused.",
    to: "the author, those who reviewed it, and the domain's owner",
  },
  "security.new_sign_in": {
    when: "A sign-in with an IP address and user agent that none of the user's sessions has used.",
    to: "the user",
  },
  "security.factor_added": { when: "A passkey, an authenticator app or email codes were set up.", to: "the user" },
  "security.factor_removed": { when: "A passkey, an authenticator app or email codes were removed.", to: "the user" },
  "security.recovery_codes_replaced": { when: "New recovery codes were generated.", to: "the user" },
  "security.identity_added": { when: "An external identity was linked to the account.", to: "the user" },
  "security.identity_removed": {
    when: "An external identity was unlinked from the account. Not sent if its provider is deleted or moved.",
    to: "the user",
  },
  "security.token_created": { when: "A personal token was created.", to: "the user" },
  "security.feed_created": { when: "A calendar feed was created.", to: "the user" },
  "security.key_created": { when: "A TSIG key for DNS clients was created.", to: "the user" },
  "security.access_revoked": {
    when: "Ways to access the account were revoked, by an administrator or by the owner with a new password.",
    to: "the user",
  },
  "security.email_changed": { when: "The account's email address was changed.", to: "the user" },
  "security.password_changed": { when: "The password was changed, including by a mailed link.", to: "the user" },
  "security.administrator_added": {
    when: "A user became an administrator: created, registered with an invitation, promoted or enabled.",
    to: "administrators",
  },
  "security.sign_in_provider_changed": {
    when: "The configuration of an identity provider was created, changed or deleted.",
    to: "administrators",
  },
  "channel.disabled": {
    when: "A channel was disabled after two days of failed deliveries, or because its receiver returned 410 Gone.",
    to: "administrators",
  },
};

export const notificationLevels = ["info", "success", "warning", "error"] as const;

export type NotificationLevel = (typeof notificationLevels)[number];

interface OfDomain {
  domainId: string;
  domainName: string;
}

/** An assignment, or a request for one. Ids and names are null once the domain is gone. */
interface OfAssignment {
  type: "assignment" | "request";
  domainId: string | null;
  domainName: string | null;
  /** Glob pattern for hosts; `*`: all hosts. */
  subdomainPattern: string;
  /** The requested host. */
  host: string | null;
}

/** A secondary by its address, with the first of its zones by name; `zones` counts all that it concerns. */
interface OfSecondary extends OfDomain {
  address: string;
  zones: number;
}

/** A change of many domains. The numbers count domains. */
interface OfReplacement {
  jobId: string;
  kind: "replace" | "revert" | "template" | "portfolio";
  /** The job that it reverts. */
  revertsId: string | null;
  /** Why the changes are made; null if the user did not say. */
  message: string | null;
  total: number;
  done: number;
  failed: number;
  /** Not begun, because the job was stopped. */
  skipped: number;
}

interface OfChangeRequest {
  /** Null once the domain is deleted. */
  domainId: string | null;
  domainName: string;
  changeRequestId: string;
  number: number;
  requestTitle: string;
  /** Null once the user is deleted. */
  authorId: string | null;
  author: string | null;
  /** Who requested, approved, rejected or applied it; null: the service itself. */
  byUserId: string | null;
  by: string | null;
  /** What they wrote, or why it failed; null for nothing. */
  note: string | null;
  /** ISO 8601; null: at no set time. */
  applyAt: string | null;
}

interface OfRegistration extends OfDomain {
  /** ISO 8601. */
  expiresAt: string;
  /** Source of the date: `rdap`, `whois` or `manual`. */
  source: string | null;
}

/** Hosts with the certificates that they show. */
interface OfCertificates extends OfDomain {
  total: number;
  hosts: readonly {
    /** Relative to the domain. */
    host: string;
    port: number;
    /** ISO 8601; null: not known. */
    notAfter: string | null;
    issuer: string | null;
    /** What is wrong with it; null: nothing. */
    error: string | null;
  }[];
}

/** An account, and the IP address that made the change. */
interface OfAccount {
  userId: string;
  username: string;
  ip: string | null;
}

interface OfFactor extends OfAccount {
  /** `passkey`, `totp` or `email`. */
  method: string;
  /** A passkey's name. */
  name: string | null;
}

interface OfIdentity extends OfAccount {
  providerId: string;
  /** The provider's display name. */
  provider: string;
}

/** A change of a zone's records. */
export interface ZoneChanged extends OfDomain {
  changeSetId: string;
  revision: number;
  /** As in the history: `edit`, `bulk`, `sync`, and so on. */
  kind: string;
  /** Why it was made; null if nobody said. */
  message: string | null;
  /** The user's name; null for the service itself and for deleted users. */
  actor: string | null;
  means: "session" | "token" | "key" | "request" | "service";
  /** The token's name, the name of the TSIG key, or the number of the change request. */
  meansName: string | null;
  creates: number;
  updates: number;
  deletes: number;
  /** The first 50 records, before and after. */
  changes: readonly { action: string; recordId: string; before: ChangedRecord | null; after: ChangedRecord | null }[];
  /** When it was made, in ISO 8601. */
  at: string;
  /** The zone in the console. */
  url: string;
}

interface ChangedRecord {
  recordType: string;
  name: string;
  value: string;
  ttl: number;
}

/** The changes since a channel's last digest. */
interface ZoneDigest {
  digest: true;
  total: number;
  changes: readonly ZoneChanged[];
}

/** Who made a change; null if no one was signed in. */
interface Origin {
  byUserId: string | null;
  byUsername: string | null;
  ip: string | null;
}

interface OfMirror extends OfDomain {
  mirrorId: string;
  /** The name of its provider configuration. */
  configName: string;
  /** Why it fails; null: it recovered. */
  error: string | null;
}

/** The `metadata` of each event, for programs. */
export interface EventMetadata extends Record<NotificationEvent, object> {
  "assignment.create": OfAssignment;
  "assignment.delete": OfAssignment;
  "assignment.ending": OfAssignment;
  "assignment.request": OfAssignment;
  "assignment.approve": OfAssignment;
  "assignment.reject": OfAssignment;
  /** `days`: the reminder that was due; `daysLeft`: days until the registration expires. */
  "domain.expiring": OfRegistration & { days: number; daysLeft: number };
  "domain.expired": OfRegistration;
  "domain.expiry_check_failed": OfDomain & { reason: string };
  /** `changes`: the facts that differ, of `registrar`, `statuses`, `nameServers` and `ds` at the registry, with all of their values, and of `locked` and `autoRenew` at the registrar, each `on` or `off`. */
  "domain.registration_changed": OfDomain & {
    changes: readonly { fact: string; before: readonly string[]; after: readonly string[] }[];
  };
  /** `field`: one of `nameServers`, `ds`, `locked` and `autoRenew`. `acceptedAt`: in ISO 8601. `reason`: the registrar's; empty if it gave none. */
  "domain.registration_change_failed": OfDomain & {
    changes: readonly {
      field: string;
      before: readonly string[] | boolean;
      after: readonly string[] | boolean;
      acceptedAt: string;
      reason: string;
    }[];
  };
  /** `changed`: the sets that differ, of `nameServers`, `ds` and `glue`. Then what they are now. */
  "domain.delegation_changed": OfDomain & {
    changed: readonly string[];
    nameServers: readonly string[];
    /** In the form of zone files; null: not known. */
    ds: readonly string[] | null;
  };
  /** The first 20 records by name; `total` counts all. */
  "domain.dangling": OfDomain & {
    total: number;
    records: readonly { name: string; recordType: string; target: string }[];
  };
  /** The first 20 hosts by their end; `total` counts all. `days`: the nearest reminder that was due; `daysLeft`: days until the first one ends. */
  "certificate.expiring": OfCertificates & { days: number; daysLeft: number };
  /** The first 20 hosts by name; `total` counts all. */
  "certificate.invalid": OfCertificates;
  /** DS records as in a zone file: those of the parent zone, and those that it should have. */
  "dnssec.ds_mismatch": OfDomain & { parentDs: readonly string[]; dsToPublish: readonly string[] };
  "dnssec.broken": OfDomain & { reason: string };
  /** `expiresAt`: when the first one expires, in ISO 8601. */
  "dnssec.expiring_signatures": OfDomain & { expiresAt: string | null };
  /** `failed`: the number of failed changes. */
  "record.change_failed": OfDomain & { changeSetId: string; failed: number };
  /** The first 20 records by their review date, in ISO 8601; `total` counts all. */
  "record.review_due": OfDomain & {
    total: number;
    records: readonly { recordId: string; recordType: string; name: string; value: string; reviewAt: string }[];
  };
  /** One change. A digest has `digest: true`, `total`, and up to 100 of these in `changes`. */
  "zone.changed": ZoneChanged | ZoneDigest;
  /** The number of records that a sync would create, update and delete; or all 0 and, in `error`, why the zone cannot be read. */
  "zone.drift": OfDomain & { created: number; updated: number; deleted: number; error: string | null };
  "zone.secondary_behind": OfSecondary;
  "zone.secondary_ahead": OfSecondary;
  "zone.secondary_recovered": OfSecondary;
  "mirror.failing": OfMirror;
  "mirror.recovered": OfMirror;
  /** `percent`: 25, 50 or 75. */
  "replacement.progress": OfReplacement & { percent: number };
  "replacement.finished": OfReplacement & { state: "done" | "stopped" };
  "change.requested": OfChangeRequest;
  "change.approved": OfChangeRequest;
  "change.rejected": OfChangeRequest;
  "change.applied": OfChangeRequest;
  "change.failed": OfChangeRequest;
  "security.new_sign_in": { ip: string | null; userAgent: string | null };
  "security.factor_added": OfFactor;
  "security.factor_removed": OfFactor;
  "security.recovery_codes_replaced": OfAccount;
  "security.identity_added": OfIdentity;
  "security.identity_removed": OfIdentity;
  "security.token_created": OfAccount & { tokenId: string; name: string };
  "security.feed_created": OfAccount & { feedId: string; name: string };
  /** `name`: what its owner says it is for. */
  "security.key_created": OfAccount & { keyId: string; keyName: string; name: string | null; domainName: string };
  /** `ways`: what was revoked, such as `passkeys`. */
  "security.access_revoked": OfAccount & { ways: readonly string[] };
  "security.email_changed": OfAccount;
  "security.password_changed": OfAccount;
  /** `how`: the way they became an administrator; `invitationId`: set if they registered. */
  "security.administrator_added": Origin & {
    userId: string;
    username: string;
    how: "created" | "registered" | "promoted" | "enabled";
    invitationId: string | null;
  };
  /** `fields`: the names of the changed fields. */
  "security.sign_in_provider_changed": Origin & {
    configId: string;
    providerId: string;
    /** The provider's display name. */
    provider: string;
    change: "created" | "changed" | "deleted";
    fields: readonly string[];
  };
  "channel.disabled": { channelId: string; channelName: string; channel: string };
}

/** The users whom a notice addresses, for its other recipients. */
interface Addressed {
  users?: { id: string; username: string }[];
}

/** A notification whose `metadata` type depends on its `event`. */
export type TypedNotification = {
  [Event in NotificationEvent]: {
    id: string;
    event: Event;
    title: string;
    content: string;
    level: NotificationLevel;
    metadata: EventMetadata[Event] & (Event extends `security.${string}` | `assignment.${string}` ? Addressed : object);
    createdAt: Date;
    read: boolean;
  };
}[NotificationEvent];

/** A notice to send. Must not contain secrets. */
export interface Notice {
  event: NotificationEvent;
  title: string;
  content: string;
  level: NotificationLevel;
  /** Details for programs. */
  metadata: Readonly<Record<string, unknown>>;
  /** Recipients in the application and, if they opted in, by email. Channels receive every event that they subscribe to. */
  to: { userIds?: readonly string[]; administrators?: boolean };
  /** `separately`: the sender of the notice mails it to all recipients itself, regardless of their settings. */
  mailed?: "separately";
}

/** A notification's content, the same for all recipients. */
export interface NotificationContent {
  event: NotificationEvent;
  title: string;
  content: string;
  level: NotificationLevel;
  metadata: Readonly<Record<string, unknown>>;
  createdAt: Date;
}
