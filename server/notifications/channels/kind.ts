import type { z } from "zod";
import type { Egress } from "../../platform/net/egress.ts";
import type { Mailer } from "../mail/outbox.ts";
import type { NotificationLevel } from "../../platform/events.ts";
import type { Digest, ZoneFilter } from "../../database/tables/notifications.ts";
import type { SecretCipher } from "../../platform/secret-cipher.ts";

/** A message to a channel. */
export interface ChannelMessage {
  /** Stays the same across attempts. */
  id: string;
  event: string;
  title: string;
  content: string;
  level: NotificationLevel;
  metadata: Readonly<Record<string, unknown>>;
  createdAt: Date;
  /** Addresses of the channel that earlier attempts reached. */
  reached?: readonly string[];
  /** Since when each attempt failed, as ISO 8601. Left out before the first one, and by earlier versions. */
  failingSince?: string;
}

/** Why a receiver did not take a message. */
interface Failure {
  /** Readable by people, without secrets and addresses. */
  reason: string;
  /** For which of the channel's addresses; default: all. Not for the log. */
  addresses?: readonly string[];
}

/** Outcome of a delivery attempt. */
export type Outcome =
  /** @property missed some of the channel's addresses, which will never accept this message */
  | { ok: true; missed?: Failure }
  /**
   * @property waitSeconds delay that the receiver asked for.
   * @property gone the receiver permanently accepts no more messages.
   * @property refused the receiver will never accept this message.
   * @property reached addresses of the channel that have the message. Only the others are tried again.
   * @property isAway no address of the channel could be reached by this attempt, whatever earlier ones reached.
   */
  | (Failure & {
      ok: false;
      waitSeconds?: number;
      gone?: boolean;
      refused?: boolean;
      reached?: readonly string[];
      isAway?: boolean;
    });

/** Returns why an attempt failed, for all addresses or some; null if it did not. */
export function failureOf(outcome: Outcome): string | null {
  const failure = outcome.ok ? outcome.missed : outcome;
  if (!failure) return null;
  const { reason, addresses } = failure;
  return addresses ? `${reason.replace(/\.$/, "")} for ${addresses.join(", ")}.` : reason;
}

/** Services that channel kinds use to send. */
export interface Ports {
  egress: Egress;
  mailer: Mailer;
  siteUrl: string;
  now: () => Date;
}

/** A kind of channel. */
export interface ChannelKind<Config extends object = object> {
  channel: string;
  /** Display name. */
  label: string;
  schema: z.ZodType<Config>;
  /** Fields that are returned masked. An update that sends the mask back leaves the field unchanged. */
  masks: Readonly<Record<string, (value: string) => string>>;
  /** Maximum messages per minute, if the receiver blocks senders that exceed it; null: unlimited. */
  mostPerMinute: number | null;
  /** Null for in-app channels. */
  send: ((config: Config, message: ChannelMessage, ports: Ports) => Promise<Outcome>) | null;
}

export const hidden = "********";

/** Masks a secret completely. */
export function hide(): string {
  return hidden;
}

/** Masks a URL that contains a secret, showing only its origin. */
export function hideAddress(value: string): string {
  return URL.canParse(value) ? `${new URL(value).origin}/${hidden}` : hidden;
}

/** When a channel receives changes of zones: each by itself, or together at the full hour or at midnight UTC. */
export const digests = ["immediate", "hourly", "daily"] as const satisfies readonly Digest[];

interface FilteredDomain {
  id: string;
  tags: readonly string[];
  groupName: string | null;
}

/** Returns whether a channel hears of changes in a domain, whatever their types. */
export function coversDomain({ domainIds, tags, groupNames }: ZoneFilter, domain: FilteredDomain): boolean {
  const carried = new Set(tags === undefined ? [] : domain.tags.map((tag) => tag.toLowerCase()));
  return (
    (domainIds === undefined || domainIds.includes(domain.id)) &&
    (tags === undefined || tags.some((tag) => carried.has(tag.toLowerCase()))) &&
    (groupNames === undefined || (domain.groupName !== null && groupNames.includes(domain.groupName)))
  );
}

/** Returns when a change that was made at a time is due. */
export function dueAt(digest: Digest, at: Date): Date {
  const span = { immediate: 0, hourly: 3_600_000, daily: 86_400_000 }[digest];
  return span === 0 ? at : new Date((Math.floor(at.getTime() / span) + 1) * span);
}

/** Error for settings that cannot be decrypted. */
export const unreadableConfig = "No key in SECRET_KEYS decrypts the channel's settings. Enter them again.";

export type ChannelConfig = Readonly<Record<string, unknown>>;

/** Encrypts channel settings at rest. They are encrypted as a whole because most contain URLs that work like passwords. */
export class ConfigCipher {
  readonly #box: SecretCipher;

  constructor(box: SecretCipher) {
    this.#box = box;
  }

  seal(id: string, config: ChannelConfig): string {
    return this.#box.seal(JSON.stringify(config), aadOf(id));
  }

  /** Decrypts settings; null if no key fits. */
  open(id: string, sealed: string): ChannelConfig | null {
    const opened = this.#box.open(sealed, aadOf(id));
    return opened.ok ? (JSON.parse(opened.text) as ChannelConfig) : null;
  }

  /** Re-encrypts settings with the newest key; null if no key decrypts them. */
  resealed(id: string, sealed: string): string | null {
    return this.#box.resealed(sealed, aadOf(id));
  }
}

/** Returns settings with secrets masked, for responses. */
export function masked({ masks }: ChannelKind, config: ChannelConfig): Record<string, unknown> {
  const shown = Object.entries(masks).flatMap(([name, mask]) =>
    typeof config[name] === "string" && config[name] !== "" ? [[name, mask(config[name])]] : [],
  );
  return { ...config, ...Object.fromEntries(shown) };
}

/** Applies an update to masked fields: an omitted, empty or masked value keeps the stored one; null removes it. */
export function merged({ masks }: ChannelKind, stored: ChannelConfig, given: ChannelConfig): ChannelConfig {
  const config: Record<string, unknown> = { ...given };
  for (const [name, mask] of Object.entries(masks)) {
    const before = stored[name];
    if (given[name] === null) delete config[name];
    else if (
      given[name] === undefined ||
      given[name] === "" ||
      (typeof before === "string" && given[name] === mask(before))
    ) {
      if (before === undefined) delete config[name];
      else config[name] = before;
    }
  }
  return config;
}

function aadOf(id: string): string[] {
  return ["notification_channels", id];
}
