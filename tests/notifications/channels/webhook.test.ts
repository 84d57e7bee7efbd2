import { sql } from "kysely";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { ConfigCipher } from "../../../server/notifications/channels/kind.ts";
import { Outbox, claimDue, failed, nextDue, postpone } from "../../../server/notifications/channels/outbox.ts";
import { queries, type EntityManager } from "../../../server/database/database.ts";
import { SecretCipher, createKeyring } from "../../../server/platform/secret-cipher.ts";
import { assign } from "../../accounts/assignments/assigned.ts";
import { day, hour, minute } from "../../support/clock.ts";
import { manualZone, type Body } from "../../support/zones.ts";
import { ChannelDesk, signingSecret } from "./harness.ts";

const harness = new ChannelDesk();

/** Verifies the call as a receiver that follows the standard does, with the real clock. */
function verified(call: (typeof harness.hooks.calls)[number] | undefined): unknown {
  return new Webhook(signingSecret).verify(call?.text ?? "", call?.headers as Record<string, string>);
}

/** Returns how many deliveries a connection has read, as its counters say. */
async function deliveriesRead(tx: EntityManager): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (seq_tup_read + idx_tup_fetch)::int as count from pg_stat_xact_user_tables where relname = 'deliveries'
  `.execute(queries(tx));
  return rows[0]?.count ?? 0;
}

describe("webhook deliveries", () => {
  test("a webhook receives only its events, signed according to Standard Webhooks", async () => {
    const channel = await harness.make();
    await harness.tell();
    await harness.tell({ event: "domain.expired" });
    await harness.deliver();
    expect(harness.hooks.calls).toHaveLength(1);
    const [call] = harness.hooks.calls;
    const [delivery] = await harness.deliveries(channel.id);
    expect(verified(call)).toEqual({
      type: "zone.drift",
      timestamp: delivery?.createdAt,
      data: {
        id: delivery?.id,
        title: "example.com differs from its provider",
        content: "A sync would add 1 record.",
        level: "warning",
        metadata: { domainId: "01a1fb0f-6204-7000-abd4-0000d0a10001", domainName: "example.com" },
      },
    });
    expect(call?.headers).toMatchObject({ "webhook-id": `msg_${delivery?.id}`, "user-agent": "Zonewright" });
    expect(delivery).toMatchObject({ state: "delivered", attempts: 1, lastError: null, nextAttemptAt: null });
    expect(await harness.show(channel.id)).toMatchObject({ enabled: true, lastSuccessAt: expect.any(String) });
  });

  test("a webhook and in-app messages to others name the user addressed by a notice", async () => {
    await harness.make({ events: ["security.new_sign_in", "assignment.create"] });
    await harness.zw.admin.post("/api/notifications", {
      channel: "web",
      name: "Everybody",
      config: { administrators: true },
      events: ["assignment.create"],
      enabled: true,
    });
    const member = await harness.zw.member("alice");
    const { body: me } = await member.get("/api/auth/me");
    const zone = await manualZone(harness.zw);
    await assign(harness.zw, member, zone.id, "*", "read");
    await harness.deliver();
    const [call] = harness.hooks.calls.map(({ text }) => JSON.parse(text) as { type: string; data: Body });
    expect(call?.data).toMatchObject({
      title: `alice: ${zone.name} was assigned to you`,
      metadata: { type: "assignment", domainId: zone.id, users: [{ id: me.id, username: "alice" }] },
    });
    const { body: hers } = await member.get("/api/notifications");
    expect(hers.notifications[0]).toMatchObject({ title: `${zone.name} was assigned to you` });
    expect(hers.notifications[0].metadata).not.toHaveProperty("users");
    const { body: others } = await harness.zw.admin.get("/api/notifications");
    expect(others.notifications[0].title).toBe(`alice: ${zone.name} was assigned to you`);
  });

  test("a webhook receives nothing from a transaction that was rolled back", async () => {
    const channel = await harness.make();
    const message = harness.zw.services.database.fork().transactional(async (tx) => {
      await harness.zw.services.notifications.notify(tx, {
        event: "zone.drift",
        title: "t",
        content: "c",
        level: "info",
        metadata: {},
        to: {},
      });
      throw new Error("taken back");
    });
    await expect(message).rejects.toThrow("taken back");
    await harness.deliver();
    expect([harness.hooks.calls, await harness.deliveries(channel.id)]).toEqual([[], []]);
  });

  test.each([
    ["an error", { status: 500 }],
    ["a redirect", { status: 302, headers: { location: "/elsewhere" } }],
    ["a client error", { status: 404 }],
  ])("a webhook delivery is retried after %s, with the same ID and a new timestamp", async (_what, answer) => {
    const channel = await harness.make();
    harness.hooks.reply(answer);
    await harness.tell();
    await harness.deliver();
    expect(harness.hooks.calls).toHaveLength(1);
    const [waiting] = await harness.deliveries(channel.id);
    expect(waiting).toMatchObject({ state: "pending", attempts: 1, lastError: expect.stringMatching(/\.$/) });

    harness.hooks.reply({ status: 204 });
    await harness.later(6_000);
    await harness.deliver();
    const [first, second] = harness.hooks.calls;
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(Number(second?.headers["webhook-timestamp"])).toBeGreaterThan(Number(first?.headers["webhook-timestamp"]));
    expect(await harness.deliveries(channel.id)).toMatchObject([{ state: "delivered", attempts: 2, lastError: null }]);
  });

  test("a webhook delivery is not retried before the receiver's Retry-After has passed", async () => {
    const channel = await harness.make();
    harness.hooks.reply({ status: 429, headers: { "retry-after": "3600" } });
    await harness.tell();
    await harness.deliver();
    harness.hooks.reply({});
    await harness.later(59 * minute);
    await harness.deliver();
    expect(harness.hooks.calls).toHaveLength(1);
    await harness.later(2 * minute);
    await harness.deliver();
    expect(await harness.deliveries(channel.id)).toMatchObject([{ state: "delivered", attempts: 2 }]);
  });

  test("a failing webhook is called once for all its pending deliveries, which arrive later in order", async () => {
    const channel = await harness.make();
    harness.hooks.reply({ status: 503, headers: { "retry-after": "60" } });
    for (let index = 0; index < 5; index++) await harness.tell();
    await harness.deliver();
    expect(harness.hooks.calls).toHaveLength(1);
    harness.hooks.reply({});
    await harness.later(2 * minute);
    await harness.deliver();
    const delivered = await harness.deliveries(channel.id);
    expect(delivered.map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => "delivered"));
    // In the order of the events.
    const ids = harness.hooks.calls.slice(1).map(({ headers }) => headers["webhook-id"]);
    expect(ids).toEqual(delivered.map(({ id }) => `msg_${id}`).toReversed());
  });

  test("a webhook that responds 410 is disabled immediately, and administrators are notified", async () => {
    const channel = await harness.make();
    harness.hooks.reply({ status: 410 });
    await harness.tell();
    await harness.tell();
    await harness.deliver();
    expect(harness.hooks.calls).toHaveLength(1);
    expect(await harness.show(channel.id)).toMatchObject({
      enabled: false,
      disabledReason: expect.stringContaining("410"),
    });
    expect(await harness.deliveries(channel.id)).toMatchObject([{ state: "failed" }, { state: "failed" }]);
    expect((await harness.zw.admin.get("/api/notifications")).body.notifications).toMatchObject([
      { event: "channel.disabled", level: "error", metadata: { channelId: channel.id, channelName: channel.name } },
    ]);
    expect((await harness.zw.admin.get("/api/audit?action=channel.disable")).body.entries[0]).toMatchObject({
      actorId: null,
      targetId: channel.id,
    });
  });

  test("a webhook that fails for two days is disabled, and works again once enabled", async () => {
    const channel = await harness.make();
    harness.hooks.reply({ status: 500 });
    await harness.tell();
    const began = harness.clock.now().getTime();
    while ((await harness.show(channel.id)).enabled) {
      await harness.deliver();
      await harness.later(hour);
      if (harness.clock.now().getTime() - began > 3 * day) throw new Error("It is still enabled.");
    }
    expect(harness.clock.now().getTime() - began).toBeGreaterThanOrEqual(2 * day);
    // Retries after 5 s, 5 min, 30 min, 2 h, 5 h, then every ten hours, and once more at the end.
    expect(harness.hooks.calls.length).toBeGreaterThan(7);
    expect(harness.hooks.calls.length).toBeLessThan(14);
    expect(await harness.deliveries(channel.id)).toMatchObject([{ state: "failed" }]);

    harness.hooks.reply({});
    await harness.zw.admin.put(`/api/notifications/configs/${channel.id}`, { enabled: true });
    expect(await harness.show(channel.id)).toMatchObject({ enabled: true, disabledReason: null });
    await harness.tell();
    await harness.deliver();
    expect((await harness.deliveries(channel.id))[0]).toMatchObject({ state: "delivered" });
  });

  test("a webhook that accepted other deliveries stays enabled when one is abandoned", async () => {
    const channel = await harness.make();
    harness.hooks.reply(({ text }) => ({ status: text.includes("poison") ? 422 : 200 }));
    await harness.tell({ title: "poison" });
    await harness.deliver();
    await harness.later(minute);
    await harness.tell({ title: "fine" });
    await harness.hoursPass(50);
    expect((await harness.deliveries(channel.id)).map(({ title, state }) => [title, state])).toEqual([
      ["fine", "delivered"],
      ["poison", "failed"],
    ]);
    expect(await harness.show(channel.id)).toMatchObject({ enabled: true, disabledReason: null });
  });

  test("an abandoned delivery is found by its state, however many a webhook accepted since", async () => {
    const channel = await harness.make();
    harness.hooks.reply(({ text }) => ({ status: text.includes("poison") ? 422 : 200 }));
    await harness.tell({ title: "poison" });
    await harness.deliver();
    await harness.later(minute);
    await harness.tell({ title: "fine" });
    await harness.hoursPass(50);
    for (let count = 0; count < 50; count++) await harness.tell({ title: "later" });
    await harness.deliver();
    const path = `/api/notifications/configs/${channel.id}/deliveries`;
    expect((await harness.deliveries(channel.id)).map(({ title }) => title)).not.toContain("poison");
    const { body } = await harness.zw.admin.get(`${path}?state=failed`);
    expect(body.deliveries).toMatchObject([
      { title: "poison", state: "failed", lastError: expect.stringContaining("422"), nextAttemptAt: null },
    ]);
    expect((await harness.zw.admin.get(`${path}?state=pending`)).body.deliveries).toEqual([]);
    expect((await harness.zw.admin.get(`${path}?state=delivered`)).body.deliveries).toHaveLength(50);
    expect((await harness.zw.admin.get(`${path}?state=dropped`)).status).toBe(400);
  });

  test("time in which the service was stopped is no failure of a webhook", async () => {
    const channel = await harness.make();
    harness.hooks.reply({ status: 503 });
    await harness.tell({ title: "before" });
    await harness.deliver();
    await harness.later(3 * day);
    await harness.tell({ title: "after" });
    await harness.deliver();
    expect(await harness.show(channel.id)).toMatchObject({ enabled: true });
    await harness.hoursPass(40);
    expect(await harness.show(channel.id)).toMatchObject({ enabled: true });
    harness.hooks.reply({});
    await harness.hoursPass(11);
    const states = (await harness.deliveries(channel.id)).map(({ title, state }) => [title, state]);
    expect(states).toEqual([
      ["after", "delivered"],
      ["before", "delivered"],
    ]);
  });

  test("a webhook that refuses one delivery gets the others within two runs", async () => {
    const channel = await harness.make();
    harness.hooks.reply(({ text }) => ({ status: text.includes("poison") ? 422 : 200 }));
    for (const title of ["poison", "one", "two"]) await harness.tell({ title });
    await harness.deliver();
    await harness.later(6_000);
    await harness.deliver();
    expect((await harness.deliveries(channel.id)).map(({ title, state }) => [title, state])).toEqual([
      ["two", "delivered"],
      ["one", "delivered"],
      ["poison", "pending"],
    ]);
  });

  test("a webhook with many pending deliveries receives them in order, and another one gets its turn before most of them", async () => {
    await harness.make({ events: ["domain.expired"] });
    await harness.make({ events: ["zone.drift"] });
    const titles = Array.from({ length: 60 }, (_, index) => `Expired ${index}`);
    const { database, notifications } = harness.zw.services;
    const notice = { event: "domain.expired", content: "Renew it.", level: "warning", metadata: {}, to: {} } as const;
    await database.fork().transactional((tx) =>
      notifications.notifyAll(
        tx,
        titles.map((title) => ({ ...notice, title })),
      ),
    );
    await harness.later(1_000);
    await harness.tell();
    await harness.deliver();
    const calls = harness.hooks.calls.map(({ text }) => JSON.parse(text) as { type: string; data: Body });
    expect(calls.filter(({ type }) => type === "domain.expired").map(({ data }) => data["title"])).toEqual(titles);
    expect(calls.findIndex(({ type }) => type === "zone.drift")).toBeLessThanOrEqual(10);
  });

  test("a turn reads few of the many deliveries that are due", async () => {
    const [busy, quiet] = [await harness.make(), await harness.make()];
    const { database } = harness.zw.services;
    const { body: me } = await harness.zw.admin.get("/api/auth/me");
    const now = harness.clock.now();
    const add = (count: number, target: { channel?: string; user?: string }) =>
      sql`
        insert into deliveries (id, channel_id, user_id, notice, state, next_attempt_at, created_at)
        select gen_random_uuid(), ${target.channel ?? null}::uuid, ${target.user ?? null}::uuid, '{}', 'pending', ${now}, ${now}
        from generate_series(1, ${count}::int)
      `.execute(queries(database.fork()));
    await add(5_000, { channel: busy.id });
    await add(3, { channel: quiet.id });
    await add(5_000, { user: me.id });
    await sql`analyze deliveries`.execute(queries(database.fork()));
    for (const [way, claims] of [
      ["call", [busy.id, quiet.id]],
      ["mail", [me.id]],
    ] as const)
      await database.fork().transactional(async (tx) => {
        // A connection's counters may still hold what earlier transactions on it read.
        const before = await deliveriesRead(tx);
        const claimed = await claimDue(tx, way, now);
        expect(new Set(claimed.map(({ channelId, userId }) => channelId ?? userId))).toEqual(new Set(claims));
        expect(await nextDue(tx, way)).toEqual(now);
        const count = (await deliveriesRead(tx)) - before;
        expect(count).toBeGreaterThan(10);
        expect(count).toBeLessThan(2_000);
      });
  });

  test("a webhook gets its pending deliveries in order, also if a run stops in between", async () => {
    await harness.make();
    const titles = Array.from({ length: 30 }, (_, index) => `Drift ${index}`);
    for (const title of titles) {
      await harness.tell({ title });
      harness.clock.advance(1_000);
    }
    const stopping = new AbortController();
    harness.hooks.reply(() => {
      if (harness.hooks.calls.length === 3) stopping.abort();
      return {};
    });
    await harness.zw.services.deliverer.run(stopping.signal);
    expect(harness.hooks.calls.length).toBeLessThan(10);
    await harness.deliver();
    expect(harness.hooks.calls.map(({ text }) => JSON.parse(text).data.title)).toEqual(titles);
  });

  test("an unavailable webhook is called once, however many deliveries are pending", async () => {
    await harness.make();
    harness.hooks.reply({ status: 503, headers: { "retry-after": "60" } });
    const notice = { event: "zone.drift", title: "t", content: "c", level: "info", metadata: {}, to: {} } as const;
    await harness.zw.services.database.fork().transactional((tx) =>
      harness.zw.services.notifications.notifyAll(
        tx,
        Array.from({ length: 100 }, () => notice),
      ),
    );
    await harness.deliver();
    expect(harness.hooks.calls).toHaveLength(1);
  });

  test("a delivery to a webhook that is now disabled fails without looping, and is not sent after re-enabling", async () => {
    const channel = await harness.make();
    await harness.tell();
    const db = queries(harness.zw.services.database.fork());
    // As if the notification had been committed after the channel was disabled.
    await db.updateTable("notification_channels").set({ enabled: false }).where("id", "=", channel.id).execute();
    expect(await harness.deliver()).toBe(false);
    await harness.zw.admin.put(`/api/notifications/configs/${channel.id}`, { enabled: true });
    await harness.deliver();
    expect(harness.hooks.calls).toEqual([]);
    expect(await harness.deliveries(channel.id)).toMatchObject([{ state: "failed" }]);
  });

  test("a delivery in flight when its webhook is disabled is not retried", async () => {
    const channel = await harness.make();
    await harness.tell();
    const db = queries(harness.zw.services.database.fork());
    const [claimed] = await claimDue(harness.zw.services.database.fork(), "call", harness.clock.now());
    await harness.zw.admin.put(`/api/notifications/configs/${channel.id}`, { enabled: false });
    const now = harness.clock.now();
    const em = harness.zw.services.database.fork();
    await failed(em, claimed?.id ?? "", { reason: "The receiver returned status 500.", next: now, since: now, now });
    await postpone(em, [claimed?.id ?? ""], now);
    expect(await db.selectFrom("deliveries").select(["state", "next_attempt_at"]).execute()).toEqual([
      { state: "failed", next_attempt_at: null },
    ]);
  });

  test("a channel of a kind unknown to this instance does not delay other channels", async () => {
    const unknown = await harness.make();
    const known = await harness.make();
    const db = queries(harness.zw.services.database.fork());
    await db.updateTable("notification_channels").set({ channel: "pigeon" }).where("id", "=", unknown.id).execute();
    await harness.tell();
    await harness.deliver();
    expect(await harness.deliveries(known.id)).toMatchObject([{ state: "delivered" }]);
  });

  test("a webhook at an internal address is refused, and the error contains only its host", async () => {
    const config = { url: "http://169.254.169.254/latest/secret-path", secret: signingSecret };
    const channel = await harness.make({ config });
    const { body } = await harness.zw.admin.post(`/api/notifications/configs/${channel.id}/test`);
    expect(body).toEqual({ success: false, error: expect.stringContaining("169.254.169.254") });
    expect(body.error).not.toContain("secret-path");
  });
});

test("a pending delivery survives the process, and another process delivers it once", async () => {
  const channel = await harness.make();
  await harness.tell();
  const { services } = harness.zw;
  expect(await harness.deliveries(channel.id)).toMatchObject([{ state: "pending", attempts: 0 }]);
  const { signal } = new AbortController();
  await Promise.all([services.deliverer.run(signal), services.deliverer.run(signal)]);
  expect(harness.hooks.calls).toHaveLength(1);
});

test("deleting a user during a notification affects neither other deliveries nor the transaction", async () => {
  const channel = await harness.make();
  const { database } = harness.zw.services;
  const box = new ConfigCipher(new SecretCipher(createKeyring([signingSecret]), "notification-channel"));
  const message = {
    event: "zone.drift",
    title: "t",
    content: "c",
    level: "info",
    metadata: {},
    createdAt: harness.clock.now(),
  } as const;
  const outbox = new Outbox({ box, enqueue: () => Promise.resolve() });
  await database.fork().transactional(async (tx) => {
    const subscribers = await outbox.subscribers(tx, ["zone.drift"]);
    await outbox.write(tx, subscribers, [
      { message, messageForOthers: message, mailTo: ["01a1fb0f-6204-7000-abd4-276e976be8b7"] },
    ]);
  });
  const rows = await queries(database.fork()).selectFrom("deliveries").select(["channel_id", "user_id"]).execute();
  expect(rows).toEqual([{ channel_id: channel.id, user_id: null }]);
});
