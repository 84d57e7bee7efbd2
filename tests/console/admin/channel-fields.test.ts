import { expect, test } from "vitest";
import { notificationEvents } from "../../../server/platform/events.ts";
import { channelNames } from "../../../server/notifications/channels/kinds.ts";
import {
  channelConfig,
  channelKinds,
  groupedEvents,
  randomSecret,
  settingsOf,
  type Channel,
} from "../../../web/src/admin/channel-fields.ts";

const none = settingsOf(null);

test("every event can be chosen, in exactly one group, and every kind of channel can be added", () => {
  const offered = groupedEvents().flatMap(({ events }) => events);
  expect(offered.toSorted()).toEqual([...notificationEvents].toSorted());
  expect([...channelKinds].toSorted()).toEqual([...channelNames].toSorted());
});

test.each([
  ["webhook", { url: " https://hooks.test/a ", secret: "s" }, { url: "https://hooks.test/a", secret: "s" }],
  ["webhook", { url: "https://hooks.test/a", to: "a@b.test" }, { url: "https://hooks.test/a" }],
  ["slack", { webhookUrl: "" }, {}],
  ["email", { to: "a@b.test" }, { to: "a@b.test" }],
  ["email", { to: "a@b.test; c@d.test,e@f.test" }, { to: ["a@b.test", "c@d.test", "e@f.test"] }],
  ["web", { userIds: "1,2", administrators: false }, { userIds: ["1", "2"], administrators: false }],
] as const)("a %s channel with %j sends %j", (kind, given, expected) => {
  expect(channelConfig(kind, { ...none, ...given })).toEqual(expected);
});

test("masked settings never come back into the form", () => {
  const config = { webhookUrl: "https://hooks.test/********", secret: "********" };
  const settings = settingsOf({ channel: "feishu", config } as Channel);
  expect(JSON.stringify(settings)).not.toContain("*");
});

test("a generated secret has 32 bytes, and no two are the same", () => {
  const [one, other] = [randomSecret(), randomSecret()];
  expect(Buffer.from(one.replace("whsec_", ""), "base64")).toHaveLength(32);
  expect(one).not.toBe(other);
});
