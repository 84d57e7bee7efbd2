import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible, focusIn, photograph, useConsole } from "../../support/console.ts";
import { bothViews, fileZone } from "../../support/zones.ts";
import { memberPassword } from "../../support/zonewright.ts";

const site = useConsole();

const field = (page: Page) => page.getByRole("combobox", { name: "Jump to a domain, page or record" });
const selected = async (page: Page) =>
  (await page.locator('[role="option"][aria-selected="true"]').textContent()) ?? "";
const ready = async (page: Page) => await page.getByRole("heading", { name: "Domains", exact: true }).waitFor();

/** Opens the palette by its key, ready for typing. */
async function openPalette(page: Page): Promise<void> {
  await ready(page);
  await page.keyboard.press("Control+k");
  await focusIn(field(page));
}

test("the palette leads to a domain by keyboard alone", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await site.signedIn();
  await openPalette(page);
  await page.keyboard.type(zone.name);
  await expect.poll(() => selected(page)).toBe(zone.name);
  await expectAccessible(page);
  await photograph(page, "palette");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${site.url}/d/${zone.name}/records`);
  await field(page).waitFor({ state: "detached" });
});

test("the palette tells the views of a name apart", async () => {
  const [, internal] = await bothViews(site.zonewright);
  const page = await site.signedIn();
  await openPalette(page);
  await page.keyboard.type(internal.name);
  const views = page.getByRole("group", { name: "Domains" }).getByRole("option").filter({ hasText: internal.name });
  await expect.poll(() => views.count()).toBe(2);
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => selected(page)).toBe(`${internal.name}internal`);
  await page.keyboard.press("Enter");
  await page.waitForURL(/(?:!|%21)internal\/records/);
});

test("from three characters on the palette finds records by their value, in their zone", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "shop", "198.51.100.77");
  const page = await site.signedIn();
  await openPalette(page);
  await page.keyboard.type("198.51.100.77");
  await page.getByRole("option", { name: `shop.${zone.name} A 198.51.100.77` }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === `/d/${zone.name}/records`);
  expect(new URL(page.url()).searchParams.get("search")).toBe("shop");
});

test("a pasted value that is longer than a search may be finds its record", async () => {
  const zone = await fileZone(site.zonewright);
  const key = `v=DKIM1; k=rsa; p=${"MIIBIjANBgkqhkiG9w0".repeat(20)}`;
  await zone.add("TXT", "mail._domainkey", key);
  const page = await site.signedIn();
  await openPalette(page);
  await field(page).fill(key);
  await page.getByRole("option", { name: new RegExp(`^mail._domainkey.${zone.name} TXT`) }).waitFor();
});

test("pages and actions are found by their words, and a member finds no page of administrators", async () => {
  await site.zonewright.member("searcher");
  const admin = await site.signedIn();
  await ready(admin);
  await admin.getByRole("button", { name: /Jump to/ }).click();
  await focusIn(field(admin));
  await admin.keyboard.type("invit");
  // Faster than the answers: it chooses what they bring.
  await admin.keyboard.press("Enter");
  await admin.waitForURL(`${site.url}/admin/invitations`);
  const member = await site.signedIn({ username: "searcher", password: memberPassword });
  await openPalette(member);
  await member.keyboard.type("invit");
  await member.getByRole("option", { name: "Search all records for invit" }).waitFor();
  await expect.poll(() => member.getByRole("option").count()).toBe(1);
  await field(member).fill("zq");
  await member.getByText("Nothing found.").waitFor();
  await field(member).fill("requests");
  await member.getByRole("option", { name: "Requests", exact: true }).click();
  await member.waitForURL(`${site.url}/requests`);
});

test("Escape closes the palette and returns the focus, and a question mark lists the keys", async () => {
  const page = await site.signedIn();
  await ready(page);
  const jump = page.getByRole("button", { name: /Jump to/ });
  await jump.focus();
  await page.keyboard.press("Enter");
  await focusIn(field(page));
  await page.keyboard.press("Escape");
  await field(page).waitFor({ state: "detached" });
  await expect.poll(() => jump.evaluate((button) => button === document.activeElement)).toBe(true);
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard" });
  await keys.getByText("Jump to anything").waitFor();
  await expectAccessible(page);
  await photograph(page, "keys");
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });
  // In a field it is a character like any other.
  await page.getByRole("searchbox", { name: "Search by name" }).fill("");
  await page.getByRole("searchbox", { name: "Search by name" }).press("?");
  expect(await keys.count()).toBe(0);
});

test("the palette has no accessibility findings in the dark and at 320 pixels", async () => {
  const page = await site.signedIn({ dark: true, width: 320 });
  await openPalette(page);
  await page.getByRole("option").first().waitFor();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
});
