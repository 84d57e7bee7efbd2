import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { jsonRows } from "../../database/json-rows.ts";
import { newId } from "../../platform/ids.ts";
import type { Enqueue } from "../../jobs/jobs.ts";
import type { Told } from "../../platform/events.ts";
import type { NotificationEvent } from "../../platform/events.ts";
import type { ConfigCipher } from "./config-cipher.ts";
import { transportOf, type Transport } from "./deliveries.ts";
import type { WebConfig } from "./kinds/web.ts";

/** The jobs that bring out what is written down here. */
export const deliverJobNames: Readonly<Record<Transport, string>> = { call: "channels.deliver", mail: "channels.mail" };

/** What is told, and who is to have it by e-mail as well. */
export interface Outgoing {
  told: Told;
  /** The same for people whom it does not address. */
  toldOthers: Told;
  mailTo: readonly string[];
}

/** Who subscribes to some events. */
export interface Subscribers {
  /** Whom channels within the application tell, by event. */
  further: ReadonlyMap<NotificationEvent, Further>;
  /** Channels that lead outside, and what they hear. */
  outside: readonly { id: string; channel: string; events: readonly NotificationEvent[] }[];
}

/** Further people who are told within the application. */
interface Further {
  userIds: readonly string[];
  administrators: boolean;
}

/** Writes down, with what it tells of, what is to go out: a crash after the commit loses none of it. */
export class Outbox {
  readonly #box: ConfigCipher;
  readonly #enqueue: Enqueue;

  constructor(parts: { box: ConfigCipher; enqueue: Enqueue }) {
    this.#box = parts.box;
    this.#enqueue = parts.enqueue;
  }

  async subscribers(em: EntityManager, events: readonly NotificationEvent[]): Promise<Subscribers> {
    const channels = await queries(em)
      .selectFrom("notification_channels")
      .select(["id", "channel", "config", "events"])
      .where("enabled", "=", true)
      .where(sql<boolean>`events && ${`{${events.join(",")}}`}::text[]`)
      .execute();
    const inside = channels.flatMap(({ id, channel, config, events: heard }) => {
      const opened = channel === "web" ? (this.#box.open(id, config) as WebConfig | null) : null;
      return opened ? [{ heard, ...opened }] : [];
    });
    const further = events.map((event): [NotificationEvent, Further] => {
      const those = inside.filter(({ heard }) => heard.includes(event));
      const administrators = those.some((one) => one.administrators);
      return [event, { userIds: those.flatMap(({ userIds }) => userIds), administrators }];
    });
    return { further: new Map(further), outside: channels.filter(({ channel }) => channel !== "web") };
  }

  /** Gives each to the channels that subscribe to it, and to the logs of those who wish it. */
  async write(em: EntityManager, { outside }: Subscribers, outgoing: readonly Outgoing[]): Promise<void> {
    const rows = outgoing.flatMap(({ told, toldOthers, mailTo }) => {
      const { createdAt, ...notice } = told;
      const { createdAt: _same, ...noticeForOthers } = toldOthers;
      const row = { notice, created_at: createdAt, channel_id: null, user_id: null };
      return [
        ...outside.flatMap(({ id, channel, events }) =>
          events.includes(told.event)
            ? [{ ...row, notice: noticeForOthers, id: newId(), channel_id: id, way: transportOf(channel) }]
            : [],
        ),
        ...mailTo.map((userId) => ({ ...row, id: newId(), user_id: userId, way: "mail" as const })),
      ];
    });
    if (rows.length === 0) return;
    // A user or channel that is deleted at this moment is told nothing; it does not undo what was to be told.
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
    for (const way of new Set(rows.map((one) => one.way))) await this.#enqueue(em, deliverJobNames[way], {});
  }
}
