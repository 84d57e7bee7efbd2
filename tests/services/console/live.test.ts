import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { focusIn, photograph, useConsole } from "../../support/console.ts";
import { freePorts } from "../../support/programs.ts";
import { startService } from "../../support/service-process.ts";
import { fileZone } from "../../support/zones.ts";
import { adminPassword } from "../../support/zonewright.ts";
import { publish, idOf } from "../../notifications/publish.ts";

const site = useConsole();
const lost = "No connection to Zonewright";

const revisionOf = async (page: Page) => (await page.getByText(/^Revision/).textContent()) ?? "";
const header = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const bell = (tab: Page) => tab.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /Notifications/ });

test("a change by one person is heard by the page of another within a moment", async () => {
  const zone = await fileZone(site.zonewright);
  const one = await site.signedIn({ path: `/d/${zone.name}/access` });
  const other = await site.signedIn({ path: `/d/${zone.name}/access` });
  for (const page of [one, other]) await header(page, zone.name).waitFor();
  await expect.poll(() => site.zonewright.services.streams.openStreams).toBe(4);
  await zone.add("A", "www", "192.0.2.1");
  for (const page of [one, other]) await expect.poll(() => revisionOf(page)).toMatch(/^Revision 1, .* by admin$/);
});

test("a domain that somebody deletes while its page is open is gone from that page", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await site.signedIn({ path: `/d/${zone.name}/access` });
  await header(page, zone.name).waitFor();
  await expect.poll(() => site.zonewright.services.streams.openStreams).toBe(2);
  site.expected.push("404");
  expect(await site.zonewright.admin.delete(zone.path)).toMatchObject({ status: 200 });
  await page.getByRole("heading", { name: "This page does not exist." }).waitFor();
});

test("two tabs of a browser share one pair of streams, and the second takes over when the first closes", async () => {
  const zone = await fileZone(site.zonewright);
  const first = await site.signedIn({ path: `/d/${zone.name}/access` });
  await header(first, zone.name).waitFor();
  const second = await first.context().newPage();
  await second.goto(`${site.url}/d/${zone.name}/access`);
  await header(second, zone.name).waitFor();
  const { streams } = site.zonewright.services;
  await expect.poll(() => streams.openStreams).toBe(2);
  await zone.add("A", "www", "192.0.2.1");
  for (const page of [first, second]) await expect.poll(() => revisionOf(page)).toMatch(/^Revision 1/);
  expect(streams.openStreams).toBe(2);
  await first.close();
  await expect.poll(() => streams.openStreams, { timeout: 60_000 }).toBe(2);
  await zone.add("A", "api", "192.0.2.1");
  await expect.poll(() => revisionOf(second)).toMatch(/^Revision 2/);
});

test("without locks, as on a plain HTTP address, tabs share one pair of streams, and another takes over when one closes", async () => {
  const zone = await fileZone(site.zonewright);
  const path = `/d/${zone.name}/access`;
  const first = await site.signedIn();
  await first.context().addInitScript(() => {
    Reflect.deleteProperty(Navigator.prototype, "locks");
  });
  await first.goto(site.url + path);
  const second = await first.context().newPage();
  await second.goto(site.url + path);
  for (const page of [first, second]) await header(page, zone.name).waitFor();
  const { streams } = site.zonewright.services;
  await expect.poll(() => streams.openStreams).toBe(2);
  await zone.add("A", "www", "192.0.2.1");
  for (const page of [first, second]) await expect.poll(() => revisionOf(page)).toMatch(/^Revision 1/);
  // A tab that hears no answer in time leads as well, until it hears of the other.
  await expect.poll(() => streams.openStreams).toBe(2);
  await first.close();
  await zone.add("A", "api", "192.0.2.1");
  await expect.poll(() => revisionOf(second)).toMatch(/^Revision 2/);
  await expect.poll(() => streams.openStreams).toBe(2);
});

test("a browser in which the console is hidden holds no stream, and hears what happened meanwhile when it is shown", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await site.signedIn({ path: `/d/${zone.name}/access` });
  await header(page, zone.name).waitFor();
  const { streams } = site.zonewright.services;
  await expect.poll(() => streams.openStreams).toBe(2);
  const show = async (state: DocumentVisibilityState) =>
    await page.evaluate((value) => {
      Object.defineProperty(document, "visibilityState", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, state);
  await show("hidden");
  await expect.poll(() => streams.openStreams).toBe(0);
  await zone.add("A", "www", "192.0.2.1");
  await show("visible");
  await expect.poll(() => streams.openStreams).toBe(2);
  await expect.poll(() => revisionOf(page)).toMatch(/^Revision 1/);
});

test("a page that gets no stream, because the user's other browsers hold all, says that it is not live until one is free", async () => {
  const zone = await fileZone(site.zonewright);
  const path = `/d/${zone.name}/access`;
  const { streams } = site.zonewright.services;
  const others = [];
  for (const open of [2, 4]) {
    others.push(await site.signedIn({ path }));
    await expect.poll(() => streams.openStreams).toBe(open);
  }
  site.expected.push("429");
  const page = await site.signedIn({ path });
  const notLive = page.getByText("This page is not live");
  await notLive.waitFor();
  await photograph(page, "not-live");
  await others[0]?.context().close();
  await notLive.waitFor({ state: "hidden" });
  await zone.add("A", "www", "192.0.2.1");
  await expect.poll(() => revisionOf(page)).toMatch(/^Revision 1/);
});

test("a notification that comes while a page reads their number is counted, although the answer is from before", async () => {
  const page = await site.signedIn();
  // What the page asks for from here on belongs to the console that is opened next.
  await page.goto(`${site.url}/readyz`);
  const list = await answerHeld(page, /notifications\.list/);
  const streaming = page.waitForResponse(/notifications[./]stream/);
  await page.goto(site.url);
  await Promise.all([list.answered, streaming]);
  const me = await idOf(site.zonewright.admin);
  const seen = page.getByText("While it loads").first().waitFor();
  await Promise.all([seen, publish(site.zonewright, { userIds: [me] }, "While it loads")]);
  list.release();
  const { body } = await site.zonewright.admin.get("/api/notifications");
  await expect.poll(async () => await bell(page).textContent()).toBe(`Notifications, ${body.unreadCount}`);
});

test("a lost network is shown, and its return heals the page without a reload", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await site.signedIn({ path: `/d/${zone.name}/access` });
  await header(page, zone.name).waitFor();
  await expect.poll(() => site.zonewright.services.streams.openStreams).toBe(2);
  site.expected.push("ERR_INTERNET_DISCONNECTED");
  await page.context().setOffline(true);
  await page.getByText(lost).waitFor();
  await zone.add("A", "www", "192.0.2.1");
  await page.context().setOffline(false);
  await page.getByText(lost).waitFor({ state: "hidden" });
  await expect.poll(() => revisionOf(page), { timeout: 60_000 }).toMatch(/^Revision 1/);
});

test("what could not be loaded because the network was lost is loaded when it is back", async () => {
  const page = await site.open();
  const part = "**/assets/live-connection-*.js";
  const asked = page.waitForRequest(part);
  await page.route(part, async (route) => await route.abort("internetdisconnected"));
  site.expected.push("ERR_INTERNET_DISCONNECTED");
  await signIn(page, site.url);
  await asked;
  expect(site.zonewright.services.streams.openStreams).toBe(0);
  await page.unroute(part);
  await expect.poll(() => site.zonewright.services.streams.openStreams).toBe(1);
});

test("a restart of the service is shown, and heals without a reload", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-restart-"));
  const [port = 0] = await freePorts(1);
  const url = `http://localhost:${port}`;
  const env = { DATA_DIR: dataDir, PORT: String(port), SITE_URL: url };
  let service = await startService(env);
  try {
    const admin = await service.signIn();
    const { body: zone } = await admin.post("/api/domains", { name: "restart.example" });
    const page = await site.open();
    const streamOpens = page.waitForResponse((response) => response.url().includes("domains.watch"));
    await signIn(page, `${url}/d/restart.example/access`);
    await header(page, "restart.example").waitFor();
    await streamOpens;
    await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }));
    site.expected.push("ERR_", "503");
    await service.close();
    await page.getByText(lost).waitFor();
    service = await startService(env);
    await page.getByText(lost).waitFor({ state: "hidden", timeout: 60_000 });
    const again = await service.signIn();
    await again.post(`/api/domains/${zone.id}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
    await expect.poll(() => revisionOf(page), { timeout: 60_000 }).toMatch(/^Revision 1/);
    expect(await page.evaluate(() => "sameDocument" in globalThis)).toBe(true);
  } finally {
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});

test("a new notification raises the bell's count in every tab and appears as a toast", async () => {
  const page = await site.signedIn();
  const second = await page.context().newPage();
  await second.goto(site.url);
  await second.getByRole("heading", { name: "Domains" }).waitFor();
  await expect.poll(() => site.zonewright.services.streams.openStreams).toBe(1);
  const { body: before } = await site.zonewright.admin.get("/api/notifications");
  const me = await idOf(site.zonewright.admin);
  // The message goes away by itself: whoever begins to look only afterwards may miss it.
  await page.bringToFront();
  const seen = page.getByText("Somebody was here").first().waitFor();
  await Promise.all([seen, publish(site.zonewright, { userIds: [me] }, "Somebody was here")]);
  for (const tab of [page, second]) {
    await expect.poll(async () => await bell(tab).textContent()).toBe(`Notifications, ${before.unreadCount + 1}`);
  }
});

test("news of others are one message that counts them, and a person's own result stays where it is, with its Undo", async () => {
  const zone = await fileZone(site.zonewright);
  for (const host of ["api", "www"]) await zone.add("A", host, "192.0.2.1");
  const page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("row").filter({ hasText: "192.0.2.1" }).first().waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Alt+d");
  await page.getByText(/^Checked against revision/).waitFor();
  await page.keyboard.press("Control+Enter");
  await focusIn(page.getByRole("dialog", { name: /^Review/ }));
  await page.keyboard.press("Control+Enter");
  const undo = page.getByRole("button", { name: "Undo" });
  await undo.waitFor();
  // The message slides in.
  await undo.hover();
  const before = await undo.boundingBox();
  const me = await idOf(site.zonewright.admin);
  // All at once: the message counts those that come while it is shown.
  const titles = Array.from({ length: 7 }, (_, index) => `Drift ${index + 1}`);
  await Promise.all(titles.map((title) => publish(site.zonewright, { userIds: [me] }, title)));
  const news = page.getByRole("region", { name: "News" });
  await news.getByText("7 new notifications").waitFor();
  expect(await undo.boundingBox()).toEqual(before);
  expect(await news.getByText(/^Drift/).count()).toBe(1);
  await photograph(page, "news");
  await undo.click();
  await page.getByText(/^Undone as revision/).waitFor();
});

/** Holds the next answer to a call, as the service gave it, until it is released. */
async function answerHeld(page: Page, call: RegExp): Promise<{ answered: Promise<void>; release: () => void }> {
  const answered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const hold = async (route: Route) => {
    const response = await route.fetch();
    answered.resolve();
    await released.promise;
    await route.fulfill({ response });
  };
  await page.route(call, hold, { times: 1 });
  return { answered: answered.promise, release: released.resolve };
}

async function signIn(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByLabel("Username").fill("admin");
  await page.getByLabel("Password").fill(adminPassword);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}
