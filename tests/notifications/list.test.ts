import { beforeEach, describe, expect, test } from "vitest";
import { RestClient } from "../support/rest-client.ts";
import { useZonewright } from "../support/zonewright.ts";
import { idOf, notice, publish, titlesOf } from "./publish.ts";

const zw = useZonewright();
const unknown = "01a1fb0f-6204-7000-abd4-276e976be8b7";

let reader: RestClient;
let readerId: string;
let readers = 0;
beforeEach(async () => {
  readers += 1;
  reader = await zw.member(`reader-${readers}`);
  readerId = await idOf(reader);
});

describe("the list of notifications", () => {
  test("the list of notifications is newest first and has the documented fields", async () => {
    await publish(zw, { userIds: [readerId] }, "First");
    await publish(zw, { userIds: [readerId] }, "Second", { domainName: "a.example" });
    const { status, body } = await reader.get("/api/notifications");
    expect(status).toBe(200);
    expect(body.unreadCount).toBe(2);
    expect(body.notifications.map(({ title }: { title: string }) => title)).toEqual(["Second", "First"]);
    expect(body.notifications[0]).toEqual({
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f-]{27}$/),
      event: "zone.drift",
      title: "Second",
      content: "Look at it.",
      level: "warning",
      metadata: { domainName: "a.example" },
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      read: false,
    });
  });

  test("the list holds a user's newest 200 notifications", async () => {
    for (let index = 0; index < 205; index++) await publish(zw, { userIds: [readerId] }, `Number ${index}`);
    const titles = await titlesOf(reader);
    expect(titles).toHaveLength(200);
    expect([titles.at(0), titles.at(-1)]).toEqual(["Number 204", "Number 5"]);
  });

  test("users cannot see, read or delete another user's notifications", async () => {
    const other = await zw.member(`other-${readers}`);
    await publish(zw, { userIds: [readerId] });
    const { id } = (await reader.get("/api/notifications")).body.notifications[0];
    expect(await titlesOf(other)).toEqual([]);
    expect((await other.post(`/api/notifications/${id}/read`)).status).toBe(404);
    expect((await other.delete(`/api/notifications/${id}`)).status).toBe(404);
    expect((await other.delete("/api/notifications")).body).toEqual({ success: true, deleted: 0 });
    expect((await reader.get("/api/notifications")).body).toMatchObject({ unreadCount: 1, notifications: [{ id }] });
  });
});

describe("reading and deleting notifications", () => {
  test("marking a notification as read returns it and can be repeated", async () => {
    await publish(zw, { userIds: [readerId] }, "First");
    await publish(zw, { userIds: [readerId] }, "Second");
    const { notifications } = (await reader.get("/api/notifications")).body;
    for (const times of [1, 2]) {
      const answer = await reader.post(`/api/notifications/${notifications[1].id}/read`);
      expect({ times, status: answer.status, body: answer.body }).toEqual({
        times,
        status: 200,
        body: { ...notifications[1], read: true },
      });
    }
    const { body } = await reader.get("/api/notifications");
    expect(body.unreadCount).toBe(1);
    expect(body.notifications).toEqual([notifications[0], { ...notifications[1], read: true }]);
  });

  test("marking or deleting all notifications returns how many there were", async () => {
    for (const title of ["First", "Second", "Third"]) await publish(zw, { userIds: [readerId] }, title);
    const { notifications } = (await reader.get("/api/notifications")).body;
    await reader.post(`/api/notifications/${notifications[0].id}/read`);
    expect((await reader.post("/api/notifications/read-all")).body).toEqual({ success: true, updated: 2 });
    expect((await reader.post("/api/notifications/read-all")).body).toEqual({ success: true, updated: 0 });
    expect((await reader.delete(`/api/notifications/${notifications[0].id}`)).body).toEqual({
      success: true,
      deleted: 1,
    });
    expect(await titlesOf(reader)).toEqual(["Second", "First"]);
    expect((await reader.delete("/api/notifications")).body).toEqual({ success: true, deleted: 2 });
    expect((await reader.get("/api/notifications")).body).toEqual({ notifications: [], unreadCount: 0 });
  });

  test("a personal token can mark and delete notifications with notifications:write, but not with notifications:read", async () => {
    const tokenWith = async (permission: string) => {
      const { body } = await reader.post("/api/auth/me/tokens", { name: permission, permissions: [permission] });
      return new RestClient(zw.url, body.token);
    };
    const reading = await tokenWith("notifications:read");
    const writing = await tokenWith("notifications:write");
    // Creating a token sends a notification, too.
    await reader.delete("/api/notifications");
    await publish(zw, { userIds: [readerId] }, "First");
    await publish(zw, { userIds: [readerId] }, "Second");
    const [second, first] = (await reader.get("/api/notifications")).body.notifications;
    expect(await reading.post(`/api/notifications/${first.id}/read`)).toBeProblem(403, "FORBIDDEN");
    expect(await writing.get("/api/notifications")).toBeProblem(403, "FORBIDDEN");
    expect((await writing.post(`/api/notifications/${first.id}/read`)).body).toMatchObject({
      title: "First",
      read: true,
    });
    expect((await writing.post("/api/notifications/read-all")).body).toEqual({ success: true, updated: 1 });
    expect((await writing.delete(`/api/notifications/${second.id}`)).body).toEqual({ success: true, deleted: 1 });
    expect((await writing.delete("/api/notifications")).body).toEqual({ success: true, deleted: 1 });
    expect(await titlesOf(reader)).toEqual([]);
  });

  test("an unknown or deleted notification gets 404, and an invalid ID gets 400", async () => {
    await publish(zw, { userIds: [readerId] });
    const { id } = (await reader.get("/api/notifications")).body.notifications[0];
    await reader.delete(`/api/notifications/${id}`);
    for (const gone of [id, unknown]) {
      expect((await reader.post(`/api/notifications/${gone}/read`)).status).toBe(404);
      expect((await reader.delete(`/api/notifications/${gone}`)).status).toBe(404);
    }
    expect((await reader.delete("/api/notifications/nothing")).status).toBe(400);
  });
});

describe("recipients of a notification", () => {
  test("a user who is both named and an administrator gets a notification once", async () => {
    const adminId = await idOf(zw.admin);
    await zw.admin.delete("/api/notifications");
    await publish(zw, { userIds: [readerId, adminId, readerId], administrators: true }, "To all");
    expect(await titlesOf(reader)).toEqual(["To all"]);
    expect(await titlesOf(zw.admin)).toEqual(["To all"]);
  });

  test("users who turned off notifications get no new ones, and keep the existing ones", async () => {
    await publish(zw, { userIds: [readerId] }, "Before");
    await reader.put("/api/auth/me/profile", { notificationsEnabled: false });
    await publish(zw, { userIds: [readerId] }, "Meanwhile");
    expect(await titlesOf(reader)).toEqual(["Before"]);
    await reader.put("/api/auth/me/profile", { notificationsEnabled: true });
    await publish(zw, { userIds: [readerId] }, "After");
    expect(await titlesOf(reader)).toEqual(["After", "Before"]);
  });

  test("disabled users get no notifications", async () => {
    await zw.admin.put(`/api/users/${readerId}`, { disabled: true });
    await publish(zw, { userIds: [readerId] });
    expect(await zw.services.inApp.list(readerId)).toEqual({ notifications: [], unreadCount: 0 });
  });

  test("notifications are sent after the commit, and not after a rollback", async () => {
    const { database, notifications } = zw.services;
    const work = (title: string) =>
      database.fork().transactional(async (tx) => {
        await notifications.notify(tx, notice({ userIds: [readerId] }, title));
        expect((await zw.services.inApp.list(readerId)).notifications.map((one) => one.title)).not.toContain(title);
        if (title === "Taken back") throw new Error("taken back");
      });
    await work("Kept");
    await expect(work("Taken back")).rejects.toThrow("taken back");
    expect(await titlesOf(reader)).toEqual(["Kept"]);
  });
});
