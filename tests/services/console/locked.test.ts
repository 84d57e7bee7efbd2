import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { expectAccessible, focusIn, photograph, useConsole } from "../../support/console.ts";
import { memberPassword } from "../../support/zonewright.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

/** What may be done with a record: locks, owners, review dates, and the limits of an assignment. */

const site = useConsole();
let zone: Zone;
let id = "";

beforeEach(async () => {
  zone = await fileZone(site.zonewright);
  ({ id } = await zone.add("A", "www", "192.0.2.1"));
});

const record = async () => (await zone.records("&name=www"))[0];
const records = () => `/d/${zone.name}/records`;
const menu = async (page: Page) => await page.getByRole("button", { name: "Actions for www A" }).click();

test("an administrator locks a record and sets its contact and review date, and the row shows them", async () => {
  // West of Greenwich, the midnight of UTC is the day before.
  const page = await site.signedIn({ path: records(), timezoneId: "America/New_York" });
  await menu(page);
  await page.getByRole("menuitem", { name: "Lock, contact, review date…" }).click();
  const dialog = page.getByRole("dialog", { name: "Lock, contact and review date of www A" });
  await dialog.getByLabel(/^Locked/).check();
  await dialog.getByLabel("Contact", { exact: true }).fill("adm");
  await page.getByRole("option", { name: "admin you" }).click();
  await dialog.getByLabel("Review date", { exact: true }).fill("2031-03-14");
  await expectAccessible(page);
  await photograph(page, "record-details");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  const row = page.getByRole("row").filter({ hasText: "192.0.2.1" });
  await row.getByText(", Locked").waitFor();
  await row.getByText("Review on Mar 14, 2031").waitFor();
  await expectAccessible(page);
  await photograph(page, "record-locked");
  expect(await record()).toMatchObject({ locked: true, reviewAt: "2031-03-14T00:00:00.000Z", value: "192.0.2.1" });
});

test("the menu of a record opens by the keyboard, leads to its lock, and returns to the grid", async () => {
  await zone.add("A", "zzz", "192.0.2.9");
  const page = await site.signedIn({ path: records() });
  const grid = page.getByRole("grid");
  await page.getByRole("gridcell", { name: "www", exact: true }).click();
  const details = page.getByRole("menuitem", { name: "Lock, contact, review date…" });
  for (const key of ["Shift+F10", "ContextMenu"]) {
    await page.keyboard.press(key);
    await details.waitFor();
    await focusIn(page.getByRole("menu"));
    await page.keyboard.press("Escape");
    await details.waitFor({ state: "detached" });
    await expect.poll(async () => await grid.evaluate((element) => element === document.activeElement)).toBe(true);
  }
  await page.keyboard.press("Shift+F10");
  await details.waitFor();
  await focusIn(page.getByRole("menu"));
  await page.keyboard.press("l");
  await focusIn(details);
  await page.keyboard.press("Enter");
  await focusIn(page.getByRole("dialog", { name: "Lock, contact and review date of www A" }));
  await page.keyboard.press("Escape");
  await expect.poll(async () => await grid.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press("Shift+F10");
  await focusIn(page.getByRole("menu"));
  await page.keyboard.press("e");
  await focusIn(page.getByRole("menuitem", { name: "Edit" }));
  await page.keyboard.press("Enter");
  const value = page.getByRole("textbox", { name: "Value", exact: true });
  await expect.poll(async () => await value.evaluate((element) => element === document.activeElement)).toBe(true);
});

test("where everything is reviewed, an administrator sets owner and date without a review, and unlocks with a reason", async () => {
  await zone.update(id, { locked: true });
  await site.zonewright.admin.put(zone.path, { reviewRequired: "everyone" });
  const page = await site.signedIn({ path: records() });
  const details = async () => {
    await menu(page);
    await page.getByRole("menuitem", { name: "Lock, contact, review date…" }).click();
  };
  const save = page.getByRole("button", { name: "Save" });
  await details();
  await page.getByLabel("Review date", { exact: true }).fill("2031-03-14");
  await save.click();
  await page.getByText("Saved.").waitFor();
  expect(await record()).toMatchObject({ locked: true, reviewAt: "2031-03-14T00:00:00.000Z" });
  await details();
  await page.getByLabel(/^Locked/).uncheck();
  expect(await save.getAttribute("aria-disabled")).toBe("true");
  await page.getByLabel("Why it cannot wait for a review").fill("The host is gone.");
  await save.click();
  await expect.poll(async () => (await record())?.locked).toBe(false);
  expect((await zone.history())[0]).toMatchObject({ message: "The host is gone." });
});

test("where everything is reviewed, an owner is not offered to unlock, and may set the date", async () => {
  await zone.update(id, { locked: true });
  const username = "lock-owner";
  const { body } = await (await site.zonewright.member(username)).get("/api/auth/me");
  await site.zonewright.admin.put(zone.path, { reviewRequired: "members" });
  const db = queries(site.zonewright.services.database.fork());
  await db.updateTable("domains").set({ owner_id: body.id }).where("id", "=", zone.id).execute();
  const page = await site.signedIn({ username, password: memberPassword, path: records() });
  await menu(page);
  await page.getByRole("menuitem", { name: "Lock, contact, review date…" }).click();
  await page.getByLabel("Review date", { exact: true }).fill("2031-03-14");
  expect(await page.getByLabel(/^Locked/).count()).toBe(0);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  expect(await record()).toMatchObject({ locked: true, reviewAt: "2031-03-14T00:00:00.000Z" });
});

test("an administrator is offered as owners those who can see the zone, finds them by name, and reads who it is now", async () => {
  const { admin } = site.zonewright;
  const [ada, bob] = await Promise.all(
    ["owner-ada", "owner-bob"].map(
      async (name) => (await (await site.zonewright.member(name)).get("/api/auth/me")).body,
    ),
  );
  await site.zonewright.member("owner-stranger");
  for (const { id: userId } of [ada, bob])
    await admin.post("/api/assignments", { userId, domainId: zone.id, access: "read" });
  await zone.update(id, { ownerId: ada.id });
  const page = await site.signedIn({ path: records() });
  await menu(page);
  await page.getByRole("menuitem", { name: "Lock, contact, review date…" }).click();
  const contact = page.getByRole("combobox", { name: "Contact", exact: true });
  await expect.poll(() => contact.inputValue()).toBe("owner-ada");
  expect(await page.getByLabel(/^Find/).count()).toBe(0);
  await contact.fill("owner-");
  const offered = async () => await page.getByRole("option").allTextContents();
  await expect.poll(offered).toEqual(["owner-ada ", "owner-bob "]);
  await photograph(page, "record-contact");
  await page.getByRole("option", { name: "owner-bob" }).click();
  await expect.poll(() => contact.inputValue()).toBe("owner-bob");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  expect((await record())?.ownerId).toBe(bob.id);

  // A text that names nobody is not saved; an empty one means nobody in particular.
  await menu(page);
  await page.getByRole("menuitem", { name: "Lock, contact, review date…" }).click();
  await expect.poll(() => contact.inputValue()).toBe("owner-bob");
  await contact.fill("nobody-like-this");
  await page.getByText("Nobody who can see this domain matches.").waitFor();
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Choose somebody from the list, or leave it empty.").waitFor();
  await contact.fill("");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await record())?.ownerId).toBeNull();
});

test("saving a lock leaves the time of the review date as it is", async () => {
  const reviewAt = "2031-03-14T15:30:00.000Z";
  await zone.update(id, { reviewAt });
  const page = await site.signedIn({ path: records() });
  await menu(page);
  await page.getByRole("menuitem", { name: "Lock, contact, review date…" }).click();
  await page.getByLabel(/^Locked/).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  expect(await record()).toMatchObject({ locked: true, reviewAt });
});

test("a member sees that a record is locked, and is offered no edit that would be refused", async () => {
  await zone.update(id, { locked: true });
  await zone.add("A", "api", "192.0.2.7");
  const username = "lock-member";
  const { body } = await (await site.zonewright.member(username)).get("/api/auth/me");
  await site.zonewright.admin.post("/api/assignments", { userId: body.id, domainId: zone.id, access: "write" });
  const page = await site.signedIn({ username, password: memberPassword, path: records() });
  await page.getByRole("row").filter({ hasText: "192.0.2.1" }).getByText(", Locked").waitFor();
  await page.getByRole("button", { name: "Actions for api A" }).click();
  const change = page.getByRole("menuitem", { name: "Edit" });
  await change.waitFor();
  await focusIn(page.getByRole("menu"));
  await page.keyboard.press("Escape");
  await change.waitFor({ state: "detached" });
  await menu(page);
  await page.getByRole("menuitem", { name: "Lock, contact, review date…" }).waitFor();
  expect(await page.getByRole("menuitem", { name: /Edit|Delete/ }).count()).toBe(0);
  await page.getByRole("menuitem", { name: "Lock, contact, review date…" }).click();
  await page.getByLabel("Review date", { exact: true }).waitFor();
  expect(await page.getByLabel(/^Locked/).count()).toBe(0);
});

test("a review of a change to a locked record is requested after a second confirmation", async () => {
  await zone.update(id, { locked: true });
  await site.zonewright.admin.put(zone.path, { reviewRequired: "everyone" });
  const page = await site.signedIn({ path: records() });
  await menu(page);
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.2");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: /^Request review/ }).click();
  const dialog = page.getByRole("dialog", { name: /^Request a review of 1 change/ });
  await dialog.getByLabel("What it is for").fill("Move www");
  site.expected.push("409");
  await dialog.getByRole("button", { name: /^Request review/ }).click();
  await dialog.getByRole("alert").getByText("is locked.").waitFor();
  expect(await dialog.textContent()).not.toContain("unlock");
  await dialog.getByRole("button", { name: /^Request review anyway/ }).click();
  await page.getByText(/^Request #\d+ sent/).waitFor();
});

test("a member assigned to some types is offered only those, and can mend a new record outside of the assigned names", async () => {
  const username = "contractor";
  const { body } = await (await site.zonewright.member(username)).get("/api/auth/me");
  const assignment = { userId: body.id, domainId: zone.id, access: "write", subdomainPattern: "*.shop" };
  await site.zonewright.admin.post("/api/assignments", { ...assignment, recordTypes: ["TXT", "MX"] });
  const page = await site.signedIn({ username, password: memberPassword, path: records() });
  await page.getByRole("button", { name: "Add record" }).first().click();
  const types = page.getByRole("combobox", { name: "Type" });
  await types.waitFor();
  expect((await types.locator("option").allTextContents()).toSorted()).toEqual(["MX", "TXT"]);
  await types.selectOption("TXT");
  await page.getByRole("textbox", { name: "Name" }).fill("elsewhere");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("v=spf1 -all");
  await page.getByRole("button", { name: "Done" }).click();
  const editor = page.getByRole("group", { name: "Edit the record" });
  await editor.getByText(/^You may change: \*\.shop/).waitFor();
  // What is typed while it waits for the rules counts, too.
  await editor.locator("button:not([aria-busy=true])", { hasText: "Done" }).waitFor();
  await page.getByRole("textbox", { name: "Name" }).fill("mail.shop");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText(/^Checked against revision/).waitFor();
});
