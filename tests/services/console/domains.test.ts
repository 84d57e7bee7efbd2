import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { expectAccessible, focusIn, photograph, useConsole } from "../../support/console.ts";
import { memberPassword } from "../../support/zonewright.ts";

const site = useConsole();

const hostile = `<img src=x onerror="document.title='owned'">`;

async function list(query = ""): Promise<Page> {
  const page = await site.signedIn({ path: `/${query}` });
  await page.getByRole("grid", { name: "Domains" }).waitFor();
  return page;
}

const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

test("from an empty installation, a found zone file is imported with the keyboard alone", async () => {
  const folder = join(site.zonewright.dataDir, "zones");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "first.test.zone"),
    "$TTL 300\n@ SOA ns.first.test. host.first.test. 1 7200 900 1209600 300\n@ NS ns.first.test.\nns A 192.0.2.1\n",
  );
  const page = await site.open();
  await page.goto(site.url);
  await page.getByLabel("Username").waitFor();
  await page.getByLabel("Username").focus();
  await page.keyboard.type("admin");
  await page.keyboard.press("Tab");
  await page.keyboard.type("correct horse battery staple");
  await page.keyboard.press("Enter");
  await page.getByText("A zone is waiting here").waitFor();
  await expectAccessible(page);
  await photograph(page, "first-run");
  const focused = async () => await page.evaluate(() => document.activeElement?.textContent);
  await expect.poll(focused).toBe("Import this zone");
  await page.keyboard.press("Enter");
  await expect.poll(focused).toBe("Import 1 zone");
  await page.keyboard.press("Enter");
  await expect.poll(focused).toBe("Open first.test");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${site.url}/d/first.test/records`);
});

test("without a zone file, the first run leads to the kinds of providers", async () => {
  const { body } = await site.zonewright.admin.get("/api/domains");
  for (const { id } of body.domains) await site.zonewright.admin.delete(`/api/domains/${id}`);
  await rm(join(site.zonewright.dataDir, "zones", "first.test.zone"), { force: true });
  const page = await site.signedIn();
  await page.getByRole("heading", { name: "No domains yet" }).waitFor();
  await expect
    .poll(async () => await page.evaluate(() => document.activeElement?.textContent))
    .toBe("Connect a provider");
  // While the folder is read again, at the return to the window, what was shown stays.
  const asked = Promise.withResolvers<undefined>();
  const answered = Promise.withResolvers<undefined>();
  await page.route("**/*providerConfigs.zones*", async (route) => {
    asked.resolve(undefined);
    await answered.promise;
    await route.continue();
  });
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  await asked.promise;
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Connect a provider");
  const add = page.getByRole("button", { name: "Add domain" });
  await add.click();
  await focusIn(page.getByRole("dialog"));
  await page.keyboard.press("Escape");
  // The dialog gives the focus back.
  await focusIn(add);
  answered.resolve(undefined);
  await page.getByRole("link", { name: "Connect a provider" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Where are your zones?" }).waitFor();
});

test("the list that was empty shows the zones that were just imported", async () => {
  const names = ["second.test", "third.test"];
  const file = (name: string) => join(site.zonewright.dataDir, "zones", `${name}.zone`);
  for (const name of names)
    await writeFile(
      file(name),
      `$TTL 300\n@ SOA ns.${name}. host.${name}. 1 7200 900 1209600 300\n@ NS ns.${name}.\nns A 192.0.2.1\n`,
    );
  const page = await site.signedIn();
  await page.getByRole("link", { name: "Import these zones" }).click();
  await page.getByRole("button", { name: "Import 2 zones" }).click();
  await page.getByRole("link", { name: "Open your domains" }).click();
  for (const name of names) await page.getByRole("link", { name }).waitFor();
  // The keyboard goes on at the content, although the button that was first there is gone.
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("content");
  const { body } = await site.zonewright.admin.get("/api/domains");
  expect(body.total).toBe(2);
  for (const { id } of body.domains) await site.zonewright.admin.delete(`/api/domains/${id}`);
  for (const name of names) await rm(file(name));
});

test("a domain is added with Alt N, and opens", async () => {
  const page = await site.signedIn();
  await page.getByRole("heading", { name: "No domains yet" }).waitFor();
  await page.keyboard.press("Alt+n");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("not a name");
  site.expected.push("400");
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Name").fill("added.test");
  await dialog.getByLabel("Group").fill("Customers");
  await dialog.getByLabel("View").fill("internal");
  await dialog.getByLabel("Tags").fill("web, prod");
  await expectAccessible(page);
  await photograph(page, "add-domain");
  await dialog.getByRole("button", { name: "Add domain" }).click();
  await page.waitForURL(`${site.url}/d/added.test!internal/records`);
  const { body } = await site.zonewright.admin.get("/api/domains?name=added.test!internal");
  expect(body.domains[0]).toMatchObject({ groupName: "Customers", tags: ["web", "prod"] });
});

test("the list of some thousand domains shows any part of it", async () => {
  const db = queries(site.zonewright.services.database.fork());
  const model = await db.selectFrom("domains").selectAll().executeTakeFirstOrThrow();
  for (let part = 0; part < 6; part += 1) {
    const rows = Array.from({ length: 500 }, (_, index) => {
      const name = `many-${String(part * 500 + index).padStart(4, "0")}.test`;
      const own = { id: crypto.randomUUID(), name, provider_zone: name, view: "", tags: [], group_name: null };
      return Object.assign({}, model, own, { folded_tags: undefined });
    });
    await db.insertInto("domains").values(rows).execute();
  }
  const page = await list();
  await page.getByText("3,001 domains").waitFor();
  const grid = page.getByRole("grid", { name: "Domains" });
  await grid.focus();
  await page.keyboard.press("End");
  await grid.getByText("many-2999.test").waitFor();
  expect(await grid.getByRole("row").count()).toBeLessThan(100);
  await page.keyboard.press("Home");
  await grid.getByText("added.test").waitFor();
  await photograph(page, "domains");
});

test("the keyboard searches, moves, selects a range, and opens a row", async () => {
  const page = await list();
  await page.keyboard.press("/");
  await page.keyboard.type("many-00");
  await page.waitForURL(/search=many-00/);
  await page.getByText("100 domains", { exact: true }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press(" ");
  await page.getByText("1 domain selected").waitFor();
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await page.getByText("3 domains selected").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(async () => await page.getByText("domains selected").count()).toBe(0);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${site.url}/d/many-0003.test/records`);
});

test("many zone files become domains with their records, and a file with an error says what to mend", async () => {
  const soa = "ada.ns.cloudflare.com. dns.cloudflare.com. 2050000001 10000 2400 604800 3600";
  // As Cloudflare exports it: without the dot behind the owner of the SOA.
  const exported = (name: string) =>
    `;;\n;; Domain:     ${name}.\n;; Exported:   2026-03-01 09:30:00\n;;\n${name}\t3600\tIN\tSOA\t${soa}\n` +
    `${name}.\t1\tIN\tA\t192.0.2.1 ; cf_tags=cf-proxied:true\nwww.${name}.\t300\tIN\tCNAME\t${name}.\n`;
  const page = await site.signedIn();
  await page.getByRole("button", { name: "Add domain" }).click();
  await page
    .locator("input[type=file]")
    .setInputFiles([
      file("one.txt", exported("files-one.test")),
      file("two.txt", exported("files-two.test")),
      file("files-wrong.test.zone", "www 300 A 192.0.2.999\n"),
    ]);
  const dialog = page.getByRole("dialog", { name: "Add domains from zone files" });
  await dialog.getByText(/^Line 1: /).waitFor();
  expect(
    await dialog.getByRole("textbox").evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value)),
  ).toEqual(["files-one.test", "files-two.test", "files-wrong.test"]);
  await expectAccessible(page);
  await photograph(page, "zone-files");
  // The records of a file are read anew for another name.
  await dialog.getByLabel("Domain of two.txt").fill("files-one.test");
  await expect.poll(() => dialog.getByRole("alert").count()).toBe(2);
  await dialog.getByLabel("Domain of two.txt").fill("files-two.test");
  await expect.poll(() => dialog.getByRole("alert").count()).toBe(1);
  await dialog.getByRole("button", { name: "Add 2 domains" }).click();
  await page.getByText("2 domains added.").waitFor();
  await expect.poll(() => dialog.getByText(/^Added/).count()).toBe(2);
  const { body } = await site.zonewright.admin.get("/api/records?search=files-one.test");
  const held = body.records.map((each: Record<string, unknown>) =>
    [each.name, each.recordType, each.ttl, each.value].join(" "),
  );
  expect(held).toEqual(expect.arrayContaining(["@ A 3600 192.0.2.1", "www CNAME 300 files-one.test"]));
});

test("a tag is added to a selection and removed again, and a domain that fails is named", async () => {
  const page = await list("?search=many-00");
  await page.getByText("100 domains", { exact: true }).waitFor();
  await page.getByLabel("Select many-0001.test").click();
  await page.getByLabel("Select many-0004.test").click({ modifiers: ["Shift"] });
  await page.getByText("4 domains selected").waitFor();
  const { body } = await site.zonewright.admin.get("/api/domains?name=many-0002.test");
  await site.zonewright.admin.delete(`/api/domains/${body.domains[0].id}`);
  site.expected.push("404");
  await page.getByRole("button", { name: "Add tag" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Tag").fill("seasonal");
  await dialog.getByRole("button", { name: "Add tag" }).click();
  await dialog.getByText("1 domain is unchanged:").waitFor();
  await dialog.getByText("many-0002.test").waitFor();
  await expectAccessible(page);
  await photograph(page, "bulk-tags");
  await dialog.getByRole("button", { name: "Close" }).click();
  const tagged = await site.zonewright.admin.get("/api/domains?tag=seasonal");
  expect(tagged.body.total).toBe(3);
  await page.getByRole("combobox", { name: "Tags" }).selectOption("seasonal");
  await page.getByText("3 domains", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await page.getByLabel(/^Select the 3 shown/).click();
  await page.getByRole("button", { name: "Remove tag" }).click();
  await dialog.getByLabel("Tag").fill("seasonal");
  await dialog.getByRole("button", { name: "Remove tag" }).click();
  await page.getByText("3 domains no longer have the tag seasonal.").waitFor();
  await page.getByText("No domain matches.").waitFor();
});

test("the expiry reminders of a selection are set at once", async () => {
  const page = await list("?search=many-001");
  await page.getByLabel("Select many-0010.test").click();
  await page.getByLabel("Select many-0012.test").click({ modifiers: ["Shift"] });
  await page.getByRole("button", { name: "Reminders…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Remind before expiry").fill("60, soon");
  await dialog.getByRole("button", { name: "Set reminders" }).click();
  await dialog.getByText("Enter whole numbers of days").waitFor();
  await dialog.getByLabel("Remind before expiry").fill("1, 60, 14");
  await dialog.getByRole("button", { name: "Set reminders" }).click();
  await page.getByText("3 domains remind 1, 60, 14 days before they expire.").waitFor();
  const { body } = await site.zonewright.admin.get("/api/domains?name=many-0012.test");
  const { body: domain } = await site.zonewright.admin.get(`/api/domains/${body.domains[0].id}`);
  expect(domain.expiryRemindDays).toEqual([60, 14, 1]);
});

test("groups and views filter the list, and stand in the address", async () => {
  const page = await list();
  await page.getByRole("combobox", { name: "Group" }).selectOption("Customers");
  await page.getByText("1 domain", { exact: true }).waitFor();
  await page.getByRole("combobox", { name: "View" }).selectOption("internal");
  await page.waitForURL(/group=Customers&view=internal|view=internal&group=Customers/);
  await page.reload();
  await page.getByText("1 domain", { exact: true }).waitFor();
});

test("the list names who last changed a zone, and shows the columns that its user chose in every browser", async () => {
  const [{ id }] = (await site.zonewright.admin.get("/api/domains?name=added.test!internal")).body.domains;
  await site.zonewright.admin.post(`/api/domains/${id}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
  const page = await list("?search=added");
  const grid = page.getByRole("grid", { name: "Domains" });
  const headings = async (of = grid) => (await of.getByRole("columnheader").allTextContents()).slice(1);
  await site.zonewright.admin.put(`/api/domains/${id}`, { notes: "Moving" });
  await page.reload();
  // Made at the same time as far as the list says, which is not said twice.
  await grid.getByRole("gridcell", { name: "admin", exact: true }).waitFor();
  expect(await headings()).toEqual(["Name", "Provider", "Records", "Expires", "Tags", "Changed", "Author"]);
  await photograph(page, "domains-author");
  // What else of the domain changes has no author in its history: the time of the last change of records is added.
  await queries(site.zonewright.services.database.fork())
    .updateTable("change_sets")
    .set({ finished_at: new Date(Date.now() - 7_300_000) })
    .where("domain_id", "=", id)
    .execute();
  await site.zonewright.admin.put(`/api/domains/${id}`, { notes: "Moved" });
  await page.reload();
  await grid.getByRole("gridcell", { name: /^admin, 2 .* ago$/ }).waitFor();
  await page.getByRole("button", { name: "Columns" }).click();
  const dialog = page.getByRole("dialog", { name: "Columns" });
  for (const label of ["Expires", "Tags", "Records"]) await dialog.getByLabel(label).uncheck();
  await dialog.getByLabel("Group").check();
  await expectAccessible(page);
  await photograph(page, "domains-columns");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
  const chosen = ["Name", "Provider", "Group", "Changed", "Author"];
  await expect.poll(() => headings()).toEqual(chosen);
  await grid.getByRole("gridcell", { name: "Customers", exact: true }).waitFor();
  await expectAccessible(page);
  const elsewhere = await site.signedIn({ path: "/?search=added", width: 390 });
  await elsewhere.evaluate(() => localStorage.removeItem("zonewright.columns"));
  await elsewhere.reload();
  const there = elsewhere.getByRole("grid", { name: "Domains" });
  await there.getByRole("gridcell", { name: "Group Customers", exact: true }).waitFor();
  await expectAccessible(elsewhere);
  await photograph(elsewhere, "domains-columns-phone");
  // They are there again at once, before the account has been asked.
  await elsewhere.setViewportSize({ width: 1280, height: 800 });
  const asked = Promise.withResolvers<undefined>();
  await elsewhere.route("**/*profile.preferences*", async (route) => {
    await asked.promise;
    await route.continue();
  });
  await elsewhere.reload();
  await there.getByRole("gridcell", { name: "Customers", exact: true }).waitFor();
  expect(await headings(there)).toEqual(chosen);
  asked.resolve(undefined);
  await page.getByRole("button", { name: "Columns" }).click();
  await dialog.getByRole("button", { name: "Usual columns" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => headings()).toContain("Tags");
});

test("filters of the list are saved by name, chosen, renamed, and deleted with an undo", async () => {
  const page = await list("?search=added");
  await page.getByRole("combobox", { name: "Status" }).selectOption("active");
  const save = page.getByRole("button", { name: "Save…" });
  await save.click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByLabel("Name").inputValue()).toBe("added Active");
  await dialog.getByLabel("Name").fill("Active ones");
  await dialog.getByRole("button", { name: "Save" }).click();
  const saved = page.getByRole("list", { name: "Saved filters" });
  await saved.getByRole("link", { name: "Active ones" }).waitFor();
  await page.getByRole("combobox", { name: "Status" }).selectOption("disabled");
  await page.getByText("No domain matches.").waitFor();
  await save.click();
  await dialog.getByLabel("Name").fill("Off");
  await dialog.getByRole("button", { name: "Save" }).click();
  await saved.getByRole("link", { name: "Active ones" }).click();
  await page.waitForURL(/status=active/);
  await page.getByText("1 domain", { exact: true }).waitFor();
  expect(await saved.getByRole("link", { name: "Active ones" }).getAttribute("aria-current")).toBe("page");
  await saved.getByRole("button", { name: "Actions for Off" }).click();
  await page.getByRole("menuitem", { name: "Rename…" }).click();
  await dialog.getByLabel("Name").fill("Active ones");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("alert").getByText("This name is in use.").waitFor();
  await dialog.getByLabel("Name").fill("Switched off");
  await dialog.getByRole("button", { name: "Save" }).click();
  await saved.getByRole("link", { name: "Switched off" }).waitFor();
  await expectAccessible(page);
  await photograph(page, "domains-saved");
  await saved.getByRole("button", { name: "Actions for Switched off" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await saved.getByRole("link", { name: "Switched off" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await saved.getByRole("link", { name: "Switched off" }).waitFor();
  const { body } = await site.zonewright.admin.get("/api/auth/me/preferences");
  expect(body.savedSearches).toEqual([
    { name: "Active ones", page: "domains", filters: { search: "added", status: "active" }, pinned: false },
    { name: "Switched off", page: "domains", filters: { search: "added", status: "disabled" }, pinned: false },
  ]);
  await site.zonewright.admin.put("/api/auth/me/preferences", { savedSearches: [] });
});

test("a member selects only domains of their own, and sees no import", async () => {
  const owner = await site.zonewright.member("olga");
  const { body: me } = await owner.get("/api/auth/me");
  const db = queries(site.zonewright.services.database.fork());
  await db.updateTable("domains").set({ owner_id: me.id }).where("name", "=", "many-0005.test").execute();
  const page = await site.signedIn({ username: "olga", password: memberPassword });
  await page.getByLabel("Select many-0005.test").waitFor();
  expect(await page.getByRole("link", { name: "Import zones" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Add domain" }).count()).toBe(0);
});

test("markup in tags and groups stays text", async () => {
  const { body } = await site.zonewright.admin.get("/api/domains?name=many-0006.test");
  await site.zonewright.admin.put(`/api/domains/${body.domains[0].id}`, { tags: [hostile], groupName: hostile });
  const page = await list("?search=many-0006");
  await page.getByRole("gridcell", { name: hostile }).waitFor();
  expect(await page.locator("main img").count()).toBe(0);
  expect(await page.title()).toBe("Domains · Zonewright");
});

test("the list has no accessibility findings, in both themes and at 320 pixels, with a selection", async () => {
  for (const dark of [false, true]) {
    const page = await site.signedIn({ dark, width: dark ? 320 : 1280 });
    await page.getByLabel("Select many-0003.test").click();
    await page.getByText("1 domain selected").waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    if (!dark) await photograph(page, "domains-selected");
  }
});
