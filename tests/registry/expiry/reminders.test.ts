import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { takeReminders, reminderNotice } from "../../../server/registry/expiry/remind-job.ts";
import type { Body } from "../../support/zones.ts";
import { Clock, day, hour } from "../../support/clock.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
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

/** The domain's notices from a run this many days later. */
async function after(days: number): Promise<string[]> {
  clock.advance(days * day + hour);
  await remind();
  return log.next(name);
}

describe("reminders of a domain that expires", () => {
  test("a domain gets one reminder per threshold however often the job runs, and one after expiry", async () => {
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

  test("a domain goes from active to expiring to expired, and back when it is renewed", async () => {
    const seen = [await status()];
    for (const days of [15, 30]) {
      clock.advance(days * day);
      seen.push(await status());
    }
    await setExpiry(inDays(365));
    seen.push(await status());
    expect(seen).toEqual(["active", "expiring", "expired", "active"]);
  });

  test("a renewed domain gets its reminders again", async () => {
    await after(10);
    await setExpiry(inDays(395));
    expect(await after(0)).toEqual([]);
    expect(await after(366)).toEqual(["domain.expiring 30"]);
  });

  test("a domain with several passed thresholds gets one reminder, for the nearest", async () => {
    expect(await after(35)).toEqual(["domain.expiring 7"]);
    expect(await after(0)).toEqual([]);
    expect(await after(4)).toEqual(["domain.expiring 1"]);
  });

  test("a domain that expired while the job did not run is reported as expired", async () => {
    expect(await after(60)).toEqual(["domain.expired"]);
    expect(await after(1)).toEqual([]);
  });

  test("two simultaneous instances send a reminder once", async () => {
    clock.advance(11 * day);
    await Promise.all([remind(), remind(), remind()]);
    expect(log.next(name)).toEqual(["domain.expiring 30"]);
  });

  test("a reminder whose run failed is sent by the next run", async () => {
    clock.advance(11 * day);
    const broken = zw.services.database.fork().transactional(async (tx) => {
      const { reminders } = await takeReminders(tx, clock.now(), null, 1_000);
      expect(reminders.map(({ domainId }) => domainId)).toContain(domain.id);
      throw new Error("The process ends here.");
    });
    await expect(broken).rejects.toThrow("ends here");
    expect(await after(0)).toEqual(["domain.expiring 30"]);
  });

  test("a disabled domain gets no reminder, and after enabling only the nearest one", async () => {
    await admin.put(path(), { status: "disabled" });
    expect(await after(11)).toEqual([]);
    await admin.put(path(), { status: "active" });
    expect(await after(23)).toEqual(["domain.expiring 7"]);
  });

  test("a farther threshold added after a nearer reminder sends no reminder", async () => {
    await after(11);
    await admin.put(`${path()}/expiry-remind`, { expiryRemindDays: [60, 30, 20] });
    expect(await after(0)).toEqual([]);
    expect(await after(10)).toEqual(["domain.expiring 20"]);
  });

  test("a domain without thresholds is reported only after it expires", async () => {
    await admin.put(`${path()}/expiry-remind`, { expiryRemindDays: [] });
    expect(await after(39)).toEqual([]);
    expect(await after(1)).toEqual(["domain.expired"]);
  });

  test("a domain without an expiry date is never reported", async () => {
    await setExpiry(null);
    expect(await after(1_000)).toEqual([]);
  });
});

test("reminders are sent once per domain even if they do not fit one transaction", async () => {
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

describe("the reminder message", () => {
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

  test("a reminder goes to the owner and the administrators, with data for programs", () => {
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

  test("a reminder names the source, and both dates if registry and registrar differ", () => {
    const content = (more: object) => reminderNotice({ ...reminder, ...more }, now).content;
    expect(content({})).toContain("2027-03-08 (RDAP).");
    expect(content({ source: "manual" })).toContain("2027-03-08, a date set manually.");
    expect(
      content({ registryExpiresAt: new Date("2028-03-08T00:00:00Z"), registrarExpiresAt: reminder.expiresAt }),
    ).toContain("2027-03-08: the registry says 2028-03-08, the registrar 2027-03-08.");
  });

  test("a reminder counts the days left, not those of the threshold", () => {
    expect([title("2027-03-05T12:00:00Z"), title("2027-03-02T11:00:00Z")]).toEqual([
      "example.com expires in 4 days",
      "example.com expires within a day",
    ]);
  });
});
