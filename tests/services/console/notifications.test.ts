import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { fileZone } from "../../support/zones.ts";
import { idOf, publish } from "../../notifications/publish.ts";

const site = useConsole();

beforeEach(async () => {
  await site.zonewright.admin.delete("/api/notifications");
});

async function notify(title: string, metadata: Parameters<typeof publish>[3] = {}): Promise<void> {
  await publish(site.zonewright, { userIds: [await idOf(site.zonewright.admin)] }, title, metadata);
}

const items = (page: Page) => page.getByRole("list", { name: "Notifications" }).getByRole("listitem");
const opened = async (options: Parameters<typeof site.signedIn>[0] = {}) => {
  const page = await site.signedIn({ ...options, path: "/notifications" });
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
};
const unreadCount = async () => (await site.zonewright.admin.get("/api/notifications")).body.unreadCount;

test("a notification is read when it is opened, and leads to the zone it is about", async () => {
  const zone = await fileZone(site.zonewright);
  await notify("A zone differs", { domainId: zone.id, domainName: zone.name });
  await notify("Another differs");
  const page = await opened();
  const item = items(page).filter({ hasText: "A zone differs" });
  const before = await unreadCount();
  await item.getByRole("button", { name: /^(?:Unread: )?A zone differs/ }).click();
  await expect.poll(() => unreadCount()).toBe(before - 1);
  expect(await item.getByRole("button", { name: /^(?:Unread: )?A zone differs/ }).getAttribute("aria-expanded")).toBe(
    "true",
  );
  await item.getByRole("link", { name: `Open ${zone.name}` }).click();
  await page.waitForURL(`${site.url}/d/${zone.name}/records`);
});

test("the filter shows the unread, and reading all empties it and the bell, in other tabs too", async () => {
  for (const title of ["One", "Two", "Three"]) await notify(title);
  const page = await opened();
  const second = await page.context().newPage();
  await second.goto(`${site.url}/notifications`);
  await items(second).first().waitFor();
  await items(page)
    .filter({ hasText: "Two" })
    .getByRole("button", { name: /^(?:Unread: )?Two/ })
    .click();
  await page.getByRole("button", { name: "Unread", exact: true }).click();
  await expect.poll(() => items(page).filter({ hasText: "Two" }).count()).toBe(0);
  await page.getByRole("button", { name: "Mark all as read" }).click();
  await page.getByText("No unread notifications.").waitFor();
  for (const tab of [page, second]) {
    const bell = tab.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /Notifications/ });
    await expect.poll(() => bell.textContent()).toBe("Notifications");
  }
});

test("one notification is deleted directly, all only after a question", async () => {
  for (const title of ["One", "Two"]) await notify(title);
  const page = await opened();
  await page.getByRole("button", { name: "Delete: One" }).click();
  await expect.poll(() => items(page).filter({ hasText: "One" }).count()).toBe(0);
  await page.getByRole("button", { name: "Delete all" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await items(page).count()).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Delete all" }).click();
  await dialog.getByRole("button", { name: "Delete all" }).click();
  await page.getByRole("heading", { name: "No notifications" }).waitFor();
});

test("notifications that are deleted one after another are all deleted, though the answers take their time", async () => {
  const titles = ["One", "Two", "Three", "Four"];
  for (const title of titles) await notify(title);
  const page = await opened();
  const pressed = Promise.withResolvers<undefined>();
  let calls = 0;
  await page.route("**/trpc/notifications.delete*", async (route) => {
    calls += 1;
    await pressed.promise;
    await route.continue();
  });
  // Pressed twice, it is deleted once.
  for (const title of ["One", "Two", "Two", "Three", "Four"]) {
    await page.getByRole("button", { name: `Delete: ${title}` }).click();
  }
  // Waits for these, too.
  await page.getByRole("button", { name: "Delete all" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete all" }).click();
  expect(calls).toBe(1);
  pressed.resolve(undefined);
  await page.getByRole("heading", { name: "No notifications" }).waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(calls).toBe(5);
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("markup in a notification stays text", async () => {
  await notify("<img src=x onerror=alert(1)>");
  const page = await opened();
  await items(page).getByText("<img src=x onerror=alert(1)>").waitFor();
  expect(await page.locator("img").count()).toBe(0);
});

test("the notifications have no accessibility findings, in both themes and at 320 pixels", async () => {
  await notify("A zone differs", { domainName: "example.com" });
  for (const dark of [false, true]) {
    const page = await opened({ dark, width: dark ? 320 : 1280 });
    await items(page).first().waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    if (!dark) await photograph(page, "notifications");
  }
});
