import { sql } from "kysely";
import { jsonRows, queries, type EntityManager } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import type { Enqueue } from "../../ops/jobs/runner.ts";
import type { NotificationContent } from "../../platform/events.ts";
import type { NotificationEvent } from "../../platform/events.ts";
import type { ConfigCipher, ChannelMessage } from "./kind.ts";
import type { WebConfig } from "./kinds/web.ts";

/** Names of the jobs that deliver the outbox, by transport. */
export const deliverJobNames: Readonly<Record<Transport, string>> = { call: "channels.deliver", mail: "channels.mail" };

/** A notification's content, and the users who also receive it by email. */
export interface Outgoing {
  message: NotificationContent;
  /** Content for recipients whom the notice does not address. */
  messageForOthers: NotificationContent;
  mailTo: readonly string[];
}

/** Subscribers of a set of events. */
export interface Subscribers {
  /** Recipients of in-app channels, by event. */
  further: ReadonlyMap<NotificationEvent, Further>;
  /** External channels and the events that they subscribe to. */
  outside: readonly { id: string; channel: string; events: readonly NotificationEvent[] }[];
}

/** Additional in-app recipients. */
interface Further {
  userIds: readonly string[];
  administrators: boolean;
}

interface Parts {
  box: ConfigCipher;
  enqueue: Enqueue;
}

/** Stores outgoing deliveries in the transaction of the change they report, so that a crash after the commit loses none. */
export class Outbox {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async subscribers(em: EntityManager, events: readonly NotificationEvent[]): Promise<Subscribers> {
    const channels = await queries(em)
      .selectFrom("notification_channels")
      .select(["id", "channel", "config", "events"])
      .where("enabled", "=", true)
      .where(sql<boolean>`events && ${`{${events.join(",")}}`}::text[]`)
      .execute();
    const inside = channels.flatMap(({ id, channel, config, events: heard }) => {
      const opened = channel === "web" ? (this.#parts.box.open(id, config) as WebConfig | null) : null;
      return opened ? [{ heard, ...opened }] : [];
    });
    const further = events.map((event): [NotificationEvent, Further] => {
      const those = inside.filter(({ heard }) => heard.includes(event));
      const administrators = those.some((one) => one.administrators);
      return [event, { userIds: those.flatMap(({ userIds }) => userIds), administrators }];
    });
    return { further: new Map(further), outside: channels.filter(({ channel }) => channel !== "web") };
  }

  /** Stores a delivery to one channel. */
  async deliver(
    em: EntityManager,
    channel: { id: string; channel: string },
    message: NotificationContent,
  ): Promise<void> {
    const outside = [{ ...channel, events: [message.event] }];
    await this.write(em, { outside, further: new Map() }, [{ message, messageForOthers: message, mailTo: [] }]);
  }

  /** Stores a delivery for each subscribed external channel and for each user to be mailed. */
  async write(em: EntityManager, { outside }: Subscribers, outgoing: readonly Outgoing[]): Promise<void> {
    const rows = outgoing.flatMap(({ message, messageForOthers, mailTo }) => {
      const { createdAt, ...notice } = message;
      const { createdAt: _same, ...noticeForOthers } = messageForOthers;
      const row = { notice, created_at: createdAt, channel_id: null, user_id: null };
      return [
        ...outside.flatMap(({ id, channel, events }) =>
          events.includes(message.event)
            ? [{ ...row, notice: noticeForOthers, id: newId(), channel_id: id, way: transportOf(channel) }]
            : [],
        ),
        ...mailTo.map((userId) => ({ ...row, id: newId(), user_id: userId, way: "mail" as const })),
      ];
    });
    if (rows.length === 0) return;
    // Skip users and channels deleted concurrently, instead of failing the whole transaction.
    await sql`
      with row as (
        select * from ${jsonRows(rows)} as row (id uuid, channel_id uuid, user_id uuid, notice jsonb, created_at timestamptz)
      ), channel as (
        select id from notification_channels where id in (select channel_id from row) order by id for key share
      ), person as (
        select id from users where id in (select user_id from row) order by id for key share
      )
      insert into deliveries (id, channel_id, user_id, notice, state, next_attempt_at, created_at)
      select id, channel_id, user_id, notice, 'pending', created_at, created_at
      from row where channel_id in (select id from channel) or user_id in (select id from person)
    `.execute(queries(em));
    for (const way of new Set(rows.map((one) => one.way))) await this.#parts.enqueue(em, deliverJobNames[way], {});
  }
}

const minute = 60_000;
const hour = 60 * minute;
/** A claim expires after this time if its process has crashed. */
const claimMilliseconds = 10 * minute;
const claimedAtOnce = 40;
const claimedOfTarget = 10;
/** Among so many of the users' oldest due mails, each user gets a turn. */
const lookedAtOfUsers = 1_000;
const retentionMilliseconds = 14 * 24 * hour;

/** Transport of a delivery: the mail server, or an HTTP call to the receiver. Each has its own job runs, so neither delays the other. */
export type Transport = "mail" | "call";

/** Returns the transport of a channel's deliveries. Deliveries to users always go by mail. */
function transportOf(channel: string): Transport {
  return channel === "email" ? "mail" : "call";
}

export interface Claimed {
  id: string;
  channelId: string | null;
  userId: string | null;
  attempts: number;
  /** When it was to be attempted. */
  dueAt: Date;
  message: ChannelMessage;
}

/** A transport's channels. Nothing claims what was stored for a channel while it was being disabled. */
function receivers(way: Transport) {
  return sql`(
    select id from notification_channels where enabled and (channel = 'email') = ${way === "mail"}
  )`;
}

/**
 * Claims deliveries due on a transport, so that no other run attempts them: of each target the oldest few, so that a long queue of one does
 * not hold up the others. Returns them by age, oldest first.
 */
export async function claimDue(em: EntityManager, way: Transport, now: Date): Promise<Claimed[]> {
  const { rows } = await sql<{
    id: string;
    channel_id: string | null;
    user_id: string | null;
    attempts: number;
    notice: Omit<NotificationContent, "createdAt"> & Pick<ChannelMessage, "reached" | "failingSince">;
    created_at: Date;
    due_at: Date;
  }>`
    with due as (
      select one.id, one.next_attempt_at,
        row_number() over (partition by channel.id order by one.next_attempt_at, one.id) as turn
      from ${receivers(way)} as channel
      cross join lateral (
        select id, next_attempt_at from deliveries
        where channel_id = channel.id and state = 'pending' and next_attempt_at <= ${now}
        order by next_attempt_at, id
        limit ${claimedOfTarget}
      ) as one
      union all
      select one.id, one.next_attempt_at,
        row_number() over (partition by one.user_id order by one.next_attempt_at, one.id) as turn
      from (
        select id, user_id, next_attempt_at from deliveries
        where ${way === "mail"} and channel_id is null and state = 'pending' and next_attempt_at <= ${now}
        order by channel_id, next_attempt_at, id
        limit ${lookedAtOfUsers}
      ) as one
    )
    update deliveries set next_attempt_at = ${new Date(now.getTime() + claimMilliseconds)}
    from (
      select id, next_attempt_at as due_at from deliveries
      where state = 'pending' and next_attempt_at <= ${now} and id = any(array(
        select id from due where turn <= ${claimedOfTarget} order by turn, next_attempt_at, id limit ${claimedAtOnce}
      ))
      for update skip locked
    ) as claimed
    where deliveries.id = claimed.id
    returning deliveries.id, channel_id, user_id, attempts, notice, created_at, due_at
  `.execute(queries(em));
  return rows
    .map(({ id, channel_id: channelId, user_id: userId, attempts, notice, created_at: createdAt, due_at: dueAt }) => ({
      id,
      channelId,
      userId,
      attempts,
      dueAt,
      message: { ...notice, id, createdAt },
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns when the next claimable delivery on a transport is due; null if none is pending. */
export async function nextDue(em: EntityManager, way: Transport): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select least(
      (
        select min(one.next_attempt_at) from ${receivers(way)} as channel
        cross join lateral (
          select next_attempt_at from deliveries
          where channel_id = channel.id and state = 'pending'
          order by next_attempt_at
          limit 1
        ) as one
      ),
      (
        select next_attempt_at from deliveries
        where ${way === "mail"} and channel_id is null and state = 'pending'
        order by channel_id, next_attempt_at
        limit 1
      )
    ) as at
  `.execute(queries(em));
  return rows[0]?.at ?? null;
}

/**
 * Locks a channel, before its deliveries and reports. Who holds a report, as the deletion of a domain does, and stores a delivery to the
 * channel does not wait for it: no key of the channel changes.
 */
export async function lockChannel(em: EntityManager, id: string): Promise<void> {
  await queries(em).selectFrom("notification_channels").select("id").where("id", "=", id).forNoKeyUpdate().execute();
}

/** Deletes the changes that wait for a channel's next digest. */
export async function deleteReports(em: EntityManager, channelId: string): Promise<void> {
  await queries(em).deleteFrom("change_reports").where("channel_id", "=", channelId).execute();
}

/** Records a delivery. @param missed why some addresses of the channel did not receive it; null: all did */
export async function delivered(em: EntityManager, id: string, now: Date, missed: string | null): Promise<void> {
  await queries(em)
    .updateTable("deliveries")
    .set((eb) => ({
      state: "delivered" as const,
      attempts: eb("attempts", "+", 1),
      next_attempt_at: null,
      last_error: missed,
      finished_at: now,
    }))
    .where("id", "=", id)
    .execute();
}

/**
 * Records a failed attempt; a delivery abandoned meanwhile stays abandoned.
 * @param attempt.next null: abandon the delivery
 * @param attempt.reached addresses that have the message
 * @param attempt.since when the attempts began to fail
 */
export async function failed(
  em: EntityManager,
  id: string,
  {
    reason,
    next,
    reached = [],
    since,
    now,
  }: { reason: string; next: Date | null; reached?: readonly string[]; since: Date; now: Date },
): Promise<void> {
  await queries(em)
    .updateTable("deliveries")
    .set((eb) => ({
      attempts: eb("attempts", "+", 1),
      last_error: reason,
      next_attempt_at: next,
      notice: sql`notice || ${JSON.stringify({ failingSince: since, ...(reached.length > 0 && { reached }) })}::jsonb`,
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

/** Gives back deliveries that were claimed but not attempted. They are due at once, before the target's later ones. */
export async function giveBack(em: EntityManager, ids: readonly string[]): Promise<void> {
  await queries(em)
    .updateTable("deliveries")
    .set((eb) => ({ next_attempt_at: eb.ref("created_at") }))
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

/** Abandons a channel's pending deliveries, and the changes that wait for its next digest. */
export async function giveUp(em: EntityManager, channelId: string, reason: string, now: Date): Promise<void> {
  await queries(em)
    .updateTable("deliveries")
    .set({ state: "failed", next_attempt_at: null, last_error: reason, finished_at: now })
    .where("channel_id", "=", channelId)
    .where("state", "=", "pending")
    .execute();
  await deleteReports(em, channelId);
}

export async function deleteOldDeliveries(em: EntityManager, now: Date): Promise<void> {
  await queries(em)
    .deleteFrom("deliveries")
    .where("state", "<>", "pending")
    .where("finished_at", "<", new Date(now.getTime() - retentionMilliseconds))
    .execute();
}
