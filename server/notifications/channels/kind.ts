import type { z } from "zod";
import type { Egress } from "../../platform/net/egress.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { NotificationLevel } from "../../platform/events.ts";

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
}

/** Outcome of a delivery attempt. */
export type Outcome =
  | { ok: true }
  /**
   * @property reason readable by people, without secrets.
   * @property waitSeconds delay that the receiver asked for.
   * @property gone the receiver permanently accepts no more messages.
   * @property refused the receiver will never accept this message.
   */
  | { ok: false; reason: string; waitSeconds?: number; gone?: boolean; refused?: boolean };

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
