import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { fileZone } from "../../support/zones.ts";
import { memberPassword } from "../../support/zonewright.ts";

const site = useConsole();

/** Signs an auditor in. @returns the page that it opens */
async function auditing(username: string, path: string) {
  const auditor = await site.zonewright.member(username);
  const { body: me } = await auditor.get("/api/auth/me");
  expect((await site.zonewright.admin.put(`/api/users/${me.id}`, { role: "auditor" })).status).toBe(200);
  return await site.signedIn({ username, password: memberPassword, path });
}

test("an auditor reads the users and their ways in, and is offered nothing that would be refused", async () => {
  const page = await auditing("otto", "/");
  const main = page.getByRole("navigation", { name: "Main" });
  await main.getByRole("link", { name: "Users" }).click();
  await page.getByRole("heading", { name: /^Users/, level: 1 }).waitFor();
  await page.getByRole("row").filter({ hasText: "admin" }).first().waitFor();
  expect(await main.getByRole("link").allTextContents()).toEqual([
    "Zonewright",
    "Search",
    "Domains",
    "Requests",
    expect.stringMatching(/^Notifications/),
    "Templates",
    "Portfolio",
    "Reverse zones",
    "Secondaries",
    "Users",
    "Assignments",
    "Registrars",
    "TSIG keys",
    "Audit trail",
  ]);
  expect(await page.getByRole("main").getByRole("button").allTextContents()).toEqual(["Ways in", "Ways in"]);
  await expectAccessible(page);
  await photograph(page, "auditor-users");
  await page.getByRole("button", { name: "Ways in for admin" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("region", { name: "Sessions" }).waitFor();
  expect(await dialog.getByRole("button").allTextContents()).not.toContain("Revoke all");
  expect(await dialog.getByRole("button", { name: /^Revoke/ }).count()).toBe(0);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.goto(`${site.url}/admin/invitations`);
  await page.getByText("This page is for administrators").waitFor();
});

test("an auditor is not led to a replacement, and the page says why there is none", async () => {
  const page = await auditing("rita", "/");
  await page.getByRole("link", { name: "Audit trail" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /^Jump/ }).fill("replace");
  await page.getByRole("option", { name: "Search all records for replace" }).waitFor();
  await expect.poll(() => page.getByRole("option").count()).toBe(1);
  await page.goto(`${site.url}/replace`);
  await page.getByText("Auditors change only their own account.").waitFor();
  expect(await page.getByRole("button", { name: "Show the plan" }).count()).toBe(0);
  await expectAccessible(page);
});

test("an auditor reads the audit trail as sentences, and finds who changed what: by person, zone, action and day", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.client.put(`/api/domains/${zone.id}`, { groupName: "shop" });
  const record = { recordType: "A", name: "www", value: "192.0.2.1" };
  const { body: made } = await zone.client.post(`/api/domains/${zone.id}/records`, record);
  await zone.client.put(`/api/domains/${zone.id}/records/${made.id}`, { value: "192.0.2.2" });
  const page = await auditing("greta", "/");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Audit trail" }).click();
  const rows = page.getByRole("row");
  await rows.filter({ hasText: "greta signed in" }).first().waitFor();
  const edit = rows.filter({ hasText: `admin changed 1 record in ${zone.name}` });
  await edit.getByText("Details").click();
  const difference = edit.getByRole("list", { name: "Changes" }).first();
  await difference.getByText("192.0.2.1").waitFor();
  await difference.getByText("192.0.2.2").waitFor();
  await photograph(page, "audit");
  await expectAccessible(page);
  await page.getByRole("combobox", { name: "Action" }).selectOption({ label: "Domain settings changed" });
  const update = rows.filter({ hasText: `admin changed settings of ${zone.name}` });
  await update.waitFor();
  await rows.filter({ hasText: "greta signed in" }).first().waitFor({ state: "detached" });
  await update.getByText("Details").click();
  await update.getByText("shop", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await rows.filter({ hasText: "greta signed in" }).first().waitFor();
  await edit.getByRole("button", { name: zone.name }).click();
  await rows.filter({ hasText: "signed in" }).first().waitFor({ state: "detached" });
  await rows.filter({ hasText: `admin added 1 record to ${zone.name}` }).waitFor();
  expect(await page.getByRole("combobox", { name: "Zone" }).inputValue()).toBe(zone.name);
  await page.getByRole("button", { name: "Show all" }).click();
  await rows.filter({ hasText: "greta signed in" }).first().getByRole("button", { name: "greta" }).click();
  await edit.waitFor({ state: "detached" });
  expect(page.url()).toContain("actor=");
  await expect.poll(() => page.getByRole("combobox", { name: "Person" }).inputValue()).toBe("greta");
  await page.reload();
  await rows.filter({ hasText: "greta signed in" }).first().waitFor();
  expect(await edit.count()).toBe(0);
  await page.getByRole("combobox", { name: "Person" }).fill("adm");
  await page.getByRole("option", { name: /^admin/ }).click();
  await edit.waitFor();
  await page.getByRole("combobox", { name: "Person" }).and(page.locator(":focus")).waitFor();
  await expect.poll(() => page.getByRole("combobox", { name: "Person" }).inputValue()).toBe("admin");
  await page.getByRole("combobox", { name: "Zone" }).fill("no-zone.example");
  await page.getByText("No zone has this name.").waitFor();
  // Neither the rows of every zone, nor a file of them.
  await rows.first().waitFor({ state: "detached" });
  const exporting = page.getByRole("button", { name: "Export" });
  expect(await exporting.getAttribute("aria-disabled")).toBe("true");
  expect(await exporting.getAttribute("aria-haspopup")).toBeNull();
  await page.getByRole("combobox", { name: "Zone" }).fill(zone.name);
  await rows.filter({ hasText: `admin added ${zone.name}` }).waitFor();
  await page.goto(`${site.url}/admin/audit?until=2001-01-01`);
  await page.getByText("No entry matches.").waitFor();
  await page.goto(`${site.url}/admin/audit?from=2001-01-01&action=domain.update`);
  await update.first().waitFor();
});

test("an auditor saves the trail as shown, as a table and as lines of JSON", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await auditing("selma", `/admin/audit?zone=${zone.name}`);
  await page
    .getByRole("row")
    .filter({ hasText: `admin added ${zone.name}` })
    .waitFor();
  const saved = async (format: string) => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("menuitem", { name: format }).click();
    // The message goes by itself, so it is read before the file is.
    const said = await page
      .getByText(/^\d+ entries saved\.$/)
      .first()
      .textContent();
    const file = await download;
    return { name: file.suggestedFilename(), content: await text(await file.createReadStream()), said };
  };
  const table = await saved("As a table (CSV)");
  expect(table.name).toBe("audit.csv");
  const [header, ...rows] = table.content.trimEnd().split("\r\n");
  expect(header).toMatch(/^id,at,actor,/);
  expect(rows.map((row) => row.split(",")[2])).toEqual(rows.map(() => "admin"));
  expect(rows.at(-1)).toContain(`domain.create,${zone.name},domain,${zone.id}`);
  expect(table.said).toBe(`${rows.length} entries saved.`);
  const lines = await saved("As lines of JSON");
  expect(lines.name).toBe("audit.jsonl");
  const objects = lines.content
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(objects).toHaveLength(rows.length);
  expect(objects.at(-1)).toMatchObject({ action: "domain.create", domainName: zone.name });
});

test("an export that fails goes on where it stopped, and keeps the keyboard's place", async () => {
  const { name } = await fileZone(site.zonewright);
  const page = await site.signedIn({ path: `/admin/audit?zone=${name}` });
  await page.getByRole("row").nth(1).waitFor();
  let calls = 0;
  await page.route("**/trpc/audit.export*", async (route) => {
    calls++;
    if (calls === 1) await route.abort();
    else await route.continue();
  });
  site.expected.push("Failed to load resource");
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("menuitem", { name: "As lines of JSON" }).click();
  const more = page.getByRole("button", { name: "Continue" });
  await more.and(page.locator(":focus")).waitFor();
  await photograph(page, "audit-export-failed");
  await expectAccessible(page);
  const download = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  const content = await text(await (await download).createReadStream());
  const entries = content
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(entries.at(-1)).toMatchObject({ action: "domain.create", domainName: name });
  await page.getByRole("button", { name: "Export" }).and(page.locator(":focus")).waitFor();
});

test("the trail goes back page by page, and fits a phone in the dark", async () => {
  const { client, id } = await fileZone(site.zonewright);
  for (let time = 0; time < 60; time++) await client.put(`/api/domains/${id}`, { notes: `Note ${time}` });
  const page = await site.signedIn({ path: "/admin/audit?action=domain.update", dark: true, width: 390, height: 844 });
  const rows = page.getByRole("row").filter({ hasText: "changed settings" });
  await expect.poll(() => rows.count()).toBe(50);
  await photograph(page, "audit-phone");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Older" }).click();
  await expect.poll(() => rows.count()).toBeLessThan(50);
  await page.goBack();
  await expect.poll(() => rows.count()).toBe(50);
});

test("a member cannot open the audit trail, and the page says who can", async () => {
  await site.zonewright.member("mona");
  const page = await site.signedIn({ username: "mona", password: memberPassword, path: "/admin/audit" });
  await page.getByText("This page is for administrators").waitFor();
  expect(await page.getByRole("navigation", { name: "Main" }).getByText("Administration").count()).toBe(0);
});
