import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { fileZone, freshName, manualConfig, type Zone } from "../../support/zones.ts";
import { memberPassword } from "../../support/zonewright.ts";

const site = useConsole();

const tabs = (page: Page) => page.getByRole("navigation", { name: "Pages of this zone" });
/** The dialog that is open. Toasts have the role, too. */
const dialog = (page: Page) => page.locator('[role="dialog"]:not([class*="toast"])');
const tabNames = async (page: Page) =>
  (await tabs(page).getByRole("link").allTextContents()).map((text) => text.replace(/[\d\s]/g, ""));

async function opened(zone: Pick<Zone, "name">, tab: string, options: Parameters<typeof site.signedIn>[0] = {}) {
  const page = await site.signedIn({ ...options, path: `/d/${zone.name}/${tab}` });
  await page.getByRole("heading", { level: 1, name: zone.name }).waitFor();
  return page;
}

/** Has the service compare the zone with its file now. */
async function noticed(zone: Zone): Promise<void> {
  const { providerConfigId } = await zone.detail();
  await site.zonewright.services.drift.checkZone(providerConfigId, zone.name, new Date());
}

let members = 0;
async function member(): Promise<{ username: string; id: string }> {
  members += 1;
  const username = `colleague-${members}-of-zones`;
  const { body } = await (await site.zonewright.member(username)).get("/api/auth/me");
  return { username, id: body.id };
}

test("the header says provider, sync state, expiry, revision and who made it, with the pages that exist", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await site.zonewright.admin.put(zone.path, { tags: ["prod", "web"], expiresAt: "2031-03-14T00:00:00Z" });
  const page = await opened(zone, "access");
  for (const text of ["prod", "web", "Mar 14, 2031", "in sync", /^Revision 1, .* by admin$/]) {
    await page.getByText(text).first().waitFor();
  }
  expect(await tabNames(page)).toEqual([
    "Records",
    "Text",
    "History",
    "Snapshots",
    "Requests",
    "Health",
    "Registration",
    "Settings",
    "Access",
  ]);
  await photograph(page, "zone-access");
});

test("once its header has scrolled away, each page of a zone still says which zone it is, and how much the draft holds", async () => {
  const zone = await fileZone(site.zonewright);
  for (let host = 10; host < 50; host++) await zone.add("A", `host${host}`, `192.0.2.${host}`);
  const page = await opened(zone, "records", { height: 500 });
  const bar = page.locator("[data-name]");
  const scrolled = async () => {
    await page.locator("[data-scroll]").evaluate((element) => element.scrollTo({ top: 400 }));
    await expect.poll(async () => (await bar.boundingBox())?.y).toBe(0);
    expect(await page.getByRole("heading", { level: 1 }).boundingBox()).toMatchObject({ y: expect.any(Number) });
    // Nothing lies over it.
    return await bar.evaluate(
      (element) => document.elementFromPoint(element.getBoundingClientRect().left + 40, 15) === element,
    );
  };
  await page.getByRole("row").filter({ hasText: "host10" }).waitFor();
  expect(await bar.getAttribute("data-name")).toBe(zone.name);
  expect(await bar.getAttribute("data-draft")).toBeNull();
  await page.getByRole("row").filter({ hasText: "host10" }).click();
  await page.keyboard.press("Delete");
  await page.locator('[data-draft="1 change in your draft"]').waitFor();
  expect(await scrolled()).toBe(true);
  await page.locator("[data-scroll]").evaluate((element) => element.scrollTo({ top: 0 }));
  await tabs(page).getByRole("link", { name: "History" }).click();
  await page.getByRole("listitem").filter({ hasText: "revision 40" }).waitFor();
  expect(await scrolled()).toBe(true);
  await page.reload();
  await page.locator('[data-draft="1 change in your draft"]').waitFor();
});

test("in a wide window the facts of a zone stand beside its pages, and everything has the same right edge", async () => {
  const zone = await fileZone(site.zonewright);
  const { username, id } = await member();
  await site.zonewright.admin.put(zone.path, {
    notes: "Ask Kim before changing MX.",
    ownerId: id,
    groupName: "Customers",
  });
  const page = await opened(zone, "timeline", { width: 1440, height: 900 });
  const facts = page.getByRole("region", { name: "About this zone" });
  for (const text of ["Ask Kim before changing MX.", username, "Customers"]) await facts.getByText(text).waitFor();
  await expectAccessible(page);
  await photograph(page, "zone-facts");
  const edge = async (part: ReturnType<typeof page.locator>) => {
    const { x, width } = (await part.boundingBox()) ?? { x: 0, width: 0 };
    return x + width;
  };
  const right = await edge(facts.locator("dl"));
  for (const tab of ["Requests", "Health", "Registration", "Access"]) {
    await tabs(page).getByRole("link", { name: tab }).click();
    await page.getByRole("link", { name: tab }).and(page.locator("[aria-current]")).first().waitFor();
    expect(await edge(facts.locator("dl"))).toBe(right);
  }
  await tabs(page).getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Organization" }).waitFor();
  expect(await edge(page.locator("section").filter({ has: page.getByRole("heading", { name: "Organization" }) }))).toBe(
    right,
  );
});

test.each(["America/New_York", "Asia/Tokyo"])(
  "in %s, an expiry is shown on the day that reminders and exports name, which is its day in UTC",
  async (timezoneId) => {
    const zone = await fileZone(site.zonewright);
    for (const [expiresAt, shown] of [
      ["2031-03-14T00:00:00Z", "Mar 14, 2031"],
      ["2031-06-30T23:59:59Z", "Jun 30, 2031"],
    ] as const) {
      await site.zonewright.admin.put(zone.path, { expiresAt });
      const page = await site.signedIn({ path: `/d/${zone.name}/settings`, timezoneId });
      await page.getByText(`Expires ${shown}`).waitFor();
      expect(await page.getByLabel("Expires on").inputValue()).toBe(expiresAt.slice(0, 10));
      for (const path of ["/", "/portfolio"]) {
        await page.goto(`${site.url}${path}`);
        await page.getByRole("row").filter({ hasText: zone.name }).getByText(shown).waitFor();
      }
    }
  },
);

test("a name in Unicode stands before its A-label, and a name with several views asks which one", async () => {
  const name = "bücher.example";
  const { body } = await site.zonewright.admin.post("/api/domains", {
    name,
    providerConfigId: await manualConfig(site.zonewright),
  });
  const page = await opened({ name }, "access");
  await page.getByText(body.name, { exact: true }).waitFor();
  const plain = freshName();
  for (const view of ["internal", "lab"]) {
    await site.zonewright.admin.post("/api/domains", {
      name: plain,
      view,
      providerConfigId: await manualConfig(site.zonewright),
    });
  }
  site.expected.push("409");
  await page.goto(`${site.url}/d/${plain}/access`);
  await page.getByRole("heading", { name: "Which view?" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: `${plain}!lab` }).click();
  await page.getByRole("heading", { level: 1, name: plain }).waitFor();
  await page.getByText("lab", { exact: true }).waitFor();
  expect(decodeURIComponent(page.url())).toContain(`${plain}!lab`);
});

test("an unknown domain is a page that says so", async () => {
  const page = await site.signedIn({ path: "/d/nowhere.example/access" });
  await page.getByRole("heading", { name: "This page does not exist." }).waitFor();
  await page.goto(`${site.url}/d/not%20a%20name/access`);
  site.expected.push("400");
  await page.getByRole("heading", { name: "This page does not exist." }).waitFor();
  expect(await tabs(page).count()).toBe(0);
});

test("a drift is shown with its difference, and one click takes it over", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await zone.edit((text) => `${text}byhand 300 IN A 192.0.2.7\n`);
  await noticed(zone);
  const page = await opened(zone, "access");
  await page.getByText("The provider has other records: 1 to create.").waitFor();
  await page.getByRole("button", { name: "Show the difference" }).click();
  await dialog(page).getByText("192.0.2.7").waitFor();
  await expectAccessible(page);
  await photograph(page, "zone-drift");
  await dialog(page).getByRole("button", { name: "Adopt the records", exact: true }).click();
  await page.getByText(/^Adopted: \+1 ~0 −0/).waitFor();
  await dialog(page).waitFor({ state: "hidden" });
  await page.getByText("The provider has other records").waitFor({ state: "hidden" });
  expect((await zone.detail()).recordCount).toBe(2);
});

test("a drift is written over with our records, after a look at what changes at the provider", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await zone.edit((text) => `${text.replace("192.0.2.1", "192.0.2.8")}byhand 300 IN A 192.0.2.7\n`);
  await noticed(zone);
  const page = await opened(zone, "access");
  await page.getByRole("button", { name: "Show the difference" }).click();
  await dialog(page).getByText("192.0.2.7").waitFor();
  await dialog(page).getByRole("button", { name: "Write ours instead…" }).click();
  await dialog(page).getByRole("heading", { name: "Write our records to the provider" }).waitFor();
  await dialog(page).getByText("192.0.2.7").waitFor();
  await expectAccessible(page);
  await photograph(page, "zone-push");
  await dialog(page).getByRole("button", { name: "Write our records" }).click();
  await page.getByText("Written to the provider: +0 ~1 −1.").waitFor();
  await dialog(page).waitFor({ state: "hidden" });
  await page.getByText("The provider has other records").waitFor({ state: "hidden" });
  expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
  expect(await zone.readFile()).not.toMatch(/byhand|192\.0\.2\.8/);
});

test("when a push is refused in part, the page counts what is left", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await zone.edit((text) => `${text}alias CNAME x.example.\nalias A 192.0.2.5\n`);
  expect((await zone.post("/sync")).body).toMatchObject({ created: 2 });
  await zone.edit((text) => text.replace(/^alias.* A .*$/m, "").replace(/^www.*$/m, ""));
  await noticed(zone);
  const page = await opened(zone, "access");
  await page.getByText("The provider has other records: 2 to delete.").waitFor();
  await page.getByRole("button", { name: "Show the difference" }).click();
  await dialog(page).getByRole("button", { name: "Write ours instead…" }).click();
  await dialog(page).getByRole("button", { name: "Write our records" }).click();
  await dialog(page).getByText("alias A 192.0.2.5").last().waitFor();
  await page.getByText("The provider has other records: 1 to delete.").waitFor();
});

test("the list says which zones differ from their provider, how many do, and shows these alone", async () => {
  const [same, zone] = [await fileZone(site.zonewright), await fileZone(site.zonewright)];
  await zone.add("A", "www", "192.0.2.1");
  await zone.edit((text) => `${text}byhand 300 IN A 192.0.2.7\n`);
  await noticed(zone);
  const page = await site.signedIn({ path: "/" });
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  await row(same.name).waitFor();
  await row(zone.name).getByText("differs", { exact: true }).waitFor();
  expect(await row(same.name).getByText("differs").count()).toBe(0);
  await photograph(page, "domains-differ");
  await page.getByRole("link", { name: /^\d+ differs?$/ }).click();
  await row(same.name).waitFor({ state: "hidden" });
  await row(zone.name).waitFor();
  // Where there is little width, the filters are folded, and say how many are set.
  const drift = page.getByRole("combobox", { name: "Changed at the provider" });
  expect(await drift.isVisible()).toBe(true);
  await page.setViewportSize({ width: 390, height: 800 });
  await drift.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Filters 1" }).click();
  await drift.selectOption("");
  await row(same.name).waitFor();
});

test("a sync that loses much of a zone asks a second time before it is forced", async () => {
  const zone = await fileZone(site.zonewright);
  for (let host = 1; host <= 11; host++) await zone.add("A", `host${host}`, `192.0.2.${host}`);
  await zone.edit((text) => text.replaceAll(/^host(?:[1-9])\b.*\n/gm, ""));
  await noticed(zone);
  const page = await opened(zone, "access");
  await page.getByRole("button", { name: "Show the difference" }).click();
  site.expected.push("409");
  await dialog(page).getByRole("button", { name: "Adopt the records", exact: true }).click();
  await dialog(page).getByLabel("I have reviewed the differences and want to continue.").check();
  expect((await zone.detail()).recordCount).toBe(11);
  await dialog(page).getByRole("button", { name: "Adopt them anyway" }).click();
  await dialog(page).waitFor({ state: "hidden" });
  expect((await zone.detail()).recordCount).toBe(2);
});

test("a snapshot taken by hand is compared and restored, with the changes shown first", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  const page = await opened(zone, "timeline#snapshots");
  await expect.poll(() => tabs(page).locator("[aria-current]").allTextContents()).toEqual(["Snapshots"]);
  await page.getByText("No snapshots yet").waitFor();
  await page.getByRole("button", { name: "Take a snapshot…" }).click();
  await dialog(page).getByLabel("Name").fill("Before the move");
  await photograph(page, "zone-take-snapshot");
  await page.keyboard.press("Enter");
  await page.getByText("Snapshot 1: Before the move", { exact: true }).waitFor();
  await zone.add("A", "later", "192.0.2.2");
  await page.getByRole("button", { name: "Take a snapshot…" }).click();
  await dialog(page).getByRole("button", { name: "Take it" }).click();
  await page.getByText("Snapshot 2", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Compare…" }).click();
  await dialog(page).getByText("later").waitFor();
  await dialog(page).getByRole("button", { name: "Close" }).click();
  await photograph(page, "zone-settings");
  await page.getByRole("button", { name: "Restore… Snapshot 1" }).click();
  await dialog(page).getByText("192.0.2.2").waitFor();
  await photograph(page, "zone-restore");
  await dialog(page).getByRole("button", { name: "Restore", exact: true }).click();
  await page.getByText("Snapshot 1 restored.").waitFor();
  await photograph(page, "zone-snapshots");
  await page.getByRole("link", { name: "Compare with now Snapshot 1" }).click();
  await page.getByText("From revision 1 to 3").waitFor();
  expect(await tabs(page).locator("[aria-current]").allTextContents()).toEqual(["History"]);
  await page.goBack();
  await page.getByRole("link", { name: "Snapshot 1: Before the move", exact: true }).click();
  await page.getByText("The zone at revision 1").waitFor();
  expect((await zone.detail()).recordCount).toBe(1);
});

test("an administrator sets the owner where the page says who it is, or that nobody owns the domain", async () => {
  const zone = await fileZone(site.zonewright);
  const { username, id } = await member();
  const page = await opened(zone, "access");
  const card = page.locator("section").filter({ has: page.getByRole("heading", { name: "Owner", exact: true }) });
  await card.getByRole("combobox", { name: "Owner" }).fill("nobody at all");
  await page.keyboard.press("Tab");
  await card.getByRole("button", { name: "Save" }).click();
  await card.getByText("Choose somebody from the list").waitFor();
  await card.getByRole("combobox", { name: "Owner" }).fill(username);
  await page.getByRole("option", { name: username }).click();
  await photograph(page, "zone-owner");
  await card.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect((await zone.detail()).ownerId).toBe(id);
  await expectAccessible(page);
  await card.getByRole("combobox", { name: "Owner" }).fill("");
  await card.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await zone.detail()).ownerId).toBeNull();
});

test("an assignment gives a member exactly the pages and controls that they may use", async () => {
  const zone = await fileZone(site.zonewright);
  const { username } = await member();
  const page = await opened(zone, "access");
  await page.getByRole("button", { name: "Assign…" }).click();
  const found = dialog(page).getByRole("combobox", { name: "Member", exact: true });
  await found.pressSequentially(username.slice(0, -1));
  await page.getByRole("option", { name: username }).and(page.locator("[data-highlighted]")).waitFor();
  await photograph(page, "zone-assign-member");
  await page.keyboard.press("Enter");
  await expect.poll(() => found.inputValue()).toBe(username);
  expect(await dialog(page).getByLabel(/^Find/).count()).toBe(0);
  await dialog(page).getByLabel("Hosts").fill("*.dev");
  await dialog(page).getByLabel("Access").selectOption({ label: "Read and change" });
  await photograph(page, "zone-assign");
  await dialog(page).getByRole("button", { name: "Assign" }).click();
  await page.getByText(`${username} assigned.`).waitFor();

  const theirs = await opened(zone, "access", { username, password: memberPassword });
  await theirs.getByText("Change the records of *.dev").waitFor();
  expect(await tabNames(theirs)).toEqual([
    "Records",
    "Text",
    "History",
    "Snapshots",
    "Requests",
    "Health",
    "Registration",
    "Access",
  ]);
  expect(await theirs.getByRole("button", { name: /Assign|Withdraw|Approve/ }).count()).toBe(0);
  await photograph(theirs, "zone-access-member");
  await expectAccessible(theirs);
  // What they may change is said before anything is refused, and at the field.
  await theirs.goto(`${site.url}/d/${zone.name}/records`);
  await theirs.getByText("You may change: *.dev").waitFor();
  await theirs.getByRole("button", { name: "Add record" }).first().click();
  const editor = theirs.getByRole("group", { name: "Edit the record" });
  await editor.getByRole("textbox", { name: "Name" }).fill("www");
  await editor.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.1");
  await editor.getByRole("button", { name: "Done" }).click();
  await editor.getByText("You may change: *.dev").waitFor();
  await photograph(theirs, "zone-rights-member");
  await editor.getByRole("textbox", { name: "Name" }).fill("api.dev");
  await editor.getByRole("button", { name: "Done" }).click();
  await theirs.getByText("1 change", { exact: true }).waitFor();
  await theirs.goto(`${site.url}/d/${zone.name}/settings`);
  await theirs.getByText("Only the owner of this domain").waitFor();
  expect(await theirs.getByRole("button", { name: "Save" }).count()).toBe(0);

  // Their page may hear of it before it is left.
  site.expected.push("403", "404");
  await page.getByRole("button", { name: `Withdraw the assignment of ${username}` }).click();
  await dialog(page).getByRole("button", { name: "Withdraw" }).click();
  await page.getByText("Nobody is assigned yet.").waitFor();
  await theirs.goto(`${site.url}/d/${zone.name}/access`);
  await theirs.getByRole("heading", { name: "This page does not exist." }).waitFor();
});

test("of more assignments than a page holds each is on a page, and each lets its member edit", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "h0", "192.0.2.1");
  const { username, id } = await member();
  for (let host = 0; host <= 100; host += 1) {
    const assignment = { userId: id, domainId: zone.id, access: "write", subdomainPattern: `h${host}` };
    expect((await site.zonewright.admin.post("/api/assignments", assignment)).status).toBe(201);
  }
  const theirs = await opened(zone, "records", { username, password: memberPassword });
  await theirs.getByRole("button", { name: "Actions for h0 A" }).click();
  await theirs.getByRole("menuitem", { name: "Edit" }).waitFor();

  const page = await opened(zone, "access");
  const items = page.getByRole("list", { name: "Assignments" }).getByRole("listitem");
  await page.getByText("h100", { exact: true }).waitFor();
  await page.getByText("Page 1 of 3").waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("Page 2 of 3").waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await expect.poll(async () => await items.allInnerTexts()).toEqual([expect.stringContaining("h0")]);
  await page.getByRole("button", { name: `Withdraw the assignment of ${username}` }).click();
  await dialog(page).getByRole("button", { name: "Withdraw" }).click();
  // The last page is gone with its only assignment.
  await page.getByText("Page 2 of 2").waitFor();
});

test("a member's request is approved or rejected by an administrator, and both see it live", async () => {
  const zone = await fileZone(site.zonewright);
  const { username, id } = await member();
  await site.zonewright.admin.post("/api/assignments", {
    userId: id,
    domainId: zone.id,
    subdomainPattern: "www",
    access: "read",
  });
  const theirs = await opened(zone, "access", { username, password: memberPassword });
  const page = await opened(zone, "access");
  await expect.poll(() => site.zonewright.services.streams.openStreams).toBe(4);
  for (const hosts of ["shop", "blog"]) {
    await theirs.getByRole("button", { name: "Request access…" }).click();
    await dialog(theirs).getByLabel("Hosts").fill(hosts);
    await dialog(theirs).getByLabel("Why you need it").fill("A new page.");
    await dialog(theirs).getByRole("button", { name: "Request access" }).click();
    await dialog(theirs).waitFor({ state: "hidden" });
  }
  await page.getByRole("list", { name: "Requests" }).getByText("shop").waitFor();
  const row = (hosts: string) => page.getByRole("listitem").filter({ hasText: `: ${hosts}` });
  await photograph(page, "zone-requests");
  await row("shop").getByRole("button", { name: "Approve" }).click();
  await row("blog").getByRole("button", { name: "Reject…" }).click();
  await dialog(page).getByLabel("Note to the requester (optional)").fill("Not yours.");
  await dialog(page).getByRole("button", { name: "Reject" }).click();
  await theirs.getByText("Change the records of shop", { exact: true }).waitFor();
  await theirs.getByText("Rejected: Not yours.").waitFor();
});

test("the pages of a zone have no accessibility findings, in both themes and at 320 pixels", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await zone.post("/snapshots", {});
  const { id } = await member();
  await site.zonewright.admin.post("/api/assignments", { userId: id, domainId: zone.id });
  for (const dark of [false, true]) {
    for (const [tab, shown] of [
      ["settings", "Disable or remove"],
      ["timeline#snapshots", "Snapshot 1"],
      ["access", "colleague-"],
    ] as const) {
      const page = await opened(zone, tab, { dark, width: dark ? 320 : 1280 });
      await page.getByText(shown).first().waitFor();
      await expectAccessible(page);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      // Each browser of a user holds two of their five streams.
      await page.context().close();
    }
  }
});

test("an auditor sees who is assigned, and is offered nothing that would be refused", async () => {
  const zone = await fileZone(site.zonewright);
  const { id, username } = await member();
  await site.zonewright.admin.post("/api/assignments", { userId: id, domainId: zone.id, subdomainPattern: "*.dev" });
  const auditor = await member();
  await site.zonewright.admin.put(`/api/users/${auditor.id}`, { role: "auditor" });
  const page = await opened(zone, "access", { username: auditor.username, password: memberPassword });
  const list = page.getByRole("list", { name: "Assignments" });
  await list.getByText(username).waitFor();
  await list.getByText("*.dev").waitFor();
  expect(await page.getByRole("button", { name: /Assign…|Withdraw|Approve|Request access/ }).count()).toBe(0);
  await expectAccessible(page);
});

test("withdrawing an assignment by tag says that it ends for every domain with the tag", async () => {
  const zone = await fileZone(site.zonewright);
  await site.zonewright.admin.put(zone.path, { tags: ["shops"] });
  const { id, username } = await member();
  await site.zonewright.admin.post("/api/assignments", { userId: id, tag: "shops" });
  const page = await opened(zone, "access");
  await page.getByRole("button", { name: `Withdraw the assignment of ${username}` }).click();
  await dialog(page)
    .getByText(/all domains of the tag shops/)
    .waitFor();
});

test("PTR records are set to follow, mail is protected, and the page shows what the world sees of the domain", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await opened(zone, "settings");
  const rules = page.locator("section").filter({ has: page.getByRole("heading", { name: "Rules for records" }) });
  await rules.getByLabel("PTR records of its addresses").selectOption({ label: "Follow automatically" });
  await rules.getByLabel(/change MX records$/).check();
  await rules.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect(await zone.detail()).toMatchObject({ reverse: "follow", protectMail: true });
  // What somebody else sets meanwhile stays.
  await site.zonewright.admin.put(zone.path, { protectMail: false });
  await rules.getByLabel("PTR records of its addresses").selectOption({ label: "Stay as they are" });
  await rules.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await zone.detail()).reverse).toBe("off");
  expect(await zone.detail()).toMatchObject({ reverse: "off", protectMail: false });
  const delegation = page.locator("section").filter({ has: page.getByRole("heading", { name: "Delegation" }) });
  await delegation.getByText(/^It (?:is not checked|has not been checked yet)/).waitFor();
});

const ask = async (client: RestClient, domainName: string) =>
  expect((await client.post("/api/assignments/requests", { domainName })).status).toBe(201);

test("an access request that is older than a hundred others is found on its zone's page, and granted", async () => {
  const zone = await fileZone(site.zonewright);
  const asking = await site.zonewright.member("asks-first");
  await ask(asking, zone.name);
  for (const name of ["asks-much", "asks-more"]) {
    const other = await site.zonewright.member(name);
    for (let count = 0; count < 50; count++) await ask(other, `elsewhere${count}.example`);
  }
  const page = await opened(zone, "access");
  await page.getByRole("button", { name: "Show older requests" }).click();
  const list = page.getByRole("list", { name: "Requests", exact: true });
  await list.getByText("asks-first").waitFor();
  await page.getByRole("button", { name: "Show older requests" }).waitFor({ state: "detached" });
  await expectAccessible(page);
  await photograph(page, "older-requests");
  await list.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("list", { name: "Assignments" }).getByText("asks-first").waitFor();
});
