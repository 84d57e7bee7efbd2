import type { ChannelKind } from "./kind.ts";
import { email } from "./kinds/email.ts";
import { dingtalk, feishu } from "./kinds/robots.ts";
import { slack } from "./kinds/slack.ts";
import { web } from "./kinds/web.ts";
import { webhook } from "./kinds/webhook.ts";

/** All channel kinds. */
export const channelNames = ["email", "webhook", "web", "dingtalk", "feishu", "slack"] as const;

export type ChannelName = (typeof channelNames)[number];

const kinds: Record<ChannelName, ChannelKind> = {
  email: email as ChannelKind,
  webhook: webhook as ChannelKind,
  web: web as ChannelKind,
  dingtalk: dingtalk as ChannelKind,
  feishu: feishu as ChannelKind,
  slack: slack as ChannelKind,
};

export function kindOf(channel: string): ChannelKind {
  const kind = kinds[channel as ChannelName];
  if (!kind) throw new Error(`Unknown channel kind ${channel}.`);
  return kind;
}
