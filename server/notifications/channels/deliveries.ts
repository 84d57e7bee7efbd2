import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import type { Told } from "../../platform/events.ts";
import type { ChannelMessage } from "./kind.ts";

const minute = 60_000;
const hour = 60 * minute;
/** For how long something is tried. */
const patienceMilliseconds = 48 * hour;
/** Before the second attempt, the third …; each further one waits ten hours. */
const waits = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour];
const furtherWait = 10 * hour;
/** A claim that its process did not end is free again after this. */
const claimMilliseconds = 10 * minute;
const claimedAtOnce = 40;
const keptMilliseconds = 14 * 24 * hour;

/** By what something goes: the one mail server, or a call to the receiver's own. Each has runs of its own, so that neither waits for the other. */
export type Transport = "mail" | "call";

/** How a channel's deliveries go; those to users go by mail. */
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

/** Takes what is due and goes this way, so that no other run tries it meanwhile; the oldest first. */
export async function claimDue(em: EntityManager, way: Transport, now: Date): Promise<Claimed[]> {
  const { rows } = await sql<{
    id: string;
    channel_id: string | null;
    user_id: string | null;
    attempts: number;
    notice: Omit<Told, "createdAt">;
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

/** When something is due next that may be claimed and goes this way; null when nothing waits. */
export async function nextDue(em: EntityManager, way: Transport): Promise<Date | null> {
  const row = await queries(em)
    .selectFrom("deliveries")
    .leftJoin("notification_channels", "notification_channels.id", "deliveries.channel_id")
    .select("next_attempt_at")
    .where("state", "=", "pending")
    // What was told while its channel was being disabled waits for nothing that will come.
    .where((eb) => eb.or([eb("channel_id", "is", null), eb("notification_channels.enabled", "=", true)]))
    .where((eb) =>
      eb(eb.fn.coalesce("notification_channels.channel", eb.val("email")), way === "mail" ? "=" : "<>", "email"),
    )
    .orderBy("next_attempt_at")
    .limit(1)
    .executeTakeFirst();
  return row?.next_attempt_at ?? null;
}

/** When to try again after a failed attempt; null when it has been tried for long enough. */
export function nextAttempt(
  { attempts, message }: Pick<Claimed, "attempts" | "message">,
  now: Date,
  waitSeconds = 0,
): Date | null {
  const last = message.createdAt.getTime() + patienceMilliseconds;
  if (now.getTime() >= last) return null;
  const wait = Math.max(waits[attempts] ?? furtherWait, waitSeconds * 1_000);
  return new Date(Math.min(now.getTime() + wait, last));
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

/** What was given up meanwhile stays so. @param next null: it is given up. */
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

/** Puts off what was claimed and not tried. */
export async function postpone(em: EntityManager, ids: readonly string[], until: Date): Promise<void> {
  if (ids.length === 0) return;
  await queries(em)
    .updateTable("deliveries")
    .set({ next_attempt_at: until })
    .where("id", "in", ids)
    .where("state", "=", "pending")
    .execute();
}

/** Puts off what is due for a target and was not claimed, so that a long queue is not one call after another to who does not answer. */
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

/** Gives up all that waits for a channel. */
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
    .where("finished_at", "<", new Date(now.getTime() - keptMilliseconds))
    .execute();
}
