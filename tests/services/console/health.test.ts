import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { assign } from "../../accounts/assignments/assigned.ts";
import { storeFinding } from "../../registry/delegation/found.ts";
import { expectAccessible, focusIn, photograph, useConsole } from "../../support/console.ts";
import { addZone, manualConfig, type Zone } from "../../support/zones.ts";
import { memberPassword } from "../../support/zonewright.ts";

const site = useConsole();

async function zoneOf(name: string): Promise<Zone> {
  return await addZone(site.zonewright, { name, providerConfigId: await manualConfig(site.zonewright) });
}

/** A zone with a fault of each kind that is mended in its own way. */
async function sickZone(name: string): Promise<Zone> {
  const zone = await zoneOf(name);
  await zone.add("A", "mail", "203.0.113.1", 30);
  await zone.add("A", "web", "203.0.113.2", 30);
  await zone.add("CNAME", "old", `gone.${name}`);
  await zone.add("TXT", "lists", "v=spf1 ip4:203.0.113.1 -all");
  await zone.add("TXT", "lists", "v=spf1 include:_spf.hosting.example ~all");
  await zone.add("MX", "@", `10 mail.${name}`);
  await storeFinding(site.zonewright, zone.id);
  return zone;
}

const faults = (page: Page) => page.getByRole("list", { name: "In the records" }).locator(":scope > li");
const mend = (page: Page, fault: RegExp) =>
  faults(page)
    .filter({ hasText: fault })
    .getByRole("button", { name: /^Mend in a draft/ });

test("the faults of a zone stand with their reason and records, and are mended through a draft", async () => {
  const zone = await sickZone("sick.org");
  const page = await site.signedIn({ path: "/d/sick.org/records" });
  await page.getByRole("navigation", { name: "Pages of this zone" }).getByRole("link", { name: "Health" }).click();
  await page.getByText("5 faults in 6 records.").waitFor();
  expect(await faults(page).count()).toBe(5);
  await faults(page).first().getByText("Receivers treat several SPF records as an error").waitFor();
  await page.getByText("For a test.").waitFor();
  await expectAccessible(page);
  await photograph(page, "health");

  await mend(page, /TTL under 60 seconds/).click();
  await page.getByText("2 changes are in your draft.").waitFor();
  await page.waitForURL("**/d/sick.org/records");
  await page.getByRole("navigation", { name: "Pages of this zone" }).getByRole("link", { name: "Health" }).click();
  await mend(page, /several|SPF records/).click();
  await page.waitForURL("**/d/sick.org/records");
  await page.getByRole("button", { name: /^Review/ }).click();
  await page.getByRole("button", { name: /^Apply/ }).click();
  await page.getByText(/^Applied as revision/).waitFor();
  const lines = (await zone.records()).map(({ name, ttl, value }) => `${name} ${ttl} ${value}`);
  expect(lines).toContain("mail 300 203.0.113.1");
  expect(lines).toContain("web 300 203.0.113.2");
  expect(lines.filter((line) => line.startsWith("lists "))).toHaveLength(1);
  await page.goto(`${site.url}/d/sick.org/health`);
  await page.getByText("3 faults in 5 records.").waitFor();
  await faults(page).getByRole("link", { name: "old CNAME" }).click();
  await page.waitForURL("**/d/sick.org/records?*");
  await page.getByRole("gridcell", { name: "old", exact: true }).waitFor();
  await page.goBack();
  await faults(page).getByRole("link", { name: "Find a template" }).last().click();
  await page.waitForURL("**/templates?search=dmarc");
});

test("a fault is mended in a draft that has other edits of the same records, which stay", async () => {
  const zone = await zoneOf("edited.org");
  await zone.add("A", "web", "203.0.113.2", 30);
  await zone.add("CNAME", "old", "gone.edited.org");
  const page = await site.signedIn({ path: "/d/edited.org/records" });
  const cell = page.getByRole("gridcell", { name: "old", exact: true });
  await cell.click();
  await page.keyboard.press("Delete");
  await page.getByRole("button", { name: /^Review/ }).waitFor();
  await page.goto(`${site.url}/d/edited.org/health`);
  // Twice: the record stays marked.
  await mend(page, /points to a name without records/).click();
  await page.waitForURL("**/d/edited.org/records");
  await page.getByRole("button", { name: /^Review/ }).click();
  await page.getByRole("button", { name: /^Apply/ }).click();
  await page.getByText(/^Applied as revision/).waitFor();
  expect(await zone.lines()).toEqual(["web A 203.0.113.2"]);
});

test("a mending neither takes a deletion out of the draft nor overwrites what was changed since the check", async () => {
  const zone = await zoneOf("meanwhile.org");
  const web = await zone.add("A", "web", "203.0.113.2", 30);
  await zone.add("A", "api", "203.0.113.3", 30);
  const spf = await zone.add("TXT", "lists", "v=spf1 mx +all");
  const page = await site.signedIn({ path: "/d/meanwhile.org/records" });
  await page.getByRole("gridcell", { name: "web", exact: true }).click();
  await page.keyboard.press("Delete");
  await page.getByRole("button", { name: /^Review/ }).waitFor();
  // Nothing tells the page of the change, which it would check again at once.
  await page.route("**/assets/live-connection-*.js", async (route) => await route.abort("internetdisconnected"));
  site.expected.push("ERR_INTERNET_DISCONNECTED");
  await page.goto(`${site.url}/d/meanwhile.org/health`);
  await page.getByText("2 faults in 3 records.").waitFor();
  await zone.update(spf.id, { value: "v=spf1 mx include:new.example +all" });
  await mend(page, /ends in \+all/).click();
  await page.getByText("The zone has changed since it was checked.").waitFor();
  await mend(page, /TTL under 60 seconds/).click();
  await page.waitForURL("**/d/meanwhile.org/records");
  await page.getByRole("navigation", { name: "Pages of this zone" }).getByRole("link", { name: "Health" }).click();
  await mend(page, /ends in \+all/).click();
  await page.waitForURL("**/d/meanwhile.org/records");
  await page.getByRole("button", { name: /^Review/ }).click();
  await page.getByRole("button", { name: /^Apply/ }).click();
  await page.getByText(/^Applied as revision/).waitFor();
  const lines = (await zone.records()).map(({ id, name, ttl, value }) => ({ id, line: `${name} ${ttl} ${value}` }));
  expect(lines.map(({ id }) => id)).not.toContain(web.id);
  expect(lines.map(({ line }) => line).toSorted()).toEqual([
    "api 300 203.0.113.3",
    "lists 3600 v=spf1 mx include:new.example ~all",
  ]);
});

test("a mending leaves records alone that the draft changes otherwise", async () => {
  const zone = await zoneOf("planned.org");
  await zone.add("CNAME", "old", "gone.planned.org");
  const page = await site.signedIn({ path: "/d/planned.org/records" });
  await page.getByRole("gridcell", { name: "gone.planned.org" }).dblclick();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("new.hosting.example");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /^Review/ }).waitFor();
  await page.goto(`${site.url}/d/planned.org/health`);
  await mend(page, /points to a name without records/).click();
  await page.getByText("Your draft already changes these records.").waitFor();
});

test("the PTR records of a zone's addresses are looked at, and a sound zone says so", async () => {
  await zoneOf("113.0.203.in-addr.arpa");
  const zone = await zoneOf("pointed.org");
  await zone.add("A", "www", "203.0.113.77");
  const page = await site.signedIn({ path: "/d/pointed.org/health" });
  await page.getByText("Nothing is wrong in 1 record.").waitFor();
  await page.getByText("203.0.113.77 has no PTR record. www.pointed.org has this address.").waitFor();
  await page.getByRole("link", { name: "Mend under Reverse zones" }).click();
  await page.waitForURL("**/reverse");
});

test("who edits an SPF record reads how many DNS lookups it takes, and that too many or an open end are a fault", async () => {
  const zone = await zoneOf("spf.org");
  await zone.add("TXT", "@", "v=spf1 mx include:_spf.example.net ip4:203.0.113.1 ~all");
  const page = await site.signedIn({ path: "/d/spf.org/records" });
  await page.getByRole("button", { name: "Actions for @ TXT" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page
    .getByText("2 of 10 DNS lookups, without those that included records need. 55 octets in 1 string")
    .waitFor();
  const value = page.getByRole("textbox", { name: "Value", exact: true });
  const includes = Array.from({ length: 11 }, (_, at) => `include:s${at}.example.net`).join(" ");
  await value.fill(`v=spf1 ${includes} ~all`);
  await page.getByText(/^11 DNS lookups: receivers stop after 10/).waitFor();
  await photograph(page, "editor-spf");
  await value.fill("v=spf1 mx all");
  await page.getByText(/^This lets everybody send in your name\..* 1 of 10 DNS lookups/).waitFor();
});

test("a mail service is added to an SPF record from a list, by mouse and by keyboard, and is no longer offered then", async () => {
  const zone = await zoneOf("sender.org");
  await zone.add("TXT", "@", "v=spf1 mx include:_spf.google.com -all");
  const page = await site.signedIn({ path: "/d/sender.org/records" });
  await page.getByRole("button", { name: "Actions for @ TXT" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  const add = page.getByRole("button", { name: "Add a sender…" });
  await add.click();
  await page.getByRole("menuitem", { name: "SendGrid" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "Google Workspace" }).count()).toBe(0);
  await photograph(page, "editor-senders");
  await page.getByRole("menuitem", { name: "SendGrid" }).click();
  const value = page.getByRole("textbox", { name: "Value", exact: true });
  await expect.poll(() => value.inputValue()).toBe("v=spf1 mx include:_spf.google.com include:sendgrid.net -all");
  await page.getByText(/^3 of 10 DNS lookups/).waitFor();
  await focusIn(value);
  await add.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Amazon SES" }).waitFor();
  await page.keyboard.type("post");
  await expect
    .poll(() => page.getByRole("menuitem", { name: "Postmark" }).evaluate((item) => item === document.activeElement))
    .toBe(true);
  await page.keyboard.press("Enter");
  await expect
    .poll(() => value.inputValue())
    .toBe("v=spf1 mx include:_spf.google.com include:sendgrid.net include:spf.mtasv.net -all");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("1 change", { exact: true }).waitFor();
  const other = await zoneOf("no-sender.org");
  await other.add("TXT", "@", "proof");
  await page.goto(`${site.url}/d/no-sender.org/records`);
  await page.getByRole("button", { name: "Actions for @ TXT" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await value.waitFor();
  expect(await add.count()).toBe(0);
});

test("auditors and members of some hosts see what they may, and mend only what they may change", async () => {
  const zone = await sickZone("shared.org");
  const owner = await site.zonewright.member("hana");
  await assign(site.zonewright, owner, zone.id, "lists");
  const page = await site.signedIn({ username: "hana", password: memberPassword, path: "/d/shared.org/health" });
  await page.getByText(/1 fault in 2 records\. You see only some hosts\./).waitFor();
  await mend(page, /SPF records/).waitFor();
  expect(await page.getByRole("button", { name: "Check now" }).count()).toBe(0);
  const auditor = await site.zonewright.member("aldo");
  const { body: me } = await auditor.get("/api/auth/me");
  await site.zonewright.admin.put(`/api/users/${me.id}`, { role: "auditor" });
  const audited = await site.signedIn({ username: "aldo", password: memberPassword, path: "/d/shared.org/health" });
  await audited.getByText("5 faults in 6 records.").waitFor();
  expect(await audited.getByRole("button", { name: /^Mend/ }).count()).toBe(0);
  expect(await audited.getByRole("link", { name: "Find a template" }).count()).toBe(0);
  await expectAccessible(audited);
});

test.each([
  ["dark", { dark: true }],
  ["phone", { width: 390 }],
])("the health of a zone is accessible and fits on a %s page", async (name, options) => {
  await sickZone(`${name}.org`);
  const page = await site.signedIn({ path: `/d/${name}.org/health`, ...options });
  await page.getByText("5 faults in 6 records.").waitFor();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await photograph(page, `health-${name}`);
});
