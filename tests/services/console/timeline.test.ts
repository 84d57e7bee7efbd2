import { text } from "node:stream/consumers";
import { sql } from "kysely";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { deleteOldSnapshots } from "../../../server/zones/snapshots/retention.ts";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { memberPassword } from "../../support/zonewright.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

/** The zone as of any moment of its history. */

const site = useConsole();

const timeline = (zone: Zone, search = "") => `/d/${zone.name}/timeline${search}`;
const item = (page: Page, text: string) => page.getByRole("listitem").filter({ hasText: text });
const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
/** The rows of the moment shown, such as `+ www A 192.0.2.1`. */
const rows = async (page: Page) =>
  await page.getByRole("row").evaluateAll((found) =>
    found.slice(1).map((each) => {
      const sign = each.querySelector("[aria-hidden]")?.textContent ?? " ";
      const cells = [...each.children].slice(1, 4).map((cell) => {
        const present = cell.cloneNode(true) as Element;
        for (const old of present.querySelectorAll("del")) old.remove();
        return present.textContent.trim();
      });
      return [sign, ...cells].join(" ");
    }),
  );

async function changed(): Promise<Zone> {
  const zone = await fileZone(site.zonewright);
  const www = await zone.add("A", "www", "192.0.2.1");
  const api = await zone.add("A", "api", "192.0.2.7");
  await zone.update(www.id, { value: "192.0.2.2" });
  await zone.delete(api.id);
  return zone;
}

test("each change and each snapshot opens the zone as it was then, with what the change did marked", async () => {
  const zone = await changed();
  await zone.post("/snapshots", { name: "Before the move" });
  await zone.add("A", "later", "192.0.2.9");
  const page = await site.signedIn({ path: timeline(zone) });
  await item(page, "Snapshot 1: Before the move").waitFor();
  await photograph(page, "timeline");
  await item(page, "revision 3")
    .getByRole("link", { name: /^Show the zone then/ })
    .click();
  await page.getByRole("heading", { name: "The zone at revision 3" }).waitFor();
  await row(page, "192.0.2.7").waitFor();
  await expect.poll(() => rows(page)).toEqual(["  api A 192.0.2.7", "~ www A 192.0.2.2"]);
  expect(await row(page, "www").locator("del").allTextContents()).toEqual(["192.0.2.1"]);
  expect(new URL(page.url()).search).toBe("?at=3");
  await expectAccessible(page);
  await photograph(page, "timeline-then");
  await page.getByRole("link", { name: "All changes" }).click();
  await item(page, "Before the move")
    .getByRole("link", { name: "Show the zone then Snapshot 1: Before the move" })
    .click();
  await page.getByRole("heading", { name: "The zone at revision 4" }).waitFor();
  await expect.poll(() => rows(page)).toEqual(["− api A 192.0.2.7", "  www A 192.0.2.2"]);
  await page.reload();
  await expect.poll(() => rows(page)).toEqual(["− api A 192.0.2.7", "  www A 192.0.2.2"]);
});

test("buttons, arrow keys and the slider move from change to change, to both ends", async () => {
  const zone = await changed();
  const page = await site.signedIn({ path: timeline(zone, "?at=3") });
  const heading = (revision: number) =>
    page.getByRole("heading", { name: `The zone at revision ${revision}` }).waitFor();
  await heading(3);
  await page.getByRole("button", { name: "Previous change" }).click();
  await heading(2);
  await expect.poll(() => rows(page)).toEqual(["+ api A 192.0.2.7", "  www A 192.0.2.1"]);
  await page.getByRole("heading", { name: "The zone at revision 2" }).focus();
  await page.keyboard.press("ArrowLeft");
  await heading(1);
  await page.keyboard.press("ArrowLeft");
  await heading(0);
  await page.getByText("The zone had no records.").waitFor();
  const slider = page.getByRole("slider", { name: "Revision" });
  await slider.focus();
  await page.keyboard.press("End");
  await heading(4);
  expect(await slider.getAttribute("aria-valuetext")).toBe("Revision 4 of 4");
  expect(await page.getByRole("button", { name: "Next change" }).getAttribute("aria-disabled")).toBe("true");
});

test("two handles show what differs between two moments, in both directions", async () => {
  const zone = await changed();
  const page = await site.signedIn({ path: timeline(zone, "?at=4&from=1") });
  await page.getByRole("heading", { name: "From revision 1 to 4" }).waitFor();
  const patch = page.getByRole("list", { name: "Changes" });
  await patch.getByText("192.0.2.2").waitFor();
  expect(await patch.getByRole("listitem").count()).toBe(1);
  await expectAccessible(page);
  await photograph(page, "timeline-difference");
  await page.getByRole("slider", { name: "Compare from revision" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("heading", { name: "From revision 2 to 4" }).waitFor();
  await patch.getByText("192.0.2.7").waitFor();
  expect(await patch.getByRole("listitem").count()).toBe(2);
  expect(new URL(page.url()).search).toBe("?at=4&from=2");
  await page.goto(`${site.url}${timeline(zone, "?at=0&from=4")}`);
  await patch.getByText("Deleted: ").waitFor();
  await page.getByRole("button", { name: "Show one moment" }).click();
  await page.getByRole("heading", { name: "The zone at revision 0" }).waitFor();
});

test("a moment that is no longer stored says what retention means, and leads to the oldest that is", async () => {
  const zone = await changed();
  await deleteOldSnapshots(site.zonewright.services.database.fork(), new Date("2200-01-01T00:00:00Z"));
  site.expected.push("410");
  const page = await site.signedIn({ path: timeline(zone, "?at=2") });
  await page
    .getByText(/^This revision is no longer stored\. Replaced records are deleted after the retention time/)
    .waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Show revision 4" }).click();
  await expect.poll(() => rows(page)).toEqual(["  www A 192.0.2.2"]);
  await page.goto(`${site.url}${timeline(zone, "?at=4&from=1")}`);
  await page.getByText(/^This revision is no longer stored/).waitFor();
  await page.goto(`${site.url}${timeline(zone)}`);
  await page.getByText(/^Records that were replaced before revision 4 are no longer stored/).waitFor();
});

test("a handle reaches any of ten thousand changes, and the list of them still opens", async () => {
  const zone = await changed();
  const db = queries(site.zonewright.services.database.fork());
  await sql`
    insert into change_sets (id, domain_id, kind, state, revision, creates, updates, deletes, repaired, message, created_at)
    select gen_random_uuid(), ${zone.id}, 'edit', 'applied', n, 0, 0, 0, false, 'Change ' || n, now()
    from generate_series(5, 10000) as n
  `.execute(db);
  await db.updateTable("domains").set({ revision: 10_000 }).where("id", "=", zone.id).execute();
  const page = await site.signedIn({ path: timeline(zone) });
  await page.getByRole("button", { name: "Show older changes" }).waitFor();
  await page.goto(`${site.url}${timeline(zone, "?at=10000")}`);
  await page.getByText("Change 10000", { exact: true }).waitFor();
  await page.getByRole("slider", { name: "Revision" }).fill("5000");
  await page.getByRole("heading", { name: "The zone at revision 5,000" }).waitFor();
  await page.getByText("Change 5000", { exact: true }).waitFor();
  await page.getByRole("slider", { name: "Revision" }).fill("3");
  await expect.poll(() => rows(page)).toEqual(["  api A 192.0.2.7", "~ www A 192.0.2.2"]);
});

test("the slider marks the snapshots, and stays under the hand while others change the zone", async () => {
  const zone = await changed();
  await zone.post("/snapshots", { name: "Before the move" });
  const page = await site.signedIn({ path: timeline(zone, "?at=3") });
  await page.getByRole("heading", { name: "The zone at revision 3" }).waitFor();
  const slider = page.getByRole("slider", { name: "Revision" });
  const marks = async () =>
    await slider.evaluate((input) =>
      input instanceof HTMLInputElement
        ? [...(input.list?.options ?? [])].map(({ value, label }) => `${value} ${label}`)
        : [],
    );
  await expect.poll(marks).toEqual(["4 Snapshot 1: Before the move"]);
  const box = await slider.boundingBox();
  if (!box) throw new Error("There is a slider.");
  await page.mouse.move(box.x + box.width - 8, box.y + box.height / 2);
  await page.mouse.down();
  await page.getByRole("heading", { name: "The zone at revision 4" }).waitFor();
  await page.getByRole("paragraph").filter({ hasText: "Snapshot 1: Before the move" }).waitFor();
  await zone.add("A", "later", "192.0.2.9");
  await page.getByText(/^Revision 5/).waitFor();
  expect(await slider.getAttribute("max")).toBe("4");
  await page.mouse.up();
  await expect.poll(async () => await slider.getAttribute("max")).toBe("5");
  await page.getByRole("heading", { name: "The zone at revision 4" }).waitFor();
  await expectAccessible(page);
  await photograph(page, "timeline-snapshot");
});

test("a date leads to the zone as it was then, and one before its first change says that there was none", async () => {
  const zone = await changed();
  const db = queries(site.zonewright.services.database.fork());
  const days = [10, 20, 20, 30];
  for (const [index, day] of days.entries())
    await db
      .updateTable("change_sets")
      .set({ created_at: new Date(2026, 9, day, 12, 30) })
      .where("domain_id", "=", zone.id)
      .where("revision", "=", index + 1)
      .execute();
  const page = await site.signedIn({ path: timeline(zone, "?at=4") });
  const show = async (time: string) => {
    await page.getByLabel("As of").fill(time);
    await page.getByRole("button", { name: "Show", exact: true }).click();
  };
  await show("2026-10-29T00:00");
  await page.getByRole("heading", { name: "The zone at revision 3" }).waitFor();
  await show("2026-10-10T12:30");
  await page.getByRole("heading", { name: "The zone at revision 1" }).waitFor();
  await show("2026-10-10T12:29");
  await page.getByText("The history has no change before that time.").waitFor();
  await page.getByRole("heading", { name: "The zone at revision 1" }).waitFor();
});

test("a revision that the zone does not have yet says so, and leads to the newest", async () => {
  const zone = await changed();
  const page = await site.signedIn({ path: timeline(zone, "?at=99999") });
  await page.getByText("The zone does not have revision 99,999 yet. Its newest revision is 4.").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Show revision 4" }).click();
  await expect.poll(() => rows(page)).toEqual(["− api A 192.0.2.7", "  www A 192.0.2.2"]);
});

test("a member with one host pattern sees the moment of their own names only", async () => {
  const zone = await changed();
  const username = "timeline-member";
  const { body } = await (await site.zonewright.member(username)).get("/api/auth/me");
  const own = { userId: body.id, domainId: zone.id, access: "write", subdomainPattern: "www" };
  await site.zonewright.admin.post("/api/assignments", own);
  await site.zonewright.admin.post("/api/assignments", { ...own, access: "read" });
  const page = await site.signedIn({ username, password: memberPassword, path: timeline(zone, "?at=2") });
  await page.getByText("This change was made to records that you do not see.").waitFor();
  await expect.poll(() => rows(page)).toEqual(["  www A 192.0.2.1"]);
});

test("a zone of many records is shown as it was, as far as one scrolls, at 320 pixels in the dark", async () => {
  const zone = await fileZone(site.zonewright);
  const lines = Array.from({ length: 1_200 }, (_, index) => `h${index} 300 IN A 192.0.2.1\n`);
  await zone.post("/zonefile", { zonefile: lines.join(""), force: true });
  const [first] = await zone.records("&search=h0");
  await zone.delete(first?.id);
  const page = await site.signedIn({ path: timeline(zone, "?at=2"), dark: true, width: 320 });
  await row(page, "h0").locator("[aria-hidden]", { hasText: "−" }).waitFor();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await page.locator("[data-scroll]").evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));
  await row(page, "h999").waitFor();
  expect(await page.getByRole("row").count()).toBeLessThan(100);
});

test("two handles that move right after one another both arrive, and closing the comparison keeps it closed", async () => {
  const zone = await changed();
  const page = await site.signedIn({ path: timeline(zone, "?at=4&from=1") });
  await page.getByRole("heading", { name: "From revision 1 to 4" }).waitFor();
  // Within the time that a handle rests before the page follows.
  const drag = async (places: readonly number[]) =>
    await page.getByRole("slider").evaluateAll((sliders, values) => {
      for (const [index, slider] of sliders.entries()) {
        // As a person's hand does, past React's own setter.
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(slider, String(values[index]));
        slider.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }, places);
  await drag([2, 3]);
  await page.getByRole("heading", { name: "From revision 2 to 3" }).waitFor();
  await drag([1, 4]);
  await page.getByRole("button", { name: "Show one moment" }).click();
  await page.getByRole("heading", { name: "The zone at revision 4" }).waitFor();
  expect(new URL(page.url()).searchParams.get("from")).toBeNull();
});

/** Chooses an entry of a menu that saves a file. */
async function saved(page: Page, menu: string, entry: string) {
  await page.getByRole("button", { name: menu }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: entry }).click(),
  ]);
  return { name: download.suggestedFilename(), content: await text(await download.createReadStream()) };
}

test("a zone and any of its past states are saved as files that can be imported again", async () => {
  const zone = await changed();
  const page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("gridcell", { name: "www", exact: true }).waitFor();
  const table = await saved(page, "Actions for the zone", "Export as a table (CSV)");
  expect([table.name, table.content]).toEqual([`${zone.name}.csv`, expect.stringContaining("192.0.2.2")]);
  const file = await saved(page, "Actions for the zone", "Export as a zone file");
  expect([file.name, file.content]).toEqual([`${zone.name}.zone`, expect.stringContaining("192.0.2.2")]);
  await page.goto(`${site.url}${timeline(zone, "?at=2")}`);
  await expect.poll(() => rows(page)).toEqual(["+ api A 192.0.2.7", "  www A 192.0.2.1"]);
  const past = await saved(page, "Export this state", "Export as a zone file");
  expect(past.name).toBe(`${zone.name}-2.zone`);
  const again = await fileZone(site.zonewright);
  const content = past.content.replaceAll(zone.name, again.name);
  expect((await again.post("/zonefile", { zonefile: content })).status).toBe(200);
  const { body } = await again.get("/records");
  const values = body.records.map((record: { name: string; value: string }) => `${record.name} ${record.value}`);
  expect(values.toSorted()).toEqual(["api 192.0.2.7", "www 192.0.2.1"]);
});

test("administrators restore a past state after they have seen what it changes; others are not offered it", async () => {
  const zone = await changed();
  const page = await site.signedIn({ path: timeline(zone, "?at=2") });
  await page.getByRole("button", { name: "Restore this…" }).click();
  const dialog = page.getByRole("dialog", { name: "Restore revision 2" });
  await dialog.getByText("192.0.2.7").waitFor();
  await photograph(page, "timeline-restore");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Restore", exact: true }).click();
  await page.getByText("Revision 2 restored.").waitFor();
  const { body } = await zone.get("/records");
  const values = body.records.map((record: { name: string; value: string }) => `${record.name} ${record.value}`);
  expect(values.toSorted()).toEqual(["api 192.0.2.7", "www 192.0.2.1"]);
  await page.getByRole("link", { name: "All changes" }).click();
  await item(page, "revision 5").waitFor();
  const member = await site.zonewright.member("mira");
  const { body: me } = await member.get("/api/auth/me");
  await site.zonewright.admin.post("/api/assignments", { userId: me.id, domainId: zone.id });
  const theirs = await site.signedIn({ username: "mira", password: memberPassword, path: timeline(zone, "?at=2") });
  await expect.poll(() => rows(theirs)).toEqual(["+ api A 192.0.2.7", "  www A 192.0.2.1"]);
  expect(await theirs.getByRole("button", { name: "Restore this…" }).count()).toBe(0);
});
