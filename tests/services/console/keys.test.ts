import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { assign } from "../../accounts/assignments/assigned.ts";
import { Clock, minute } from "../../support/clock.ts";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { memberPassword } from "../../support/zonewright.ts";
import { manualZone, type Zone } from "../../support/zones.ts";

const clock = new Clock();
const site = useConsole({ now: clock.now });
const patience = { timeout: 60_000 };

/** Makes a member who may write to a zone, and opens the page of their keys. */
async function keyed(username: string): Promise<{ page: Page; zone: Zone }> {
  const zone = await manualZone(site.zonewright);
  await assign(site.zonewright, await site.zonewright.member(username), zone.id, "*.home");
  const page = await site.signedIn({ username, password: memberPassword, path: "/account/keys" });
  return { page, zone };
}

async function createKey(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  await page.getByRole("button", { name: "Create a key" }).click();
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole("button", { name: "Create the key" }).click();
}

test("a key's secret is shown once, with what each client takes, and the key works until it is deleted", async () => {
  const { page, zone } = await keyed("keeper");
  await page.getByText("No keys yet").waitFor();
  await createKey(page, { "What it is for": "Router", Domain: zone.name, Hosts: "nas.home", "Record types": "a aaaa" });
  const fresh = page.getByRole("region", { name: "New key" });
  await expect.poll(async () => await fresh.and(page.locator(":focus")).count(), patience).toBe(1);
  const secret = (await fresh.getByLabel("Secret", { exact: true }).textContent()) ?? "";
  const [row] = (await (await site.zonewright.signIn("keeper", memberPassword)).get("/api/auth/me/tsig-keys")).body
    .keys;
  const known = await site.zonewright.services.tsigKeyCredentials.named(row.keyName);
  expect(known?.tsig.secret.toString("base64")).toBe(secret);

  const config = async (client: string) => {
    await fresh.getByRole("radio", { name: client }).check();
    return (await fresh.getByLabel(`Configuration for ${client}`).textContent()) ?? "";
  };
  expect(await config("nsupdate")).toContain(
    `key "${row.keyName}" {\n  algorithm hmac-sha256;\n  secret "${secret}";\n};`,
  );
  expect(await config("certbot")).toMatch(/^dns_rfc2136_algorithm = HMAC-SHA256$/m);
  expect(await config("lego")).toContain(`RFC2136_TSIG_SECRET=${secret}`);
  await expectAccessible(page);
  await photograph(page, "key-created");

  await page.reload();
  const item = page.getByRole("listitem").filter({ hasText: "Router" });
  for (const text of [row.keyName, zone.name, "nas.home", "AAAA", "Never used"])
    await expect.poll(() => item.textContent(), patience).toContain(text);
  expect(await page.content()).not.toContain(secret);

  await page.getByRole("button", { name: "Delete Router" }).click();
  await page.getByRole("dialog", { name: "Delete the key Router?" }).getByRole("button", { name: "Delete" }).click();
  await page.getByText("No keys yet").waitFor();
  await expect.poll(async () => await page.locator("main *:focus").count(), patience).toBe(1);
  expect(await site.zonewright.services.tsigKeyCredentials.named(row.keyName)).toBeNull();
});

test("a key that does not fit is explained at its field, before anything typed is lost", async () => {
  const { page, zone } = await keyed("mistaken");
  site.expected.push("400");
  const create = page.getByRole("button", { name: "Create the key" });
  await createKey(page, { Hosts: "www" });
  await page.getByText("This is required.").waitFor();
  await page.getByLabel("Domain", { exact: true }).fill("unknown.example");
  await create.click();
  await page.getByText("You have no domain unknown.example.").waitFor();
  await page.getByLabel("Domain", { exact: true }).fill(zone.name);
  await create.click();
  await page.getByText(/You may not change all records of www/).waitFor();
  await expectAccessible(page);
  await photograph(page, "key-form");
  expect(await page.getByLabel("Hosts").inputValue()).toBe("www");
  await page.getByLabel("Hosts").fill("www.home");
  await create.click();
  await page.getByRole("region", { name: "New key" }).waitFor();
});

test("a refusal and the last use are shown with the key", async () => {
  const { page, zone } = await keyed("refused");
  const owner = await site.zonewright.signIn("refused", memberPassword);
  const { body } = await owner.post("/api/auth/me/tsig-keys", { name: "DHCP server", domainId: zone.id });
  const { tsigKeyCredentials } = site.zonewright.services;
  tsigKeyCredentials.noteUse({ id: body.id }, "2001:db8::53", "The A records of www are not for this key.");
  const listed = async () => (await owner.get("/api/auth/me/tsig-keys")).body.keys[0].lastError;
  await expect.poll(listed, patience).not.toBeNull();
  await page.reload();
  const item = page.getByRole("listitem").filter({ hasText: "DHCP server" });
  await item.getByText(/Last refused .*: The A records of www are not for this key\./).waitFor();
  expect(await item.textContent()).toContain("from 2001:db8::53");
  await expectAccessible(page);
  await photograph(page, "keys");
});

test("ten minutes after the sign-in, a key is created once the password is confirmed", async () => {
  const { page, zone } = await keyed("late");
  clock.advance(11 * minute);
  site.expected.push("403");
  await createKey(page, { Domain: zone.name });
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await dialog.getByLabel("Password").fill(memberPassword);
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "New key" }).waitFor();
});

test("administrators see the keys and calendar feeds among a user's ways in, and revoke one after a question", async () => {
  const { zone } = await keyed("watched");
  const owner = await site.zonewright.signIn("watched", memberPassword);
  const { body } = await owner.post("/api/auth/me/tsig-keys", { name: "Camera", domainId: zone.id });
  const page = await site.signedIn({ path: "/admin/users?search=watched" });
  await page.getByRole("button", { name: "Actions for watched" }).click();
  await page.getByRole("menuitem", { name: "Ways in" }).click();
  const keys = page.getByRole("region", { name: "TSIG keys" });
  await keys.getByText("Camera").waitFor();
  await keys.getByRole("button", { name: "Revoke Camera" }).click();
  const question = page.getByRole("dialog", { name: "Revoke Camera of watched?" });
  await question.waitFor();
  await expectAccessible(page);
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  expect(await site.zonewright.services.tsigKeyCredentials.named(body.keyName)).not.toBeNull();
  await keys.getByRole("button", { name: "Revoke Camera" }).click();
  await question.getByRole("button", { name: "Revoke" }).click();
  await keys.waitFor({ state: "detached" });
  await owner.post("/api/auth/me/feeds", { name: "Renewals" });
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Actions for watched" }).click();
  await page.getByRole("menuitem", { name: "Ways in" }).click();
  const feeds = page.getByRole("region", { name: "Calendar feeds" });
  await feeds.getByRole("button", { name: "Revoke Renewals" }).click();
  await page
    .getByRole("dialog", { name: "Revoke Renewals of watched?" })
    .getByRole("button", { name: "Revoke" })
    .click();
  await feeds.waitFor({ state: "detached" });
  expect(await site.zonewright.services.tsigKeyCredentials.named(body.keyName)).toBeNull();
});

test("an administrator sees everybody's keys by owner and zone, and revokes one", async () => {
  const zones = [await manualZone(site.zonewright), await manualZone(site.zonewright)];
  const owners = await Promise.all(["kim", "lou"].map((name) => site.zonewright.member(name)));
  for (const [index, owner] of owners.entries()) {
    const id = zones[index]?.id ?? "";
    await assign(site.zonewright, owner, id, "*.home");
    const wish = { domainId: id, name: `Router ${index}`, hostPattern: "nas.home", recordTypes: ["A", "AAAA"] };
    expect((await owner.post("/api/auth/me/tsig-keys", wish)).status).toBe(201);
  }
  const page = await site.signedIn({ path: "/admin/keys" });
  const rows = page.getByRole("row");
  const [first, second] = [rows.filter({ hasText: "Router 0" }), rows.filter({ hasText: "Router 1" })];
  for (const text of ["kim", zones[0]?.name ?? "", "nas.home", "A, AAAA", "Never"])
    await first
      .getByText(text, { exact: text === "kim" })
      .first()
      .waitFor();
  await photograph(page, "all-keys");
  await expectAccessible(page);
  await page.getByRole("combobox", { name: "Owner" }).fill("lo");
  await page.getByRole("option", { name: /^lou/ }).click();
  await first.waitFor({ state: "detached" });
  await second.waitFor();
  const owner = page.getByRole("combobox", { name: "Owner" });
  await owner.and(page.locator(":focus")).waitFor();
  await expect.poll(() => owner.inputValue()).toBe("lou");
  await page.getByRole("button", { name: "Show all" }).click();
  await first.waitFor();
  await expect.poll(() => owner.inputValue()).toBe("");
  await first.getByRole("button", { name: "kim" }).click();
  await second.waitFor({ state: "detached" });
  await expect.poll(() => owner.inputValue()).toBe("kim");
  await page.getByRole("button", { name: "Show all" }).click();
  const zone = page.getByRole("combobox", { name: "Zone" });
  await zone.fill("no-zone.example");
  await page.getByText("No zone has this name.").waitFor();
  await rows.first().waitFor({ state: "detached" });
  await zone.fill("");
  // A page that a revocation emptied.
  await page.goto(`${site.url}/admin/keys?page=2`);
  await first.waitFor();
  await page.getByRole("combobox", { name: "Zone" }).fill(zones[0]?.name ?? "");
  await second.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Revoke Router 0" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
  await page.getByText("Router 0 revoked.").waitFor();
  await page.getByText("No key matches.").waitFor();
  expect((await owners[0]?.get("/api/auth/me/tsig-keys"))?.body.keys).toEqual([]);
});

test("an auditor sees everybody's keys, and is offered no way to revoke one", async () => {
  const zone = await manualZone(site.zonewright);
  const owner = await site.zonewright.member("mia");
  await assign(site.zonewright, owner, zone.id, "*.home");
  await owner.post("/api/auth/me/tsig-keys", { domainId: zone.id, name: "Seen", hostPattern: "nas.home" });
  const auditor = await site.zonewright.member("vera");
  const { body: me } = await auditor.get("/api/auth/me");
  await site.zonewright.admin.put(`/api/users/${me.id}`, { role: "auditor" });
  const page = await site.signedIn({ username: "vera", password: memberPassword, path: "/admin/keys" });
  await page.getByRole("row").filter({ hasText: /^Seen/ }).waitFor();
  expect(await page.getByRole("button", { name: /^Revoke/ }).count()).toBe(0);
});
