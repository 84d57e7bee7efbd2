import type { NotificationEvent, NotificationLevel } from "./notify.ts";

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
  /** How many records a sync would create, update and delete. */
  "zone.drift": OfDomain & { created: number; updated: number; deleted: number };
  "security.new_sign_in": { ip: string | null; userAgent: string | null };
  "security.factor_added": OfFactor;
  "security.factor_removed": OfFactor;
  "security.recovery_codes_replaced": OfAccount;
  "security.identity_added": OfIdentity;
  "security.identity_removed": OfIdentity;
  "security.token_created": OfAccount & { tokenId: string; name: string };
  "security.email_changed": OfAccount;
  "security.password_changed": OfAccount;
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
