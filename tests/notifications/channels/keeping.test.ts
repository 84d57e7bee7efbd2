import { describe, expect, test } from "vitest";
import { type Ports, ConfigCipher } from "../../../server/notifications/channels/kind.ts";
import { Channels } from "../../../server/notifications/channels/service.ts";
import { queries } from "../../../server/database/database.ts";
import { createLog } from "../../../server/platform/log.ts";
import { SecretCipher, createKeyring } from "../../../server/platform/secret-cipher.ts";
import { ChannelDesk, signingSecret } from "./harness.ts";

const harness = new ChannelDesk();
const path = (id: string) => `/api/notifications/configs/${id}`;

describe("notification channels", () => {
  test("administrators create, list, change and delete channels", async () => {
    const made = await harness.make({ name: "On-call" });
    expect(made).toEqual({
      id: expect.any(String),
      channel: "webhook",
      name: "On-call",
      config: { url: `${harness.hooks.url}/hook`, secret: "********" },
      events: ["zone.drift"],
      zoneFilter: null,
      digest: "immediate",
      enabled: true,
      disabledReason: null,
      lastSuccessAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const { body } = await harness.zw.admin.get("/api/notifications/configs");
    expect(body).toEqual({ configs: [made] });
    const change = { name: "Night shift", events: ["domain.expired", "domain.expired"], enabled: false };
    const changed = await harness.zw.admin.put(path(made.id), change);
    expect(changed.body).toEqual({
      ...made,
      name: "Night shift",
      events: ["domain.expired"],
      enabled: false,
      updatedAt: expect.any(String),
    });
    expect((await harness.zw.admin.delete(path(made.id))).body).toEqual({ success: true });
    expect((await harness.zw.admin.delete(path(made.id))).status).toBe(404);
  });

  test("a channel keeps a secret that is omitted, empty or masked, and removes one set to null", async () => {
    const webhookUrl = `${harness.hooks.url}/robot?access_token=abc`;
    const { id } = await harness.make({ channel: "dingtalk", config: { webhookUrl, secret: "SECtest123" } });
    harness.hooks.reply({ body: { errcode: 0 } });
    const shown = `${harness.hooks.url}/********`;
    for (const config of [{}, { webhookUrl: "", secret: "" }, { webhookUrl: shown, secret: "********" }]) {
      expect((await harness.zw.admin.put(path(id), { config })).body.config).toEqual({
        webhookUrl: shown,
        secret: "********",
      });
    }
    expect((await harness.zw.admin.post(`${path(id)}/test`)).body).toEqual({ success: true, error: null });
    expect(harness.hooks.calls[0]?.query.get("access_token")).toBe("abc");
    expect(harness.hooks.calls[0]?.query.get("sign")).not.toBeNull();
    const { body } = await harness.zw.admin.put(path(id), { config: { secret: null } });
    expect(body.config).toEqual({ webhookUrl: shown });
    expect((await harness.zw.admin.put(path(id), { config: { webhookUrl: null } })).status).toBe(400);
  });

  test("a channel's secrets appear nowhere: not in the database, the audit trail, deliveries or errors", async () => {
    const webhookUrl = `${harness.hooks.url}/services/veryhidden`;
    const { id } = await harness.make({ channel: "slack", config: { webhookUrl } });
    harness.hooks.reply({ status: 500 });
    await harness.tell();
    await harness.deliver();
    const tests = await harness.zw.admin.post(`${path(id)}/test`);
    const trail = await harness.zw.admin.get("/api/audit?limit=100");
    const db = queries(harness.zw.services.database.fork());
    const stored = [
      await db.selectFrom("notification_channels").selectAll().execute(),
      await db.selectFrom("deliveries").selectAll().execute(),
    ];
    const all = JSON.stringify([tests.body, trail.body, stored, await harness.deliveries(id), await harness.show(id)]);
    expect(all).toContain("channel.create");
    expect(all).not.toContain("veryhidden");
  });

  test.each([
    ["an unknown kind", { channel: "pigeon" }, "channel"],
    ["an unknown event", { events: ["zone.exploded"] }, "events"],
    ["no event", { events: [] }, "events"],
    ["no settings", { config: {} }, "config"],
    ["an unknown field", { config: { url: "https://a.example", secret: signingSecret, token: "x" } }, "config"],
    ["an address of another kind", { config: { url: "ftp://a.example", secret: signingSecret } }, "config"],
    ["a password in the address", { config: { url: "https://me:pw@a.example", secret: signingSecret } }, "config"],
    ["a short key", { config: { url: "https://a.example", secret: "short" } }, "config"],
    ["a mask for a missing secret", { config: { url: "https://a.example", secret: "********" } }, "config"],
    [
      "a robot's mask",
      { channel: "feishu", config: { webhookUrl: "https://a.example/x", secret: "********" } },
      "config",
    ],
    ["an address's mask", { channel: "slack", config: { webhookUrl: "https://a.example/********" } }, "config"],
    ["no address to mail to", { channel: "email", config: { to: [] } }, "config"],
    ["a list of settings", { config: [] }, "config"],
  ])("a channel with %s is refused, naming the field", async (_what, parts, field) => {
    const { status, body } = await harness.zw.admin.post("/api/notifications", harness.body(parts));
    expect(status).toBe(400);
    expect(body.issues[0].path[0]).toBe(field);
  });

  test("a channel's name is unique, and its kind cannot change", async () => {
    const { id, name } = await harness.make();
    const again = await harness.zw.admin.post("/api/notifications", harness.body({ name: name.toUpperCase() }));
    expect([again.status, again.body.code]).toEqual([409, "CONFLICT"]);
    expect((await harness.zw.admin.put(path(id), { channel: "slack" })).status).toBe(400);
    expect((await harness.zw.admin.put(path(id), { channel: "webhook" })).status).toBe(200);
  });

  test("disabling a channel by hand fails its pending deliveries", async () => {
    const { id } = await harness.make();
    await harness.tell();
    await harness.zw.admin.put(path(id), { enabled: false });
    await harness.tell();
    await harness.zw.admin.put(path(id), { enabled: true });
    await harness.deliver();
    expect(harness.hooks.calls).toEqual([]);
    expect(await harness.deliveries(id)).toMatchObject([{ state: "failed", lastError: "The channel was disabled." }]);
  });
});

function box(keys: readonly [string, ...string[]]): ConfigCipher {
  return new ConfigCipher(new SecretCipher(createKeyring(keys), "notification-channel"));
}

test("channel settings are re-encrypted when keys rotate; unreadable ones are logged by name and left unchanged", async () => {
  const { id, name } = await harness.make({ channel: "email", config: { to: "team@example.com" } });
  const { config, database, audit } = harness.zw.services;
  const started = async (keys: readonly [string, ...string[]]) => {
    const lines: string[] = [];
    const ports = { egress: null, mailer: null, siteUrl: "", now: harness.clock.now } as unknown as Ports;
    const log = createLog("info", { write: (line) => lines.push(line) });
    await new Channels({ box: box(keys), ports, audit }).ensureSealed(database.fork(), log);
    const db = queries(database.fork());
    const row = await db.selectFrom("notification_channels").select("config").executeTakeFirstOrThrow();
    return { sealed: row.config, lines };
  };
  const newer = "a newer key of at least 32 characters";
  const rotated = await started([newer, ...config.secretKeys]);
  expect(box([newer]).open(id, rotated.sealed)).toEqual({ to: "team@example.com" });
  const lost = await started(["a key that never sealed any of this"]);
  expect(lost.sealed).toBe(rotated.sealed);
  expect(lost.lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, unreadable: 1, names: [name] }]);
});
