import type { z } from "zod";
import type { Egress } from "../../net/egress.ts";
import type { Mailer } from "../../mail/mailer.ts";
import type { NotificationLevel } from "../../platform/events.ts";

/** What a channel is told. */
export interface ChannelMessage {
  /** The same on each attempt. */
  id: string;
  event: string;
  title: string;
  content: string;
  level: NotificationLevel;
  metadata: Readonly<Record<string, unknown>>;
  createdAt: Date;
}

/** How an attempt ended. */
export type Outcome =
  | { ok: true }
  /** @property reason for people, without secrets. @property waitSeconds what the receiver asked for. @property gone the receiver wants nothing more, ever. @property refused it will never take this one. */
  | { ok: false; reason: string; waitSeconds?: number; gone?: boolean; refused?: boolean };

/** What kinds send with. */
export interface Ports {
  egress: Egress;
  mailer: Mailer;
  siteUrl: string;
  now: () => Date;
}

/** A kind of channel. */
export interface ChannelKind<Config extends object = object> {
  channel: string;
  /** What people call it. */
  label: string;
  schema: z.ZodType<Config>;
  /** Fields that are shown in this form, and kept when they come back in it. */
  masks: Readonly<Record<string, (value: string) => string>>;
  /** The most messages in a minute, where the receiver blocks who sends more; null: as they come. */
  mostPerMinute: number | null;
  /** Null for what is told within the application itself. */
  send: ((config: Config, message: ChannelMessage, ports: Ports) => Promise<Outcome>) | null;
}

export const hidden = "********";

/** A secret of which nothing is shown. */
export function hide(): string {
  return hidden;
}

/** An address that is as good as a password, of which only the host is shown. */
export function hideAddress(value: string): string {
  return URL.canParse(value) ? `${new URL(value).origin}/${hidden}` : hidden;
}
