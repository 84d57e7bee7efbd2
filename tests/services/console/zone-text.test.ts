import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { deleteOldSnapshots } from "../../../server/zones/snapshots/retention.ts";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { memberPassword } from "../../support/zonewright.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

/** A zone as one text: what it changes is shown beside it, becomes the draft, and is reviewed like any other change. */

const site = useConsole();

const file = (name: string, buffer: Buffer) => ({ name, mimeType: "application/octet-stream", buffer });
const field = (page: Page) => page.getByRole("textbox", { name: "Zone file" });
const plan = (page: Page) => page.getByRole("region", { name: "What your text changes" }).first();
const reviewButton = (page: Page) => page.getByRole("button", { name: /^(?:Review|Request review)/ }).first();
const dialog = (page: Page) => page.getByRole("dialog", { name: /^(?:Review|Request a review of) / });

interface OpenOptions {
  username?: string;
  password?: string;
  dark?: boolean;
  width?: number;
}

/** Opens the text of a zone, once it is there. */
async function openText(zone: Pick<Zone, "name">, options: OpenOptions = {}): Promise<Page> {
  const page = await site.signedIn({ ...options, path: `/d/${zone.name}/text` });
  await expect.poll(() => field(page).inputValue()).toContain("$ORIGIN");
  return page;
}

/** Types a text in place of another. */
async function replace(page: Page, from: string | RegExp, to: string): Promise<void> {
  const text = await field(page).inputValue();
  const next = text.replace(from, to);
  expect(next).not.toBe(text);
  await field(page).fill(next);
}

/** Adds lines at the end. */
async function append(page: Page, lines: string): Promise<void> {
  await field(page).fill(`${await field(page).inputValue()}${lines}\n`);
}

/** Pastes in place of the whole text. */
async function paste(page: Page, text: string): Promise<void> {
  await field(page).evaluate((area: HTMLTextAreaElement, next) => {
    area.select();
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", next);
    area.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

async function review(page: Page): Promise<void> {
  await expect.poll(() => reviewButton(page).getAttribute("aria-disabled")).toBeNull();
  await reviewButton(page).click();
  await dialog(page).waitFor();
}

async function apply(page: Page): Promise<void> {
  await review(page);
  await dialog(page)
    .getByRole("button", { name: /^Apply/ })
    .click();
  await page.getByText(/^Applied as revision/).waitFor();
}

test("a line that is changed, one that is new and one that is gone become one change, and the record that changed keeps its identity", async () => {
  const zone = await fileZone(site.zonewright);
  const www = await zone.add("A", "www", "192.0.2.1", 300);
  await zone.add("A", "old", "192.0.2.9", 300);
  await zone.add("TXT", "@", "v=spf1 -all", 300);
  const page = await openText(zone);
  await replace(page, "192.0.2.1\n", "192.0.2.2\n");
  await replace(page, /^old .*\n/m, "");
  await append(page, "shop 600 IN A 192.0.2.7");
  for (const expected of [/shop A/, /www A/, /old A/]) await plan(page).getByText(expected).waitFor();
  await page.getByText("3 changes", { exact: true }).waitFor();
  await page.getByText("Checked against revision 3").waitFor();
  await expectAccessible(page);
  await photograph(page, "zone-text");
  await apply(page);
  expect(await zone.lines()).toEqual(["@ TXT v=spf1 -all", "shop A 192.0.2.7", "www A 192.0.2.2"]);
  const { body } = await site.zonewright.admin.get(`/api/domains/${zone.id}/records?name=www`);
  expect(body.records[0].id).toBe(www.id);
  // The text is that of the zone again, with its new state.
  await expect.poll(() => field(page).inputValue()).toMatch(/^shop +600 +IN A +192\.0\.2\.7$/m);
  await page.getByText("Compared with revision 4").waitFor();
});

test("a bad line is named with its number, which leads there, and nothing can be reviewed before it is corrected", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1", 300);
  const page = await openText(zone, { dark: true });
  await append(page, "ftp A 192.0.2.999\nshop A 192.0.2.7");
  const alert = plan(page).getByRole("alert");
  await alert.getByText("1 line cannot be read").waitFor();
  await expectAccessible(page);
  await photograph(page, "zone-text-errors");
  await alert.getByRole("button", { name: /^Go to line/ }).click();
  const chosen = await field(page).evaluate((area: HTMLTextAreaElement) =>
    area.value.slice(area.selectionStart, area.selectionEnd),
  );
  expect(chosen).toBe("ftp A 192.0.2.999");
  expect(await reviewButton(page).count()).toBe(0);
  await page.keyboard.type("ftp A 192.0.2.99");
  await page.getByText("2 changes", { exact: true }).waitFor();
  await apply(page);
  expect(await zone.lines()).toEqual(["ftp A 192.0.2.99", "shop A 192.0.2.7", "www A 192.0.2.1"]);
});

test("what the service refuses is shown at its line", async () => {
  site.expected.push("409 (Conflict)");
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1", 300);
  const page = await openText(zone);
  await append(page, "www 300 IN CNAME example.net.");
  await plan(page)
    .getByRole("alert")
    .getByText(/A CNAME must be the only record of its name/)
    .first()
    .waitFor();
  expect(
    await plan(page)
      .getByRole("button", { name: /^Go to line \d+: A CNAME must/ })
      .count(),
  ).toBeGreaterThan(0);
  expect(await reviewButton(page).getAttribute("aria-disabled")).toBe("true");
});

test("an SOA, records of other zones and of the server's signature are explained and block nothing", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1", 300);
  const page = await openText(zone);
  await append(
    page,
    [
      "@ 3600 IN SOA ns1.example.net. root.example.net. 1 2 3 4 5",
      "other.example.org. 300 IN A 192.0.2.3",
      "@ 3600 IN NSEC www A NS SOA",
      "shop 300 IN A 192.0.2.7",
    ].join("\n"),
  );
  await plan(page).getByText("The SOA record is left out").waitFor();
  await plan(page).getByText("1 record is outside the zone and left out.").waitFor();
  await plan(page).getByText("1 change is left out").click();
  await plan(page).getByText("Name servers maintain this type.").waitFor();
  await page.getByText("1 change", { exact: true }).waitFor();
  await apply(page);
  expect(await zone.lines()).toEqual(["shop A 192.0.2.7", "www A 192.0.2.1"]);
});

test("disabled records are lines that begin with a mark: taking it away enables them, and a foreign file leaves them alone", async () => {
  const zone = await fileZone(site.zonewright);
  const { id } = await zone.add("A", "off", "192.0.2.4", 300);
  await zone.update(id, { status: "disabled" });
  const page = await openText(zone);
  expect(await field(page).inputValue()).toContain("; disabled: off");
  await field(page).fill("www 300 A 192.0.2.1\n");
  await page.getByText("1 change", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Start again" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Start again" }).click();
  await expect.poll(() => field(page).inputValue()).toContain("; disabled: off");
  await replace(page, "; disabled: off", "off");
  await plan(page).getByText(/off A/).waitFor();
  await apply(page);
  expect(await zone.lines()).toEqual(["off A 192.0.2.4"]);
});

test("what was typed survives a reload and other pages, also while it cannot be read, and a sign-out asks before it goes", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1", 300);
  const page = await openText(zone);
  await append(page, "half-typed A 192.0.2.");
  // Before the text is stored: the page that goes keeps it.
  await page.reload();
  await expect.poll(() => field(page).inputValue()).toContain("half-typed A 192.0.2.");
  await page.getByRole("link", { name: "History" }).click();
  await field(page).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Text", exact: true }).click();
  await expect.poll(() => field(page).inputValue()).toContain("half-typed A 192.0.2.");
  await page.getByRole("button", { name: "admin", exact: true }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  const ask = page.getByRole("dialog", { name: "Sign out and lose your drafts?" });
  await ask.getByText("You have changes in 1 domain").waitFor();
  await ask.getByRole("button", { name: "Cancel" }).click();
  await replace(page, "192.0.2.\n", "192.0.2.6\n");
  await page.getByText("1 change", { exact: true }).waitFor();
  await page.reload();
  await page.getByText("1 change", { exact: true }).waitFor();
  await apply(page);
  expect(await zone.lines()).toEqual(["half-typed A 192.0.2.6", "www A 192.0.2.1"]);
});

test("what others change while somebody types stays: the text deletes nothing that it never had", async () => {
  const zone = await fileZone(site.zonewright);
  const { id } = await zone.add("A", "www", "192.0.2.1", 300);
  const page = await openText(zone);
  await append(page, "shop 300 IN A 192.0.2.7");
  await page.getByText("1 change", { exact: true }).waitFor();
  await zone.add("A", "theirs", "192.0.2.50", 300);
  await zone.update(id, { value: "192.0.2.51" });
  await page.getByText("The zone has changed since this text began").waitFor();
  await page.getByText("1 change", { exact: true }).waitFor();
  await page.reload();
  await page.getByText("The zone has changed since this text began").waitFor();
  await page.getByText("1 change", { exact: true }).waitFor();
  await expectAccessible(page);
  await photograph(page, "zone-text-moved");
  await page.getByRole("button", { name: "Show their changes in the text" }).click();
  await expect.poll(() => field(page).inputValue()).toMatch(/^theirs /m);
  expect(await field(page).inputValue()).toMatch(/^shop /m);
  await apply(page);
  expect(await zone.lines()).toEqual(["shop A 192.0.2.7", "theirs A 192.0.2.50", "www A 192.0.2.51"]);
});

test("a record that others changed as well is decided in the review, like in the grid", async () => {
  const zone = await fileZone(site.zonewright);
  const { id } = await zone.add("A", "www", "192.0.2.1", 300);
  const page = await openText(zone);
  await replace(page, "192.0.2.1\n", "192.0.2.2\n");
  await page.getByText("1 change", { exact: true }).waitFor();
  await zone.update(id, { value: "192.0.2.51" });
  await page.getByText("The zone has changed since this text began").waitFor();
  await review(page);
  await dialog(page)
    .getByRole("button", { name: /^Keep mine/ })
    .click();
  await dialog(page)
    .getByRole("button", { name: /^Apply/ })
    .click();
  await page.getByText(/^Applied as revision/).waitFor();
  expect(await zone.lines()).toEqual(["www A 192.0.2.2"]);
});

test("the text has the draft of the grid, and what is reviewed from the text is in the draft of the grid", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1", 300);
  const page = await openText(zone);
  await page.getByRole("link", { name: /^Records/ }).click();
  await page.getByRole("button", { name: "Actions for www A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.3");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "Text", exact: true }).click();
  await expect.poll(() => field(page).inputValue()).toMatch(/^www .*192\.0\.2\.3$/m);
  await append(page, "shop 300 IN A 192.0.2.7");
  await page.getByText("2 changes", { exact: true }).waitFor();
  await review(page);
  await dialog(page).getByRole("button", { name: "Back" }).click();
  await page.getByRole("link", { name: /^Records/ }).click();
  await page.getByRole("row").filter({ hasText: "shop" }).waitFor();
  await page.getByText("2 changes", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.getByRole("link", { name: "Text", exact: true }).click();
  await expect.poll(() => field(page).inputValue()).toMatch(/^www .*192\.0\.2\.1$/m);
  expect(await field(page).inputValue()).not.toContain("shop");
});

test("what the draft gets or loses in the grid while a text is typed stays so, and the text says that it does not show it", async () => {
  const zone = await fileZone(site.zonewright);
  const { id } = await zone.add("A", "www", "192.0.2.1", 300);
  const page = await openText(zone);
  const moved = page.getByText("Your draft has changed elsewhere since this text began.");
  await append(page, "shop 300 IN A 192.0.2.7");
  await page.getByText("1 change", { exact: true }).waitFor();
  await page.getByRole("link", { name: /^Records/ }).click();
  await page.getByRole("button", { name: "Actions for www A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.3");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "Text", exact: true }).click();
  await moved.waitFor();
  await page.getByText("2 changes", { exact: true }).waitFor();
  await expectAccessible(page);
  await photograph(page, "zone-text-draft-moved");
  await page.getByRole("button", { name: "Show the draft in the text" }).click();
  await expect.poll(() => field(page).inputValue()).toMatch(/^www .*192\.0\.2\.3$/m);
  await moved.waitFor({ state: "detached" });
  expect(await field(page).inputValue()).toMatch(/^shop /m);
  // The reverse: the text has what the draft loses.
  await append(page, "mail 300 IN A 192.0.2.8");
  await page.getByText("3 changes", { exact: true }).waitFor();
  await page.getByRole("link", { name: /^Records/ }).click();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.getByRole("link", { name: "Text", exact: true }).click();
  await moved.waitFor();
  await page.reload();
  await moved.waitFor();
  await page.getByText("1 change", { exact: true }).waitFor();
  await apply(page);
  expect(await zone.lines()).toEqual(["mail A 192.0.2.8", "www A 192.0.2.1"]);
  const { body } = await site.zonewright.admin.get(`/api/domains/${zone.id}/records?name=www`);
  expect(body.records[0].id).toBe(id);
});

test("a draft that is discarded beside a line that cannot be read takes only what it counted: the text stays", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1", 300);
  const page = await openText(zone);
  await append(page, "shop 300 IN A 192.0.2.7");
  await review(page);
  await dialog(page).getByRole("button", { name: "Back" }).click();
  await append(page, "half-typed A 192.0.2.");
  await plan(page).getByText("1 line cannot be read").waitFor();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.getByRole("button", { name: "Discard" }).waitFor({ state: "detached" });
  expect(await field(page).inputValue()).toContain("half-typed A 192.0.2.");
  await replace(page, "192.0.2.\n", "192.0.2.6\n");
  await page.getByText("1 change", { exact: true }).waitFor();
  await apply(page);
  expect(await zone.lines()).toEqual(["half-typed A 192.0.2.6", "www A 192.0.2.1"]);
});

test("a zone that changes each time before it has been read appears nevertheless", async () => {
  const zone = await fileZone(site.zonewright);
  const { id } = await zone.add("A", "www", "192.0.2.1", 300);
  const page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("link", { name: "History" }).click();
  await page.waitForURL("**/timeline*");
  let ttl = 300;
  await page.route("**/trpc/records.list*", async (route) => {
    const response = await route.fetch();
    const isNoticed = page.waitForResponse("**/trpc/domains.get*");
    ttl += 1;
    await zone.update(id, { ttl });
    await isNoticed;
    await route.fulfill({ response });
  });
  await page.getByRole("link", { name: "Text", exact: true }).click();
  await expect.poll(() => field(page).inputValue()).toContain("192.0.2.1");
  await page.unrouteAll({ behavior: "wait" });
  await expect.poll(() => field(page).inputValue()).toContain(` ${ttl} `);
});

test.each(["before", "after"])(
  "a text whose first state is no longer stored says so, also when it is typed in and read again; the page hears of the newer state %s that",
  async (order) => {
    const zone = await fileZone(site.zonewright);
    const { id } = await zone.add("A", "www", "192.0.2.1", 300);
    const page = await openText(zone);
    const warning = page.getByText("The state that this text began with is no longer stored");
    await append(page, "shop 300 IN A 192.0.2.7");
    await page.getByText("1 change", { exact: true }).waitFor();
    await page.getByRole("link", { name: "History" }).click();
    await field(page).waitFor({ state: "detached" });
    const refused = page.waitForResponse((response) => response.status() === 410);
    if (order === "after") {
      await page.route("**/trpc/domains.get*", async (route) => {
        await refused;
        await route.continue();
      });
    }
    await zone.update(id, { ttl: 600 });
    await deleteOldSnapshots(site.zonewright.services.database.fork(), new Date("2200-01-01T00:00:00Z"));
    site.expected.push("410");
    if (order === "before") await page.getByRole("main").filter({ hasText: "Revision 2" }).waitFor();
    await page.getByRole("link", { name: "Text", exact: true }).click();
    await refused;
    await warning.waitFor();
    await append(page, "mail 300 IN A 192.0.2.8");
    await plan(page)
      .getByText(/mail A/)
      .waitFor();
    await page.reload();
    await expect.poll(() => field(page).inputValue()).toContain("mail");
    await warning.waitFor();
  },
);

test("two tabs show one text: the one that was only opened follows, and both say so once both are typed in", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1", 300);
  const page = await openText(zone);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await expect.poll(() => field(other).inputValue()).toContain("192.0.2.1");
  await append(page, "shop 300 IN A 192.0.2.7");
  await expect.poll(() => field(other).inputValue()).toContain("shop");
  await append(other, "mail 300 IN A 192.0.2.8");
  await page.getByText("Another tab edits this text, too.").waitFor();
  expect(await field(page).inputValue()).not.toContain("mail");
  // A tab that hears of the new revision before it hears what became of the draft asks about the draft once more.
  site.expected.push("409");
  await apply(other);
  expect(await zone.lines()).toEqual(["mail A 192.0.2.8", "shop A 192.0.2.7", "www A 192.0.2.1"]);
  // The first tab has what it typed; that others made it already is seen.
  expect(await field(page).inputValue()).toContain("shop");
  await page.getByText("The zone has changed since this text began").waitFor();
  await page.getByText("1 change", { exact: true }).waitFor({ state: "detached" });
});

test("a member changes only their own names; the rest is said and stays; a zone with reviews gets a request", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "a.dev", "192.0.2.1", 300);
  await zone.add("A", "www", "192.0.2.2", 300);
  await site.zonewright.admin.put(`/api/domains/${zone.id}`, { reviewRequired: "everyone" });
  const username = "text-member";
  const { body } = await (await site.zonewright.member(username)).get("/api/auth/me");
  const own = { userId: body.id, domainId: zone.id };
  await site.zonewright.admin.post("/api/assignments", { ...own, access: "write", subdomainPattern: "*.dev" });
  await site.zonewright.admin.post("/api/assignments", { ...own, access: "read", subdomainPattern: "www" });
  const page = await openText(zone, { username, password: memberPassword });
  await replace(page, "192.0.2.1\n", "192.0.2.11\n");
  await replace(page, "192.0.2.2\n", "192.0.2.22\n");
  await plan(page).getByText("1 change is left out").waitFor();
  await page.getByText("1 change", { exact: true }).waitFor();
  await review(page);
  await dialog(page).getByLabel("What it is for").fill("Move a.dev");
  await dialog(page)
    .getByRole("button", { name: /^Request review/ })
    .click();
  await page.getByText(/^Request #\d+ sent/).waitFor();
  expect(await zone.lines()).toEqual(["a.dev A 192.0.2.1", "www A 192.0.2.2"]);
});

test("a locked record stays for a member, and a reader sees the text without changing it", async () => {
  const zone = await fileZone(site.zonewright);
  const { id } = await zone.add("A", "www", "192.0.2.1", 300);
  await zone.update(id, { locked: true });
  const username = "text-writer";
  const { body } = await (await site.zonewright.member(username)).get("/api/auth/me");
  const part = { userId: body.id, domainId: zone.id };
  await site.zonewright.admin.post("/api/assignments", { ...part, access: "write" });
  const page = await openText(zone, { username, password: memberPassword });
  await replace(page, "192.0.2.1\n", "192.0.2.2\n");
  await plan(page).getByText("1 change is left out").click();
  await plan(page)
    .getByText(/This record is locked/)
    .waitFor();
  const reader = "text-reader";
  const { body: other } = await (await site.zonewright.member(reader)).get("/api/auth/me");
  await site.zonewright.admin.post("/api/assignments", { userId: other.id, domainId: zone.id, access: "read" });
  const reading = await openText(zone, { username: reader, password: memberPassword });
  await reading.getByText("You may read this zone, but not change it.").waitFor();
  expect(await field(reading).getAttribute("readonly")).not.toBeNull();
  await expectAccessible(reading);
});

test("a Latin-1 file is opened as the text, 5 MB of anything are refused in words, and neither loses what was there", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1", 300);
  const page = await openText(zone);
  const chooser = page.locator("input[type=file]");
  await chooser.setInputFiles(file("noise.txt", Buffer.alloc(5 * 1024 * 1024, 'noise("; \n')));
  await page.getByText("This text has 5.2 MB, and the editor takes at most 2 MB.").waitFor();
  await field(page).evaluate((area, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    area.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, 'noise("; \n'.repeat(500_000));
  await page.getByText("This text has 5 MB, and the editor takes at most 2 MB.").waitFor();
  expect(await field(page).inputValue()).toContain("192.0.2.1");
  await chooser.setInputFiles(file("zip.zip", Buffer.from("PK\u0003\u0004\u0000\u0000")));
  await page.getByText("This is not a text file. Choose a zone file.").waitFor();
  await chooser.setInputFiles(
    file("zone.db", Buffer.from('www 300 A 192.0.2.1\ncafe 300 TXT "caf\u00e9"\n', "latin1")),
  );
  await page.getByText("This file is not UTF-8.").waitFor();
  await page.getByText("1 change", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => field(page).inputValue()).toContain("$ORIGIN");
  await page.getByText("1 change", { exact: true }).waitFor({ state: "detached" });
});

test("a long paste over a selection can be undone", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1", 300);
  const page = await openText(zone);
  await append(page, "shop 300 IN A 192.0.2.7");
  const before = await field(page).inputValue();
  await paste(page, "; a long remark\n".repeat(2_000));
  await page.getByText("Pasted a long text.").waitFor();
  expect(await field(page).inputValue()).not.toContain("shop");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => field(page).inputValue()).toBe(before);
});

test("a zone of 10,000 records is edited as text, and more changes than a draft takes are said before the review", async () => {
  const zone = await fileZone(site.zonewright);
  const lines = Array.from({ length: 10_000 }, (_, index) => `h${index} 300 IN A 192.0.2.${index % 250}`);
  const zonefile = `${lines.join("\n")}\n`;
  const imported = await site.zonewright.admin.post(`/api/domains/${zone.id}/zonefile`, { zonefile, mode: "merge" });
  expect(imported.status).toBe(200);
  const page = await openText(zone);
  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(globalThis, { tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: "longtask",
    });
  });
  await field(page).evaluate((area: HTMLTextAreaElement) => {
    const end = area.value.indexOf("\n", area.value.length / 2);
    area.focus();
    area.setSelectionRange(end, end);
  });
  await page.keyboard.type("\nshop 300 IN A 192.0.2.7", { delay: 20 });
  await page.getByText("1 change", { exact: true }).waitFor();
  await page.getByText("Checked against revision 1").waitFor();
  if (process.env["MEASURE"]) console.log("typing", await page.evaluate("tasks.splice(0)"));
  const text = await field(page).inputValue();
  await paste(page, text.replaceAll(/ 300 /g, " 600 "));
  await page.getByText("This text makes 10,001 changes, and a draft takes at most 10,000.").waitFor();
  expect(await reviewButton(page).getAttribute("aria-disabled")).toBe("true");
  if (process.env["MEASURE"]) console.log("10,001 changes", await page.evaluate("tasks.splice(0)"));
  await paste(page, text.replace(/^shop.*\n/m, "").replaceAll(/ 300 /g, " 600 "));
  await page.getByText("10,000 changes", { exact: true }).waitFor();
  await page.getByText("Checked against revision 1").waitFor();
  if (process.env["MEASURE"]) console.log("10,000 changes", await page.evaluate("tasks.splice(0)"));
  expect(await plan(page).getByRole("listitem").count()).toBeLessThan(100);
});
