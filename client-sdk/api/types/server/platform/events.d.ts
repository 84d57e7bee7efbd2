export declare const notificationEvents: readonly ["assignment.create", "assignment.delete", "assignment.ending", "assignment.request", "assignment.approve", "assignment.reject", "domain.expiring", "domain.expired", "domain.expiry_check_failed", "domain.registration_changed", "domain.delegation_changed", "domain.dangling", "record.change_failed", "record.review_due", "zone.changed", "zone.drift", "zone.secondary_behind", "zone.secondary_ahead", "zone.secondary_recovered", "mirror.failing", "mirror.recovered", "replacement.progress", "replacement.finished", "change.requested", "change.approved", "change.rejected", "change.applied", "change.failed", "security.new_sign_in", "security.factor_added", "security.factor_removed", "security.recovery_codes_replaced", "security.identity_added", "security.identity_removed", "security.token_created", "security.key_created", "security.access_revoked", "security.email_changed", "security.password_changed", "security.administrator_added", "security.sign_in_provider_changed", "channel.disabled"];
export type NotificationEvent = (typeof notificationEvents)[number];
export declare const eventNotes: Readonly<Record<NotificationEvent, {
    when: string;
    to: string;
}>>;
export declare const notificationLevels: readonly ["info", "success", "warning", "error"];
export type NotificationLevel = (typeof notificationLevels)[number];
interface OfDomain {
    domainId: string;
    domainName: string;
}
interface OfAssignment {
    type: "assignment" | "request";
    domainId: string | null;
    domainName: string | null;
    subdomainPattern: string;
    host: string | null;
}
interface OfSecondary extends OfDomain {
    address: string;
    zones: number;
}
interface OfReplacement {
    jobId: string;
    kind: "replace" | "revert" | "template";
    revertsId: string | null;
    message: string | null;
    total: number;
    done: number;
    failed: number;
    skipped: number;
}
interface OfChangeRequest {
    domainId: string | null;
    domainName: string;
    changeRequestId: string;
    number: number;
    requestTitle: string;
    authorId: string | null;
    author: string | null;
    byUserId: string | null;
    by: string | null;
    note: string | null;
    applyAt: string | null;
}
interface OfRegistration extends OfDomain {
    expiresAt: string;
    source: string | null;
}
interface OfAccount {
    userId: string;
    username: string;
    ip: string | null;
}
interface OfFactor extends OfAccount {
    method: string;
    name: string | null;
}
interface OfIdentity extends OfAccount {
    providerId: string;
    provider: string;
}
export interface ZoneChanged extends OfDomain {
    changeSetId: string;
    revision: number;
    kind: string;
    message: string | null;
    actor: string | null;
    means: "session" | "token" | "key" | "request" | "service";
    meansName: string | null;
    creates: number;
    updates: number;
    deletes: number;
    changes: readonly {
        action: string;
        recordId: string;
        before: ChangedRecord | null;
        after: ChangedRecord | null;
    }[];
    at: string;
    url: string;
}
interface ChangedRecord {
    recordType: string;
    name: string;
    value: string;
    ttl: number;
}
interface ZoneDigest {
    digest: true;
    total: number;
    changes: readonly ZoneChanged[];
}
interface Origin {
    byUserId: string | null;
    byUsername: string | null;
    ip: string | null;
}
interface OfMirror extends OfDomain {
    mirrorId: string;
    configName: string;
    error: string | null;
}
export interface EventMetadata extends Record<NotificationEvent, object> {
    "assignment.create": OfAssignment;
    "assignment.delete": OfAssignment;
    "assignment.ending": OfAssignment;
    "assignment.request": OfAssignment;
    "assignment.approve": OfAssignment;
    "assignment.reject": OfAssignment;
    "domain.expiring": OfRegistration & {
        days: number;
        daysLeft: number;
    };
    "domain.expired": OfRegistration;
    "domain.expiry_check_failed": OfDomain & {
        reason: string;
    };
    "domain.registration_changed": OfDomain & {
        changes: readonly {
            fact: string;
            before: readonly string[];
            after: readonly string[];
        }[];
    };
    "domain.delegation_changed": OfDomain & {
        changed: readonly string[];
        nameServers: readonly string[];
        ds: readonly string[] | null;
    };
    "domain.dangling": OfDomain & {
        total: number;
        records: readonly {
            name: string;
            recordType: string;
            target: string;
        }[];
    };
    "record.change_failed": OfDomain & {
        changeSetId: string;
        failed: number;
    };
    "record.review_due": OfDomain & {
        total: number;
        records: readonly {
            recordId: string;
            recordType: string;
            name: string;
            value: string;
            reviewAt: string;
        }[];
    };
    "zone.changed": ZoneChanged | ZoneDigest;
    "zone.drift": OfDomain & {
        created: number;
        updated: number;
        deleted: number;
        error: string | null;
    };
    "zone.secondary_behind": OfSecondary;
    "zone.secondary_ahead": OfSecondary;
    "zone.secondary_recovered": OfSecondary;
    "mirror.failing": OfMirror;
    "mirror.recovered": OfMirror;
    "replacement.progress": OfReplacement & {
        percent: number;
    };
    "replacement.finished": OfReplacement & {
        state: "done" | "stopped";
    };
    "change.requested": OfChangeRequest;
    "change.approved": OfChangeRequest;
    "change.rejected": OfChangeRequest;
    "change.applied": OfChangeRequest;
    "change.failed": OfChangeRequest;
    "security.new_sign_in": {
        ip: string | null;
        userAgent: string | null;
    };
    "security.factor_added": OfFactor;
    "security.factor_removed": OfFactor;
    "security.recovery_codes_replaced": OfAccount;
    "security.identity_added": OfIdentity;
    "security.identity_removed": OfIdentity;
    "security.token_created": OfAccount & {
        tokenId: string;
        name: string;
    };
    "security.key_created": OfAccount & {
        keyId: string;
        keyName: string;
        name: string | null;
        domainName: string;
    };
    "security.access_revoked": OfAccount & {
        ways: readonly string[];
    };
    "security.email_changed": OfAccount;
    "security.password_changed": OfAccount;
    "security.administrator_added": Origin & {
        userId: string;
        username: string;
        how: "created" | "registered" | "promoted" | "enabled";
        invitationId: string | null;
    };
    "security.sign_in_provider_changed": Origin & {
        configId: string;
        providerId: string;
        provider: string;
        change: "created" | "changed" | "deleted";
        fields: readonly string[];
    };
    "channel.disabled": {
        channelId: string;
        channelName: string;
        channel: string;
    };
}
interface Addressed {
    users?: {
        id: string;
        username: string;
    }[];
}
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
export interface Notice {
    event: NotificationEvent;
    title: string;
    content: string;
    level: NotificationLevel;
    metadata: Readonly<Record<string, unknown>>;
    to: {
        userIds?: readonly string[];
        administrators?: boolean;
    };
    mailed?: "separately";
}
export interface NotificationContent {
    event: NotificationEvent;
    title: string;
    content: string;
    level: NotificationLevel;
    metadata: Readonly<Record<string, unknown>>;
    createdAt: Date;
}
export {};
