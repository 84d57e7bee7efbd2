import { Server } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Clock, minute, second } from "../support/clock.ts";
import { StreamClient } from "../support/event-stream.ts";
import { patience } from "../support/patience.ts";
import { RestClient } from "../support/rest-client.ts";
import { adminPassword, memberPassword, startZonewright, useZonewright } from "../support/zonewright.ts";
import { publish } from "./publish.ts";
import { useReader } from "./readers.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });
const path = "/api/notifications/stream";
const reader = useReader(zw);

function bearer(client: RestClient): Record<string, string> {
  return { authorization: `Bearer ${client.token}` };
}

async function open(headers: Record<string, string> = bearer(reader.client), query = ""): Promise<StreamClient> {
  return await reader.open(`${path}${query}`, headers);
}

async function started(headers?: Record<string, string>): Promise<StreamClient & { cursor: string }> {
  const client = await open(headers);
  const message = await client.next();
  return Object.assign(client, { cursor: message?.id ?? "" });
}

async function status(headers: Record<string, string>, query?: string): Promise<number> {
  return (await open(headers, query)).status;
}

async function tokenWith(permissions: string[]): Promise<string> {
  return (await reader.client.post("/api/auth/me/tokens", { name: "Watcher", permissions })).body.token;
}

async function titles(client: StreamClient, count: number): Promise<string[]> {
  const messages = [];
  while (messages.length < count) messages.push(await client.next());
  return messages.map((message) => message?.data.title);
}

describe("opening a stream", () => {
  test("a stream begins with the connected message and sends each notification with the documented fields", async () => {
    const client = await open();
    expect(client.response.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    expect(client.response.headers["content-encoding"]).toBeUndefined();
    expect(await client.next()).toEqual({
      event: null,
      id: expect.any(String),
      retry: expect.any(Number),
      comment: false,
      data: { event: "connected" },
    });
    expect(client.raw).toContain('\ndata: {"event":"connected"}\n\n');
    await publish(zw, { userIds: [reader.id] }, "Told", { domainName: "a.example" });
    const message = await client.next();
    const { notifications } = (await reader.client.get("/api/notifications")).body;
    expect(message).toMatchObject({ id: notifications[0].id, data: notifications[0] });
    expect(Object.keys(message?.data)).toEqual([
      "event",
      "id",
      "title",
      "content",
      "level",
      "read",
      "createdAt",
      "metadata",
    ]);
  });

  test("a stream also accepts an access token in the query", async () => {
    const client = await open({}, `?token=${reader.client.token}`);
    expect([client.status, (await client.next())?.data]).toEqual([200, { event: "connected" }]);
  });

  test("a stream accepts a personal token with notifications:read in the header, but not in the query", async () => {
    const token = await tokenWith(["notifications:read"]);
    expect((await open({ authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await open({}, `?token=${token}`)).status).toBe(401);
    expect((await open({ authorization: `Bearer ${await tokenWith(["records:read"])}` })).status).toBe(403);
  });

  test("a stream is refused without valid credentials, and for invalid requests", async () => {
    expect(await status({})).toBe(401);
    expect(await status({ authorization: "Bearer nonsense" })).toBe(401);
    expect(await status({}, "?token=nonsense")).toBe(401);
    expect(await status({}, `?token=${reader.client.token}&token=${reader.client.token}`)).toBe(400);
    expect(await status(bearer(reader.client), `?token=${reader.client.token}`)).toBe(400);
    expect(await status(bearer(reader.client), "?other=1")).toBe(400);
    const head = await fetch(`${zw.url}${path}`, { method: "HEAD", headers: bearer(reader.client) });
    expect(head.status).toBe(405);
    expect(zw.services.streams.openStreams).toBe(0);
  });

  test("a stream sends a keep-alive comment after 15 seconds without notifications", async () => {
    const client = await started();
    clock.advance(16 * second);
    expect(await client.nextComment()).toMatchObject({ comment: true, data: null });
  });
});

describe("reconnecting to a stream", () => {
  test("a reconnecting client gets what it missed, each notification once and in order", async () => {
    const first = await started();
    await publish(zw, { userIds: [reader.id] }, "Seen");
    const seen = await first.next();
    first.cut();
    for (const title of ["One", "Two", "Three"]) await publish(zw, { userIds: [reader.id] }, title);
    const again = await open({ ...bearer(reader.client), "last-event-id": seen?.id ?? "" });
    expect((await again.next())?.data).toEqual({ event: "connected" });
    await publish(zw, { userIds: [reader.id] }, "Four");
    expect(await titles(again, 4)).toEqual(["One", "Two", "Three", "Four"]);
  });

  test("a client that lost its connection before the first notification misses nothing", async () => {
    const first = await started();
    first.cut();
    await publish(zw, { userIds: [reader.id] }, "Missed");
    const again = await started({ ...bearer(reader.client), "last-event-id": first.cursor });
    expect(await titles(again, 1)).toEqual(["Missed"]);
  });

  test("a reconnecting client does not get deleted notifications or those before its last one", async () => {
    const first = await started();
    for (const title of ["One", "Two", "Three"]) await publish(zw, { userIds: [reader.id] }, title);
    const seen = await first.next();
    first.cut();
    const { notifications } = (await reader.client.get("/api/notifications")).body;
    await reader.client.delete(`/api/notifications/${notifications[1].id}`);
    await reader.client.delete(`/api/notifications/${seen?.id}`);
    const again = await started({ ...bearer(reader.client), "last-event-id": seen?.id ?? "" });
    expect(await titles(again, 1)).toEqual(["Three"]);
  });

  test("a client whose last event is unknown is notified of a gap and gets all notifications", async () => {
    for (const title of ["One", "Two"]) await publish(zw, { userIds: [reader.id] }, title);
    const client = await open({ ...bearer(reader.client), "last-event-id": "01a1fb0f-6204-7000-abd4-276e976be8b7" });
    expect((await client.next())?.data).toEqual({ event: "connected", gap: true });
    expect(await titles(client, 2)).toEqual(["One", "Two"]);
  });

  test("a client without a last event ID gets only new notifications", async () => {
    await publish(zw, { userIds: [reader.id] }, "Old");
    const client = await started();
    await publish(zw, { userIds: [reader.id] }, "New");
    expect(await titles(client, 1)).toEqual(["New"]);
  });
});

describe("the limit of open streams", () => {
  test("a user can have five open streams, even with concurrent requests, and closing one allows another", async () => {
    const clients = await Promise.all(Array.from({ length: 50 }, () => open()));
    const statuses = clients.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(45);
    const refused = clients.find(({ status }) => status === 429);
    expect(Number(refused?.response.headers["retry-after"])).toBeGreaterThan(0);
    expect(await refused?.problem()).toMatchObject({ code: "TOO_MANY_REQUESTS" });
    const other = await zw.member(`${reader.username}-other`);
    expect((await open(bearer(other))).status).toBe(200);
    clients.find(({ status }) => status === 200)?.cut();
    await vi.waitFor(async () => expect((await open()).status).toBe(200), patience);
    expect((await open()).status).toBe(429);
  });
});

function newPassword() {
  return reader.client.put("/api/auth/me/password", { currentPassword: memberPassword, newPassword: memberPassword });
}

describe("the end of a stream", () => {
  test("a stream ends when its access token expires", async () => {
    const client = await started();
    clock.advance(15 * minute);
    expect(await client.next()).toBeNull();
  });

  test("a stream ends immediately with its session, by sign-out, revocation, a new password or refresh-token reuse", async () => {
    const ways: ((ending: RestClient, refreshToken: string) => Promise<unknown>)[] = [
      (ending) => ending.post("/api/auth/logout"),
      async () => {
        const { sessions } = (await reader.client.get("/api/auth/me/sessions")).body;
        const ended = sessions.find(({ current }: { current: boolean }) => !current);
        await reader.client.delete(`/api/auth/me/sessions/${ended.id}`);
      },
      newPassword,
      async (_ending, refreshToken) => {
        const { body } = await zw.nobody.post("/api/auth/refresh", { refreshToken });
        await zw.nobody.post("/api/auth/refresh", { refreshToken: body.refreshToken });
        await zw.nobody.post("/api/auth/refresh", { refreshToken });
      },
    ];
    for (const end of ways) {
      const { body } = await zw.nobody.post("/api/auth/login", { username: reader.username, password: memberPassword });
      const ending = new RestClient(zw.url, body.accessToken);
      const [stays, ends] = [await started(), await started(bearer(ending))];
      await end(ending, body.refreshToken);
      await ends.closed;
      await publish(zw, { userIds: [reader.id] }, "Still here");
      const changed = end === newPassword ? [`The password of the account ${reader.username} was changed`] : [];
      expect(await titles(stays, changed.length + 1)).toEqual([...changed, "Still here"]);
      stays.cut();
    }
  });

  test("a stream ends immediately when its user is disabled or deleted, or its personal token is deleted", async () => {
    const created = await reader.client.post("/api/auth/me/tokens", {
      name: "Watcher",
      permissions: ["notifications:read"],
    });
    const byToken = await started({ authorization: `Bearer ${created.body.token}` });
    await reader.client.delete(`/api/auth/me/tokens/${created.body.id}`);
    expect(await byToken.next()).toBeNull();
    const other = await reader.client.post("/api/auth/me/tokens", {
      name: "Other",
      permissions: ["notifications:read"],
    });
    const both = [await started(), await started({ authorization: `Bearer ${other.body.token}` })];
    const admin = await zw.signIn("admin", adminPassword);
    await admin.put(`/api/users/${reader.id}`, { disabled: true });
    for (const client of both) expect(await client.next()).toBeNull();
    await admin.put(`/api/users/${reader.id}`, { disabled: false });
    const last = await started(bearer(await zw.signIn(reader.username, memberPassword)));
    await admin.delete(`/api/users/${reader.id}`);
    expect(await last.next()).toBeNull();
  });

  test("a stream ends immediately when notifications are turned off, and gets 403 until they are turned on", async () => {
    const clients = [await started(), await started()];
    await reader.client.put("/api/auth/me/profile", { notificationsEnabled: false });
    for (const client of clients) expect(await client.next()).toBeNull();
    const refused = await open();
    expect([refused.status, (await refused.problem()).code]).toEqual([403, "FORBIDDEN"]);
    await reader.client.put("/api/auth/me/profile", { notificationsEnabled: true });
    expect((await open()).status).toBe(200);
  });

  test("a stream ends when the service stops, and does not delay it", async () => {
    const other = await startZonewright();
    const client = await StreamClient.open(other.url + path, { authorization: `Bearer ${other.admin.token}` });
    expect((await client.next())?.data).toEqual({ event: "connected" });
    // Connections that are still open after eight seconds are cut.
    const cut = vi.spyOn(Server.prototype, "closeAllConnections");
    onTestFinished(() => cut.mockRestore());
    const cutBeforeItsEnd = client.closed.then(() => cut.mock.calls.length);
    await other.stop();
    expect(await client.next()).toBeNull();
    // The rest of the service may take longer than that.
    expect(await cutBeforeItsEnd).toBe(0);
  });

  test("a stream to a client that does not read is closed before more than a mebibyte is buffered", async () => {
    // The kernel's buffers come on top of that.
    expect(await reader.readNothing(path)).toBeLessThan(200);
  });
});
