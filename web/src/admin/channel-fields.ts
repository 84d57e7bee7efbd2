import type { RouterOutputs } from "@zonewright/client";
import { adminWords } from "../words/admin.ts";

/** A channel, with its secrets masked. */
export type Channel = RouterOutputs["channels"]["list"]["configs"][number];
export type ChannelKind = Channel["channel"];
export type ChannelEvent = Channel["events"][number];

export const channelKinds = ["webhook", "slack", "email", "dingtalk", "feishu", "web"] as const;

/** What the settings of all kinds say, as texts. A kind shows those of its own. */
export interface ChannelSettings {
  url: string;
  webhookUrl: string;
  secret: string;
  /** Addresses, separated by commas. */
  to: string;
  /** The ids of users, separated by commas. */
  userIds: string;
  administrators: boolean;
}

/** The settings of a stored channel. What is masked starts empty. */
export function settingsOf(channel: Channel | null): ChannelSettings {
  const config: Readonly<Record<string, unknown>> = channel?.config ?? {};
  const text = (name: string) => (typeof config[name] === "string" ? config[name] : "");
  const { to, userIds } = config;
  return {
    url: text("url"),
    webhookUrl: "",
    secret: "",
    to: Array.isArray(to) ? to.join(", ") : text("to"),
    userIds: Array.isArray(userIds) ? userIds.join(",") : "",
    administrators: channel === null || config["administrators"] === true,
  };
}

/** What is stored of a masked setting, as the service shows it; null if nothing is. */
export function maskOf(channel: Channel | null, name: "secret" | "webhookUrl"): string | null {
  const config: Readonly<Record<string, unknown>> = channel?.config ?? {};
  return typeof config[name] === "string" && config[name] !== "" ? config[name] : null;
}

const listOf = (text: string) => text.split(/[\s,;]+/).filter((entry) => entry !== "");
const given = (name: string, text: string) => (text.trim() === "" ? {} : { [name]: text.trim() });

/** The settings of a kind to send. Empty ones are left out: the service keeps what is stored, or says what is missing. */
export function channelConfig(kind: ChannelKind, settings: ChannelSettings): Readonly<Record<string, unknown>> {
  const { url, webhookUrl, secret, to, userIds, administrators } = settings;
  const addresses = listOf(to);
  const config = {
    webhook: { ...given("url", url), ...given("secret", secret) },
    slack: given("webhookUrl", webhookUrl),
    dingtalk: { ...given("webhookUrl", webhookUrl), ...given("secret", secret) },
    feishu: { ...given("webhookUrl", webhookUrl), ...given("secret", secret) },
    email: { to: addresses.length === 1 ? (addresses[0] ?? "") : addresses },
    web: { userIds: listOf(userIds), administrators },
  }[kind];
  return config;
}

/** A signing secret in the form of Standard Webhooks: 32 random bytes. */
export function randomSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

type EventGroup = keyof typeof adminWords.channels.eventGroups;

const groupOf = (event: ChannelEvent): EventGroup => {
  const subject = event.slice(0, event.indexOf("."));
  if (/^(?:zone\.secondary|mirror\.)/.test(event)) return "servers";
  if (subject === "change") return "requests";
  if (subject === "assignment") return "access";
  if (subject === "domain") return "domains";
  if (subject === "security") return "security";
  return subject === "channel" ? "service" : "changes";
};

/** All events by their groups, in the order of the dictionary. */
export function groupedEvents(): { group: EventGroup; events: ChannelEvent[] }[] {
  const all = Object.keys(adminWords.channels.eventNames) as ChannelEvent[];
  const groups = Object.keys(adminWords.channels.eventGroups) as EventGroup[];
  return groups.map((group) => ({ group, events: all.filter((event) => groupOf(event) === group) }));
}

/** Where a channel leads to, in a few characters: a host, addresses. Empty if that cannot be said. */
export function destinationOf(channel: Channel): string {
  const config: Readonly<Record<string, unknown>> = channel.config;
  const address = config["url"] ?? config["webhookUrl"];
  if (typeof address === "string") return URL.canParse(address) ? new URL(address).host : "";
  const { to } = config;
  if (to === undefined) return "";
  return Array.isArray(to) ? to.join(", ") : typeof to === "string" ? to : "";
}
