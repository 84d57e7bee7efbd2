import { sql } from "kysely";
import { jsonRows, queries, type EntityManager } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import type { Enqueue } from "../../ops/jobs/jobs.ts";
import type { NotificationContent } from "../../platform/events.ts";
import type { NotificationEvent } from "../../platform/events.ts";
import type { ConfigCipher } from "./kind.ts";
import { transportOf, type Transport } from "./deliveries.ts";
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
