// Clients see these types: nothing else of the server may be named here.

/** What users and channels can be told of. */
export const notificationEvents = [
  "assignment.create",
  "assignment.delete",
  "assignment.request",
  "assignment.approve",
  "assignment.reject",
  "domain.expiring",
  "domain.expired",
  "domain.expiry_check_failed",
  "record.change_failed",
  "zone.drift",
  "security.new_sign_in",
  "security.factor_added",
  "security.factor_removed",
  "security.recovery_codes_replaced",
  "security.identity_added",
  "security.identity_removed",
  "security.token_created",
  "security.access_revoked",
  "security.email_changed",
  "security.password_changed",
  "security.administrator_added",
  "security.sign_in_provider_changed",
  "channel.disabled",
] as const;

export type NotificationEvent = (typeof notificationEvents)[number];

/** When it is told, and who is told beside the channels that subscribe to it. */
export const eventNotes: Readonly<Record<NotificationEvent, { when: string; to: string }>> = {
  "assignment.create": { when: "An administrator assigned a domain, or some of its hosts.", to: "the member" },
  "assignment.delete": { when: "An assignment was taken back, or its domain deleted.", to: "the member" },
  "assignment.request": { when: "A member asks for an assignment.", to: "administrators" },
  "assignment.approve": { when: "A request was approved.", to: "who asked" },
  "assignment.reject": { when: "A request was rejected.", to: "who asked" },
  "domain.expiring": {
    when: "A registration ends soon: once for each date and each of the domain's `expiryRemindDays`.",
    to: "the domain's owner and administrators",
  },
  "domain.expired": {
    when: "A registration has ended: once for each date.",
    to: "the domain's owner and administrators",
  },
  "domain.expiry_check_failed": {
    when: "The daily look-up of an expiry date came to nothing three times: once until one succeeds. Beyond twenty domains in a day, one notice stands for all.",
    to: "the domain's owner and administrators",
  },
  "record.change_failed": {
    when: "A change whose outcome was not known at first turned out to have failed, in part or as a whole.",
    to: "who made the change, and the domain's owner",
  },
  "zone.drift": {
    when: "A zone was found to differ from what its provider serves, or cannot be read there: once until that changes.",
    to: "the domain's owner and administrators",
  },
  "security.new_sign_in": {
    when: "A sign-in from an address and program that none of the user's sessions came from.",
    to: "the user",
  },
  "security.factor_added": { when: "A passkey, an authenticator app or codes by e-mail were set up.", to: "the user" },
  "security.factor_removed": { when: "One of these was removed.", to: "the user" },
  "security.recovery_codes_replaced": { when: "New recovery codes were made.", to: "the user" },
  "security.identity_added": { when: "An identity provider was bound to the account.", to: "the user" },
  "security.identity_removed": { when: "An identity provider was unbound.", to: "the user" },
  "security.token_created": { when: "A personal token was made.", to: "the user" },
  "security.access_revoked": {
    when: "An administrator took ways into the account away, or its owner did with a new password.",
    to: "the user",
  },
  "security.email_changed": { when: "The account's e-mail address was changed.", to: "the user" },
  "security.password_changed": { when: "The password was changed, also by a mailed link.", to: "the user" },
  "security.administrator_added": {
    when: "An administrator was added or enabled, registered with an invitation, or a member became one.",
    to: "administrators",
  },
  "security.sign_in_provider_changed": {
    when: "The configuration of an identity provider was created, changed or deleted.",
    to: "administrators",
  },
  "channel.disabled": {
    when: "A channel took nothing for two days, or wants nothing more, and was disabled.",
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
  /** Glob on the host; `*`: all hosts. */
  subdomainPattern: string;
  /** The host that was asked for. */
  host: string | null;
}

interface OfRegistration extends OfDomain {
  /** ISO 8601. */
  expiresAt: string;
  /** Where the date comes from: `rdap`, `whois` or `manual`. */
  source: string | null;
}

/** An account, and the address that the change came from. */
interface OfAccount {
  userId: string;
  username: string;
  ip: string | null;
}

interface OfFactor extends OfAccount {
  /** `passkey`, `totp` or `email`. */
  method: string;
  /** What its owner calls a passkey. */
  name: string | null;
}

interface OfIdentity extends OfAccount {
  providerId: string;
  /** The provider's name to show. */
  provider: string;
}

/** Who made a change; null where nobody was signed in. */
interface Origin {
  byUserId: string | null;
  byUsername: string | null;
  ip: string | null;
}

/** What each event tells programs under `metadata`. */
export interface EventMetadata extends Record<NotificationEvent, object> {
  "assignment.create": OfAssignment;
  "assignment.delete": OfAssignment;
  "assignment.request": OfAssignment;
  "assignment.approve": OfAssignment;
  "assignment.reject": OfAssignment;
  /** `days`: the reminder's; `daysLeft`: until the registration ends. */
  "domain.expiring": OfRegistration & { days: number; daysLeft: number };
  "domain.expired": OfRegistration;
  "domain.expiry_check_failed": OfDomain & { reason: string };
  /** `failed`: how many changes. */
  "record.change_failed": OfDomain & { changeSetId: string; failed: number };
  /** How many records a sync would create, update and delete; or, with all of them 0, in `error` why the zone cannot be read. */
  "zone.drift": OfDomain & { created: number; updated: number; deleted: number; error: string | null };
  "security.new_sign_in": { ip: string | null; userAgent: string | null };
  "security.factor_added": OfFactor;
  "security.factor_removed": OfFactor;
  "security.recovery_codes_replaced": OfAccount;
  "security.identity_added": OfIdentity;
  "security.identity_removed": OfIdentity;
  "security.token_created": OfAccount & { tokenId: string; name: string };
  /** `ways`: what was taken away, such as `passkeys`. */
  "security.access_revoked": OfAccount & { ways: readonly string[] };
  "security.email_changed": OfAccount;
  "security.password_changed": OfAccount;
  /** `how` they became one; `invitationId`: of those who registered. */
  "security.administrator_added": Origin & {
    userId: string;
    username: string;
    how: "created" | "registered" | "promoted" | "enabled";
    invitationId: string | null;
  };
  /** `fields`: the names of what changed. */
  "security.sign_in_provider_changed": Origin & {
    configId: string;
    providerId: string;
    /** The provider's name to show. */
    provider: string;
    change: "created" | "changed" | "deleted";
    fields: readonly string[];
  };
  "channel.disabled": { channelId: string; channelName: string; channel: string };
}

/** The people whom a notice addresses, for others who read it. */
interface Addressed {
  users?: { id: string; username: string }[];
}

/** A notification whose `event` tells what its `metadata` has. */
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
