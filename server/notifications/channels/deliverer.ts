import { RateLimiterRes, type RateLimiterAbstract } from "rate-limiter-flexible";
import { theService } from "../../access/caller.ts";
import type { Audit } from "../audit/audit.ts";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import type { MakeCounter } from "../../api/limits/requests.ts";
import type { Logger } from "../../platform/log.ts";
import type { Pause } from "../../platform/pause.ts";
import type { Notifications, TypedNotice } from "../notify.ts";
import {
  claimDue,
  delivered,
  failed,
  giveBack,
  giveUp,
  holdBack,
  lockChannel,
  nextDue,
  postpone,
  type Claimed,
  type Transport,
} from "./outbox.ts";
import { type Outcome, type Ports, failureOf, unreadableConfig, type ConfigCipher } from "./kind.ts";
import { kindOf } from "./kinds.ts";
import { noticeMail, sendMail } from "./kinds/email.ts";
import { Channels } from "./service.ts";

const lanesAtOnce = 8;
/** A run waits for deliveries due within this time; later ones are left to the next run. */
const soonMilliseconds = 20_000;
/** Maximum time per target and turn, so that a slow target neither blocks others nor lets claims expire. */
const laneMilliseconds = 30_000;
const minute = 60_000;
const hour = 60 * minute;
/** How long a delivery is retried. */
const retryPeriod = 48 * hour;
/** A delivery that is attempted so much later than it was due waited for the service, which was stopped. */
const stoppedPeriod = 2 * hour;
/** Delays before the second attempt, the third and so on; later attempts wait ten hours. */
const delays = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour];
const furtherDelay = 10 * hour;

interface Parts {
  way: Transport;
  database: Database;
  box: ConfigCipher;
  ports: Ports;
  makeCounter: MakeCounter;
  pause: Pause;
  notifications: Notifications;
  audit: Audit;
  log: Logger;
}

interface Target {
  /** Attempts one delivery. */
  send: (message: Claimed["message"]) => Promise<Outcome>;
  /** Returns the milliseconds until the next message may be sent; 0: now. */
  wait: () => Promise<number>;
  channel: { id: string; name: string; channel: string; lastSuccessAt: Date | null } | null;
}

/** Delivers stored notifications at least once: in order per target, with backoff after failures, and a final deadline. */
export class Deliverer {
  readonly #parts: Parts;
  readonly #counters = new Map<string, RateLimiterAbstract>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Runs until nothing on its transport is due. */
  async run(signal: AbortSignal): Promise<void> {
    const { way, database, ports, pause } = this.#parts;
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    while (!signal.aborted) {
      const due = await claimDue(database.fork(), way, ports.now());
      if (due.length > 0) {
        await this.#deliver(due, signal);
        continue;
      }
      const next = await nextDue(database.fork(), way);
      const wait = next === null ? Number.POSITIVE_INFINITY : next.getTime() - ports.now().getTime();
      if (wait > soonMilliseconds) return;
      await Promise.race([pause(Math.max(wait, 100)), aborted]);
    }
  }

  async #deliver(due: readonly Claimed[], signal: AbortSignal): Promise<void> {
    const lanes = [...Map.groupBy(due, ({ channelId, userId }) => channelId ?? userId ?? "").values()];
    const worker = async () => {
      for (let lane = lanes.shift(); lane; lane = lanes.shift()) await this.#apart(lane, signal);
    };
    await Promise.all(Array.from({ length: lanesAtOnce }, worker));
  }

  /** Isolates a target's faults from other targets. Its deliveries are retried when their claim expires. */
  async #apart(lane: readonly Claimed[], signal: AbortSignal): Promise<void> {
    try {
      await this.#lane(lane, signal);
    } catch (error) {
      this.#parts.log.error(
        { err: error, deliveries: lane.map(({ id }) => id) },
        "deliveries failed with an internal error and will be retried",
      );
    }
  }

  /**
   * Delivers a target's pending messages in order. A failure postpones the rest too, so that an unresponsive target is tried once.
   * If the failed message had failed before, the one with the fewest attempts is tried next: it shows whether the target rejects only
   * that message or all of them.
   */
  async #lane(lane: readonly Claimed[], signal: AbortSignal): Promise<void> {
    const { database, ports } = this.#parts;
    const [first] = lane;
    if (!first) return;
    const target = await this.#target(database.fork(), first);
    const ends = performance.now() + laneMilliseconds;
    const later = async (rest: readonly Claimed[], until: Date) => {
      const ids = rest.map(({ id }) => id);
      await postpone(database.fork(), ids, until);
      await holdBack(database.fork(), first, ports.now(), until);
    };
    let queue = [...lane];
    let held: Date | null = null;
    while (queue.length > 0) {
      if (signal.aborted || performance.now() > ends) {
        await giveBack(
          database.fork(),
          queue.map(({ id }) => id),
        );
        return;
      }
      const wait = await target.wait();
      if (wait > 0) {
        await later(queue, new Date(ports.now().getTime() + wait));
        return;
      }
      const [one, ...rest] = queue as [Claimed, ...Claimed[]];
      const next = await this.#settle(one, target, await this.#sent(one, target));
      if (next === "stop") return;
      if (next === "go on") {
        held = null;
        queue = rest;
      } else if (held === null && one.attempts > 0) {
        held = next;
        queue = leastTriedFirst(rest);
      } else {
        await (held === null ? later(rest, next) : later(queue, held));
        return;
      }
    }
    if (held !== null) await later([], held);
  }

  /** Turns an unexpected error into a failed attempt, so that it affects only this channel. */
  async #sent(one: Claimed, { send }: Pick<Target, "send">): Promise<Outcome> {
    try {
      return await send(one.message);
    } catch (error) {
      this.#parts.log.error({ err: error, delivery: one.id }, "a delivery failed with an internal error");
      return { ok: false, reason: "An internal error occurred. See the server log." };
    }
  }

  /** Records an outcome. @returns whether to go on or stop, or the time until which a failed target waits */
  async #settle(one: Claimed, { channel }: Target, outcome: Outcome): Promise<Date | "go on" | "stop"> {
    const { database, ports, log } = this.#parts;
    const now = ports.now();
    return await database.fork().transactional(async (tx) => {
      if (channel) await lockChannel(tx, channel.id);
      if (outcome.ok) {
        await delivered(tx, one.id, now, failureOf(outcome));
        if (outcome.missed)
          log.warn(
            { delivery: one.id, channel: channel?.name, reason: outcome.missed.reason },
            "a notification did not reach all addresses",
          );
        if (channel) {
          await succeeded(tx, channel.id, now);
          channel.lastSuccessAt = now;
        }
        return "go on";
      }
      const { reason, gone = false, refused = false, waitSeconds, reached = [], isAway = false } = outcome;
      // Retry a channel's refused deliveries for two days, so that an administrator can fix its settings.
      const since = failingSince(one, now);
      const next = gone || (refused && !channel) ? null : nextAttempt(one.attempts, { now, since, waitSeconds });
      await failed(tx, one.id, { reason: failureOf(outcome) ?? reason, next, reached, since, now });
      if (channel && reached.length > (one.message.reached?.length ?? 0)) {
        await succeeded(tx, channel.id, now);
        channel.lastSuccessAt = now;
      }
      log.warn(
        { delivery: one.id, channel: channel?.name, attempt: one.attempts + 1, next, reason },
        "a notification was not delivered",
      );
      // An address that does not take its mail holds up no message to the others.
      if (next !== null) return reached.length > 0 && !isAway ? "go on" : next;
      if (!channel) return "go on";
      const heardSince = channel.lastSuccessAt !== null && channel.lastSuccessAt >= one.message.createdAt;
      if (!gone && heardSince) return "go on";
      await this.#disable(tx, channel, gone ? "The receiver returned 410 Gone." : reason, now);
      return "stop";
    });
  }

  async #disable(tx: EntityManager, channel: NonNullable<Target["channel"]>, reason: string, now: Date): Promise<void> {
    const { id, name } = channel;
    const { numUpdatedRows } = await queries(tx)
      .updateTable("notification_channels")
      .set({ enabled: false, disabled_reason: reason, updated_at: now })
      .where("id", "=", id)
      .where("enabled", "=", true)
      .executeTakeFirstOrThrow();
    await giveUp(tx, id, "The channel was disabled.", now);
    if (numUpdatedRows === 0n) return;
    const event = { action: "channel.disable", targetType: "channel", targetId: id } as const;
    await this.#parts.audit.record(tx, theService, {
      ...event,
      before: { enabled: true },
      after: { enabled: false, reason },
    });
    await this.#parts.notifications.notify(tx, disabledNotice({ id, name, channel: channel.channel }, reason));
  }

  async #target(em: EntityManager, { channelId, userId }: Claimed): Promise<Target> {
    return channelId === null ? await this.#user(em, userId ?? "") : await this.#channel(em, channelId);
  }

  async #user(em: EntityManager, userId: string): Promise<Target> {
    const { ports } = this.#parts;
    const user = await queries(em)
      .selectFrom("users")
      .select("email")
      .where("id", "=", userId)
      .where("disabled_at", "is", null)
      .where("email_notifications_enabled", "=", true)
      .where("email_verified_by", "is not", null)
      .executeTakeFirst();
    const email = user?.email ?? null;
    return {
      channel: null,
      wait: () => Promise.resolve(0),
      send: async (message) =>
        email === null
          ? { ok: false, reason: "The user turned off email notifications.", gone: true }
          : await sendMail(ports, noticeMail(email, message, ports.siteUrl)),
    };
  }

  async #channel(em: EntityManager, channelId: string): Promise<Target> {
    const { ports, box } = this.#parts;
    const row = await queries(em)
      .selectFrom("notification_channels")
      .select(["id", "name", "channel", "config", "last_success_at"])
      .where("id", "=", channelId)
      .executeTakeFirst();
    const config = row ? box.open(row.id, row.config) : null;
    const unreadable: Outcome = { ok: false, reason: unreadableConfig };
    const { send, mostPerMinute } = row ? kindOf(row.channel) : { send: null, mostPerMinute: null };
    return {
      channel: row ? { id: row.id, name: row.name, channel: row.channel, lastSuccessAt: row.last_success_at } : null,
      wait: async () => (row && mostPerMinute !== null ? await this.#room(row.channel, row.id, mostPerMinute) : 0),
      send: async (message) => (config && send ? await send(config, message, ports) : unreadable),
    };
  }

  /** Consumes one message of a channel's rate limit per minute. @returns milliseconds to wait; 0 if it was consumed */
  async #room(kind: string, channelId: string, points: number): Promise<number> {
    const counter =
      this.#counters.get(kind) ?? this.#parts.makeCounter({ name: `channel-${kind}`, points, windowSeconds: 60 });
    this.#counters.set(kind, counter);
    try {
      await counter.consume(channelId);
      return 0;
    } catch (error) {
      if (error instanceof RateLimiterRes) return Math.max(error.msBeforeNext, 100);
      throw error;
    }
  }
}

/** Returns the notice to administrators about a channel that the service disabled. */
export function disabledNotice(
  { id, name, channel }: { id: string; name: string; channel: string },
  reason: string,
): TypedNotice<"channel.disabled"> {
  return {
    event: "channel.disabled",
    title: `The channel ${name} was disabled`,
    content: `Deliveries failed. ${reason} Correct the problem, then enable the channel again.`,
    level: "error",
    metadata: { channelId: id, channelName: name, channel },
    to: { administrators: true },
  };
}

/** Moves the delivery with the fewest attempts to the front. */
function leastTriedFirst(lane: readonly Claimed[]): Claimed[] {
  const [least] = lane.toSorted((a, b) => a.attempts - b.attempts);
  return least ? [least, ...lane.filter((one) => one !== least)] : [];
}

async function succeeded(tx: EntityManager, channelId: string, now: Date): Promise<void> {
  await queries(tx)
    .updateTable("notification_channels")
    .set({ last_success_at: now })
    .where("id", "=", channelId)
    .execute();
}

/** Returns when the attempts of a delivery began to fail. While the service was stopped, nobody knows whether they would have. */
function failingSince({ attempts, dueAt, message }: Claimed, now: Date): Date {
  const { createdAt, failingSince: since } = message;
  // A delivery that was given back is due since its creation.
  const isLate = now.getTime() - dueAt.getTime() > stoppedPeriod && dueAt.getTime() !== createdAt.getTime();
  if (attempts === 0 || isLate) return now;
  return since === undefined ? createdAt : new Date(since);
}

/** Returns the time of the next attempt after a failure; null once the retry period is over. */
function nextAttempt(
  attempts: number,
  { now, since, waitSeconds = 0 }: { now: Date; since: Date; waitSeconds: number | undefined },
): Date | null {
  const last = since.getTime() + retryPeriod;
  if (now.getTime() >= last) return null;
  const wait = Math.max(delays[attempts] ?? furtherDelay, waitSeconds * 1_000);
  return new Date(Math.min(now.getTime() + wait, last));
}

/** Builds the channel service and one deliverer per transport. */
export function composeChannels(parts: {
  box: ConfigCipher;
  ports: Ports;
  notifications: Notifications;
  database: Database;
  makeCounter: MakeCounter;
  audit: Audit;
  /** How to wait for the next attempt. */
  pause: Pause;
  log: Logger;
}) {
  const { box, ports, audit } = parts;
  return {
    channels: new Channels({ box, ports, audit }),
    deliverer: new Deliverer({ ...parts, way: "call" }),
    mailDeliverer: new Deliverer({ ...parts, way: "mail" }),
  };
}
