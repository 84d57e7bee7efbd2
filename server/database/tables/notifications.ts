import { defineEntity, p } from "@mikro-orm/core";
import type { NotificationEvent, NotificationContent } from "../../platform/events.ts";

/** The changes of zones that a channel hears of. Each field that is given narrows them further; a list matches if one of its items does. */
export interface ZoneFilter {
  domainIds?: string[] | undefined;
  tags?: string[] | undefined;
  groupNames?: string[] | undefined;
  recordTypes?: string[] | undefined;
}

export type Digest = "immediate" | "hourly" | "daily";

/** An external destination for notifications. */
export const NotificationChannelSchema = defineEntity({
  name: "NotificationChannel",
  tableName: "notification_channels",
  properties: {
    id: p.uuid().primary(),
    channel: p.text(),
    name: p.text(),
    /** All settings, encrypted together. */
    config: p.text(),
    events: p.array().$type<NotificationEvent[]>(),
    /** Which changes of zones it hears of; null: all. */
    zoneFilter: p.json<ZoneFilter>().nullable(),
    digest: p.text().$type<Digest>(),
    enabled: p.boolean(),
    /** Why the service disabled it; null if a person did, or if it is enabled. */
    disabledReason: p.text().nullable(),
    lastSuccessAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class NotificationChannel extends NotificationChannelSchema.class {}
NotificationChannelSchema.setClass(NotificationChannel);

export type DeliveryState = "pending" | "delivered" | "failed";

/** A notification to one channel, or to one user by email. Stored in the transaction that caused it. */
export const DeliverySchema = defineEntity({
  name: "Delivery",
  tableName: "deliveries",
  properties: {
    /** The same for every attempt, so that receivers can detect duplicates. */
    id: p.uuid().primary(),
    channelId: p.uuid().nullable(),
    userId: p.uuid().nullable(),
    notice: p.json<Omit<NotificationContent, "createdAt">>(),
    state: p.text().$type<DeliveryState>(),
    attempts: p.integer(),
    nextAttemptAt: p.datetime().nullable(),
    lastError: p.text().nullable(),
    createdAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
  },
});

/** One audited action. The database refuses to change or delete it. */
export const AuditEntrySchema = defineEntity({
  name: "AuditEntry",
  tableName: "audit_entries",
  properties: {
    id: p.uuid().primary(),
    at: p.datetime(),
    actorId: p.uuid().nullable(),
    tokenId: p.uuid().nullable(),
    /** Name of the TSIG key that was used. */
    tsigKey: p.text().nullable(),
    action: p.text(),
    targetType: p.text(),
    targetId: p.uuid().nullable(),
    ip: p.text().nullable(),
    requestId: p.text().nullable(),
    before: p.json().nullable(),
    after: p.json().nullable(),
  },
});

class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);
