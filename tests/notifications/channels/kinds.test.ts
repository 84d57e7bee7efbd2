import { expect, test } from "vitest";
import { z } from "zod";
import type { ChannelConfigs } from "../../../server/notifications/channels/configs.ts";
import { channelNames, kindOf, type ChannelName } from "../../../server/notifications/channels/kinds.ts";
import { dingtalkSignature, feishuSignature } from "../../../server/notifications/channels/kinds/robots.ts";
import { queries } from "../../../server/database/database.ts";
import { hour, minute } from "../../support/clock.ts";
import { adminPassword, memberPassword } from "../../support/zonewright.ts";
import { ChannelDesk } from "./harness.ts";

const harness = new ChannelDesk();
const secret = "SECtest123";

// Computed independently of this code, by the rules that the two vendors document.
test("robot signatures follow the vendors' rules", () => {
  expect(dingtalkSignature(secret, 1_700_000_000_000)).toBe("w3RMHXzixTMdzr8OHJUmVLS4IoPJVdu+Ut1LE48MePE=");
  expect(feishuSignature(secret, 1_700_000_000)).toBe("eHRRCyLH7Z4IJQSJlfwertHZThRUYVu2hTUH02xPXYU=");
});

test("DingTalk receives a signed text, and the body of its response decides the outcome", async () => {
  const config = { webhookUrl: `${harness.hooks.url}/robot/send?access_token=abc`, secret };
  const channel = await harness.make({ channel: "dingtalk", config });
  expect(channel.config).toEqual({ webhookUrl: `${harness.hooks.url}/********`, secret: "********" });
  harness.hooks.reply({ body: { errcode: 310_000, errmsg: "sign not match" } });
  await harness.tell();
  await harness.deliver();
  expect(await harness.deliveries(channel.id)).toMatchObject([
    { state: "pending", lastError: "The robot refused the message (310000): sign not match." },
  ]);
  harness.hooks.reply({ body: { errcode: 0, errmsg: "ok" } });
  await harness.later(minute);
  await harness.deliver();
  expect(await harness.deliveries(channel.id)).toMatchObject([{ state: "delivered", attempts: 2 }]);
  const [first, second] = harness.hooks.calls;
  for (const call of [first, second]) {
    const timestamp = Number(call?.query.get("timestamp"));
    expect(call?.query.get("sign")).toBe(dingtalkSignature(secret, timestamp));
    expect(call?.query.get("access_token")).toBe("abc");
  }
  expect(second?.query.get("timestamp")).not.toBe(first?.query.get("timestamp"));
  expect(second?.json).toEqual({
    msgtype: "text",
    text: { content: "[Zonewright] example.com differs from its provider\nA sync would add 1 record." },
  });
});

test("Feishu receives a signed rich text, and the body of its response decides the outcome", async () => {
  const channel = await harness.make({
    channel: "feishu",
    config: { webhookUrl: `${harness.hooks.url}/hook/x`, secret },
  });
  harness.hooks.reply({ body: { code: 19_021, msg: "sign match fail" } });
  await harness.tell({ content: '<at user_id="all">all</at>' });
  await harness.deliver();
  expect(await harness.deliveries(channel.id)).toMatchObject([
    { state: "pending", lastError: "The robot refused the message (19021): sign match fail." },
  ]);
  harness.hooks.reply({ body: { code: 0 } });
  await harness.later(minute);
  await harness.deliver();
  const [, call] = harness.hooks.calls;
  expect(call?.json).toEqual({
    timestamp: expect.stringMatching(/^\d{10}$/),
    sign: feishuSignature(secret, Number(call?.json["timestamp"])),
    msg_type: "post",
    content: {
      post: {
        en_us: {
          title: "[Zonewright] example.com differs from its provider",
          content: [[{ tag: "text", text: '<at user_id="all">all</at>' }]],
        },
      },
    },
  });
});

test("a robot without a secret receives no signature, and a response that is not JSON is a failure", async () => {
  const channel = await harness.make({ channel: "feishu", config: { webhookUrl: `${harness.hooks.url}/hook/x` } });
  harness.hooks.reply({ body: "ok" });
  const path = `/api/notifications/configs/${channel.id}/test`;
  expect((await harness.zw.admin.post(path)).body).toMatchObject({ success: false });
  expect(harness.hooks.calls[0]?.json).not.toHaveProperty("sign");
});

test("DingTalk receives at most 18 messages a minute, and the others stay pending", async () => {
  const config = { webhookUrl: `${harness.hooks.url}/robot/send` };
  const channel = await harness.make({ channel: "dingtalk", config });
  harness.hooks.reply({ body: { errcode: 0 } });
  for (let count = 0; count < 25; count++) await harness.tell();
  await harness.deliver();
  expect(harness.hooks.calls).toHaveLength(18);
  expect((await harness.deliveries(channel.id)).filter(({ state }) => state === "pending")).toMatchObject(
    Array.from({ length: 7 }, () => ({ attempts: 0, lastError: null })),
  );
});

test("Slack receives plain text, with markup escaped", async () => {
  await harness.make({ channel: "slack", config: { webhookUrl: `${harness.hooks.url}/services/T/B/x` } });
  await harness.tell({ title: "*bold* <!channel>", content: "a & b <https://evil.example|here>" });
  await harness.deliver();
  expect(harness.hooks.calls[0]?.json).toEqual({
    text: "*∗bold∗ &lt;!channel&gt;*\na &amp; b &lt;https://evil.example|here&gt;",
  });
});

test("an email channel mails all its addresses, and retries when the mail server is unavailable", async () => {
  const channel = await harness.make({ channel: "email", config: { to: ["one@example.net", "two@example.net"] } });
  harness.mail.refuseWith(451);
  await harness.tell();
  await harness.deliver();
  harness.mail.refuseWith(null);
  await harness.later(minute);
  await harness.deliver();
  expect(harness.mail.mails).toMatchObject([
    { to: "one@example.net, two@example.net", subject: "example.com differs from its provider" },
  ]);
  expect(harness.mail.mails[0]?.text).toContain("A sync would add 1 record.");
  expect(harness.mail.mails[0]?.text).toContain("because an administrator added your address to a channel");
  expect(await harness.deliveries(channel.id)).toMatchObject([{ state: "delivered", attempts: 2 }]);
});

test("an address whose mail the server defers gets it later, and the others get it once and are not held up", async () => {
  const channel = await harness.make({ channel: "email", config: { to: ["one@example.net", "two@example.net"] } });
  harness.mail.refuseWith(450, "two@example.net");
  for (const title of ["First", "Second"]) await harness.tell({ title });
  await harness.deliver();
  const recipients = () => harness.mail.mails.map(({ to, subject }) => `${subject} to ${to}`);
  expect(recipients()).toEqual(["First to one@example.net", "Second to one@example.net"]);
  const waiting = { state: "pending", attempts: 1, lastError: expect.stringContaining("two@example.net") };
  expect(await harness.deliveries(channel.id)).toMatchObject([waiting, waiting]);
  await harness.later(minute);
  await harness.tell({ title: "Third" });
  await harness.deliver();
  expect(recipients().slice(2)).toEqual(["Third to one@example.net"]);
  harness.mail.refuseWith(null);
  await harness.later(hour);
  await harness.deliver();
  expect(recipients().slice(3)).toEqual([
    "First to two@example.net",
    "Second to two@example.net",
    "Third to two@example.net",
  ]);
  const done = { state: "delivered", lastError: null };
  expect(await harness.deliveries(channel.id)).toMatchObject([done, done, done]);
});

test("mails that some addresses have wait together while the mail server takes none", async () => {
  const channel = await harness.make({ channel: "email", config: { to: ["one@example.net", "two@example.net"] } });
  harness.mail.refuseWith(450, "two@example.net");
  for (const title of ["First", "Second", "Third"]) await harness.tell({ title });
  await harness.deliver();
  harness.mail.refuseWith(null);
  harness.mail.refuseWith(451);
  await harness.later(hour);
  await harness.deliver();
  const attempts = async () => (await harness.deliveries(channel.id)).map((one) => one["attempts"]);
  // The second shows that it was not because of the first.
  expect(await attempts()).toEqual([1, 2, 2]);
  harness.mail.refuseWith(null);
  await harness.later(hour);
  await harness.deliver();
  expect(await attempts()).toEqual([2, 3, 3]);
  expect(harness.mail.mails.filter(({ to }) => to === "two@example.net")).toHaveLength(3);
});

test("an address that the mail server refuses for good is named in the delivery and in a test, and the channel stays enabled", async () => {
  const channel = await harness.make({ channel: "email", config: { to: ["one@example.net", "left@example.net"] } });
  harness.mail.refuseWith(550, "left@example.net");
  await harness.tell();
  await harness.deliver();
  const lastError = "The mail server refused the message for left@example.net.";
  expect(await harness.deliveries(channel.id)).toMatchObject([{ state: "delivered", attempts: 1, lastError }]);
  const { body } = await harness.zw.admin.post(`/api/notifications/configs/${channel.id}/test`, {});
  expect(body).toEqual({ success: false, error: lastError });
  await harness.later(49 * hour);
  await harness.deliver();
  expect(harness.mail.mails.map(({ to }) => to)).toEqual(["one@example.net", "one@example.net"]);
  expect(await harness.show(channel.id)).toMatchObject({ enabled: true });
});

test("a channel one of whose addresses defers mail for two days stays enabled", async () => {
  const channel = await harness.make({ channel: "email", config: { to: ["one@example.net", "full@example.net"] } });
  harness.mail.refuseWith(452, "full@example.net");
  await harness.tell();
  await harness.deliver();
  await harness.hoursPass(50);
  expect(harness.mail.mails).toHaveLength(1);
  expect(await harness.deliveries(channel.id)).toMatchObject([{ state: "failed" }]);
  expect(await harness.show(channel.id)).toMatchObject({ enabled: true, disabledReason: null });
});

test("an in-app channel notifies each of its users once", async () => {
  const member = await harness.zw.member("named");
  const { body: me } = await member.get("/api/auth/me");
  await harness.make({ channel: "web", config: { userIds: [me.id] } });
  await harness.make({ channel: "web", config: { userIds: [me.id], administrators: true } });
  await harness.make({ channel: "web", config: { administrators: true }, events: ["domain.expired"] });
  await harness.tell({ to: { userIds: [me.id] } });
  for (const client of [member, harness.zw.admin]) {
    expect((await client.get("/api/notifications")).body.notifications).toMatchObject([{ event: "zone.drift" }]);
  }
});

test("users who opted in are mailed their notifications, and disabled users are not", async () => {
  const users = harness.zw.services.database;
  for (const username of ["wants", "wants-not", "gone"]) {
    await harness.zw.services.users.create(users.fork(), {
      username,
      email: `${username}@example.com`,
      password: memberPassword,
      role: "member",
    });
  }
  const clients = {
    wants: await harness.zw.signIn("wants", memberPassword),
    gone: await harness.zw.signIn("gone", memberPassword),
    not: await harness.zw.signIn("wants-not", memberPassword),
  };
  const ids: string[] = [];
  for (const client of Object.values(clients)) ids.push((await client.get("/api/auth/me")).body.id);
  for (const client of [clients.wants, clients.gone]) {
    const { status } = await client.put("/api/auth/me/profile", { emailNotificationsEnabled: true });
    expect(status).toBe(200);
  }
  // Turning off in-app notifications does not turn off mail.
  await clients.wants.put("/api/auth/me/profile", { notificationsEnabled: false });
  await harness.tell({ to: { userIds: ids } });
  harness.zw.admin.token = (await harness.zw.signIn("admin", adminPassword)).token;
  await harness.zw.admin.put(`/api/users/${ids[1]}`, { disabled: true });
  await harness.deliver();
  expect(harness.mail.mails.map(({ to, subject }) => [to, subject])).toEqual([
    ["wants@example.com", "example.com differs from its provider"],
  ]);
});

test("mail is delivered in separate runs, so a webhook does not wait for an unreachable mail server", async () => {
  const { users, database, deliverer, mailDeliverer } = harness.zw.services;
  const ids: string[] = [];
  for (const username of ["mailed-1", "mailed-2", "mailed-3"]) {
    const user = { username, email: `${username}@example.com`, password: memberPassword, role: "member" } as const;
    ids.push((await users.create(database.fork(), user)).id);
  }
  await queries(database.fork())
    .updateTable("users")
    .set({ email_notifications_enabled: true })
    .where("id", "in", ids)
    .execute();
  await harness.tell({ to: { userIds: ids } });
  const webhook = await harness.make();
  await harness.tell();
  const states = async () =>
    await queries(database.fork()).selectFrom("deliveries").select(["user_id", "state", "attempts"]).execute();

  await deliverer.run(new AbortController().signal);
  expect(harness.hooks.calls).toHaveLength(1);
  expect(await harness.deliveries(webhook.id)).toMatchObject([{ state: "delivered" }]);
  const waiting = (await states()).filter(({ user_id: userId }) => userId !== null);
  expect(waiting).toHaveLength(3);
  for (const one of waiting) expect(one).toMatchObject({ state: "pending", attempts: 0 });

  await mailDeliverer.run(new AbortController().signal);
  expect(harness.mail.mails).toHaveLength(3);
});

test("a permanently refused mail to a user is not retried, but one of a channel is retried for two days", async () => {
  const channel = await harness.make({ channel: "email", config: { to: "team@example.com" } });
  const { users, database } = harness.zw.services;
  const account = {
    username: "refused",
    email: "refused@example.com",
    password: memberPassword,
    role: "member",
  } as const;
  await users.create(database.fork(), account);
  const client = await harness.zw.signIn("refused", memberPassword);
  await client.put("/api/auth/me/profile", { emailNotificationsEnabled: true });
  const { body: me } = await client.get("/api/auth/me");
  harness.mail.refuseWith(550);
  await harness.tell({ to: { userIds: [me.id] } });
  await harness.deliver();
  const rows = await queries(harness.zw.services.database.fork())
    .selectFrom("deliveries")
    .select(["user_id", "state", "attempts"])
    .orderBy("user_id")
    .execute();
  expect(rows).toEqual([
    { user_id: me.id, state: "failed", attempts: 1 },
    { user_id: null, state: "pending", attempts: 1 },
  ]);
  expect(await harness.show(channel.id)).toMatchObject({ enabled: true });
});

test("a robot's error that repeats its address or secret is masked", async () => {
  const token = "f00dfeedf00dfeed";
  const longSecret = "SECtest123456789";
  const webhookUrl = `${harness.hooks.url}/robot?access_token=${token}`;
  const { id } = await harness.make({ channel: "dingtalk", config: { webhookUrl, secret: longSecret } });
  harness.hooks.reply({ body: { errcode: 300_005, errmsg: `token ${token} with ${longSecret} is not known` } });
  const { body } = await harness.zw.admin.post(`/api/notifications/configs/${id}/test`);
  expect(body.error).toBe("The robot refused the message (300005): token ******** with ******** is not known.");
});

/** The fields of each kind's `config`. The compiler requires every kind and every field here. */
const configFields: { [Kind in ChannelName]: Record<keyof ChannelConfigs[Kind], true> } = {
  email: { to: true },
  webhook: { url: true, secret: true },
  web: { administrators: true, userIds: true },
  dingtalk: { webhookUrl: true, secret: true },
  feishu: { webhookUrl: true, secret: true },
  slack: { webhookUrl: true },
};

test.each(channelNames)("the configuration type of %s has the fields that the server accepts", (name) => {
  const { properties = {} } = z.toJSONSchema(kindOf(name).schema, { io: "input", unrepresentable: "any" });
  expect(Object.keys(configFields[name]).toSorted()).toEqual(Object.keys(properties).toSorted());
});
