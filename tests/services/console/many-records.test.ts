import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { fileZone } from "../../support/zones.ts";

const site = useConsole();

/** Whether the reader sees the middle of an element: it lies within the window, and nothing lies over it. */
const isInView = async (part: Locator): Promise<boolean> =>
  await part.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const seen = document.elementFromPoint(left + width / 2, top + height / 2);
    return seen !== null && (element.contains(seen) || seen.contains(element));
  });
const count = 1_200;

const isList = (url: string) => url.includes("/trpc/records.list");
const isSecond = (url: URL) => isList(url.href) && decodeURIComponent(url.href).includes('"page":2');
const isSearch = (url: string) => isList(url) && decodeURIComponent(url).includes('"name":');

test("all records of a zone that is read in windows are selected, and changed together", async () => {
  const zone = await fileZone(site.zonewright);
  const lines = Array.from({ length: count }, (_, index) => `h${index} 300 IN A 192.0.2.1\n`);
  await zone.post("/zonefile", { zonefile: lines.join(""), force: true });
  const page = await site.signedIn({ path: `/d/${zone.name}/records?type=A` });
  await page.getByRole("row").filter({ hasText: "192.0.2.1" }).first().waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Control+a");
  await page.getByText("1,200 records selected").waitFor();
  await page.keyboard.press("Alt+t");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("10 min");
  await dialog.getByRole("button", { name: "Add to the draft" }).click();
  await page.getByText("1,200 changes", { exact: true }).waitFor();
  await page.getByText(/^Checked against revision/).waitFor();
  await page.keyboard.press("Control+Enter");
  await dialog.getByRole("button", { name: /^Apply/ }).click();
  await page.getByText(/^Applied as revision/).waitFor({ timeout: 60_000 });
  const { body } = await zone.get("/records?type=A&limit=500&page=3");
  expect(body.records.map(({ ttl }: { ttl: number }) => ttl)).toEqual(Array.from({ length: count - 1_000 }, () => 600));
});

test("a review of 1,200 different changes shows each of them, and its counts, warnings and reason stay in view", async () => {
  const zone = await fileZone(site.zonewright);
  const lines = Array.from({ length: count }, (_, index) => `h${index} 300 IN A 192.0.2.1\n`);
  await zone.post("/zonefile", { zonefile: lines.join(""), force: true });
  const page = await site.signedIn({ path: `/d/${zone.name}/records?type=A` });
  await page.getByRole("row").filter({ hasText: "192.0.2.1" }).first().waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Control+a");
  await page.getByText("1,200 records selected").waitFor();
  await page.keyboard.press("Delete");
  await page.getByText("1,200 changes", { exact: true }).waitFor();
  await page.getByText(/^Checked against revision/).waitFor();
  await page.keyboard.press("Control+Enter");
  const dialog = page.getByRole("dialog");
  const changes = dialog.getByRole("group", { name: "Changes" });
  await changes.getByRole("listitem").filter({ hasText: "h0" }).first().waitFor();
  await photograph(page, "review-long");
  await expectAccessible(page);
  await changes.focus();
  await page.keyboard.press("End");
  const last = changes.getByRole("listitem").filter({ hasText: `h${count - 1}` });
  const around = [
    dialog.getByText("−1,200"),
    dialog.getByText(/^This would delete all 1200/),
    dialog.getByLabel(/^Why\?/),
  ];
  for (const part of [last, ...around]) await expect.poll(() => isInView(part)).toBe(true);
});

test("printing a zone prints its name and every record, read or not, and nothing else", async () => {
  const zone = await fileZone(site.zonewright);
  const lines = Array.from({ length: 700 }, (_, index) => `h${index} 300 IN A 192.0.2.1\n`);
  await zone.post("/zonefile", { zonefile: lines.join(""), force: true });
  // A4 without its margins.
  const page = await site.signedIn({ path: `/d/${zone.name}/records`, width: 718 });
  const printed = Promise.withResolvers<{ text: string; rows: number; width: number }>();
  await page.exposeFunction("onPrinted", printed.resolve);
  await page.evaluate(() => {
    globalThis.print = () => {
      dispatchEvent(new Event("beforeprint"));
      const rows = [...document.querySelectorAll<HTMLElement>("[role=row]")].filter((row) => row.offsetHeight > 0);
      const width = document.documentElement.scrollWidth;
      Reflect.get(globalThis, "onPrinted")({ text: document.body.innerText, rows: rows.length, width });
      dispatchEvent(new Event("afterprint"));
    };
  });
  await page.getByRole("row").filter({ hasText: "192.0.2.1" }).first().waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Delete");
  await page.getByText(/^Checked against revision/).waitFor();
  // The second window is on its way when the keys are pressed, and arrives when the page is laid out for paper.
  const onPaper = Promise.withResolvers<void>();
  await page.route(isSecond, async (route) => {
    await onPaper.promise;
    await route.continue();
  });
  const asked = page.waitForRequest((request) => isSecond(new URL(request.url())));
  await page.keyboard.press("Control+p");
  await asked;
  await page.emulateMedia({ media: "print" });
  onPaper.resolve();
  const { text, rows, width } = await printed.promise;
  const names = new Set(text.split(/\s+/));
  expect(lines.map((line) => line.split(" ")[0]).filter((name) => !names.has(name ?? ""))).toEqual([]);
  // With the heads of the columns.
  expect(rows).toBeGreaterThan(lines.length);
  expect(text.trimStart()).toMatch(new RegExp(`^${zone.name}\\s`));
  expect(text).not.toMatch(/Domains|Filter|Review|Revision|Add record|sync/);
  expect(width).toBe(718);
});

test("records deleted by others are looked up four names at a time, until the page is left", async () => {
  const zone = await fileZone(site.zonewright);
  const hosts = Array.from({ length: 12 }, (_, index) => `h${index}`);
  for (const host of hosts) await zone.add("A", host, "192.0.2.1", 300);
  const page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("row").filter({ hasText: "192.0.2.1" }).first().waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Control+a");
  await page.getByText("12 records selected").waitFor();
  await page.keyboard.press("Alt+t");
  await page.getByRole("dialog").getByRole("textbox").fill("10 min");
  await page.getByRole("dialog").getByRole("button", { name: "Add to the draft" }).click();
  await page.getByText(/^Checked against revision/).waitFor();
  site.expected.push("404");
  const asked: string[] = [];
  const ended: string[] = [];
  page.on("requestfailed", (request) => isSearch(request.url()) && ended.push(request.url()));
  // They stay without an answer.
  await page.route(
    (url) => isSearch(url.href),
    (route) => void asked.push(route.request().url()),
  );
  // The page learns of all deletions at once, not of each.
  const deleted = Promise.withResolvers<void>();
  await page.route("**/trpc/records.plan*", async (route) => {
    await deleted.promise;
    await route.continue();
  });
  for (const { id } of await zone.records()) await zone.delete(id);
  deleted.resolve();
  await expect.poll(() => new Set(asked).size, { timeout: 60_000 }).toBe(4);
  await page.getByRole("link", { name: "History" }).click();
  await page.getByRole("list", { name: "Changes of the zone" }).waitFor();
  await expect.poll(() => asked.filter((url) => !ended.includes(url)), { timeout: 60_000 }).toEqual([]);
  expect(new Set(asked).size).toBe(4);
});

/** Imports a zone of this many records, opens it, scrolls it by 30 screens, and counts the calls of the console's functions meanwhile. */
async function callsWhileScrolling(page: Page, records: number): Promise<number> {
  const zone = await fileZone(site.zonewright);
  const lines = Array.from({ length: records }, (_, index) => `h${index} 300 IN A 192.0.2.1\n`);
  await zone.post("/zonefile", { zonefile: lines.join(""), force: true });
  await page.goto(`${site.url}/d/${zone.name}/records`);
  await page.getByRole("row").filter({ hasText: "192.0.2.1" }).first().waitFor();
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("Profiler.enable");
  await protocol.send("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await page.evaluate(async () => {
    const scroller = document.querySelector("[data-scroll]");
    for (let screen = 0; screen < 30; screen++) {
      scroller?.scrollBy(0, 800);
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    }
  });
  const { result } = await protocol.send("Profiler.takePreciseCoverage");
  await protocol.send("Profiler.stopPreciseCoverage");
  await protocol.detach();
  const scripts = result.filter(({ url }) => url.includes("/assets/"));
  return scripts.flatMap(({ functions }) => functions).reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
}

test("scrolling takes as much work in a zone of 20,000 records as in one of 2,000", async () => {
  const page = await site.signedIn();
  const few = await callsWhileScrolling(page, 2_000);
  const many = await callsWhileScrolling(page, 20_000);
  expect(few).toBeGreaterThan(10_000);
  // Work for each record of the zone would be ten times as much; how many frames are drawn varies.
  expect(many).toBeLessThan(few * 4);
});
