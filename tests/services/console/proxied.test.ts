import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { focusIn, photograph, useConsole } from "../../support/console.ts";
import { startCloudflare, type CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import { freshName, manualZone, Zone } from "../../support/zones.ts";

/** Records that Cloudflare's proxy answers for: the console publishes none of their values in silence. */

const site = useConsole({ env: { EGRESS_ALLOW: "127.0.0.1" } });
let server: CloudflareServer;
let config = "";
let zone: Zone;
let www = "";
let page: Page;

beforeAll(async () => {
  server = await startCloudflare();
  const { token: apiToken, accountId, url: endpoint } = server;
  const { body } = await site.zonewright.admin.post("/api/provider-configs", {
    kind: "cloudflare",
    name: "Cloudflare",
    config: { apiToken, accountId, endpoint },
  });
  config = body.id;
});

afterAll(() => server.stop());

beforeEach(async () => {
  const name = freshName();
  server.addZone(name, "free");
  const { body } = await site.zonewright.admin.post("/api/domains", { name, providerConfigId: config });
  zone = new Zone(site.zonewright, body);
  ({ id: www } = (await zone.create({ recordType: "A", name: "www", value: "192.0.2.1", proxied: true })).body);
  await zone.add("A", "direct", "192.0.2.7", 1);
  page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("row").filter({ hasText: "192.0.2.7" }).waitFor();
});

const review = () => page.getByRole("dialog", { name: /^Review/ });
const patch = () => review().getByRole("list", { name: "Changes" });

async function openReview() {
  await page.getByText(/^Checked against revision/).waitFor();
  await page.getByRole("button", { name: /^Review/ }).click();
  await patch().waitFor();
}

async function apply() {
  await review()
    .getByRole("button", { name: /^Apply/ })
    .click();
  await page.getByText(/^Applied as revision/).waitFor();
  return (await zone.records()).map(({ name, value, ttl, proxied }) => [name, value, ttl, proxied]);
}

test("a proxied record that a colleague deleted is created again with its proxy", async () => {
  await page.getByText("automatic", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Actions for www A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.99");
  await page.getByRole("textbox", { name: "Value", exact: true }).press("Enter");
  await page.getByText(/^Checked against revision/).waitFor();
  await zone.delete(www);
  site.expected.push("400", "404");
  await page.getByRole("button", { name: "Create it again" }).click();
  await openReview();
  expect(await patch().innerText()).toContain("proxied");
  expect(await apply()).toContainEqual(["www", "192.0.2.99", 1, true]);
});

test("Cloudflare's own export is pasted with its proxies and automatic TTLs", async () => {
  await page.evaluate((name) => {
    const data = new DataTransfer();
    data.setData("text/plain", `shop.${name}.\t1\tIN\tA\t192.0.2.8 ; cf_tags=cf-proxied:true\n`);
    const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
    document.querySelector("[role=grid]")?.dispatchEvent(event);
  }, zone.name);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("proxied", { exact: false }).first().waitFor();
  await dialog.getByRole("button", { name: /^Add 1/ }).click();
  await openReview();
  expect(await apply()).toContainEqual(["shop", "192.0.2.8", 1, true]);
});

test("a name that is changed in the zone's text keeps the proxy of its record", async () => {
  await page.goto(`${site.url}/d/${zone.name}/text`);
  const box = page.getByRole("textbox").first();
  await expect.poll(async () => await box.inputValue()).toContain("192.0.2.1");
  await box.fill((await box.inputValue()).replace(/^www/m, "web"));
  await openReview();
  expect(await review().innerText()).not.toContain("becomes public");
  expect(await apply()).toContainEqual(["web", "192.0.2.1", 1, true]);
});

test("an automatic TTL is called automatic wherever it is shown, and can be typed", async () => {
  // The form may be open before the page hears what the provider can store.
  const heard = Promise.withResolvers<undefined>();
  await page.route("**/trpc/providers.list*", async (route) => {
    await heard.promise;
    await route.continue();
  });
  await page.reload();
  await page.getByRole("row").filter({ hasText: "192.0.2.7" }).locator("[id$=-ttl]").dblclick();
  const ttl = page.getByRole("textbox", { name: "TTL", exact: true });
  await ttl.and(page.locator(":focus")).waitFor();
  expect(await ttl.inputValue()).toBe("1 s");
  heard.resolve(undefined);
  await expect.poll(() => ttl.inputValue()).toBe("automatic");
  // All of it is still selected: what is typed replaces it.
  await page.keyboard.type("5 min");
  expect(await ttl.inputValue()).toBe("5 min");
  await ttl.press("Enter");
  await openReview();
  await patch().getByText("automatic → 5 min", { exact: true }).waitFor();
  expect(await apply()).toContainEqual(["direct", "192.0.2.7", 300, false]);
  await page.getByRole("button", { name: "Actions for direct A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await ttl.fill("Automatic");
  await ttl.press("Enter");
  await openReview();
  await patch().getByText("5 min → automatic", { exact: true }).waitFor();
  await focusIn(review());
  await page.keyboard.press("Control+Enter");
  await expect.poll(async () => (await zone.records("&type=A&name=direct"))[0]?.ttl).toBe(1);

  await page.goto(`${site.url}/d/${zone.name}/timeline`);
  await page.getByText("direct A: 5 min → automatic", { exact: true }).waitFor();
  await page.goto(`${site.url}/d/${zone.name}/timeline?at=${(await zone.detail()).revision}`);
  const past = page.getByRole("table").getByRole("row").filter({ hasText: "direct" });
  await past.getByText(/automatic$/).waitFor();
  await page.getByRole("table").getByText("proxied", { exact: true }).waitFor();
  await page.goto(`${site.url}/search?value=192.0.2.7`);
  const hit = page.getByRole("row").filter({ hasText: zone.name });
  await hit.getByRole("cell", { name: "automatic", exact: true }).waitFor();
});

test("several records get an automatic TTL at once", async () => {
  await zone.add("A", "other", "192.0.2.7", 300);
  await zone.add("A", "third", "192.0.2.7", 600);
  await page.goto(`${site.url}/d/${zone.name}/records?search=192.0.2.7`);
  await page.getByRole("row").filter({ hasText: "third" }).waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Control+a");
  await page.getByRole("button", { name: "Set TTL", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Set the TTL of 3 records" });
  await dialog.getByText("or “automatic”").waitFor();
  await dialog.getByRole("textbox").fill("automatic");
  await dialog.getByRole("button", { name: "Add to the draft" }).click();
  await openReview();
  await patch().getByText("5 min → automatic", { exact: true }).waitFor();
  await patch().getByText("10 min → automatic", { exact: true }).waitFor();
  await focusIn(review());
  await page.keyboard.press("Control+Enter");
  await expect
    .poll(async () => (await zone.records("&value=192.0.2.7")).map(({ name, ttl }) => `${name} ${ttl}`).toSorted())
    .toEqual(["direct 1", "other 1", "third 1"]);
});

test("what was found in zones of several providers gets an automatic TTL where the provider has one", async () => {
  const other = await manualZone(site.zonewright);
  await other.add("A", "www", "192.0.2.48", 300);
  await zone.add("A", "found", "192.0.2.48", 300);
  await page.goto(`${site.url}/search?value=192.0.2.48`);
  await page.getByText("2 records").waitFor();
  await page.getByLabel("Select all records on this page").click();
  await page.getByRole("button", { name: "Set TTL…" }).click();
  const dialog = page.getByRole("dialog", { name: "Set the TTL of 2 records" });
  await dialog.getByText("or “automatic”").waitFor();
  await dialog.getByRole("textbox", { name: "New TTL" }).fill("automatic");
  await dialog.getByRole("button", { name: "Show the plan" }).click();
  await dialog.getByText("The provider of this zone has no automatic TTL.").waitFor();
  await dialog.getByText("5 min → automatic", { exact: true }).waitFor();
  await photograph(page, "search-automatic");
  await dialog.getByRole("button", { name: "Change 1 domain" }).click();
  await dialog.getByText("1 domain was left out.").waitFor();
  await expect.poll(async () => (await zone.records("&value=192.0.2.48")).map(({ ttl }) => ttl)).toEqual([1]);
  expect((await other.records()).map(({ ttl }) => ttl)).toEqual([300]);
  await dialog.getByRole("button", { name: "Close" }).last().click();

  await zone.add("A", "moved", "192.0.2.49", 300);
  await other.add("A", "moved", "192.0.2.49", 300);
  await page.goto(`${site.url}/replace?type=A&value=192.0.2.49`);
  await page.getByLabel("New TTL").fill("Automatic");
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByText("has no automatic TTL.").waitFor();
  await page.getByText("5 min → automatic", { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get("ttl")).toBe("automatic");
  await photograph(page, "replace-automatic");
  await page.getByRole("button", { name: "Change 1 domain" }).click();
  await page.getByRole("heading", { name: "TTL of A 192.0.2.49 → automatic" }).waitFor();
  await page.getByText("1 domain changed").waitFor();
  expect((await zone.records("&value=192.0.2.49")).map(({ ttl }) => ttl)).toEqual([1]);
});
