import type { z } from "zod";
import { sql } from "kysely";
import type { createChannelInput, deliveriesInput } from "./schemas.ts";
import type { Actor } from "../../access/caller.ts";
import { type Audit, changedFields } from "../audit/audit.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { ensureSealed } from "../../database/ensure-sealed.ts";
import { mapUniqueViolation } from "../../database/query-helpers.ts";
import { AppError, badField, nameTaken, notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import { configError } from "../../api/input-error.ts";
import type { Logger } from "../../platform/log.ts";
import type { NotificationEvent } from "../../platform/events.ts";
import type { WithShownConfig } from "./configs.ts";
import { deleteReports, giveUp, lockChannel } from "./outbox.ts";
import { NotificationChannel } from "../../database/tables/notifications.ts";
import {
  type ChannelKind,
  type Ports,
  failureOf,
  masked,
  merged,
  unreadableConfig,
  type ChannelConfig,
  type ConfigCipher,
} from "./kind.ts";
import { kindOf } from "./kinds.ts";

const shownDeliveries = 50;
const mostChannels = 200;

export type NewChannel = z.infer<typeof createChannelInput>;

interface Parts {
  box: ConfigCipher;
  ports: Ports;
  audit: Audit;
}

/** Manages notification channels for administrators. */
export class Channels {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list(em: EntityManager) {
    const channels = await em.findAll(NotificationChannel, { orderBy: { name: "asc" }, limit: mostChannels });
    return { configs: channels.map((channel) => this.#view(channel)) };
  }

  /** @throws AppError BAD_REQUEST with the field at fault, CONFLICT for a name that is taken */
  async create(em: EntityManager, actor: Actor, input: NewChannel) {
    const id = newId();
    const kind = kindOf(input.channel);
    const config = checked(kind, merged(kind, {}, input.config));
    const { channel, name, events, enabled, zoneFilter, digest } = input;
    refuseInAppChanges(channel, events);
    return await em.transactional(async (tx) => {
      if ((await tx.count(NotificationChannel)) >= mostChannels)
        throw new AppError(
          "CONFLICT",
          `There are already ${mostChannels} channels, which is the limit. Delete one first.`,
        );
      const now = this.#parts.ports.now();
      const times = { createdAt: now, updatedAt: now };
      const made = tx.create(NotificationChannel, {
        id,
        channel,
        name,
        config: this.#parts.box.seal(id, config),
        events,
        enabled,
        zoneFilter,
        digest,
        ...times,
      });
      await writeChannel(tx, made);
      await this.#parts.audit.record(tx, actor, {
        action: "channel.create",
        targetType: "channel",
        targetId: id,
        after: this.#auditedFields(made),
      });
      return this.#view(made);
    });
  }

  /** @throws AppError NOT_FOUND, BAD_REQUEST with the field at fault, CONFLICT for a name that is taken */
  async update(em: EntityManager, actor: Actor, id: string, patch: Partial<NewChannel>) {
    return await em.transactional(async (tx) => {
      await lockChannel(tx, id);
      const channel = await tx.findOne(NotificationChannel, { id });
      if (!channel) throw notFound("notification channel");
      if (patch.channel !== undefined && patch.channel !== channel.channel)
        throw badField(["channel"], "The kind of a channel cannot change. Create a new channel.");
      const before = this.#auditedFields(channel);
      if (patch.config) {
        const kind = kindOf(channel.channel);
        const config = checked(kind, merged(kind, this.#parts.box.open(id, channel.config) ?? {}, patch.config));
        channel.config = this.#parts.box.seal(id, config);
      }
      if (patch.name !== undefined) channel.name = patch.name;
      if (patch.events) channel.events = patch.events;
      refuseInAppChanges(channel.channel, channel.events);
      if (patch.zoneFilter !== undefined) channel.zoneFilter = patch.zoneFilter;
      if (patch.digest) channel.digest = patch.digest;
      if (patch.enabled !== undefined && patch.enabled !== channel.enabled) {
        channel.enabled = patch.enabled;
        channel.disabledReason = null;
        // Also when enabling: the channel receives only what happens from then on.
        await giveUp(tx, id, "The channel was disabled.", this.#parts.ports.now());
      }
      channel.updatedAt = this.#parts.ports.now();
      await writeChannel(tx, channel);
      const audited = changedFields(before, {
        ...this.#auditedFields(channel),
        ...(patch.config ? { configSet: true } : {}),
      });
      if (audited)
        await this.#parts.audit.record(tx, actor, {
          action: "channel.update",
          targetType: "channel",
          targetId: id,
          ...audited,
        });
      return this.#view(channel);
    });
  }

  /** Deletes a channel and its pending deliveries. @throws AppError NOT_FOUND */
  async delete(em: EntityManager, actor: Actor, id: string): Promise<void> {
    await em.transactional(async (tx) => {
      await lockChannel(tx, id);
      const channel = await tx.findOne(NotificationChannel, { id });
      if (!channel) throw notFound("notification channel");
      const before = this.#auditedFields(channel);
      // First, because the deletion itself makes others wait who hold one.
      await deleteReports(tx, id);
      await tx.remove(channel).flush();
      await this.#parts.audit.record(tx, actor, {
        action: "channel.delete",
        targetType: "channel",
        targetId: id,
        before,
      });
    });
  }

  /** Sends a test message immediately, even if the channel is disabled. @throws AppError NOT_FOUND */
  async test(em: EntityManager, id: string): Promise<{ success: boolean; error: string | null }> {
    const channel = await em.findOne(NotificationChannel, { id });
    if (!channel) throw notFound("notification channel");
    const { send, label } = kindOf(channel.channel);
    if (!send) return { success: true, error: null };
    const config = this.#parts.box.open(id, channel.config);
    if (!config) return { success: false, error: unreadableConfig };
    const message = {
      id: newId(),
      event: "test",
      title: "Test message",
      content: `If you can read this, the ${label} channel ${channel.name} works.`,
      level: "info" as const,
      metadata: { channelId: id, channelName: channel.name },
      createdAt: this.#parts.ports.now(),
    };
    const outcome = await send(config, message, this.#parts.ports);
    const error = failureOf(outcome);
    return { success: error === null, error };
  }

  /** @throws AppError NOT_FOUND */
  async deliveries(em: EntityManager, { id, state }: z.infer<typeof deliveriesInput>) {
    if ((await em.count(NotificationChannel, { id })) === 0) throw notFound("notification channel");
    const rows = await queries(em)
      .selectFrom("deliveries")
      .selectAll()
      .where("channel_id", "=", id)
      .$if(state !== undefined, (some) => some.where("state", "=", sql.lit(state)))
      .orderBy("id", "desc")
      .limit(shownDeliveries)
      .execute();
    return {
      deliveries: rows.map((row) => ({
        id: row.id,
        event: row.notice.event,
        title: row.notice.title,
        state: row.state,
        attempts: row.attempts,
        lastError: row.last_error,
        nextAttemptAt: row.next_attempt_at,
        createdAt: row.created_at,
        finishedAt: row.finished_at,
      })),
    };
  }

  /** Re-encrypts all settings with the newest key in SECRET_KEYS. */
  async ensureSealed(em: EntityManager, log: Logger): Promise<void> {
    await ensureSealed(em, log, {
      table: "notification_channels",
      column: "config",
      type: "text",
      id: "id",
      name: "name",
      of: "notification channels",
      resealed: ({ id, config }) => this.#parts.box.resealed(id, config),
    });
  }

  #view(channel: NotificationChannel) {
    const { id, name, events, enabled, digest, disabledReason = null, lastSuccessAt = null } = channel;
    const { zoneFilter = null, createdAt, updatedAt } = channel;
    const kind = kindOf(channel.channel);
    const config = masked(kind, this.#parts.box.open(id, channel.config) ?? {});
    const ofKind = { channel: channel.channel, config } as WithShownConfig<unknown>;
    const times = { lastSuccessAt, createdAt, updatedAt };
    return { id, ...ofKind, name, events, enabled, zoneFilter, digest, disabledReason, ...times };
  }

  /** Returns the audit trail's view of a channel, with masked settings. */
  #auditedFields(channel: NotificationChannel) {
    const { channel: kind, name, config, events, enabled, zoneFilter, digest } = this.#view(channel);
    return { channel: kind, name, config, events: [...events], enabled, zoneFilter, digest };
  }
}

/** @throws AppError BAD_REQUEST for a channel within the application: its users see zones change as it happens */
function refuseInAppChanges(channel: string, events: readonly NotificationEvent[]): void {
  if (channel === "web" && events.includes("zone.changed"))
    throw badField(
      ["events"],
      "zone.changed is for channels outside the application. Use another kind, or leave it out.",
    );
}

function checked(kind: ChannelKind, config: ChannelConfig): ChannelConfig {
  const parsed = kind.schema.safeParse(config);
  if (parsed.success) return parsed.data as ChannelConfig;
  throw configError(kind.label, parsed.error);
}

async function writeChannel(tx: EntityManager, { name }: NotificationChannel): Promise<void> {
  await mapUniqueViolation(tx.flush(), (cause) => nameTaken("notification channel", name, cause));
}
