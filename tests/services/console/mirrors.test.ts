import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { fileZone } from "../../support/zones.ts";

const site = useConsole();

test("a mirror is added after its plan was shown, is compared, follows and is removed", async () => {
  const { admin } = site.zonewright;
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  const config = { kind: "zonefile", name: "Second place", config: { folder: "second-place" } };
  await admin.post("/api/provider-configs", config);
  const page = await site.signedIn({ path: `/d/${zone.name}/settings` });
  const card = page.locator("section").filter({ has: page.getByRole("heading", { name: "Mirrors" }) });
  await card.getByText("No other provider follows this zone.").waitFor();
  await card.getByRole("button", { name: "Add a mirror" }).click();
  const dialog = page.getByRole("dialog", { name: `Add a mirror of ${zone.name}` });
  const { recordCount } = await zone.detail();
  await dialog.getByText(`The zone there gets ${recordCount} new, 0 changed and 0 deleted records.`).waitFor();
  await expectAccessible(page);
  await photograph(page, "zone-add-mirror");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await card.getByText("Second place", { exact: true }).waitFor();
  await card.getByRole("button", { name: "Compare now" }).click();
  await card.getByText("has the newest records, revision 1").waitFor();
  await expectAccessible(page);
  await photograph(page, "zone-mirrors");
  await card.getByRole("button", { name: "Remove" }).click();
  await page
    .getByRole("dialog", { name: "Remove the mirror Second place?" })
    .getByRole("button", { name: "Remove" })
    .click();
  await card.getByText("No other provider follows this zone.").waitFor();
  expect((await zone.get("/mirrors")).body.mirrors).toEqual([]);
});

test("records of others at a mirror are deleted only once that is ticked", async () => {
  const { admin } = site.zonewright;
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  const folder = "third-place";
  await mkdir(join(site.zonewright.dataDir, "zones", folder), { recursive: true });
  const lines = ["a", "b", "c"].map((host, at) => `${host} 300 IN A 192.0.2.${at + 5}\n`).join("");
  const file = join(site.zonewright.dataDir, "zones", folder, `${zone.name}.zone`);
  await writeFile(file, `$ORIGIN ${zone.name}.\n$TTL 3600\n@ SOA ns1 hostmaster 1 3600 900 1209600 300\n${lines}`);
  await admin.post("/api/provider-configs", { kind: "zonefile", name: "Third place", config: { folder } });
  const page = await site.signedIn({ path: `/d/${zone.name}/settings` });
  const card = page.locator("section").filter({ has: page.getByRole("heading", { name: "Mirrors" }) });
  await card.getByRole("button", { name: "Add a mirror" }).click();
  const dialog = page.getByRole("dialog", { name: `Add a mirror of ${zone.name}` });
  await dialog.getByLabel("Provider configuration").selectOption({ label: "Third place" });
  await dialog.getByText("Deleted there:").waitFor();
  const add = dialog.getByRole("button", { name: "Add", exact: true });
  expect(await add.getAttribute("aria-disabled")).toBe("true");
  await dialog.getByLabel("Delete these records").check();
  await add.click();
  await card.getByText("Third place", { exact: true }).waitFor();
  await expect.poll(async () => await readFile(file, "utf8")).not.toContain("192.0.2.5");
});

test("a mirror that only reports deletes nothing, although the deletion was ticked before", async () => {
  const { admin } = site.zonewright;
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  const folder = "reporting-place";
  await mkdir(join(site.zonewright.dataDir, "zones", folder), { recursive: true });
  const file = join(site.zonewright.dataDir, "zones", folder, `${zone.name}.zone`);
  const lines = ["a", "b", "c"].map((host, at) => `${host} 300 IN A 192.0.2.${at + 5}\n`).join("");
  await writeFile(file, `$ORIGIN ${zone.name}.\n$TTL 3600\n@ SOA ns1 hostmaster 1 3600 900 1209600 300\n${lines}`);
  await admin.post("/api/provider-configs", { kind: "zonefile", name: "Reporting place", config: { folder } });
  const page = await site.signedIn({ path: `/d/${zone.name}/settings` });
  const card = page.locator("section").filter({ has: page.getByRole("heading", { name: "Mirrors" }) });
  await card.getByRole("button", { name: "Add a mirror" }).click();
  const dialog = page.getByRole("dialog", { name: `Add a mirror of ${zone.name}` });
  await dialog.getByLabel("Provider configuration").selectOption({ label: "Reporting place" });
  await dialog.getByLabel("Delete these records").check();
  const reports = dialog.getByLabel("Keep records that others add there");
  await reports.check();
  await dialog.getByText("Deleted there:").waitFor({ state: "detached" });
  await reports.uncheck();
  await dialog.getByText("Deleted there:").waitFor();
  expect(await dialog.getByLabel("Delete these records").isChecked()).toBe(false);
  await dialog.getByLabel("Delete these records").check();
  await reports.check();
  await dialog.getByText(/ and 0 deleted records\.$/).waitFor();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await card.getByText("Reporting place", { exact: true }).waitFor();
  await expect.poll(async () => await readFile(file, "utf8"), { timeout: 60_000 }).toContain("192.0.2.1\n");
  expect(await readFile(file, "utf8")).toContain("192.0.2.5");
});

test("records that others added at a mirror, too many to be deleted unasked, are deleted from the page", async () => {
  const { admin } = site.zonewright;
  const zone = await fileZone(site.zonewright);
  for (let host = 1; host <= 10; host++) await zone.add("A", `host${host}`, `192.0.2.${host}`);
  const folder = "fourth-place";
  const config = { kind: "zonefile", name: "Fourth place", config: { folder } };
  const { body } = await admin.post("/api/provider-configs", config);
  const mirror = (await zone.post("/mirrors", { providerConfigId: body.id })).body.mirrorId;
  await zone.post(`/mirrors/${mirror}/reconcile`, {});
  const file = join(site.zonewright.dataDir, "zones", folder, `${zone.name}.zone`);
  const foreign = Array.from({ length: 9 }, (_, at) => `theirs${at} 300 IN A 192.0.2.${at + 100}\n`).join("");
  await writeFile(file, `${await readFile(file, "utf8")}${foreign}`);
  const page = await site.signedIn({ path: `/d/${zone.name}/settings` });
  const card = page.locator("section").filter({ has: page.getByRole("heading", { name: "Mirrors" }) });
  await card.getByRole("button", { name: "Compare now" }).click();
  await card.getByText("It has 9 records that were never this domain's.", { exact: true }).waitFor();
  await card.getByRole("button", { name: "Delete the others…" }).click();
  await page
    .getByRole("dialog", { name: "Delete records of others at Fourth place?" })
    .getByRole("button", { name: "Delete them there" })
    .click();
  await card.getByText(/has the newest records, revision/).waitFor();
  expect(await readFile(file, "utf8")).not.toContain("theirs");
});
