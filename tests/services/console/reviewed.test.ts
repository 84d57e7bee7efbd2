import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { photograph, useConsole } from "../../support/console.ts";
import { fileZone, type Body, type Zone } from "../../support/zones.ts";

/** A sync and a rollback make what was read, and nothing else. */

const site = useConsole();
const dialog = (page: Page) => page.locator('[role="dialog"]:not([class*="toast"])');

async function noticed(zone: Zone): Promise<void> {
  const { providerConfigId } = await zone.detail();
  await site.zonewright.services.drift.checkZone(providerConfigId, zone.name, new Date());
}

async function drifted(): Promise<{ zone: Zone; page: Page }> {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await zone.edit((text) => `${text}first 300 IN A 192.0.2.7\n`);
  await noticed(zone);
  const page = await site.signedIn({ path: `/d/${zone.name}/access` });
  await page.getByRole("button", { name: "Show the difference" }).click();
  await dialog(page).getByText("192.0.2.7").waitFor();
  return { zone, page };
}

test("a sync takes over only what was read: records that others add meanwhile are shown first", async () => {
  const { zone, page } = await drifted();
  await zone.edit((text) => `${text}second 300 IN A 192.0.2.8\n`);
  site.expected.push("409");
  await dialog(page).getByRole("button", { name: "Adopt the records", exact: true }).click();
  await dialog(page).getByText("The zone or its provider has changed since.").waitFor();
  await dialog(page).getByText("192.0.2.8").waitFor();
  expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
  await dialog(page).getByRole("button", { name: "Adopt the records", exact: true }).click();
  await page.getByText(/^Adopted: \+2/).waitFor();
});

test("a difference that is being read stays when the zone can no longer be read", async () => {
  const { zone, page } = await drifted();
  await zone.edit(() => "this is no zone file\n");
  // The service watches the file, and may have been first.
  await Promise.allSettled([noticed(zone)]);
  const banner = page.locator("[class*=banner]").getByText(/^The zone cannot be read at its provider/);
  // As when a person comes back to the window. What the page asked for before that is not asked for again.
  const comesBack = async () => {
    await page.evaluate(() => dispatchEvent(new Event("visibilitychange")));
    return await banner.isVisible();
  };
  await expect.poll(comesBack).toBe(true);
  await dialog(page).getByText("192.0.2.7").waitFor();
});

test("a locked record that was changed at the provider is taken over after a second look", async () => {
  const zone = await fileZone(site.zonewright);
  const { id } = await zone.add("A", "www", "192.0.2.1");
  await zone.update(id, { locked: true });
  await zone.edit((text) => text.replace("192.0.2.1", "192.0.2.9"));
  await noticed(zone);
  const page = await site.signedIn({ path: `/d/${zone.name}/access` });
  await page.getByRole("button", { name: "Show the difference" }).click();
  await dialog(page)
    .getByText(/is locked\.$/)
    .waitFor();
  site.expected.push("409");
  await dialog(page).getByRole("button", { name: "Adopt the records", exact: true }).click();
  await dialog(page).getByLabel("I have reviewed the differences and want to continue.").check();
  await dialog(page).getByRole("button", { name: "Adopt them anyway" }).click();
  await page.getByText(/^Adopted: /).waitFor();
  expect(await zone.lines()).toEqual(["www A 192.0.2.9"]);
});

test("what restoring a snapshot would change is shown anew when somebody else edits the zone meanwhile", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await zone.post("/snapshots", {});
  await zone.add("A", "later", "192.0.2.2");
  const page = await site.signedIn({ path: `/d/${zone.name}/timeline#snapshots` });
  await page.getByRole("button", { name: "Restore… Snapshot 1" }).click();
  await dialog(page).getByText("192.0.2.2").waitFor();
  await zone.add("A", "theirs", "192.0.2.3");
  await dialog(page).getByText("192.0.2.3").waitFor();
  await dialog(page).getByRole("button", { name: "Restore", exact: true }).click();
  await page.getByText("Snapshot 1 restored.").waitFor();
  expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
});

test("what was confirmed for one plan is not confirmed for the plan that follows when somebody else edits the zone", async () => {
  const zone = await fileZone(site.zonewright);
  const { id } = await zone.add("A", "www", "192.0.2.1");
  await zone.post("/snapshots", {});
  await zone.update(id, { value: "192.0.2.9", locked: true });
  const page = await site.signedIn({ path: `/d/${zone.name}/timeline#snapshots` });
  await page.getByRole("button", { name: "Restore… Snapshot 1" }).click();
  await dialog(page).getByText("192.0.2.9", { exact: true }).waitFor();
  site.expected.push("409");
  await dialog(page).getByRole("button", { name: "Restore", exact: true }).click();
  const confirm = dialog(page).getByLabel("I have reviewed the differences and want to continue.");
  await confirm.check();
  await zone.add("A", "theirs", "192.0.2.3");
  await dialog(page).getByText("192.0.2.3").waitFor();
  await dialog(page).getByText("The zone or its provider has changed since.").waitFor();
  await confirm.waitFor({ state: "detached" });
  await dialog(page).getByRole("button", { name: "Restore", exact: true }).click();
  expect(await confirm.isChecked()).toBe(false);
  await confirm.check();
  await dialog(page).getByRole("button", { name: "Restore anyway" }).click();
  await page.getByText("Snapshot 1 restored.").waitFor();
  expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
});

test("an edit at the provider is compared and taken over from the settings, before any check found it", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await zone.edit((text) => `${text}byhand 300 IN A 192.0.2.7\n`);
  const page = await site.signedIn({ path: `/d/${zone.name}/settings` });
  await page.getByRole("button", { name: "Compare now…" }).click();
  await dialog(page).getByText("192.0.2.7").waitFor();
  await dialog(page).getByRole("button", { name: "Adopt the records", exact: true }).click();
  await page.getByText(/^Adopted: \+1/).waitFor();
  expect(await zone.lines()).toEqual(["byhand A 192.0.2.7", "www A 192.0.2.1"]);
});

test("a sync, a push, a revert and a restore keep the reason that was given in the history, and are taken back from the message that they leave", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await zone.post("/snapshots", {});
  const page = await site.signedIn();
  const undone = async (message: RegExp, lines: string[]) => {
    await page.getByText(message).waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByText("Undone in 1 domain").waitFor();
    await expect.poll(() => zone.lines()).toEqual(lines);
  };
  const compare = async () => {
    await page.goto(`${site.url}/d/${zone.name}/settings`);
    await page.getByRole("button", { name: "Compare now…" }).click();
    await dialog(page).getByText("192.0.2.7").waitFor();
  };
  const explain = async (reason: string) =>
    await dialog(page)
      .getByRole("textbox", { name: /^Why\?/ })
      .fill(reason);
  await zone.edit((text) => `${text}byhand 300 IN A 192.0.2.7\n`);
  await compare();
  await explain("Why it is adopted");
  await dialog(page).getByRole("button", { name: "Adopt the records", exact: true }).click();
  await undone(/^Adopted: \+1/, ["www A 192.0.2.1"]);

  await zone.edit((text) => `${text}byhand 300 IN A 192.0.2.7\n`);
  await compare();
  await dialog(page).getByRole("button", { name: "Write ours instead…" }).click();
  await explain("Why it is pushed");
  await dialog(page).getByRole("button", { name: "Write our records" }).click();
  await undone(/^Written to the provider: .*−1/, ["byhand A 192.0.2.7", "www A 192.0.2.1"]);

  await page.goto(`${site.url}/d/${zone.name}/timeline`);
  await page
    .getByRole("button", { name: /^Revert/ })
    .first()
    .click();
  await explain("Why it is reverted");
  await dialog(page).getByRole("button", { name: "Revert", exact: true }).click();
  await undone(/^Reverted in revision/, ["byhand A 192.0.2.7", "www A 192.0.2.1"]);

  await page.goto(`${site.url}/d/${zone.name}/timeline#snapshots`);
  await page.getByRole("button", { name: "Restore… Snapshot 1" }).click();
  await explain("Why it is restored");
  await photograph(page, "restore-reason");
  await dialog(page).getByRole("button", { name: "Restore", exact: true }).click();
  await undone(/^Snapshot 1 restored/, ["byhand A 192.0.2.7", "www A 192.0.2.1"]);

  const { body } = await zone.get("/history");
  const reasons = body.entries.flatMap(({ message }: Body) => (message?.startsWith("Why") ? [message] : []));
  // A push is two entries: what the provider had, and what was written over it.
  expect([...new Set(reasons)]).toEqual([
    "Why it is restored",
    "Why it is reverted",
    "Why it is pushed",
    "Why it is adopted",
  ]);
});
