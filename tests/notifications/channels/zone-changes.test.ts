import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { assign } from "../../accounts/assignments/assigned.ts";
import { approve, creating, requested, verdict } from "../../zones/change-requests/requested.ts";
import { hour, minute } from "../../support/clock.ts";
import { problemOf } from "../../support/problems.ts";
import { manualZone, type Body, type Zone } from "../../support/zones.ts";
import { ChannelDesk } from "./harness.ts";

const harness = new ChannelDesk();
const report = async () => {
  await harness.zw.services.changeReporter.run(new AbortController().signal);
  await harness.deliver();
};
/** Goes to the first minutes of the next day, so that no hour or day ends while a test makes its changes. */
const beginDay = async () => await harness.later(24 * hour - (harness.clock.now().getTime() % (24 * hour)) + minute);
const hearing = (parts: Body = {}) => harness.make({ events: ["zone.changed"], ...parts });
const received = (): Body[] => harness.hooks.calls.map(({ text }) => JSON.parse(text).data);
const left = async () => {
  const { rows } = await sql`select id from change_reports`.execute(queries(harness.zw.services.database.fork()));
  return rows.length;
};

describe("a channel that hears of changes", () => {
  test("receives who changed what, why, by which means, and a link", async () => {
    await hearing();
    const zone = await manualZone(harness.zw);
    const record = await zone.add("A", "www", "192.0.2.1");
    await zone.update(record.id, { value: "192.0.2.2", message: "The host moved" });
    await report();
    const [first, second] = received();
    expect(first).toMatchObject({
      title: `${zone.name} changed`,
      level: "info",
      metadata: {
        domainId: zone.id,
        domainName: zone.name,
        revision: 1,
        kind: "edit",
        actor: "admin",
        means: "session",
        creates: 1,
        changes: [{ action: "create", before: null, after: { recordType: "A", name: "www", value: "192.0.2.1" } }],
        url: `https://dns.example.org/d/${zone.name}/records`,
      },
    });
    expect(first?.["content"]).toBe(
      `admin changed 1 record.\n+ www A 192.0.2.1\nhttps://dns.example.org/d/${zone.name}/records`,
    );
    expect(second).toMatchObject({
      content: expect.stringContaining("~ www A 192.0.2.1 → 192.0.2.2"),
      metadata: { message: "The host moved", updates: 1 },
    });
    expect(await left()).toBe(0);
  });

  test("a channel for changes learns the personal token's name and the change request's number", async () => {
    const channel = await hearing();
    const zone = await manualZone(harness.zw);
    const { body: token } = await harness.zw.admin.post("/api/auth/me/tokens", {
      name: "Deploy script",
      permissions: ["records:write", "records:read"],
    });
    const program = await harness.zw.signIn("admin", "not used");
    program.token = token.token;
    await program.post(`${zone.path}/records`, { recordType: "A", name: "one", value: "192.0.2.1" });
    const member = await harness.zw.member(`author-${zone.name.replaceAll(".", "-")}`);
    await assign(harness.zw, member, zone.id, "*");
    const made = await requested(member, zone, creating("two"));
    await approve(harness.zw.admin, made);
    expect((await verdict(harness.zw.admin, made, "apply")).body.state).toBe("applied");
    await report();
    expect(await harness.deliveries(channel["id"])).toMatchObject([{ lastError: null }, { lastError: null }]);
    const metadata = received().map((data) => data["metadata"]);
    expect(metadata).toMatchObject([
      { means: "token", meansName: "Deploy script" },
      { means: "request", meansName: `#${made["number"]}` },
    ]);
  });

  test("receives a change once, however many runs look for it at the same time", async () => {
    await hearing();
    const zone = await manualZone(harness.zw);
    await zone.add("A", "www", "192.0.2.1");
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 4 }, () => harness.zw.services.changeReporter.run(signal)));
    await harness.deliver();
    expect(harness.hooks.calls).toHaveLength(1);
  });

  test("receives nothing of what happened before it was there or while it was disabled", async () => {
    const zone = await manualZone(harness.zw);
    await zone.add("A", "before", "192.0.2.1");
    expect(await left()).toBe(0);
    const channel = await hearing();
    await harness.zw.admin.put(`/api/notifications/configs/${channel.id}`, { enabled: false });
    await zone.add("A", "meanwhile", "192.0.2.1");
    await harness.zw.admin.put(`/api/notifications/configs/${channel.id}`, { enabled: true });
    await report();
    expect(received()).toEqual([]);
  });

  test("a large change lists its first records and counts all", async () => {
    await hearing();
    const zone = await manualZone(harness.zw);
    const lines = Array.from({ length: 300 }, (_, index) => `h${index} 300 IN A 192.0.2.1\n`);
    await zone.post("/zonefile", { zonefile: lines.join("") });
    await report();
    const [data] = received();
    const { creates, changes } = data?.["metadata"] ?? {};
    expect([creates, changes.length]).toEqual([300, 50]);
    expect(String(data?.["content"]).length).toBeLessThanOrEqual(1_000);
    expect(data?.["content"]).toMatch(/And \d+ more\./);
  });
});

/** Changes an address and a text. @returns how many messages that led to */
const changed = async (zone: Zone) => {
  await zone.add("A", "www", "192.0.2.1");
  await zone.add("TXT", "www", "text");
  await report();
  return received().length;
};

describe("filters", () => {
  test.each([
    ["its id", (zone: Zone) => ({ domainIds: [zone.id] }), 2],
    ["another id", () => ({ domainIds: ["01a1fb0f-6204-7000-abd4-276e976be8b7"] }), 0],
    ["one of its tags", () => ({ tags: ["production", "other"] }), 2],
    ["one of its tags in another case", () => ({ tags: ["PRODUCTION"] }), 2],
    ["another tag", () => ({ tags: ["staging"] }), 0],
    ["its group", () => ({ groupNames: ["Customers"] }), 2],
    ["another group", () => ({ groupNames: ["Partners"] }), 0],
    ["a type", () => ({ recordTypes: ["txt"] }), 1],
    ["a tag and a type", () => ({ tags: ["production"], recordTypes: ["MX"] }), 0],
  ] as const)("a channel that names %s hears of exactly those changes", async (_what, filter, count) => {
    const zone = await manualZone(harness.zw);
    await harness.zw.admin.put(zone.path, { tags: ["production"], groupName: "Customers" });
    await hearing({ zoneFilter: filter(zone) });
    expect(await changed(zone)).toBe(count);
  });

  test("a channel that names a type receives only records of it, and their number", async () => {
    await hearing({ zoneFilter: { recordTypes: ["TXT"] } });
    const zone = await manualZone(harness.zw);
    await zone.post("/records/bulk", {
      records: [
        { recordType: "A", name: "www", value: "192.0.2.1" },
        { recordType: "TXT", name: "www", value: "text" },
      ],
    });
    await report();
    expect(received()).toMatchObject([{ metadata: { creates: 1, changes: [{ after: { recordType: "TXT" } }] } }]);
  });
});

/** A zone file with many addresses and one mail server. */
const largeFile = `${Array.from({ length: 150 }, (_, index) => `h${index} 300 IN A 192.0.2.1\n`).join("")}@ 300 IN MX 10 mail.example.net.\n`;

describe("a filter by type of a change with more records than a message lists", () => {
  test("a channel hears of the one record of its type, created or deleted among many of others", async () => {
    await hearing({ zoneFilter: { recordTypes: ["MX"] } });
    const zone = await manualZone(harness.zw);
    await zone.post("/zonefile", { zonefile: largeFile });
    const others = Array.from({ length: 150 }, (_, index) => `i${index} 300 IN A 192.0.2.1\n`).join("");
    await zone.post("/zonefile", { zonefile: others, mode: "replace", force: true });
    await report();
    expect(received().map(({ metadata }) => metadata)).toMatchObject([
      { creates: 1, updates: 0, deletes: 0, changes: [{ action: "create", after: { recordType: "MX" } }] },
      { creates: 0, updates: 0, deletes: 1, changes: [{ action: "delete", before: { recordType: "MX" } }] },
    ]);
  });

  test("the message and the digest count all records of the types that the channel names", async () => {
    await beginDay();
    await hearing({ zoneFilter: { recordTypes: ["A"] } });
    await hearing({ zoneFilter: { recordTypes: ["A"] }, digest: "hourly" });
    const zone = await manualZone(harness.zw);
    await zone.post("/zonefile", { zonefile: largeFile });
    await report();
    await harness.later(hour);
    await report();
    const [message, digest] = received();
    expect(message).toMatchObject({
      content: expect.stringMatching(/^admin changed 150 records\./),
      metadata: { creates: 150 },
    });
    expect(digest).toMatchObject({ metadata: { total: 1, changes: [{ creates: 150 }] } });
  });
});

describe("digests", () => {
  beforeEach(beginDay);

  test("an hourly digest sends the changes of an hour together, at the full hour", async () => {
    const channel = await hearing({ digest: "hourly" });
    expect(channel).toMatchObject({ digest: "hourly", zoneFilter: null });
    const [one, other] = [await manualZone(harness.zw), await manualZone(harness.zw)];
    await one.add("A", "www", "192.0.2.1");
    await other.add("A", "www", "192.0.2.1");
    await report();
    expect(received()).toEqual([]);
    await harness.later(hour);
    await report();
    expect(received()).toMatchObject([
      {
        title: "2 changes in 2 zones",
        metadata: { digest: true, total: 2, changes: [{ domainName: one.name }, { domainName: other.name }] },
      },
    ]);
    await harness.later(hour);
    await report();
    expect(received()).toHaveLength(1);
    expect(await left()).toBe(0);
  });

  test("a daily digest waits for midnight UTC", async () => {
    await hearing({ digest: "daily" });
    const zone = await manualZone(harness.zw);
    await zone.add("A", "www", "192.0.2.1");
    await report();
    const untilMidnight = 24 * hour - (harness.clock.now().getTime() % (24 * hour));
    await harness.later(untilMidnight - minute);
    await report();
    expect(received()).toEqual([]);
    await harness.later(minute);
    await report();
    expect(received()).toMatchObject([{ title: `1 change in ${zone.name}` }]);
  });

  test("a digest has only changes that the channel's filter still admits, and counts only these", async () => {
    const channel = await hearing({ digest: "daily" });
    const [one, other] = [await manualZone(harness.zw), await manualZone(harness.zw)];
    for (const zone of [one, other]) {
      await zone.add("A", "www", "192.0.2.1");
      await zone.add("TXT", "www", "text");
    }
    await report();
    const zoneFilter = { domainIds: [one.id], recordTypes: ["TXT"] };
    await harness.zw.admin.put(`/api/notifications/configs/${channel.id}`, { zoneFilter });
    await harness.later(24 * hour);
    await report();
    expect(received()).toMatchObject([
      {
        title: `1 change in ${one.name}`,
        metadata: {
          total: 1,
          changes: [{ domainName: one.name, creates: 1, changes: [{ after: { recordType: "TXT" } }] }],
        },
      },
    ]);
    expect(received()[0]?.["content"]).not.toContain(other.name);
    expect(await left()).toBe(0);
  });

  test("a channel that was disabled and enabled again receives nothing from before with its next digest", async () => {
    const channel = await hearing({ digest: "daily" });
    const zone = await manualZone(harness.zw);
    await zone.add("A", "before", "192.0.2.1");
    await report();
    for (const enabled of [false, true])
      await harness.zw.admin.put(`/api/notifications/configs/${channel.id}`, { enabled });
    await zone.add("A", "after", "192.0.2.1");
    await report();
    await harness.later(24 * hour);
    await report();
    expect(received()).toMatchObject([
      { metadata: { total: 1, changes: [{ changes: [{ after: { name: "after" } }] }] } },
    ]);
  });

  test("what waits for a channel's digest goes with the channel", async () => {
    const channel = await hearing({ digest: "daily" });
    await (await manualZone(harness.zw)).add("A", "www", "192.0.2.1");
    await report();
    expect(await left()).toBe(1);
    await harness.zw.admin.delete(`/api/notifications/configs/${channel.id}`);
    expect(await left()).toBe(0);
  });

  test("changes of a domain that is deleted before the digest are left out", async () => {
    await hearing({ digest: "hourly" });
    const [gone, stays] = [await manualZone(harness.zw), await manualZone(harness.zw)];
    for (const zone of [gone, stays]) await zone.add("A", "www", "192.0.2.1");
    await report();
    await harness.zw.admin.delete(gone.path);
    await harness.later(hour);
    await report();
    expect(received()).toMatchObject([{ title: `1 change in ${stays.name}` }]);
  });
});

test.each([
  [{ zoneFilter: { tags: [] } }, "zoneFilter"],
  [{ zoneFilter: { domainIds: ["no id"] } }, "zoneFilter"],
  [{ zoneFilter: { recordTypes: ["NOT A TYPE"] } }, "zoneFilter"],
  [{ zoneFilter: { hosts: ["www"] } }, "zoneFilter"],
  [{ digest: "weekly" }, "digest"],
  [{ channel: "web", config: { administrators: true } }, "events"],
])("%j is refused, naming the field", async (parts, field) => {
  const answer = await harness.zw.admin.post(
    "/api/notifications",
    harness.body({ events: ["zone.changed"], ...parts }),
  );
  expect(problemOf(answer, 400, "BAD_REQUEST").issues?.[0]?.path[0]).toBe(field);
});
