import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import type { NotificationContent } from "../../platform/events.ts";
import type { ChannelMessage } from "./kind.ts";

const minute = 60_000;
const hour = 60 * minute;
/** A claim expires after this time if its process has crashed. */
const claimMilliseconds = 10 * minute;
const claimedAtOnce = 40;
const retentionMilliseconds = 14 * 24 * hour;

/** Transport of a delivery: the mail server, or an HTTP call to the receiver. Each has its own job runs, so neither delays the other. */
export type Transport = "mail" | "call";

/** Returns the transport of a channel's deliveries. Deliveries to users always go by mail. */
export function transportOf(channel: string): Transport {
  return channel === "email" ? "mail" : "call";
}

export interface Claimed {
  id: string;
  channelId: string | null;
  userId: string | null;
  attempts: number;
  message: ChannelMessage;
}

/** Claims the deliveries due on a transport, earliest due first, so that no other run attempts them. Returns them by age, oldest first. */
export async function claimDue(em: EntityManager, way: Transport, now: Date): Promise<Claimed[]> {
  const { rows } = await sql<{
    id: string;
    channel_id: string | null;
    user_id: string | null;
    attempts: number;
    notice: Omit<NotificationContent, "createdAt">;
    created_at: Date;
  }>`
    update deliveries set next_attempt_at = ${new Date(now.getTime() + claimMilliseconds)}
    where id in (
      select due.id from deliveries due
      left join notification_channels on notification_channels.id = due.channel_id
      where due.state = 'pending' and due.next_attempt_at <= ${now}
        and (due.channel_id is null or notification_channels.enabled)
        and (coalesce(notification_channels.channel, 'email') = 'email') = ${way === "mail"}
      order by due.next_attempt_at, due.id
      limit ${claimedAtOnce}
      for update of due skip locked
    )
    returning id, channel_id, user_id, attempts, notice, created_at
  `.execute(queries(em));
  return rows
    .map(({ id, channel_id: channelId, user_id: userId, attempts, notice, created_at: createdAt }) => ({
      id,
      channelId,
      userId,
      attempts,
      message: { ...notice, id, createdAt },
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns when the next claimable delivery on a transport is due; null if none is pending. */
export async function nextDue(em: EntityManager, way: Transport): Promise<Date | null> {
  const row = await queries(em)
    .selectFrom("deliveries")
    .leftJoin("notification_channels", "notification_channels.id", "deliveries.channel_id")
    .select("next_attempt_at")
    .where("state", "=", "pending")
    // Ignore deliveries that were added while their channel was being disabled: nothing will claim them.
    .where((eb) => eb.or([eb("channel_id", "is", null), eb("notification_channels.enabled", "=", true)]))
    .where((eb) =>
      eb(eb.fn.coalesce("notification_channels.channel", eb.val("email")), way === "mail" ? "=" : "<>", "email"),
    )
    .orderBy("next_attempt_at")
    .limit(1)
    .executeTakeFirst();
  return row?.next_attempt_at ?? null;
}

export async function delivered(em: EntityManager, id: string, now: Date): Promise<void> {
  await queries(em)
    .updateTable("deliveries")
    .set((eb) => ({
      state: "delivered" as const,
      attempts: eb("attempts", "+", 1),
      next_attempt_at: null,
      last_error: null,
      finished_at: now,
    }))
    .where("id", "=", id)
    .execute();
}

/** Records a failed attempt; a delivery abandoned meanwhile stays abandoned. @param next null: abandon the delivery */
export async function failed(
  em: EntityManager,
  id: string,
  { reason, next, now }: { reason: string; next: Date | null; now: Date },
): Promise<void> {
  await queries(em)
    .updateTable("deliveries")
    .set((eb) => ({
      attempts: eb("attempts", "+", 1),
      last_error: reason,
      next_attempt_at: next,
      ...(next === null ? { state: "failed" as const, finished_at: now } : {}),
    }))
    .where("id", "=", id)
    .where("state", "=", "pending")
    .execute();
}

/** Postpones deliveries that were claimed but not attempted. */
export async function postpone(em: EntityManager, ids: readonly string[], until: Date): Promise<void> {
  if (ids.length === 0) return;
  await queries(em)
    .updateTable("deliveries")
    .set({ next_attempt_at: until })
    .where("id", "in", ids)
    .where("state", "=", "pending")
    .execute();
}

/** Postpones a target's due deliveries that were not claimed, so that a long queue does not keep calling an unresponsive target. */
export async function holdBack(
  em: EntityManager,
  { channelId, userId }: Pick<Claimed, "channelId" | "userId">,
  now: Date,
  until: Date,
): Promise<void> {
  await queries(em)
    .updateTable("deliveries")
    .set({ next_attempt_at: until })
    .where(channelId === null ? "user_id" : "channel_id", "=", channelId ?? userId)
    .where("state", "=", "pending")
    .where("next_attempt_at", "<=", now)
    .execute();
}

/** Abandons a channel's pending deliveries. */
export async function giveUp(em: EntityManager, channelId: string, reason: string, now: Date): Promise<void> {
  await queries(em)
    .updateTable("deliveries")
    .set({ state: "failed", next_attempt_at: null, last_error: reason, finished_at: now })
    .where("channel_id", "=", channelId)
    .where("state", "=", "pending")
    .execute();
}

export async function deleteOldDeliveries(em: EntityManager, now: Date): Promise<void> {
  await queries(em)
    .deleteFrom("deliveries")
    .where("state", "<>", "pending")
    .where("finished_at", "<", new Date(now.getTime() - retentionMilliseconds))
    .execute();
}
