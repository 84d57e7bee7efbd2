import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { hetzner } from "../../support/vendors/rrsets/hetzner.ts";
import { startRrsetVendor } from "../../support/vendors/rrsets/server.ts";

/** The zones of a provider are imported, also when answers are lost on their way. */
const site = useConsole({ env: { EGRESS_ALLOW: "127.0.0.1" } });

async function open(path: string, heading: string): Promise<Page> {
  const page = await site.signedIn({ path });
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  return page;
}

/** A zone file with one address. */
function zone(address: string): string {
  return `$TTL 300\n@ SOA ns.example. host.example. 1 7200 900 1209600 300\n@ NS ns.example.\nwww A ${address}\n`;
}

test("some of a provider's zones are imported, and one that fails is named with the reason", async () => {
  const folder = join(site.zonewright.dataDir, "zones", "some");
  await mkdir(folder, { recursive: true });
  for (const name of ["some-one.test", "some-two.test", "some-three.test"]) {
    await writeFile(join(folder, `${name}.zone`), zone("192.0.2.1"));
  }
  await writeFile(join(folder, "some-broken.test.zone"), zone("not-an-address"));
  await writeFile(join(folder, "Some-Capital.test.zone"), zone("192.0.2.1"));
  const page = await open("/admin/providers/new?kind=zonefile", "Connect Zone files");
  await page.getByLabel("Name", { exact: true }).fill("Some zones");
  await page.getByLabel("Folder").fill("some");
  await page.getByRole("button", { name: "Save and test" }).click();
  await page.getByRole("heading", { name: "Import zones from Some zones" }).waitFor();
  await page.getByRole("button", { name: "Import 4 zones" }).waitFor();
  await page.getByText("1 zone cannot be imported").waitFor();
  await page.getByText("Rename the file to some-capital.test.zone.").waitFor();
  await page.getByLabel("Import some-two.test").uncheck();
  await page.getByRole("button", { name: "Import 3 zones" }).click();
  await page.getByText("2 zones imported.").waitFor();
  await page.getByRole("alert").getByText("some-broken.test", { exact: true }).waitFor();
  await photograph(page, "import");
  await page.getByRole("link", { name: "Open your domains" }).click();
  await page.getByRole("row", { name: /some-one\.test/ }).waitFor();
  expect(await page.getByRole("row", { name: /some-two\.test/ }).count()).toBe(0);
  await page.goto(`${site.url}/admin/providers`);
  await page.getByRole("button", { name: "More actions for Some zones" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText("2 domains use this configuration").waitFor();
  await page.getByRole("link", { name: "Show these domains" }).click();
  await page.waitForURL(/provider=/);
});

test("an import of all zones is followed to its end although its start and a look at it get no answer", async () => {
  const folder = join(site.zonewright.dataDir, "zones", "followed");
  await mkdir(folder, { recursive: true });
  for (let index = 0; index < 25; index += 1)
    await writeFile(join(folder, `followed${index}.test.zone`), zone("192.0.2.1"));
  const config = { kind: "zonefile", name: "Followed", config: { folder: "followed" } };
  const { id } = (await site.zonewright.admin.post("/api/provider-configs", config)).body;
  const page = await open(`/admin/providers/${id}/zones`, "Import zones from Followed");
  site.expected.push("Failed to load resource: net::ERR_FAILED");
  await page.route("**/trpc/providerConfigs.import", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.getByRole("button", { name: "Import 25 zones" }).waitFor();
  await page.route("**/trpc/providerConfigs.importProgress*", async (route) => await route.abort());
  await page.getByRole("button", { name: "Import 25 zones" }).click();
  await page.getByText("Zonewright did not answer").waitFor();
  expect(await page.getByText("Import stopped").count()).toBe(0);
  await page.unroute("**/trpc/providerConfigs.importProgress*");
  await page.getByText("25 zones imported.").waitFor();
  expect(await page.getByText("Zonewright did not answer").count()).toBe(0);
});

test("an import of all zones that ended while its answer was lost says what it imported", async () => {
  const folder = join(site.zonewright.dataDir, "zones", "ended");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ended-one.test.zone"), zone("192.0.2.1"));
  await writeFile(join(folder, "ended-broken.test.zone"), zone("not-an-address"));
  const config = { kind: "zonefile", name: "Ended", config: { folder: "ended" } };
  const { id } = (await site.zonewright.admin.post("/api/provider-configs", config)).body;
  const page = await open(`/admin/providers/${id}/zones`, "Import zones from Ended");
  const progress = async () => (await site.zonewright.admin.get(`/api/provider-configs/${id}/import`)).body;
  site.expected.push("Failed to load resource: net::ERR_FAILED");
  await page.route("**/trpc/providerConfigs.import", async (route) => {
    await route.fetch();
    await expect.poll(async () => (await progress()).finishedAt).not.toBeNull();
    await route.abort();
  });
  await page.getByRole("button", { name: "Import 2 zones" }).click();
  await page.getByText("1 zone imported.").waitFor();
  await page.getByRole("alert").getByText("ended-broken.test", { exact: true }).waitFor();
});

test("chosen zones whose answer was lost count as imported once they are managed, and of the others it is said that nobody knows", async () => {
  const folder = join(site.zonewright.dataDir, "zones", "chosen");
  await mkdir(folder, { recursive: true });
  for (const name of ["one", "two", "three", "four"])
    await writeFile(join(folder, `chosen-${name}.test.zone`), zone("192.0.2.1"));
  const config = { kind: "zonefile", name: "Chosen", config: { folder: "chosen" } };
  const { id } = (await site.zonewright.admin.post("/api/provider-configs", config)).body;
  const page = await open(`/admin/providers/${id}/zones`, "Import zones from Chosen");
  site.expected.push("Failed to load resource: net::ERR_FAILED");
  let reaches = true;
  await page.route("**/trpc/providerConfigs.import", async (route) => {
    if (reaches) await route.fetch();
    await route.abort();
  });
  await page.getByLabel("Import chosen-three.test").uncheck();
  await page.getByLabel("Import chosen-four.test").uncheck();
  await page.getByRole("button", { name: "Import 2 zones" }).click();
  await page.getByText("2 zones imported.").waitFor();
  expect(await page.getByText("Import stopped").count()).toBe(0);
  expect(await page.getByRole("alert").count()).toBe(0);
  reaches = false;
  await page.getByLabel("Import chosen-three.test").check();
  await page.getByRole("button", { name: "Import 1 zone" }).click();
  const unknown = page.getByRole("alert").filter({ hasText: "It is not known whether 1 zone was imported" });
  await unknown.getByText("chosen-three.test", { exact: true }).waitFor();
  expect(await page.getByText("Import stopped").count()).toBe(0);
  await expectAccessible(page);
  await photograph(page, "import-unknown");
});

test("chosen zones that are still being imported when their answer is lost are waited for, and the next ones follow", async () => {
  const vendor = await startRrsetVendor(hetzner);
  onTestFinished(vendor.stop);
  for (let index = 0; index < 7; index += 1) vendor.store.addZone(`slowly${index}.example`);
  const connected = { kind: "hetzner", name: "Slowly", config: vendor.config };
  const { id } = (await site.zonewright.admin.post("/api/provider-configs", connected)).body;
  const page = await open(`/admin/providers/${id}/zones`, "Import zones from Slowly");
  const begun = Promise.withResolvers<undefined>();
  const released = Promise.withResolvers<undefined>();
  vendor.meanwhile(
    ({ url }) => url.pathname.includes("/rrsets"),
    async () => {
      begun.resolve(undefined);
      await released.promise;
    },
  );
  site.expected.push("Failed to load resource: net::ERR_FAILED");
  await page.route(
    "**/trpc/providerConfigs.import",
    async (route) => {
      const answered = route.fetch();
      await begun.promise;
      await route.abort();
      await answered;
    },
    { times: 1 },
  );
  await page.getByLabel("Import slowly6.example").uncheck();
  const failed = page.waitForEvent("requestfailed");
  await page.getByRole("button", { name: "Import 6 zones" }).click();
  await failed;
  await page.waitForResponse("**/trpc/providerConfigs.importProgress*");
  released.resolve(undefined);
  await page.getByText("6 zones imported.").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("chosen zones whose outcome cannot be read are named when the import is stopped, and the next import starts without that trouble", async () => {
  const folder = join(site.zonewright.dataDir, "zones", "unheard");
  await mkdir(folder, { recursive: true });
  for (const name of ["one", "two"]) await writeFile(join(folder, `unheard-${name}.test.zone`), zone("192.0.2.1"));
  const config = { kind: "zonefile", name: "Unheard", config: { folder: "unheard" } };
  const { id } = (await site.zonewright.admin.post("/api/provider-configs", config)).body;
  const page = await open(`/admin/providers/${id}/zones`, "Import zones from Unheard");
  site.expected.push("Failed to load resource: net::ERR_FAILED");
  const cut = "**/trpc/providerConfigs.import*";
  await page.getByLabel("Import unheard-two.test").uncheck();
  await page.route("**/trpc/providerConfigs.import", async (route) => {
    await page.route(cut, async (each) => await each.abort());
    await route.abort();
  });
  await page.getByRole("button", { name: "Import 1 zone" }).click();
  await page.getByText("Zonewright did not answer").waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("alert").getByText("unheard-one.test", { exact: true }).waitFor();
  await page.unroute("**/trpc/providerConfigs.import");
  await page.unroute(cut);
  await page.getByRole("button", { name: "Import 1 zone" }).click();
  await page.getByText("1 zone imported.").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("chosen zones that a provider cannot list end their import with the provider's reason, and none is called unknown", async () => {
  const folder = join(site.zonewright.dataDir, "zones", "unlisted");
  await mkdir(folder, { recursive: true });
  for (const name of ["one", "two"]) await writeFile(join(folder, `unlisted-${name}.test.zone`), zone("192.0.2.1"));
  const config = { kind: "zonefile", name: "Unlisted", config: { folder: "unlisted" } };
  const { id } = (await site.zonewright.admin.post("/api/provider-configs", config)).body;
  const page = await open(`/admin/providers/${id}/zones`, "Import zones from Unlisted");
  await page.getByLabel("Import unlisted-two.test").uncheck();
  await rm(folder, { recursive: true });
  await writeFile(folder, "not a folder");
  site.expected.push("502");
  await page.getByRole("button", { name: "Import 1 zone" }).click();
  await page.getByText("Import stopped.").waitFor();
  await page.getByRole("alert").filter({ hasText: "is not a folder" }).first().waitFor();
  expect(await page.getByText("It is not known").count()).toBe(0);
});
