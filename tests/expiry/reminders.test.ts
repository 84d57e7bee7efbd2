import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { takeReminders } from "../../server/expiry/due-reminders.ts";
import { reminderNotice } from "../../server/expiry/reminder-notice.ts";
import type { Body } from "../support/zones.ts";
import { Clock, day, hour } from "../support/clock.ts";
import type { RestClient } from "../support/rest-client.ts";
import { useZonewright } from "../support/zonewright.ts";
import { lastingAdmin, NoticeLog } from "./notice-log.ts";

const clock = new Clock();
const log = new NoticeLog();
const zw = useZonewright({ env: { JOBS: "off" }, now: clock.now, logTo: log });

let admin: RestClient;
beforeAll(async () => {
  admin = await lastingAdmin(zw);
});

const going = new AbortController().signal;
const remind = () => zw.services.expiryReminders.work({}, going);
const inDays = (days: number) => new Date(clock.now().getTime() + days * day).toISOString();

let made = 0;
let name: string;
let domain: Body;
beforeEach(async () => {
  made += 1;
  name = `reminded-${made}.example`;
  domain = (await admin.post("/api/domains", { name, expiresAt: inDays(40) })).body;
});

const path = () => `/api/domains/${domain.id}`;
const status = async () => (await admin.get(path())).body.status;
const setExpiry = (expiresAt: string | null) => admin.put(`${path()}/expiry`, { expiresAt });

/** What is told of the domain by a run so many days later. */
async function after(days: number): Promise<string[]> {
  clock.advance(days * day + hour);
  await remind();
  return log.next(name);
}

describe("a domain that is to expire", () => {
  test("is reminded of once at each threshold, however often the job runs, and once when it has expired", async () => {
    expect(await after(0)).toEqual([]);
    expect(await after(10)).toEqual(["domain.expiring 30"]);
    expect(await after(0)).toEqual([]);
    expect(await after(5)).toEqual([]);
    expect(await after(18)).toEqual(["domain.expiring 7"]);
    expect(await after(6)).toEqual(["domain.expiring 1"]);
    expect(await after(1)).toEqual(["domain.expired"]);
    expect(await after(0)).toEqual([]);
    expect(await after(100)).toEqual([]);
  });

  test("goes from active by expiring to expired, and back when it is renewed", async () => {
    const seen = [await status()];
    for (const days of [15, 30]) {
      clock.advance(days * day);
      seen.push(await status());
    }
    await setExpiry(inDays(365));
    seen.push(await status());
    expect(seen).toEqual(["active", "expiring", "expired", "active"]);
  });

  test("is reminded of anew after it was renewed", async () => {
    await after(10);
    await setExpiry(inDays(395));
    expect(await after(0)).toEqual([]);
    expect(await after(366)).toEqual(["domain.expiring 30"]);
  });

  test("is told of by one message where days were missed, for the nearest threshold", async () => {
    expect(await after(35)).toEqual(["domain.expiring 7"]);
    expect(await after(0)).toEqual([]);
    expect(await after(4)).toEqual(["domain.expiring 1"]);
  });

  test("that has expired while nothing ran is told of as expired", async () => {
    expect(await after(60)).toEqual(["domain.expired"]);
    expect(await after(1)).toEqual([]);
  });

  test("is told of once by two instances that run at the same moment", async () => {
    clock.advance(11 * day);
    await Promise.all([remind(), remind(), remind()]);
    expect(log.next(name)).toEqual(["domain.expiring 30"]);
  });

  test("is told of by the next run where this one did not come to its end", async () => {
    clock.advance(11 * day);
    const broken = zw.services.database.fork().transactional(async (tx) => {
      const { reminders } = await takeReminders(tx, clock.now(), null, 1_000);
      expect(reminders.map(({ domainId }) => domainId)).toContain(domain.id);
      throw new Error("The process ends here.");
    });
    await expect(broken).rejects.toThrow("ends here");
    expect(await after(0)).toEqual(["domain.expiring 30"]);
  });

  test("is not told of while it is disabled, and when it is enabled again for what is nearest then", async () => {
    await admin.put(path(), { status: "disabled" });
    expect(await after(11)).toEqual([]);
    await admin.put(path(), { status: "active" });
    expect(await after(23)).toEqual(["domain.expiring 7"]);
  });

  test("has no reminder for a farther threshold that is added after a nearer one was told", async () => {
    await after(11);
    await admin.put(`${path()}/expiry-remind`, { expiryRemindDays: [60, 30, 20] });
    expect(await after(0)).toEqual([]);
    expect(await after(10)).toEqual(["domain.expiring 20"]);
  });

  test("without thresholds is told of only when it has expired", async () => {
    await admin.put(`${path()}/expiry-remind`, { expiryRemindDays: [] });
    expect(await after(39)).toEqual([]);
    expect(await after(1)).toEqual(["domain.expired"]);
  });

  test("without a date is never told of", async () => {
    await setExpiry(null);
    expect(await after(1_000)).toEqual([]);
  });
});

test("more domains than fit one transaction are all told of, each once", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `batch-${index}.example`);
  for (const one of names) await admin.post("/api/domains", { name: one, expiresAt: inDays(5) });
  const reported: string[] = [];
  const run = async () => {
    let next: string | null = null;
    do {
      const from: string | null = next;
      next = await zw.services.database.fork().transactional(async (tx) => {
        const batch = await takeReminders(tx, clock.now(), from, 5);
        reported.push(...batch.reminders.map(({ name }) => name));
        return batch.next;
      });
    } while (next !== null);
  };
  await Promise.all([run(), run()]);
  expect(reported.filter((one) => one.startsWith("batch-")).toSorted()).toEqual(names.toSorted());
});

describe("the message", () => {
  const now = new Date("2027-03-01T12:00:00Z");
  const reminder = {
    domainId: "01a1fb0f-6204-7000-abd4-276e976be8b7",
    name: "example.com",
    ownerId: "01a1fb0f-6204-7000-abd4-276e976be8b8",
    expiresAt: new Date("2027-03-08T00:00:00Z"),
    days: 7,
    source: "rdap",
    registryExpiresAt: new Date("2027-03-08T00:00:00Z"),
    registrarExpiresAt: null,
  };

  const title = (expiresAt: string) => reminderNotice({ ...reminder, expiresAt: new Date(expiresAt) }, now).title;

  test("goes to the owner and the administrators, with what programs need", () => {
    expect(reminderNotice(reminder, now)).toMatchObject({
      event: "domain.expiring",
      title: "example.com expires in 7 days",
      level: "warning",
      metadata: {
        domainId: reminder.domainId,
        domainName: "example.com",
        expiresAt: "2027-03-08T00:00:00.000Z",
        days: 7,
        daysLeft: 7,
        source: "rdap",
      },
      to: { userIds: [reminder.ownerId], administrators: true },
    });
    expect(reminderNotice({ ...reminder, ownerId: null, days: -1 }, now)).toMatchObject({
      event: "domain.expired",
      level: "error",
      to: { userIds: [], administrators: true },
    });
  });

  test("names the source, and both dates where registry and registrar differ", () => {
    const content = (more: object) => reminderNotice({ ...reminder, ...more }, now).content;
    expect(content({})).toContain("2027-03-08 (RDAP).");
    expect(content({ source: "manual" })).toContain("2027-03-08, a date set manually.");
    expect(
      content({ registryExpiresAt: new Date("2028-03-08T00:00:00Z"), registrarExpiresAt: reminder.expiresAt }),
    ).toContain("2027-03-08: the registry says 2028-03-08, the registrar 2027-03-08.");
  });

  test("counts the days that are left, not those of the threshold", () => {
    expect([title("2027-03-05T12:00:00Z"), title("2027-03-02T11:00:00Z")]).toEqual([
      "example.com expires in 4 days",
      "example.com expires within a day",
    ]);
  });
});
