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
    "Reverse zones",
    "Mirrors and secondaries",
    "Users",
    "Registrars",
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

test("an auditor finds in the audit trail who changed what: by action, user, target and day", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.client.put(`/api/domains/${zone.id}`, { groupName: "shop" });
  const page = await auditing("greta", "/");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Audit trail" }).click();
  const rows = page.getByRole("row");
  await rows.filter({ hasText: "auth.sign_in" }).first().waitFor();
  await page.getByRole("searchbox", { name: "Action" }).fill("domain.update");
  const update = rows.filter({ hasText: "domain.update" });
  await update.filter({ hasText: "admin" }).waitFor();
  await rows.filter({ hasText: "auth.sign_in" }).first().waitFor({ state: "detached" });
  await update.getByText("Changed fields").click();
  await update.getByText("shop", { exact: true }).waitFor();
  await photograph(page, "audit");
  await expectAccessible(page);
  await update.getByRole("button", { name: "domain" }).click();
  await page.getByRole("button", { name: "Show all" }).click();
  await rows.filter({ hasText: "auth.sign_in" }).first().waitFor();
  await rows.filter({ hasText: "greta" }).getByRole("button", { name: "greta" }).first().click();
  await rows.filter({ hasText: "domain.update" }).waitFor({ state: "detached" });
  expect(page.url()).toContain("actor=");
  await page.reload();
  await rows.filter({ hasText: "greta" }).first().waitFor();
  expect(await rows.filter({ hasText: "domain.update" }).count()).toBe(0);
  await page.goto(`${site.url}/admin/audit?until=2001-01-01`);
  await page.getByText("No entry matches.").waitFor();
  await page.goto(`${site.url}/admin/audit?from=2001-01-01&action=domain.update`);
  await update.first().waitFor();
});

test("a member cannot open the audit trail, and the page says who can", async () => {
  await site.zonewright.member("mona");
  const page = await site.signedIn({ username: "mona", password: memberPassword, path: "/admin/audit" });
  await page.getByText("This page is for administrators").waitFor();
  expect(await page.getByRole("navigation", { name: "Main" }).getByText("Administration").count()).toBe(0);
});
