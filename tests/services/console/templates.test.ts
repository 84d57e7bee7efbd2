import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { addZone, manualConfig } from "../../support/zones.ts";

const site = useConsole();

const overflow = async (page: Page) => await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
const zone = async (name: string) =>
  await addZone(site.zonewright, { name, providerConfigId: await manualConfig(site.zonewright) });

/** A template with a value for each of its records. */
const template = (serviceId: string, variables: number, ttl = 3600) => ({
  providerId: "example.net",
  providerName: "Example",
  serviceId,
  serviceName: `Service ${serviceId}`,
  description: "Points hosts to a service.",
  records: Array.from({ length: variables }, (_, at) => ({ type: "CNAME", host: `h${at}`, pointsTo: `%v${at}%`, ttl })),
});

test("a built-in template is found, filled in, planned for a zone and applied, and a missing value is asked for at its field", async () => {
  const { id } = await zone("built.templates");
  const page = await site.signedIn();
  await page.getByRole("link", { name: "Templates", exact: true }).click();
  const list = page.getByRole("list", { name: "Templates" });
  await list.getByRole("link").first().waitFor();
  await expectAccessible(page);
  await photograph(page, "templates");
  await page.keyboard.press("/");
  await page.keyboard.type("dmarc reports");
  await page.waitForURL(/search=dmarc.reports$/);
  await list.getByRole("link", { name: /DMARC reports/ }).waitFor();
  await expect.poll(() => list.getByRole("link").count()).toBe(1);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.getByLabel("Zone", { exact: true }).fill("built.templates");
  await page.getByText("none, quarantine or reject", { exact: true }).waitFor();
  await page.getByLabel("policy").fill("none");
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("alert").getByText("This is required.").waitFor();
  await page.getByLabel("mailbox").fill("dmarc@example.net");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Plan for built.templates" }).waitFor();
  await expectAccessible(page);
  await photograph(page, "template-plan");
  await page.getByRole("textbox", { name: "Reason" }).fill("Mail needs it");
  await page.getByRole("button", { name: "Apply to built.templates" }).click();
  await page.waitForURL(`${site.url}/d/built.templates/records`);
  await page.getByRole("gridcell", { name: "_dmarc", exact: true }).waitFor();
  const { body } = await site.zonewright.admin.get(`/api/domains/${id}/history`);
  expect(body.entries[0].message).toBe("Mail needs it");
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("Undone in 1 domain").waitFor();
  const after = await site.zonewright.admin.get(`/api/domains/${id}/records?search=_dmarc`);
  const applied = await site.zonewright.admin.get(`/api/domains/${id}/templates`);
  expect([after.body.total, applied.body.total]).toEqual([0, 0]);
});

test("the only part of a template can be left out, and the values of parts that are left out are not asked for", async () => {
  await zone("part.template");
  const { body } = await site.zonewright.admin.post("/api/templates", {
    ...template("parts", 0),
    records: [
      { type: "A", host: "www", pointsTo: "192.0.2.1" },
      { type: "CNAME", host: "dkim", pointsTo: "%tenant%.example", groupId: "dkim" },
    ],
  });
  const page = await site.signedIn({ path: `/templates/${body.id}?zone=part.template` });
  await page.getByLabel("tenant").waitFor();
  await page.getByRole("group", { name: "Parts" }).getByLabel("dkim").uncheck();
  await page.getByLabel("tenant").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("heading", { name: "Plan for part.template" }).waitFor();
  await page.getByRole("button", { name: "Apply to part.template" }).click();
  await page.waitForURL(`${site.url}/d/part.template/records`);
  const { body: found } = await site.zonewright.admin.get("/api/records?value=192.0.2.1");
  expect(found.records.map(({ name }: { name: string }) => name)).toContain("www");
});

test("what was typed for a template stays when somebody stores a new version of it meanwhile", async () => {
  const { admin } = site.zonewright;
  const { body } = await admin.post("/api/templates", template("typed", 1));
  const page = await site.signedIn({ path: `/templates/${body.id}` });
  await page.getByLabel("v0").fill("typed.example");
  await page.getByRole("textbox", { name: "Host" }).fill("shop");
  expect((await admin.put(`/api/templates/${body.id}`, template("typed", 2))).status).toBe(200);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  await page.getByLabel("v1").waitFor();
  expect(await page.getByLabel("v0").inputValue()).toBe("typed.example");
  expect(await page.getByRole("textbox", { name: "Host" }).inputValue()).toBe("shop");
});

test("a template is put into the draft of a zone, and applied with other changes", async () => {
  const { id } = await zone("drafted.templates");
  const records = `/api/domains/${id}/records`;
  const old = { recordType: "TXT", name: "_dmarc", value: "v=DMARC1; p=none", ttl: 300 };
  await site.zonewright.admin.post(records, old);
  const page = await site.signedIn({ path: "/d/drafted.templates/records" });
  await page.getByRole("button", { name: "Add record" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("www");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("198.51.100.80");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("1 change", { exact: true }).waitFor();
  await page.goto(`${site.url}/templates?search=dmarc`);
  await page
    .getByRole("list", { name: "Templates" })
    .getByRole("link", { name: /DMARC reports/ })
    .click();
  await page.getByLabel("Zone", { exact: true }).fill("drafted.templates");
  await page.getByLabel("policy").fill("reject");
  await page.getByLabel("mailbox").fill("dmarc@example.net");
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("button", { name: "Put into the zone's draft" }).click();
  await page.waitForURL(`${site.url}/d/drafted.templates/records`);
  await page.getByText("3 changes", { exact: true }).waitFor();
  await page.getByRole("button", { name: /^Review/ }).click();
  const review = page.getByRole("dialog", { name: /^Review/ });
  await review.getByText("p=reject").waitFor();
  await photograph(page, "template-draft");
  await review.getByRole("button", { name: /^Apply/ }).click();
  await page.getByText(/^Applied as revision/).waitFor();
  const { body } = await site.zonewright.admin.get(records);
  const lines = body.records.map(({ name, value }: Record<string, string>) => `${name} ${value}`);
  expect(lines).toEqual([expect.stringMatching(/^_dmarc .*p=reject/), "www 198.51.100.80"]);
});

test("a template of 200 values is filled in by one paste, and only what is still empty is shown", async () => {
  await zone("many.templates");
  const { body } = await site.zonewright.admin.post("/api/templates", template("many", 200));
  const page = await site.signedIn({ path: `/templates/${body.id}?zone=many.templates` });
  await page.getByText("0 of 200 values filled in").waitFor();
  await page.getByText("Paste values", { exact: true }).first().click();
  const lines = Array.from({ length: 199 }, (_, at) => `v${at} = target${at}.example`);
  await page.getByRole("textbox", { name: "Paste values" }).fill(lines.join("\n"));
  await page.getByRole("button", { name: "Fill in" }).click();
  await page.getByText("199 of 200 values filled in").waitFor();
  await page.getByLabel("Show empty ones only").check();
  await expect
    .poll(() =>
      page
        .getByRole("group", { name: "Values" })
        .getByLabel(/^v\d+$/)
        .count(),
    )
    .toBe(1);
  await expectAccessible(page);
  await photograph(page, "template-many");
  await page.getByLabel("v199").fill("target199.example");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Plan for many.templates" }).waitFor();
  await page.getByText("+200").waitFor();
});

test("an administrator imports a template, and its new version is applied to the linked zones", async () => {
  await zone("linked.templates");
  const page = await site.signedIn({ path: "/templates" });
  await page.getByRole("button", { name: "Import…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Template", { exact: true }).fill("{");
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.getByRole("alert").getByText("This is not JSON").waitFor();
  site.expected.push("400");
  await dialog.getByLabel("Template", { exact: true }).fill(JSON.stringify({ ...template("linked", 1), records: [] }));
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.getByRole("alert").getByText("records: A template needs at least one record.").waitFor();
  await expectAccessible(page);
  await dialog.getByLabel("Template", { exact: true }).fill(JSON.stringify(template("linked", 1)));
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("heading", { name: "Service linked" }).waitFor();
  const address = page.url();
  await page.getByLabel("Zone", { exact: true }).fill("linked.templates");
  await page.getByLabel("v0").fill("target.example");
  await page.getByLabel(/^Link the zone to the template/).check();
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("button", { name: "Apply to linked.templates" }).click();
  await page.waitForURL(`${site.url}/d/linked.templates/records`);
  await page.goto(address);
  await page.getByRole("button", { name: "New version…" }).click();
  await dialog.getByRole("button", { name: "As JSON" }).click();
  await dialog.getByLabel("Template", { exact: true }).fill(JSON.stringify(template("linked", 1, 300)));
  await dialog.getByRole("button", { name: "Save new version" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Plan the update" }).click();
  await page.getByRole("button", { name: "Update 1 domain" }).waitFor();
  await expectAccessible(page);
  await photograph(page, "template-linked");
  await page.getByRole("button", { name: "Update 1 domain" }).click();
  await page.waitForURL(/\/replace\/[\w-]+$/);
  await page.getByText("1 domain changed", { exact: true }).waitFor();
  await page.goto(`${address}?zone=linked.templates`);
  await page.getByLabel("v0").fill("target.example");
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page
    .getByRole("list", { name: "Applied before" })
    .getByText(/^Applied at @ .*, linked\./)
    .waitFor();
  await page.getByRole("button", { name: "Plan the update" }).click();
  await page.getByText("Nothing to do: the linked zone already matches").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Forget it at @" }).click();
  await page.getByRole("list", { name: "Applied before" }).waitFor({ state: "hidden" });
});

test("a new version that changes nothing in the linked zones is stored for them, and what it gave up is theirs then", async () => {
  const { admin } = site.zonewright;
  const { id } = await zone("behind.templates");
  const { body } = await admin.post("/api/templates", template("behind", 2));
  const chosen = { variables: { v0: "zero.example", v1: "one.example" } };
  const at = `/api/domains/${id}/templates/${body.id}`;
  const { planHash } = (await admin.post(`${at}/plan`, chosen)).body;
  expect((await admin.post(`${at}/apply`, { ...chosen, planHash, linked: true })).status).toBe(200);
  const { records } = (await admin.get(`/api/domains/${id}/records?name=h1`)).body;
  expect((await admin.delete(`/api/domains/${id}/records/${records[0].id}`)).status).toBe(200);
  expect((await admin.put(`/api/templates/${body.id}`, template("behind", 1))).status).toBe(200);
  const page = await site.signedIn({ path: `/templates/${body.id}` });
  await page.getByRole("button", { name: "Plan the update" }).click();
  await page.getByText("1 domain still remembers an earlier version.").waitFor();
  await expectAccessible(page);
  await photograph(page, "template-behind");
  await page.getByRole("button", { name: "Store the new version" }).click();
  await page.getByText("New version stored for the linked zones.").waitFor();
  await page.getByText("Nothing to do: the linked zone already matches the template.", { exact: true }).waitFor();
  const { templates } = (await admin.get(`/api/domains/${id}/templates`)).body;
  expect(templates).toMatchObject([{ templateRevision: 2, records: [{ name: "h0" }] }]);
});

test("a template is made and edited in a form, where a fault stands at its field, what was typed stays, and what the form lacks is kept", async () => {
  const { admin } = site.zonewright;
  const page = await site.signedIn({ path: "/templates" });
  await page.getByRole("button", { name: "New template" }).click();
  const dialog = page.getByRole("dialog");
  const row = (at: number) => dialog.getByRole("group", { name: `Record ${at}`, exact: true });
  await dialog.getByLabel("Service", { exact: true }).fill("Made in a form");
  await dialog.getByLabel("Provider's domain").fill("example.net");
  await row(1).getByLabel("Type").selectOption("MX");
  await row(1).getByLabel("Priority").fill("ten");
  await row(1).getByLabel("Target").fill("%mx%.example.net");
  await dialog.getByRole("button", { name: "Add record" }).click();
  await row(2).getByLabel("Type").selectOption("TXT");
  await row(2).getByLabel("Value").fill("v=spf1 -all");
  await dialog.getByRole("list", { name: "Values to fill in" }).getByText("mx", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("This is required.").waitFor();
  await expect.poll(() => dialog.getByLabel("Service ID").getAttribute("aria-invalid")).toBe("true");
  await row(1).getByText("This must be a whole number, or one variable such as %ttl%.").waitFor();
  await photograph(page, "template-form");
  await expectAccessible(page);
  await row(1).getByLabel("Priority").fill("10");
  await dialog.getByLabel("Service ID").fill("x".repeat(255));
  await dialog.getByLabel("Description", { exact: true }).fill("y".repeat(10_001));
  site.expected.push("400");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect.poll(() => dialog.getByLabel("Description", { exact: true }).getAttribute("aria-invalid")).toBe("true");
  expect(await row(1).getByLabel("Target").inputValue()).toBe("%mx%.example.net");
  await dialog.getByLabel("Description", { exact: true }).fill("Mail");
  await dialog.getByLabel("Service ID").fill("form");
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Made in a form" }).waitFor();
  const address = new URL(page.url()).pathname;
  const stored = async () => (await admin.get(`/api${address}`)).body.template;
  const made = await stored();
  expect(made).toMatchObject({
    serviceId: "form",
    records: [
      { type: "MX", host: "@", priority: 10, pointsTo: "%mx%.example.net", ttl: 3600 },
      { type: "TXT", host: "@", data: "v=spf1 -all", ttl: 3600 },
    ],
  });
  const [mx, txt] = made.records;
  const rich = { ...made, logoUrl: "https://example.net/logo.png", records: [mx, { ...txt, groupId: "spf" }] };
  expect((await admin.put(`/api${address}`, rich)).status).toBe(200);
  await page.reload();
  await page.getByRole("button", { name: "New version…" }).click();
  await row(1).getByLabel("TTL").fill("300");
  await dialog.getByRole("button", { name: "As JSON" }).click();
  await expect.poll(() => dialog.getByLabel("Template", { exact: true }).inputValue()).toContain('"groupId": "spf"');
  await dialog.getByRole("button", { name: "Form", exact: true }).click();
  await dialog.getByRole("button", { name: "Save new version" }).click();
  await dialog.waitFor({ state: "hidden" });
  expect(await stored()).toEqual({
    ...rich,
    records: [
      { ...mx, ttl: 300 },
      { ...txt, groupId: "spf" },
    ],
  });
});

test("a template is applied to the domains that were selected, each says what became of it, and one undo takes back only what was changed", async () => {
  const { admin } = site.zonewright;
  const zones = [await zone("one.several"), await zone("two.several"), await zone("three.several")];
  const values = async ({ id }: { id: string }) =>
    (await admin.get(`/api/domains/${id}/records?name=h0`)).body.records.map(({ value }: { value: string }) => value);
  const [one, , three] = zones;
  // This one has it already; the last wants a review.
  const has = { recordType: "CNAME", name: "h0", value: "mail.example", ttl: 3600 };
  expect((await admin.post(`/api/domains/${one?.id}/records`, has)).status).toBe(201);
  expect((await admin.put(`/api/domains/${three?.id}`, { reviewRequired: "everyone" })).status).toBe(200);
  await admin.post("/api/templates", template("several", 1));
  const page = await site.signedIn({ path: "/?search=several" });
  for (const name of ["one.several", "two.several", "three.several"]) await page.getByLabel(`Select ${name}`).click();
  await page.getByRole("link", { name: "Apply a template…" }).click();
  await page.getByText("Choose the template for the 3 zones that you selected.").waitFor();
  await page.getByRole("searchbox").fill("Service several");
  await page.getByRole("link", { name: "Service several" }).click();
  await expect
    .poll(() => page.getByLabel("Zones", { exact: true }).inputValue())
    .toBe("one.several\ntwo.several\nthree.several");
  await page.getByLabel("v0").fill("mail.example");
  await page.getByLabel(/^Link the zone to the template/).check();
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("heading", { name: "Plan for 3 domains" }).waitFor();
  await page.getByText("1 domain already has all records of this template.").waitFor();
  await photograph(page, "template-zones");
  await expectAccessible(page);
  site.expected.push("409");
  await page.getByRole("button", { name: "Apply to 3 domains" }).click();
  const outcomes = page.getByRole("list", { name: "Outcomes" }).getByRole("listitem");
  await outcomes.filter({ hasText: "one.several" }).getByText("Linked. Nothing to change.").waitFor();
  await outcomes.filter({ hasText: "two.several" }).getByText("Applied as revision 1").waitFor();
  await outcomes
    .filter({ hasText: "three.several" })
    .getByText(/^Not applied\./)
    .waitFor();
  await photograph(page, "template-zones-applied");
  expect(await Promise.all(zones.map(values))).toEqual([["mail.example"], ["mail.example"], []]);
  await page.getByText("1 domain changed, 1 refused", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone in 1 domain").waitFor();
  // What one of them had before is not undone.
  expect(await Promise.all(zones.map(values))).toEqual([["mail.example"], [], []]);
});

test("where undoing would empty one of several zones, it names what goes, and goes on once that is confirmed", async () => {
  const { admin } = site.zonewright;
  const [filled, emptied] = [await zone("filled.undone"), await zone("emptied.undone")];
  const names = async (path: string) =>
    (await admin.get(`${path}/records`)).body.records.map(({ name }: { name: string }) => name);
  const [one, other] = [filled, emptied].map(({ id }) => `/api/domains/${id}`) as [string, string];
  const has = { recordType: "AAAA", name: "www", value: "2001:db8::1" };
  expect((await admin.post(`${one}/records`, has)).status).toBe(201);
  const { body } = await admin.post("/api/templates", template("undone", 2));
  const page = await site.signedIn({ path: `/templates/${body.id}?zone=filled.undone,emptied.undone` });
  await page.getByLabel("v0").fill("mail.example");
  await page.getByLabel("v1").fill("shop.example");
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("button", { name: "Apply to 2 domains" }).click();
  await page.getByText("2 domains changed", { exact: true }).waitFor();
  site.expected.push("409");
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("Not undone in 1 domain: that needs your confirmation.").waitFor();
  await page
    .getByText("In emptied.undone, this is deleted or changed: h0 CNAME mail.example and h1 CNAME shop.example.")
    .waitFor();
  expect([await names(one), await names(other)]).toEqual([["www"], ["h0", "h1"]]);
  await page.getByRole("button", { name: "Undo anyway" }).click();
  await expect.poll(() => names(other)).toEqual([]);
  expect(await names(one)).toEqual(["www"]);
});

test("where a template would end the link of a zone, the plan of several zones warns of it", async () => {
  const { admin } = site.zonewright;
  const [linked] = [await zone("linked.ends"), await zone("other.ends")];
  const { body } = await admin.post("/api/templates", template("ends", 1));
  const request = { variables: { v0: "mail.example" } };
  const path = `/api/domains/${linked?.id}/templates/${body.id}`;
  const { planHash } = (await admin.post(`${path}/plan`, request)).body;
  expect((await admin.post(`${path}/apply`, { ...request, planHash, linked: true })).status).toBe(200);
  const page = await site.signedIn({ path: `/templates/${body.id}?zone=linked.ends,other.ends` });
  await page.getByLabel("v0").fill("other.example");
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("heading", { name: "Plan for 2 domains" }).waitFor();
  const warning = page.getByText("This zone is linked to the template.");
  await page.getByRole("listitem").filter({ hasText: "linked.ends", has: warning }).waitFor();
  expect(await warning.count()).toBe(1);
  await page.getByLabel(/^Link the zone to the template/).check();
  await warning.waitFor({ state: "detached" });
});

test("undoing a template in several zones forgets it where it is new, and names the zones that remember other values of it", async () => {
  const { admin } = site.zonewright;
  const [had, fresh] = [await zone("had.links"), await zone("fresh.links")];
  for (const { id } of [had, fresh])
    await admin.post(`/api/domains/${id}/records`, { recordType: "A", name: "kept", value: "192.0.2.1" });
  const { body } = await admin.post("/api/templates", template("links", 1));
  const request = { variables: { v0: "mail.example" } };
  const path = `/api/domains/${had.id}/templates/${body.id}`;
  const { planHash } = (await admin.post(`${path}/plan`, request)).body;
  expect((await admin.post(`${path}/apply`, { ...request, planHash, linked: true })).status).toBe(200);
  const page = await site.signedIn({ path: `/templates/${body.id}?zone=had.links,fresh.links` });
  await page.getByLabel("v0").fill("other.example");
  await page.getByLabel(/^Link the zone to the template/).check();
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("button", { name: "Apply to 2 domains" }).click();
  await page.getByText("2 domains changed", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("Undone in 2 domains").waitFor();
  await page.getByText(/^The records in had\.links are as before/).waitFor();
  await photograph(page, "template-undone");
  const remembered = async ({ id }: { id: string }) => {
    const { templates } = (await admin.get(`/api/domains/${id}/templates`)).body;
    return templates.map(({ variables, linked }: Record<string, unknown>) => [variables, linked]);
  };
  expect(await remembered(fresh)).toEqual([]);
  expect(await remembered(had)).toEqual([[{ v0: "other.example" }, true]]);
});

test("where a template can be applied to none of the zones, its plan speaks of no others", async () => {
  await Promise.all([zone("one.none"), zone("two.none")]);
  const redirect = { type: "REDIR301", host: "@", target: "https://example.net" };
  const { records, ...rest } = template("none", 1);
  const { body } = await site.zonewright.admin.post("/api/templates", { ...rest, records: [...records, redirect] });
  const page = await site.signedIn({ path: `/templates/${body.id}?zone=one.none,two.none` });
  await page.getByLabel("v0").fill("mail.example");
  site.expected.push("400");
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByText("The template cannot be applied to 2 domains.", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: /^Apply to/ }).count()).toBe(0);
});

test("PTR records that follow a template are in its plan, of one zone and of several", async () => {
  const { admin } = site.zonewright;
  const names = ["one.follows", "two.follows"];
  const providerConfigId = await manualConfig(site.zonewright);
  await addZone(site.zonewright, { name: "0.18.198.in-addr.arpa", providerConfigId });
  for (const [index, name] of names.entries()) {
    const { id } = await zone(name);
    await admin.put(`/api/domains/${id}`, { reverse: index === 0 ? "follow" : "offer" });
  }
  const { body } = await admin.post("/api/templates", {
    ...template("follows", 1),
    records: [{ type: "A", host: "www", pointsTo: "198.18.0.88" }],
  });
  const page = await site.signedIn({ path: `/templates/${body.id}?zone=${names[0]}` });
  await page.getByRole("button", { name: "Show the plan" }).click();
  const follows = page.getByText("PTR records follow in their reverse zones: + 198.18.0.88 → www.one.follows", {
    exact: true,
  });
  await follows.waitFor();
  await expectAccessible(page);
  await page.goto(`${site.url}/templates/${body.id}?zone=${names.join()}`);
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("heading", { name: "Plan for 2 domains" }).waitFor();
  await follows.waitFor();
  await page
    .getByText(/^PTR records could follow, but stay as they are: \+ 198\.18\.0\.88 → www\.two\.follows\./)
    .waitFor();
});

test("a zone that is named twice is planned once, and a plan that was asked for before an edit is not shown after it", async () => {
  const { id } = await zone("one.twice");
  const { body } = await site.zonewright.admin.post("/api/templates", template("twice", 1));
  const page = await site.signedIn({ path: `/templates/${body.id}` });
  await page.getByRole("button", { name: "Choose several zones…" }).click();
  await page.getByLabel("Zones", { exact: true }).fill("one.twice\nONE.twice");
  await page.getByLabel("v0").fill("mail.example");
  const asked = Promise.withResolvers<undefined>();
  const edited = Promise.withResolvers<undefined>();
  await page.route("**/trpc/templates.plan*", async (route) => {
    asked.resolve(undefined);
    await edited.promise;
    await route.continue();
  });
  const show = page.getByRole("button", { name: "Show the plan" });
  await show.click();
  await asked.promise;
  await page.getByLabel("Host", { exact: true }).fill("shop");
  edited.resolve(undefined);
  await expect.poll(() => show.getAttribute("aria-disabled")).not.toBe("true");
  expect(await page.getByRole("heading", { name: /^Plan for/ }).count()).toBe(0);
  await show.click();
  await page.getByRole("heading", { name: "Plan for 1 domain" }).waitFor();
  await page.getByRole("button", { name: "Apply to 1 domain" }).click();
  await page.getByRole("list", { name: "Outcomes" }).getByText("Applied as revision 1").waitFor();
  const { body: stored } = await site.zonewright.admin.get(`/api/domains/${id}/records`);
  expect(stored.records).toMatchObject([{ name: "h0.shop", value: "mail.example" }]);
});

test("while a template is applied its fields wait, a refusal stays readable, and a lost answer is not called a refusal", async () => {
  const { admin } = site.zonewright;
  const [lost, reviewed] = [await zone("lost.wait"), await zone("reviewed.wait"), await zone("well.wait")];
  expect((await admin.put(`/api/domains/${reviewed?.id}`, { reviewRequired: "everyone" })).status).toBe(200);
  const { body } = await admin.post("/api/templates", template("wait", 1));
  const page = await site.signedIn({ path: `/templates/${body.id}?zone=lost.wait,reviewed.wait,well.wait` });
  await page.getByLabel("v0").fill("mail.example");
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("heading", { name: "Plan for 3 domains" }).waitFor();
  const seen = Promise.withResolvers<undefined>();
  await page.route("**/trpc/templates.applyPlan*", async (route) => {
    if (
      !route
        .request()
        .postData()
        ?.includes(lost?.id ?? "")
    )
      return await route.continue();
    await route.fetch();
    await seen.promise;
    await route.abort("connectionreset");
  });
  site.expected.push("ERR_CONNECTION_RESET", "409");
  await page.getByRole("button", { name: "Apply to 3 domains" }).click();
  const host = page.getByLabel("Host", { exact: true });
  await expect.poll(() => host.isDisabled()).toBe(true);
  seen.resolve(undefined);
  const outcome = (name: string) =>
    page.getByRole("list", { name: "Outcomes" }).getByRole("listitem").filter({ hasText: name });
  await outcome("lost.wait")
    .getByText(/^Outcome unknown\./)
    .waitFor();
  await outcome("reviewed.wait")
    .getByText(/^Not applied\./)
    .waitFor();
  await outcome("well.wait").getByText("Applied as revision 1").waitFor();
  await page.getByText("1 domain changed, 1 refused, 1 unknown", { exact: true }).waitFor();
  // The zone was planned again: it has everything.
  await page.getByText("1 domain already has all records of this template.").waitFor();
  await expect.poll(() => host.isDisabled()).toBe(false);
  await host.fill("shop");
  await page.getByRole("list", { name: "Outcomes" }).waitFor({ state: "detached" });
});

test("on a phone, each record of a new template has its fields below its name, wide enough to read what is typed", async () => {
  const page = await site.signedIn({ width: 390, path: "/templates" });
  await page.getByRole("button", { name: "New template" }).click();
  const dialog = page.getByRole("dialog");
  const row = dialog.getByRole("group", { name: "Record 1", exact: true });
  const remove = row.getByRole("button", { name: "Remove record 1" });
  for (const type of ["SRV", "MX", "TXT"]) {
    await row.getByLabel("Type").selectOption(type);
    await row.getByLabel("TTL").scrollIntoViewIfNeeded();
    await photograph(page, `template-form-${type}`);
    await page.setViewportSize({ width: 390, height: 800 });
    const fields = await row.getByRole("textbox").evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
    expect(Math.min(...fields.map(({ width }) => width))).toBeGreaterThanOrEqual(80);
    // The value has the whole width, and the button stands beside the record's name.
    expect(fields.at(-1)?.width).toBeGreaterThan(300);
    const { bottom } = await remove.evaluate((button) => button.getBoundingClientRect());
    expect(bottom).toBeLessThanOrEqual(Math.min(...fields.map(({ top }) => top)));
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0);
  }
  await expectAccessible(page);
});

test("the templates have no findings in the dark and fit 320 pixels", async () => {
  const page = await site.signedIn({ dark: true, width: 320, path: "/templates" });
  await page.getByRole("list", { name: "Templates" }).getByRole("link").first().waitFor();
  await expectAccessible(page);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await page.getByRole("list", { name: "Templates" }).getByRole("link").first().click();
  await page.getByRole("heading", { name: "Apply to a zone" }).waitFor();
  await expectAccessible(page);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
});
