import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { addZone, fileZone, freshName, manualConfig, type Zone } from "../../support/zones.ts";

const site = useConsole();

/** The dialog that is open. Toasts have the role, too. */
const dialog = (page: Page) => page.locator('[role="dialog"]:not([class*="toast"])');

/** The settings of a zone. */
async function opened(zone: Zone): Promise<Page> {
  const page = await site.signedIn({ path: `/d/${zone.name}/settings` });
  await page.getByRole("heading", { level: 1, name: zone.name }).waitFor();
  return page;
}

test("expiry date and reminders, tags, group, notes and owner are stored once something changed, and wrong reminders and an unknown owner explained", async () => {
  const zone = await fileZone(site.zonewright);
  const owner = await site.zonewright.member("mira.owner");
  const page = await opened(zone);
  const registration = page.locator("section").filter({ has: page.getByRole("heading", { name: "Registration" }) });
  const save = page.getByRole("button", { name: "Save" });
  const isActive = async () => await save.evaluateAll((buttons) => buttons.map((each) => each.ariaDisabled !== "true"));
  // Registration, rules, reviews, organization.
  await expect.poll(isActive).toEqual([false, false, false, false]);
  await registration.getByLabel("Remind before expiry").fill("soon");
  await expect.poll(isActive).toEqual([true, false, false, false]);
  await registration.getByRole("button", { name: "Save" }).click();
  await registration.getByRole("alert").waitFor();
  await registration.getByLabel("Remind before expiry").fill("60, 14");
  await registration.getByLabel("Expires on").fill("2031-03-14");
  await registration.getByRole("button", { name: "Save" }).click();
  await page.getByText("Mar 14, 2031").waitFor();
  await registration.getByText("Entered by hand: the daily lookup never replaces it.").waitFor();
  await expect.poll(isActive).toEqual([false, false, false, false]);
  const organization = page.locator("section").filter({ has: page.getByRole("heading", { name: "Organization" }) });
  await organization.getByLabel("Tags").fill("prod, web");
  await organization.getByLabel("Group").fill("Customers");
  await organization.getByLabel("Notes").fill("Ask Mira first.\n<b>not markup</b>");
  await organization.getByLabel("Owner").fill("nobody at all");
  await page.keyboard.press("Tab");
  await organization.getByRole("button", { name: "Save" }).click();
  await organization.getByText("Choose somebody from the list").waitFor();
  await organization.getByLabel("Owner").fill("mira");
  await page.getByRole("option", { name: "mira.owner" }).click();
  await photograph(page, "zone-organization");
  await organization.getByRole("button", { name: "Save" }).click();
  await page.getByText("prod", { exact: true }).waitFor();
  expect(await zone.detail()).toMatchObject({
    ownerId: (await owner.get("/api/auth/me")).body.id,
    expiresAt: "2031-03-14T00:00:00.000Z",
    expiryRemindDays: [60, 14],
    tags: ["prod", "web"],
    groupName: "Customers",
    notes: "Ask Mira first.\n<b>not markup</b>",
  });
});

test("every form of the settings sends what was typed there, and leaves alone what somebody else set meanwhile", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await opened(zone);
  const card = (title: string) =>
    page.locator("section").filter({ has: page.getByRole("heading", { name: title, exact: true }) });
  await card("Organization").getByLabel("Notes").fill("Ask Mira first.");
  await card("Registration").getByLabel("Expires on").fill("2031-03-14");
  await card("Reviews").getByLabel("Changes that need a review").selectOption({ index: 2 });
  const theirs = { tags: ["shop"], groupName: "Customers", reviewAcme: true };
  expect(await site.zonewright.admin.put(zone.path, theirs)).toMatchObject({ status: 200 });
  const reminders = { expiryRemindDays: [90], autoCheckExpiry: false };
  expect(await site.zonewright.admin.put(`${zone.path}/expiry-remind`, reminders)).toMatchObject({ status: 200 });
  for (const title of ["Organization", "Registration", "Reviews"]) {
    await card(title).getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.", { exact: true }).first().waitFor();
    await expect.poll(() => card(title).getByRole("button", { name: "Save" }).getAttribute("aria-busy")).toBeNull();
  }
  await expect.poll(async () => (await zone.detail()).reviewRequired).toBe("members");
  expect(await zone.detail()).toMatchObject({
    notes: "Ask Mira first.",
    tags: ["shop"],
    groupName: "Customers",
    expiresAt: "2031-03-14T00:00:00.000Z",
    expiryRemindDays: [90],
    autoCheckExpiry: false,
    reviewAcme: true,
  });
  // The fields say what is stored by now.
  await expect.poll(() => card("Organization").getByLabel("Tags").inputValue()).toBe("shop");
  expect(await card("Registration").getByLabel("Remind before expiry").inputValue()).toBe("90");
});

test("what is typed while a form is being saved stays there, to be saved as well", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await opened(zone);
  const organization = page.locator("section").filter({ has: page.getByRole("heading", { name: "Organization" }) });
  const notes = organization.getByLabel("Notes");
  const typed = Promise.withResolvers<void>();
  await page.route("**/trpc/domains.update*", async (route) => {
    await typed.promise;
    await route.continue();
  });
  await notes.fill("Ask Ada first.");
  await organization.getByLabel("Group").fill("Customers");
  await organization.getByRole("button", { name: "Save" }).click();
  await notes.fill("Ask Ada first. Then Ben.");
  typed.resolve();
  await expect.poll(async () => (await zone.detail())["notes"]).toBe("Ask Ada first.");
  await page.getByText("Saved.").waitFor();
  expect(await notes.inputValue()).toBe("Ask Ada first. Then Ben.");
  await organization.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await zone.detail())["notes"]).toBe("Ask Ada first. Then Ben.");
});

test("a move says what happens and moves the zone to another provider", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await manualConfig(site.zonewright);
  const page = await opened(zone);
  await page.getByRole("button", { name: "Move…" }).click();
  await dialog(page).getByLabel("Move to").selectOption({ label: "By hand" });
  await dialog(page).getByText("A snapshot of the records is taken").waitFor();
  await photograph(page, "zone-move");
  await dialog(page).getByRole("button", { name: "Move to By hand" }).click();
  await page.getByText("Moved to By hand.").waitFor();
  expect((await zone.detail()).providerConfigId).toBe(await manualConfig(site.zonewright));
});

test("a zone whose changes need a review is moved by an administrator who says why", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await manualConfig(site.zonewright);
  await site.zonewright.admin.put(zone.path, { reviewRequired: "everyone" });
  const page = await opened(zone);
  await page.getByRole("button", { name: "Move…" }).click();
  await dialog(page).getByLabel("Move to").selectOption({ label: "By hand" });
  site.expected.push("409");
  const move = dialog(page).getByRole("button", { name: "Move to By hand" });
  await move.click();
  await dialog(page).getByText("Changes to this zone need a review.").waitFor();
  expect(await move.getAttribute("aria-disabled")).toBe("true");
  await dialog(page).getByLabel("Why it cannot wait for a review").fill("The old server is switched off.");
  await move.click();
  await page.getByText("Moved to By hand.").waitFor();
});

test("a new view leads to the new address, and disabling is shown in the header", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await opened(zone);
  await page.getByLabel("View", { exact: true }).fill("internal");
  const organization = page.locator("section").filter({ has: page.getByRole("heading", { name: "Organization" }) });
  await organization.getByRole("button", { name: "Save" }).click();
  await page.waitForURL(/!internal|%21internal/);
  await page.getByRole("button", { name: "Disable", exact: true }).click();
  await page.getByText("Disabled", { exact: true }).waitFor();
  expect(await zone.detail()).toMatchObject({ view: "internal", status: "disabled" });
});

test("a domain is removed once its name is typed, and its zone at the provider stays", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  // The page may look at the zone once more before it leaves it.
  site.expected.push("404");
  const page = await opened(zone);
  await page.getByRole("button", { name: "Stop managing it" }).click();
  const confirm = dialog(page).getByRole("button", { name: "Delete it here" });
  await dialog(page).getByText("The zone at the provider stays").waitFor();
  expect(await confirm.getAttribute("aria-disabled")).toBe("true");
  await dialog(page).getByLabel(`Type ${zone.name} to confirm`).fill(zone.name);
  await confirm.click();
  await page.getByText(`${zone.name} is no longer managed here.`).waitFor();
  expect((await zone.get("")).status).toBe(404);
  expect(await zone.readFile()).toContain("192.0.2.1");
});

test("a domain in a catalog zone is removed once it is confirmed that its secondaries drop the zone", async () => {
  const { admin } = site.zonewright;
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", catalogZone: "catalog.invalid" };
  const { body } = await admin.post("/api/provider-configs", { kind: "primary", name: "Cataloged", config });
  const zone = await addZone(site.zonewright, { name: freshName(), providerConfigId: body.id });
  // 404: the page may look at the zone once more before it leaves it.
  site.expected.push("404", "409");
  const page = await opened(zone);
  await page.getByRole("button", { name: "Stop managing it" }).click();
  await dialog(page).getByLabel(`Type ${zone.name} to confirm`).fill(zone.name);
  const confirm = dialog(page).getByRole("button", { name: "Delete it here" });
  await confirm.click();
  await dialog(page).getByText("secondaries will drop this zone").waitFor();
  expect(await confirm.getAttribute("aria-disabled")).toBe("true");
  await dialog(page).getByLabel("Let its secondaries drop the zone").check();
  await confirm.click();
  await page.getByText(`${zone.name} is no longer managed here.`).waitFor();
  expect((await zone.get("")).status).toBe(404);
});

test("the settings have a list of their parts, which leads to each and says which one is read; an address can name one", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await opened(zone);
  const parts = page.getByRole("navigation", { name: "Settings" });
  const top = async (name: string) =>
    await page
      .getByRole("heading", { level: 2, name, exact: true })
      .evaluate((heading) => heading.getBoundingClientRect().top);
  await expect.poll(() => parts.getByRole("link").count()).toBe(8);
  expect(await top("Rules for records")).toBeGreaterThan(400);
  await parts.getByRole("link", { name: "Rules for records" }).click();
  await expect.poll(() => top("Rules for records")).toBeLessThan(200);
  await expect.poll(() => parts.locator("[aria-current]").textContent()).toBe("Rules for records");
  await expectAccessible(page);
  await photograph(page, "zone-settings-parts");
  await parts.getByRole("link", { name: "Disable or remove" }).click();
  await expect.poll(() => parts.locator("[aria-current]").textContent()).toBe("Disable or remove");
  // On a phone the list is a line that stays in view, and shows the part that is read.
  await page.setViewportSize({ width: 390, height: 844 });
  await parts.getByRole("link", { name: "Rules for records" }).click();
  await expect.poll(() => parts.locator("[aria-current]").textContent()).toBe("Rules for records");
  await expect.poll(async () => (await parts.locator("[aria-current]").boundingBox())?.x).toBeLessThan(300);
  const place = await parts.locator("[aria-current]").boundingBox();
  expect(place?.y).toBeLessThan(100);
  await expect.poll(() => top("Rules for records")).toBeGreaterThan((place?.y ?? 0) + (place?.height ?? 0));
  await photograph(page, "zone-settings-parts-phone");
  const other = await site.signedIn({ path: `/d/${zone.name}/settings#organization` });
  await expect
    .poll(() => other.getByRole("navigation", { name: "Settings" }).locator("[aria-current]").textContent())
    .toBe("Organization");
});
