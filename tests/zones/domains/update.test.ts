import { beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { addZone, embeddedConfig, freshName, manualConfig, manualZone, type Zone } from "../../support/zones.ts";
import { idOf } from "../../accounts/assignments/assigned.ts";
import { entries } from "../../notifications/audit/trail.ts";

const day = 86_400_000;
let now = new Date("2030-01-01T00:00:00.000Z");
const zw = useZonewright({ now: () => now });

let zone: Zone;
const put = (patch: unknown, path = "") => zone.client.put(zone.path + path, patch);
const inDays = (days: number) => new Date(now.getTime() + days * day).toISOString();

beforeEach(async () => {
  zone = await manualZone(zw);
});

describe("a change to a domain", () => {
  test.each([
    ["groupName", "Team"],
    ["groupName", null],
    ["notes", "line\nline"],
    ["notes", null],
    ["tags", ["x", "y"]],
    ["tags", []],
    ["snapshotSchedule", "daily"],
    ["snapshotSchedule", "weekly"],
    ["snapshotSchedule", "off"],
    ["status", "disabled"],
    ["status", "active"],
    ["expiresAt", "2040-01-01T00:00:00.000Z"],
    ["expiresAt", null],
  ])("an update of %s to %j changes that field only", async (field, value) => {
    await put({ groupName: "old", notes: "old", tags: ["old"] });
    const before = await zone.detail();
    const { status, body } = await put({ [field]: value });
    expect(status).toBe(200);
    const source = field === "expiresAt" ? { expirySource: value === null ? null : "manual" } : {};
    expect(body).toEqual({ ...before, updatedAt: body.updatedAt, [field]: value, ...source });
    expect(await zone.detail()).toEqual(body);
  });

  test.each([
    ["status", "expired"],
    ["status", null],
    ["snapshotSchedule", "hourly"],
    ["tags", null],
    ["tags", [""]],
    ["tags", Array.from({ length: 51 }, (_, index) => String(index))],
    ["groupName", "x".repeat(101)],
    ["notes", "\u0000"],
    ["expiresAt", "tomorrow"],
    ["expiresAt", "1969-12-31T23:59:59Z"],
    ["name", "other.example"],
    ["ownerId", "01a1fb0f-6204-7000-abd4-276e976be8b7"],
  ])("an update of %s to %j is refused and changes nothing", async (field, value) => {
    const before = await zone.detail();
    const { status, body } = await put({ [field]: value, ...(field === "notes" ? {} : { notes: "new" }) });
    expect(status).toBe(400);
    expect(body.issues[0].path[0]).toBe(field);
    expect(await zone.detail()).toEqual(before);
  });
});

describe("a change that also moves the zone", () => {
  test.each([
    ["an owner who does not exist", { ownerId: "01a1fb0f-6204-7000-abd4-276e976be8b7", notes: "new" }],
    ["a cost without a currency", { yearlyCost: 12, notes: "new" }],
  ])("a move or a new view with %s is refused and changes nothing", async (_, patch) => {
    const before = await zone.detail();
    const providerConfigId = await embeddedConfig(zw);
    expect((await put({ providerConfigId, ...patch })).status).toBe(400);
    expect((await put({ view: "internal", ...patch })).status).toBe(400);
    expect(await zone.detail()).toEqual(before);
  });

  test("a move with a group that gives people rights is refused for members, and changes nothing", async () => {
    const [owner, other] = [await zw.member("owner"), await zw.member("other")];
    zone = await addZone(zw, { name: freshName(), providerConfigId: await manualConfig(zw) });
    await zw.admin.put(zone.path, { ownerId: await idOf(owner) });
    const assigned = { userId: await idOf(other), groupName: "Shops", subdomainPattern: "*", access: "write" };
    expect((await zw.admin.post("/api/assignments", assigned)).status).toBe(201);
    const target = { kind: "manual", name: "Other", membersMayUse: true };
    const { body: config } = await zw.admin.post("/api/provider-configs", target);
    const before = await zone.detail();
    const refused = await owner.put(zone.path, { providerConfigId: config.id, groupName: "Shops" });
    expect(refused).toMatchObject({ status: 403, body: { issues: [{ path: ["groupName"] }] } });
    expect(await zone.detail()).toEqual(before);
  });

  test("the reason of a move that overrides a review is in the entry of the move", async () => {
    await put({ reviewRequired: "everyone" });
    const providerConfigId = await embeddedConfig(zw);
    const why = { override: true, message: "The old vendor is down" };
    expect((await put({ providerConfigId, notes: "new", ...why })).status).toBe(200);
    expect((await put({ view: "internal", ...why })).status).toBe(200);
    const trail = await entries(zw.admin, { targetId: zone.id });
    const overridden = { message: why.message, reviewOverridden: true };
    expect(trail.filter(({ after }) => after?.["message"] === why.message)).toMatchObject([
      { action: "domain.move", after: { view: "internal", ...overridden } },
      { action: "domain.move", after: { providerConfigId, ...overridden } },
    ]);
  });
});

describe("the status", () => {
  test("the status follows from the expiry date and the longest reminder, from the right day on", async () => {
    await put({ expiresAt: inDays(31) });
    expect((await zone.detail()).status).toBe("active");
    await put({ expiresAt: inDays(30) });
    expect((await zone.detail()).status).toBe("expiring");
    await put({ expiryRemindDays: [7] }, "/expiry-remind");
    expect((await zone.detail()).status).toBe("active");
    await put({ expiresAt: inDays(0) });
    expect((await zone.detail()).status).toBe("expired");
    await put({ expiresAt: null });
    expect((await zone.detail()).status).toBe("active");
  });

  test("the status changes over time without an update, and the list's filter agrees", async () => {
    const start = now;
    await put({ expiresAt: inDays(40) });
    const seen: string[] = [];
    for (const days of [9, 10, 39, 40, 50]) {
      now = new Date(start.getTime() + days * day);
      zone.client.token = (await zw.signIn("admin", "correct horse battery staple")).token;
      const { status } = await zone.detail();
      const { body } = await zone.client.get(`/api/domains?status=${status}&search=${zone.name}`);
      expect(body.domains).toMatchObject([{ id: zone.id, status }]);
      seen.push(status);
    }
    now = start;
    zone.client.token = (await zw.signIn("admin", "correct horse battery staple")).token;
    expect(seen).toEqual(["active", "expiring", "expiring", "expired", "expired"]);
  });

  test("a disabled status stays whatever the date, until activation restores the status of the date", async () => {
    await put({ status: "disabled", expiresAt: inDays(-1) });
    expect((await zone.detail()).status).toBe("disabled");
    expect((await put({ expiresAt: inDays(1) }, "/expiry")).body.status).toBe("disabled");
    expect((await put({ expiryRemindDays: [3] }, "/expiry-remind")).body.status).toBe("disabled");
    expect((await put({ status: "active" })).body.status).toBe("expiring");
  });
});

describe("reminders", () => {
  test("reminders are stored without duplicates, longest first, and omitted settings stay", async () => {
    const first = await put({ expiryRemindDays: [1, 90, 7, 7], autoCheckExpiry: false }, "/expiry-remind");
    expect(first.body).toMatchObject({ expiryRemindDays: [90, 7, 1], autoCheckExpiry: false });
    const second = await put({ expiryRemindDays: [] }, "/expiry-remind");
    expect(second.body).toMatchObject({ expiryRemindDays: [], autoCheckExpiry: false });
    const third = await put({ autoCheckExpiry: true }, "/expiry-remind");
    expect(third.body).toMatchObject({ expiryRemindDays: [], autoCheckExpiry: true });
  });

  test.each([[[-1]], [[3651]], [[1.5]], [["7"]], ["7"], [null], [Array.from({ length: 21 }, (_, day) => day)]])(
    "reminders of %j days are refused",
    async (expiryRemindDays) => {
      const { status, body } = await put({ expiryRemindDays }, "/expiry-remind");
      expect(status).toBe(400);
      expect(body.issues[0].path[0]).toBe("expiryRemindDays");
    },
  );
});

test("an expiry date and reminders set simultaneously both apply, also to the status", async () => {
  for (let round = 0; round < 10; round += 1) {
    const one = await manualZone(zw);
    const answers = await Promise.all([
      one.client.put(`${one.path}/expiry`, { expiresAt: inDays(60) }),
      one.client.put(`${one.path}/expiry-remind`, { expiryRemindDays: [90] }),
      one.client.put(one.path, { notes: "kept" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await one.detail()).toMatchObject({
      expiresAt: inDays(60),
      expiryRemindDays: [90],
      notes: "kept",
      status: "expiring",
    });
  }
});

describe("a manual expiry date", () => {
  test("a manual expiry date is stored with its source, and null clears both", async () => {
    const set = await put({ expiresAt: "2031-05-06T07:08:09+02:00" }, "/expiry");
    expect(set.body).toMatchObject({ expiresAt: "2031-05-06T05:08:09.000Z", expirySource: "manual", status: "active" });
    const forgotten = await put({ expiresAt: null }, "/expiry");
    expect(forgotten.body).toMatchObject({ expiresAt: null, expirySource: null });
  });

  test("an expiry date is required", async () => {
    const { status, body } = await put({}, "/expiry");
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: ["expiresAt"] }]);
  });
});
