import { expect, test } from "vitest";
import { dingtalkSignature, feishuSignature } from "../../../server/notifications/channels/kinds/robots.ts";
import { queries } from "../../../server/database/database.ts";
import { minute } from "../../support/clock.ts";
import { adminPassword, memberPassword } from "../../support/zonewright.ts";
import { ChannelDesk } from "./desk.ts";

const desk = new ChannelDesk();
const secret = "SECtest123";

// Computed apart from this code, by the rules that the two vendors document.
test("the robots' signatures are those of the vendors' rules", () => {
  expect(dingtalkSignature(secret, 1_700_000_000_000)).toBe("w3RMHXzixTMdzr8OHJUmVLS4IoPJVdu+Ut1LE48MePE=");
  expect(feishuSignature(secret, 1_700_000_000)).toBe("eHRRCyLH7Z4IJQSJlfwertHZThRUYVu2hTUH02xPXYU=");
});

test("DingTalk is sent a signed text, and its body decides what became of it", async () => {
  const config = { webhookUrl: `${desk.hooks.url}/robot/send?access_token=abc`, secret };
  const channel = await desk.make({ channel: "dingtalk", config });
  expect(channel.config).toEqual({ webhookUrl: `${desk.hooks.url}/********`, secret: "********" });
  desk.hooks.reply({ body: { errcode: 310_000, errmsg: "sign not match" } });
  await desk.tell();
  await desk.zw.services.deliverer.run(AbortSignal.timeout(300));
  expect(await desk.deliveries(channel.id)).toMatchObject([
    { state: "pending", lastError: "The robot refused it (310000): sign not match." },
  ]);
  desk.hooks.reply({ body: { errcode: 0, errmsg: "ok" } });
  await desk.later(minute);
  await desk.deliver();
  expect(await desk.deliveries(channel.id)).toMatchObject([{ state: "delivered", attempts: 2 }]);
  const [first, second] = desk.hooks.calls;
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

test("Feishu is sent a signed rich text, and its body decides what became of it", async () => {
  const channel = await desk.make({ channel: "feishu", config: { webhookUrl: `${desk.hooks.url}/hook/x`, secret } });
  desk.hooks.reply({ body: { code: 19_021, msg: "sign match fail" } });
  await desk.tell({ content: '<at user_id="all">all</at>' });
  await desk.zw.services.deliverer.run(AbortSignal.timeout(300));
  expect(await desk.deliveries(channel.id)).toMatchObject([
    { state: "pending", lastError: "The robot refused it (19021): sign match fail." },
  ]);
  desk.hooks.reply({ body: { code: 0 } });
  await desk.later(minute);
  await desk.deliver();
  const [, call] = desk.hooks.calls;
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

test("a robot without a secret is sent no signature, and an answer that is no JSON is no success", async () => {
  const channel = await desk.make({ channel: "feishu", config: { webhookUrl: `${desk.hooks.url}/hook/x` } });
  desk.hooks.reply({ body: "ok" });
  const path = `/api/notifications/configs/${channel.id}/test`;
  expect((await desk.zw.admin.post(path)).body).toMatchObject({ success: false });
  expect(desk.hooks.calls[0]?.json).not.toHaveProperty("sign");
});

test("DingTalk gets no more in a minute than it stands, and the rest after it", async () => {
  const config = { webhookUrl: `${desk.hooks.url}/robot/send` };
  const channel = await desk.make({ channel: "dingtalk", config });
  desk.hooks.reply({ body: { errcode: 0 } });
  for (let count = 0; count < 25; count++) await desk.tell();
  await desk.zw.services.deliverer.run(AbortSignal.timeout(3_000));
  expect(desk.hooks.calls).toHaveLength(18);
  expect((await desk.deliveries(channel.id)).filter(({ state }) => state === "pending")).toMatchObject(
    Array.from({ length: 7 }, () => ({ attempts: 0, lastError: null })),
  );
});

test("Slack is sent plain text: what would be markup is shown as it is", async () => {
  await desk.make({ channel: "slack", config: { webhookUrl: `${desk.hooks.url}/services/T/B/x` } });
  await desk.tell({ title: "*bold* <!channel>", content: "a & b <https://evil.example|here>" });
  await desk.deliver();
  expect(desk.hooks.calls[0]?.json).toEqual({
    text: "*∗bold∗ &lt;!channel&gt;*\na &amp; b &lt;https://evil.example|here&gt;",
  });
});

test("an e-mail channel mails each address, and waits for the mail server", async () => {
  const channel = await desk.make({ channel: "email", config: { to: ["one@example.net", "two@example.net"] } });
  desk.mail.refuseWith(451);
  await desk.tell();
  await desk.zw.services.mailDeliverer.run(AbortSignal.timeout(300));
  desk.mail.refuseWith(null);
  await desk.later(minute);
  await desk.deliver();
  expect(desk.mail.mails).toMatchObject([
    { to: "one@example.net, two@example.net", subject: "example.com differs from its provider" },
  ]);
  expect(desk.mail.mails[0]?.text).toContain("A sync would add 1 record.");
  expect(await desk.deliveries(channel.id)).toMatchObject([{ state: "delivered", attempts: 2 }]);
});

test("a channel within the application tells those whom it names, once each", async () => {
  const member = await desk.zw.member("named");
  const { body: me } = await member.get("/api/auth/me");
  await desk.make({ channel: "web", config: { userIds: [me.id] } });
  await desk.make({ channel: "web", config: { userIds: [me.id], administrators: true } });
  await desk.make({ channel: "web", config: { administrators: true }, events: ["domain.expired"] });
  await desk.tell({ to: { userIds: [me.id] } });
  for (const client of [member, desk.zw.admin]) {
    expect((await client.get("/api/notifications")).body.notifications).toMatchObject([{ event: "zone.drift" }]);
  }
});

test("users who wish it are mailed what they are told, at the address that they have then", async () => {
  const users = desk.zw.services.database;
  for (const username of ["wants", "wants-not", "gone"]) {
    await desk.zw.services.users.create(users.fork(), {
      username,
      email: `${username}@example.com`,
      password: memberPassword,
      role: "member",
    });
  }
  const clients = {
    wants: await desk.zw.signIn("wants", memberPassword),
    gone: await desk.zw.signIn("gone", memberPassword),
    not: await desk.zw.signIn("wants-not", memberPassword),
  };
  const ids: string[] = [];
  for (const client of Object.values(clients)) ids.push((await client.get("/api/auth/me")).body.id);
  for (const client of [clients.wants, clients.gone]) {
    const { status } = await client.put("/api/auth/me/profile", { emailNotificationsEnabled: true });
    expect(status).toBe(200);
  }
  // Not in the application: the two switches are two.
  await clients.wants.put("/api/auth/me/profile", { notificationsEnabled: false });
  await desk.tell({ to: { userIds: ids } });
  desk.zw.admin.token = (await desk.zw.signIn("admin", adminPassword)).token;
  await desk.zw.admin.put(`/api/users/${ids[1]}`, { disabled: true });
  await desk.deliver();
  expect(desk.mail.mails.map(({ to, subject }) => [to, subject])).toEqual([
    ["wants@example.com", "example.com differs from its provider"],
  ]);
});

test("what goes by mail has runs of its own: a webhook does not wait for a mail server that is away", async () => {
  const { users, database, deliverer, mailDeliverer } = desk.zw.services;
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
  await desk.tell({ to: { userIds: ids } });
  const webhook = await desk.make();
  await desk.tell();
  const states = async () =>
    await queries(database.fork()).selectFrom("deliveries").select(["user_id", "state", "attempts"]).execute();

  await deliverer.run(AbortSignal.timeout(10_000));
  expect(desk.hooks.calls).toHaveLength(1);
  expect(await desk.deliveries(webhook.id)).toMatchObject([{ state: "delivered" }]);
  const waiting = (await states()).filter(({ user_id: userId }) => userId !== null);
  expect(waiting).toHaveLength(3);
  for (const one of waiting) expect(one).toMatchObject({ state: "pending", attempts: 0 });

  await mailDeliverer.run(AbortSignal.timeout(10_000));
  expect(desk.mail.mails).toHaveLength(3);
});

test("a mail to a user that the mail server refuses for good is not sent again; a channel has its two days", async () => {
  const channel = await desk.make({ channel: "email", config: { to: "team@example.com" } });
  const { users, database } = desk.zw.services;
  const account = {
    username: "refused",
    email: "refused@example.com",
    password: memberPassword,
    role: "member",
  } as const;
  await users.create(database.fork(), account);
  const client = await desk.zw.signIn("refused", memberPassword);
  await client.put("/api/auth/me/profile", { emailNotificationsEnabled: true });
  const { body: me } = await client.get("/api/auth/me");
  desk.mail.refuseWith(550);
  await desk.tell({ to: { userIds: [me.id] } });
  await desk.zw.services.mailDeliverer.run(AbortSignal.timeout(300));
  const rows = await queries(desk.zw.services.database.fork())
    .selectFrom("deliveries")
    .select(["user_id", "state", "attempts"])
    .orderBy("user_id")
    .execute();
  expect(rows).toEqual([
    { user_id: me.id, state: "failed", attempts: 1 },
    { user_id: null, state: "pending", attempts: 1 },
  ]);
  expect(await desk.show(channel.id)).toMatchObject({ enabled: true });
});

test("a robot that repeats its address or secret does not bring them into the deliveries", async () => {
  const token = "f00dfeedf00dfeed";
  const longSecret = "SECtest123456789";
  const webhookUrl = `${desk.hooks.url}/robot?access_token=${token}`;
  const { id } = await desk.make({ channel: "dingtalk", config: { webhookUrl, secret: longSecret } });
  desk.hooks.reply({ body: { errcode: 300_005, errmsg: `token ${token} with ${longSecret} is not known` } });
  const { body } = await desk.zw.admin.post(`/api/notifications/configs/${id}/test`);
  expect(body.error).toBe("The robot refused it (300005): token ******** with ******** is not known.");
});
