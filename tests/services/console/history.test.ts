import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { memberPassword } from "../../support/zonewright.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

/** What happened to a zone, and how to take it back after the message with "Undo" has gone. */

const site = useConsole();

const history = (zone: Zone) => `/d/${zone.name}/timeline`;
const dialog = (page: Page) => page.locator('[role="dialog"]:not([class*="toast"])');
const item = (page: Page, text: string) => page.getByRole("listitem").filter({ hasText: text });

test("a change in the history is titled by its reason or its record, shown with its records and reverted after review; later changes stay", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.create({ recordType: "A", name: "www", value: "192.0.2.1", message: "Add the web server" });
  await zone.add("A", "api", "192.0.2.7");
  const page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("link", { name: "History" }).click();
  const entry = item(page, "Add the web server");
  await item(page, "api A 192.0.2.7 added")
    .getByText(/admin, revision 2/)
    .waitFor();
  await entry.getByText(/admin, revision 1/).waitFor();
  await entry.getByRole("button", { name: /^Show changes/ }).click();
  await entry.getByText("192.0.2.1").waitFor();
  await expectAccessible(page);
  await photograph(page, "history");
  await entry.getByRole("button", { name: "Revert… Add the web server, revision 1" }).click();
  await dialog(page).getByText("192.0.2.1").waitFor();
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Revert", exact: true }).click();
  await page.getByText("Reverted in revision 3.").waitFor();
  await item(page, "Change reverted").waitFor();
  expect(await zone.lines()).toEqual(["api A 192.0.2.7"]);
});

test("a change by a user who was deleted is not attributed to the service", async () => {
  const zone = await fileZone(site.zonewright);
  const leaver = await site.zonewright.member("leaver");
  const { body } = await leaver.get("/api/auth/me");
  const whole = { userId: body.id, domainId: zone.id, access: "write" };
  await site.zonewright.admin.post("/api/assignments", whole);
  await leaver.post(`${zone.path}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
  await site.zonewright.admin.delete(`/api/users/${body.id}`);
  const page = await site.signedIn({ path: history(zone) });
  await item(page, "revision 1").getByText("a deleted user, revision 1").waitFor();
});

test("a change whose records have changed since cannot be reverted, and the dialog says why", async () => {
  const zone = await fileZone(site.zonewright);
  const { id } = await zone.add("A", "www", "192.0.2.1");
  await zone.update(id, { value: "192.0.2.2" });
  const page = await site.signedIn({ path: history(zone) });
  site.expected.push("409");
  await item(page, "revision 1")
    .getByRole("button", { name: /^Revert/ })
    .click();
  await dialog(page).getByRole("alert").getByText(/www/).waitFor();
  const take = dialog(page).getByRole("button", { name: "Revert", exact: true });
  expect(await take.getAttribute("aria-disabled")).toBe("true");
});

test("a member takes back changes of their own names, and is offered no other", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await zone.add("A", "app.dev", "192.0.2.2");
  const username = "history-member";
  const { body } = await (await site.zonewright.member(username)).get("/api/auth/me");
  const whole = { userId: body.id, domainId: zone.id, access: "read" };
  await site.zonewright.admin.post("/api/assignments", whole);
  await site.zonewright.admin.post("/api/assignments", { ...whole, access: "write", subdomainPattern: "*.dev" });
  const page = await site.signedIn({ username, password: memberPassword, path: history(zone) });
  await item(page, "revision 2")
    .getByRole("button", { name: /^Revert/ })
    .waitFor();
  await item(page, "revision 1").waitFor();
  expect(await page.getByRole("button", { name: /^Revert/ }).count()).toBe(1);
  await page.getByRole("button", { name: /^Revert/ }).click();
  await dialog(page).getByRole("button", { name: "Revert", exact: true }).click();
  await page.getByText("Reverted in revision 3.").waitFor();
  expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
});

test("where every change needs a review, an administrator takes one back with a reason", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await site.zonewright.admin.put(zone.path, { reviewRequired: "everyone" });
  const page = await site.signedIn({ path: history(zone) });
  await page.getByRole("button", { name: /^Revert/ }).click();
  site.expected.push("409");
  await dialog(page).getByRole("button", { name: "Revert", exact: true }).click();
  await dialog(page).getByText("Changes to this zone need a review.").waitFor();
  expect(await dialog(page).textContent()).not.toContain("/api/");
  const anyway = dialog(page).getByRole("button", { name: "Apply without review" });
  expect(await anyway.getAttribute("aria-disabled")).toBe("true");
  await dialog(page).getByLabel("Why it cannot wait for a review").fill("The host is gone.");
  await anyway.click();
  await page.getByText("Reverted in revision 2.").waitFor();
  const [entry] = await zone.history();
  expect(entry).toMatchObject({ kind: "revert", message: "The host is gone." });
});

test("the history has no accessibility findings at 320 pixels in the dark", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  const page = await site.signedIn({ path: history(zone), dark: true, width: 320 });
  await page.getByRole("button", { name: /^Show changes/ }).click();
  await expectAccessible(page);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});

test("who changed a name lately is one step away from its record, and the address keeps the filters", async () => {
  const zone = await fileZone(site.zonewright);
  const member = await site.zonewright.member("changer");
  const userId = (await member.get("/api/auth/me")).body.id;
  await site.zonewright.admin.post("/api/assignments", { userId, domainId: zone.id, access: "write" });
  const www = await zone.add("A", "www", "192.0.2.1");
  await zone.add("A", "mail", "192.0.2.2");
  await member.put(`${zone.path}/records/${www.id}`, { value: "192.0.2.66" });
  const page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("button", { name: "Actions for www A" }).click();
  await page.getByRole("menuitem", { name: "History of this name" }).click();
  const entries = page.getByRole("list", { name: /^Changes of the zone/ }).getByRole("listitem");
  await entries.filter({ hasText: "changer" }).waitFor();
  await entries.filter({ hasText: "mail" }).waitFor({ state: "detached" });
  await photograph(page, "history-filtered");
  await expectAccessible(page);
  await page.getByLabel("Author").fill("changer");
  await page.getByLabel("Time").selectOption({ label: "Last 7 days" });
  await expect.poll(() => entries.count()).toBe(1);
  await page.waitForURL(({ search }) => ["name=www", "by=changer", "since=7d"].every((part) => search.includes(part)));
  await page.reload();
  await entries.filter({ hasText: "192.0.2.66" }).waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await expect.poll(() => entries.count()).toBe(3);
  expect(await page.getByLabel("Author").inputValue()).toBe("");
  await page.getByLabel("Author").fill("nobody");
  await page.getByText("No change matches these filters").waitFor();
});

test("a difference says of both ends when they were made, by whom, and what the provider made of them", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await zone.add("A", "mail", "192.0.2.2");
  const page = await site.signedIn({ path: `/d/${zone.name}/timeline?at=2&from=1` });
  for (const [revision, title] of [
    ["Revision 1", "www A 192.0.2.1 added"],
    ["Revision 2", "mail A 192.0.2.2 added"],
  ] as const) {
    const end = page.locator("[class*=change]").filter({ hasText: revision }).filter({ hasText: title });
    await end.getByText(/, admin, made completely$/).waitFor();
  }
  await photograph(page, "timeline-difference");
});
