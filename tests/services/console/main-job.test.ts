import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { focusIn, useConsole } from "../../support/console.ts";
import { startBind } from "../../support/name-servers/bind.ts";
import { emptyZone, type UpdateServer } from "../../support/name-servers/update-server.ts";
import { adminPassword } from "../../support/zonewright.ts";

const site = useConsole();
const names = ["mouse.example", "keys.example", "pair.example"];
let bind: UpdateServer;

beforeAll(async () => {
  bind = await startBind(names, {
    contentOf: (zone) => `${emptyZone(zone)}www 300 IN A 192.0.2.1\napi 300 IN A 192.0.2.7\n`,
  });
  const config = { kind: "rfc2136", name: "BIND", config: bind.config };
  const { body } = await site.zonewright.admin.post("/api/provider-configs", config);
  await site.zonewright.admin.post(`/api/provider-configs/${body.id}/import`, { zones: names });
});
afterAll(() => bind.stop());

/** The addresses that BIND serves, as `dig` prints them. */
const served = async (name: string) => (await bind.lookUp(name, "A")).map(({ rdata }) => rdata);

/** Changes the address of a host in the draft, by mouse. */
async function change(page: Page, host: string, value: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${host} A` }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill(value);
  await page.getByRole("button", { name: "Done" }).click();
}

async function apply(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Review/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Apply/ })
    .click();
}

test("a zone is found, a record edited, reviewed and applied by mouse: BIND serves it, and serves the former value after Undo", async () => {
  const page = await site.signedIn();
  await page.getByRole("searchbox", { name: "Search by name" }).fill("mouse");
  await page
    .getByRole("status")
    .filter({ hasText: /^1 domain$/ })
    .waitFor();
  await page.getByRole("link", { name: "mouse.example" }).click();
  await change(page, "www", "192.0.2.2");
  expect(await served("www.mouse.example")).toEqual(["192.0.2.1"]);
  await apply(page);
  await page.getByText(/^Applied as revision/).waitFor();
  expect(await served("www.mouse.example")).toEqual(["192.0.2.2"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText(/^Undone as revision/).waitFor();
  expect(await served("www.mouse.example")).toEqual(["192.0.2.1"]);
});

test("the same works by keyboard alone, from the sign-in to the name server", async () => {
  const page = await site.open();
  await page.goto(site.url);
  await page.getByLabel("Username").waitFor();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("autocomplete")))
    .toMatch(/username/);
  await page.keyboard.type("admin");
  await page.keyboard.press("Tab");
  await page.keyboard.type(adminPassword);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Domains", exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await focusIn(page.getByRole("combobox", { name: "Jump to a domain, page or record" }));
  await page.keyboard.type("keys.example");
  await expect.poll(() => page.getByRole("option", { selected: true }).textContent()).toContain("keys.example");
  await page.keyboard.press("Enter");
  await page.getByRole("row").filter({ hasText: "192.0.2.7" }).waitFor();
  await page.keyboard.press("Alt+n");
  await focusIn(page.getByRole("textbox", { name: "Name" }));
  await page.keyboard.type("new");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type("192.0.2.80");
  await page.keyboard.press("Enter");
  await page.getByText(/^Checked against revision/).waitFor();
  await page.keyboard.press("Control+Enter");
  await focusIn(page.getByRole("dialog", { name: /^Review 1 change/ }));
  await page.keyboard.press("Control+Enter");
  await page.getByText(/^Applied as revision/).waitFor();
  expect(await served("new.keys.example")).toEqual(["192.0.2.80"]);
});

test("of two people with drafts in one zone, each keeps their own edits and sees the other's, and BIND serves both", async () => {
  const path = "/d/pair.example/records";
  const [one, other] = [await site.signedIn({ path }), await site.signedIn({ path })];
  await change(one, "www", "192.0.2.2");
  await change(other, "api", "192.0.2.8");
  await apply(one);
  const applied = (await one.getByText(/^Applied as revision/).textContent()) ?? "";
  await other.getByRole("row").filter({ hasText: "192.0.2.2" }).waitFor();
  await other.getByText("1 change", { exact: true }).waitFor();
  await other.getByText(`Checked against revision ${/\d+/.exec(applied)?.[0]}`).waitFor();
  await apply(other);
  await other.getByText(/^Applied as revision/).waitFor();
  expect([await served("www.pair.example"), await served("api.pair.example")]).toEqual([["192.0.2.2"], ["192.0.2.8"]]);
  await one.getByRole("row").filter({ hasText: "192.0.2.8" }).waitFor();
});
