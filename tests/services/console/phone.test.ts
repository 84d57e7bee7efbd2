import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { memberPassword } from "../../support/zonewright.ts";
import { fileZone } from "../../support/zones.ts";

const site = useConsole();

async function boxOf(part: Locator) {
  await part.waitFor();
  const box = await part.boundingBox();
  if (box === null) throw new Error("It is not on the page.");
  return box;
}

test("on a phone, the tools above the records lie over none of them, however long the zone is", async () => {
  const zone = await fileZone(site.zonewright);
  for (let host = 10; host < 30; host++) await zone.add("A", `host${host}`, `192.0.2.${host}`);
  const page = await site.signedIn({ path: `/d/${zone.name}/records`, width: 390, height: 700 });
  const first = await boxOf(page.getByRole("row").filter({ hasText: "host10" }));
  const add = await boxOf(page.getByRole("button", { name: "Add record" }));
  expect(add.y + add.height).toBeLessThanOrEqual(first.y);
});

test("on a phone, zone notices cause no layout shift", async () => {
  const zone = await fileZone(site.zonewright);
  for (let host = 10; host < 30; host++) await zone.add("A", `host${host}`, `192.0.2.${host}`);
  const page = await site.signedIn({ width: 390, height: 844 });
  const facts = Promise.withResolvers<undefined>();
  await page.route("**/trpc/providerConfigs.list*", async (route) => {
    await facts.promise;
    await route.continue();
  });
  await page.goto(`${site.url}/d/${zone.name}/records`);
  const first = page.getByRole("row").filter({ hasText: "host10" });
  const before = await boxOf(first);
  facts.resolve(undefined);
  await page
    .getByText(/^.+ in sync$/)
    .first()
    .waitFor();
  await page.getByText(/^Revision 20, /).waitFor();
  // The rows of the grid are placed at whole pixels.
  expect(Math.abs((await boxOf(first)).y - before.y)).toBeLessThan(1);
});

test.each([320, 390])("on a phone of %i pixels, a record shows its TTL and its note, on two lines", async (width) => {
  const zone = await fileZone(site.zonewright);
  const make = async (recordType: string, name: string, value: string, more: object) =>
    expect(await zone.post("/records", { recordType, name, value, ...more })).toMatchObject({ status: 201 });
  await make("A", "api", "192.0.2.10", { ttl: 300, comment: "Behind the load balancer in Frankfurt, ask Ops" });
  await make("AAAA", "api", "2001:db8:4:17:f00d:cafe:1:2", { ttl: 3_600, comment: "As above, by IPv6" });
  await make("CNAME", "www", "api", { ttl: 86_400 });
  await make("TXT", "mail._domainkey", `v=DKIM1; k=rsa; p=${"MIIBIjANBgkqhkiG9w0".repeat(8)}`, { comment: "New key" });
  await make("CNAME", "a-name-that-is-longer-than-the-line.of.a.phone", "www", { ttl: 60, comment: "Until May" });
  const page = await site.signedIn({ path: `/d/${zone.name}/records`, width, height: 700 });
  const row = page.getByRole("row").filter({ hasText: "192.0.2.10" });
  const [name, type, value, ttl, note] = await Promise.all(
    ["api", "A", "192.0.2.10", "5 min", /^Behind/].map((text) =>
      boxOf(row.getByRole("gridcell", { name: text, exact: true })),
    ),
  );
  expect([type?.y, ttl?.y].map((y) => Math.abs((y ?? 0) - (name?.y ?? 0)) < 5)).toEqual([true, true]);
  expect(Math.abs((note?.y ?? 0) - (value?.y ?? 0))).toBeLessThan(5);
  expect(value?.y).toBeGreaterThan(name?.y ?? 0);
  expect((note?.x ?? 0) + (note?.width ?? 0)).toBeLessThanOrEqual(width);
  expect((await boxOf(page.getByRole("row").filter({ hasText: "1 d" }))).height).toBe(51);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  await photograph(page, `phone-${width}`);
  await expectAccessible(page);
});

test("on a phone, the tools for a selection take two lines at most", async () => {
  const zone = await fileZone(site.zonewright);
  for (let host = 10; host < 14; host++) await zone.add("A", `host${host}`, `192.0.2.${host}`);
  const page = await site.signedIn({ path: `/d/${zone.name}/records`, width: 390, height: 700 });
  await page.getByRole("row").filter({ hasText: "host10" }).waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Control+a");
  const boxes = await Promise.all(
    ["Clear the selection", "Set TTL", "Set value", "Delete"].map((name) =>
      boxOf(page.getByRole("button", { name, exact: true })),
    ),
  );
  expect(new Set(boxes.map(({ y }) => Math.round(y))).size).toBeLessThanOrEqual(2);
  expect(await page.getByRole("searchbox").isVisible()).toBe(false);
  await photograph(page, "phone-selection");
  await expectAccessible(page);
});

test.each([320, 390])(
  "on a phone of %i pixels, a menu of each entry of the history shows the zone then, and reverts",
  async (width) => {
    const zone = await fileZone(site.zonewright);
    await zone.create({ recordType: "A", name: "www", value: "192.0.2.1", message: "Add the web server" });
    await zone.post("/snapshots", { name: "Before the move" });
    const page = await site.signedIn({ path: `/d/${zone.name}/timeline`, width, height: 700 });
    const entry = page.getByRole("listitem").filter({ hasText: "Add the web server" });
    await entry.waitFor();
    await expectAccessible(page);
    await entry.getByRole("button", { name: "More actions Add the web server, revision 1" }).click();
    await page.getByRole("menuitem", { name: "Revert…" }).waitFor();
    await page.getByRole("menuitem", { name: "Show the zone then" }).click();
    await page.getByText("The zone at revision 1").waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "More actions Snapshot 1: Before the move" }).click();
    await page.getByRole("menuitem", { name: "Show the zone then" }).waitFor();
    await page.keyboard.press("Escape");
    await entry.getByRole("button", { name: /^More actions/ }).click();
    await page.getByRole("menuitem", { name: "Revert…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revert", exact: true }).click();
    await page.getByText("Reverted in revision 2.").waitFor();
  },
);

test("on a phone, the tab of the page that is open is in view", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await site.signedIn({ path: `/d/${zone.name}/access`, width: 320, height: 640 });
  const tab = page.getByRole("link", { name: "Access", exact: true });
  await expect.poll(async () => (await boxOf(tab)).x).toBeLessThan(300);
});

test("on a phone, a member reaches every page of the rail, pinned zones and the way out by touch", async () => {
  const zone = await fileZone(site.zonewright);
  const member = await site.zonewright.member("phone");
  const id = (await member.get("/api/auth/me")).body.id;
  await site.zonewright.admin.post("/api/assignments", { userId: id, domainId: zone.id, access: "write" });
  const page = await site.signedIn({ username: "phone", password: memberPassword, width: 390, height: 844 });
  await page.goto(`${site.url}/d/${zone.name}/records`);
  await page.getByRole("button", { name: "Pin this zone" }).click();
  const menu = page.getByRole("button", { name: "phone" });
  await menu.click();
  await page.getByRole("menuitem", { name: zone.name }).waitFor();
  for (const name of ["Templates", zone.name, "Sign out"])
    await expect(page.getByRole("menuitem", { name }).boundingBox()).resolves.toMatchObject({ height: 40 });
  await photograph(page, "phone-menu");
  await page.keyboard.press("Escape");
  for (const [name, heading] of [
    ["Templates", "Templates"],
    ["Portfolio", "Portfolio"],
    ["Reverse zones", "Reverse zones"],
    ["Secondaries", "Secondaries"],
    [zone.name, zone.name],
  ] as const) {
    await menu.click();
    await page.getByRole("menuitem", { name }).click();
    await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  }
});

test("the rail of an administrator keeps the account in view in a window of 768 pixels' height", async () => {
  const page = await site.signedIn({ height: 768 });
  await page.getByRole("link", { name: "System" }).waitFor();
  const box = await boxOf(page.getByRole("button", { name: "admin" }));
  expect(box.y + box.height).toBeLessThanOrEqual(768);
  await photograph(page, "rail-low");
});
