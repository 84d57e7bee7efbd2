import { text } from "node:stream/consumers";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { storeFinding } from "../../registry/delegation/found.ts";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { addZone, manualConfig } from "../../support/zones.ts";

const site = useConsole();
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

beforeAll(async () => {
  const { admin, services } = site.zonewright;
  const providerConfigId = await manualConfig(site.zonewright);
  const account = { kind: "gandi", name: "Company account", config: { token: "pat-0123456789abcdef" } };
  const registrar = (await admin.post("/api/registrar-configs", account)).body.id;
  const add = async (name: string, settings: object, state: object | null = null) => {
    const { id } = await addZone(site.zonewright, { name, providerConfigId });
    await admin.put(`/api/domains/${id}`, { ...settings, ...(state && { registrarConfigId: registrar }) });
    if (state === null) return id;
    const said = { expiresAt: null, autoRenew: true, locked: true, nameServers: null, ds: null, ...state };
    const stored = { configId: registrar, seenAt: inDays(0), state: said, error: null };
    await queries(services.database.fork())
      .updateTable("domains")
      .set({ registrar_state: JSON.stringify(stored) })
      .where("id", "=", id)
      .execute();
    return id;
  };
  await add("late.example", { expiresAt: inDays(-2), groupName: "Shops" }, { locked: false });
  await add("soon.example", { expiresAt: inDays(12), yearlyCost: 12.5, currency: "EUR" }, { autoRenew: false });
  await add("fine.example", { expiresAt: inDays(400), yearlyCost: 1200, currency: "EUR" }, {});
  await add("bücher.example", { yearlyCost: 9, currency: "USD", groupName: "Shops" });
  await storeFinding(site.zonewright, await add("lame.example", { expiresAt: inDays(90) }));
});

test("the portfolio shows what to do first, what all costs, and every domain by its expiry, filtered by group and name", async () => {
  const page = await site.signedIn();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Portfolio" }).click();
  const findings = page.getByRole("list", { name: "What to do first" }).getByRole("listitem");
  await findings.first().waitFor();
  expect(await findings.getByRole("link").allTextContents()).toEqual([
    "late.example",
    "soon.example",
    "lame.example",
    "late.example",
  ]);
  const costs = page.getByRole("list", { name: "Yearly costs" }).getByRole("listitem");
  await expect.poll(() => costs.allTextContents()).toEqual(["€1,212.50", "$9.00"]);
  const rows = page.getByRole("table", { name: "Domains" }).getByRole("row");
  await expect.poll(() => rows.count()).toBe(6);
  await expect.poll(() => rows.nth(1).textContent()).toContain("late.example");
  await page.getByRole("row", { name: /soon\.example.*Company account.*Off.*On.*€12\.50/ }).waitFor();
  await expectAccessible(page);
  await photograph(page, "portfolio");
  await page.getByLabel("Group").selectOption("Shops");
  await expect.poll(() => rows.count()).toBe(3);
  await page.getByRole("searchbox", { name: "Search domains" }).fill("bü");
  await expect.poll(() => rows.count()).toBe(2);
  expect(new URL(page.url()).searchParams.get("search")).toBe("bü");
  // Of a domain without a registrar, columns would say nothing.
  const columns = page.getByRole("table", { name: "Domains" }).getByRole("columnheader");
  expect(await columns.allTextContents()).toEqual(["Domain", "Expires", "Cost a year"]);
  await page.getByRole("table", { name: "Domains" }).getByRole("link", { name: "bücher.example" }).click();
  await page.waitForURL(/\/d\/xn--bcher-kva\.example\/registration$/);
});

test("a calendar shows what expires in a month, by day, with what renews itself", async () => {
  const page = await site.signedIn({ path: "/portfolio" });
  await page.getByRole("button", { name: "Calendar" }).click();
  await page.waitForURL(/[?&]month=\d{4}-\d{2}$/);
  const soon = inDays(12);
  await page.goto(`${site.url}/portfolio?month=${soon.slice(0, 7)}`);
  const day = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" }).format(new Date(soon));
  const ofDay = page.getByRole("list", { name: day }).getByRole("listitem");
  await expect.poll(() => ofDay.allTextContents()).toEqual(["soon.example (does not renew itself)"]);
  await expectAccessible(page);
  await photograph(page, "portfolio-month");
  await page.getByLabel("Group").selectOption("Shops");
  await ofDay.waitFor({ state: "detached" });
  await page.getByLabel("Group").selectOption("");
  await page.goto(`${site.url}/portfolio?month=2031-03`);
  await page.getByText("No domain expires in this month.").waitFor();
  await page.getByRole("button", { name: "Next month" }).click();
  await page.getByRole("heading", { name: "April 2031" }).waitFor();
  await page.getByRole("button", { name: "List", exact: true }).click();
  await page.getByRole("table", { name: "Domains" }).waitFor();
});

test("a table is imported by its plan, a date that can be several days is asked for, and the import is taken back", async () => {
  const { admin } = site.zonewright;
  const page = await site.signedIn({ path: "/portfolio" });
  await page.getByRole("button", { name: "Import CSV…" }).click();
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("alert").getByText("Choose a file, or paste a table.").waitFor();
  // As Excel saves it: semicolons, and Latin-1.
  const table =
    "Domain;Expires;Cost;Currency;Colour\r\nbücher.example;03/04/34;15,00;EUR;red\r\nnone.example;;1;EUR;\r\n";
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "domains.csv", mimeType: "text/csv", buffer: Buffer.from(table, "latin1") });
  await expect.poll(() => page.getByLabel("Table").inputValue()).toContain("bücher");
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByText("0 to change, 0 unchanged, 2 refused.").waitFor();
  await page.getByRole("alert").getByText("Some dates can be read in several ways.").waitFor();
  await page.getByLabel("Dates such as 03/04/27").selectOption("dmy");
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page
    .getByText("1 to change, 0 unchanged, 1 refused. Columns that an import does not change: Colour.")
    .waitFor();
  const rows = page.getByRole("table", { name: "Plan" }).getByRole("row");
  await rows.filter({ hasText: "Expires: nothing → 2034-04-03" }).waitFor();
  await rows
    .filter({ hasText: "none.example" })
    .getByText(/^Refused: No domain/)
    .waitFor();
  await expectAccessible(page);
  await photograph(page, "portfolio-plan");
  await page.getByRole("textbox", { name: "Reason" }).fill("Yearly review");
  await page.getByRole("button", { name: "Change 1 domain" }).click();
  await page.getByRole("status").getByText("1 domain was changed. 1 row was refused.").waitFor();
  const left = page.getByRole("table", { name: "Refused rows" });
  await left.getByRole("row", { name: /none\.example.*Refused: No domain/ }).waitFor();
  const price = async () => (await admin.get("/api/domains/portfolio?search=cher")).body.domains[0].registration;
  expect(await price()).toMatchObject({ yearlyCost: 15, currency: "EUR", expirySource: "manual" });
  await page.getByRole("button", { name: "Undo…" }).click();
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("button", { name: "Change 1 domain" }).click();
  await expect.poll(price).toMatchObject({ yearlyCost: 9, currency: "USD", expirySource: null });
  // The undo refused nothing.
  await left.waitFor({ state: "detached" });
});

test("a wrong file leaves the typed table, and a plan is shown only for the table that it is of", async () => {
  const page = await site.signedIn({ path: "/portfolio" });
  await page.getByRole("button", { name: "Import CSV…" }).click();
  const [table, typed] = [page.getByLabel("Table"), "name,notes\nfine.example,First\n"];
  await table.fill(typed);
  const file = { name: "logo.png", mimeType: "image/png", buffer: Buffer.from([0x89, 0, 1]) };
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByRole("alert").getByText("This is not a text file.").waitFor();
  expect(await table.inputValue()).toBe(typed);

  const look = page.getByRole("button", { name: "Show the plan" });
  const plan = page.getByRole("table", { name: "Plan" });
  const released = Promise.withResolvers<undefined>();
  await page.route("**/trpc/portfolio.import*", async (route) => {
    await released.promise;
    await route.continue();
  });
  const pending = page.getByRole("button", { name: "Loading…" });
  await look.click();
  await pending.waitFor();
  await table.fill("name,notes\nfine.example,Second\n");
  released.resolve(undefined);
  await pending.waitFor({ state: "detached" });
  expect(await plan.count()).toBe(0);
  await look.click();
  await plan.getByText("Second").waitFor();

  // At once, as a paste.
  await table.evaluate(
    (area, value) => {
      Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set?.call(area, value);
      area.dispatchEvent(new Event("input", { bubbles: true }));
    },
    `name,notes\n${"fine.example,Long\n".repeat(12_000)}`,
  );
  await page.getByText("The table has 216,011 characters").waitFor();
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByRole("alert").getByText("This is not a text file.").waitFor();
});

test("the exported file has every domain, and imports without a change", async () => {
  const page = await site.signedIn({ path: "/portfolio" });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("portfolio.csv");
  const content = await text(await download.createReadStream());
  expect(content).toContain("late.example,,");
  await page.getByRole("button", { name: "Import CSV…" }).click();
  const file = { name: "portfolio.csv", mimeType: "text/csv", buffer: Buffer.from(content) };
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByText("0 to change, 5 unchanged, 0 refused.").waitFor();
});

test.each([
  ["dark", { dark: true }],
  ["phone", { width: 390 }],
])("the portfolio is accessible on a %s page", async (name, options) => {
  const page = await site.signedIn({ path: "/portfolio", ...options });
  await page.getByRole("list", { name: "What to do first" }).waitFor();
  await page.getByRole("button", { name: "Import CSV…" }).click();
  await page.getByLabel("Table").fill("name,expires\nlate.example,2034-01-01\nsoon.example,01/02/34\n");
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("table", { name: "Plan" }).waitFor();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await photograph(page, `portfolio-${name}`);
});

test("rows that the plan did not refuse and the import did are marked, come first, and are planned again", async () => {
  const { zonewright } = site;
  const providerConfigId = await manualConfig(site.zonewright);
  await zonewright.member("leaving");
  // An import changes 20 domains at a time: the last one is changed after the first.
  const names = Array.from({ length: 21 }, (_, index) => `part${index + 10}.example`);
  for (const name of names) await addZone(site.zonewright, { name, providerConfigId });
  const db = queries(zonewright.services.database.fork());
  const body = sql.lit(
    "begin if new.name = 'part10.example' then update users set disabled_at = now() where username = 'leaving'; end if; return new; end",
  );
  await sql`create function leaves() returns trigger language plpgsql as ${body}`.execute(db);
  await sql`create trigger leaves after update on domains for each row execute function leaves()`.execute(db);

  const page = await site.signedIn({ path: "/portfolio" });
  await page.getByRole("button", { name: "Import CSV…" }).click();
  const rows = names.map((name) => `${name},Ours,${name === "part30.example" ? "leaving" : ""}\n`);
  await page.getByLabel("Table").fill(`name,notes,owner\nnone.example,Ours,\n${rows.join("")}`);
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByText("21 to change, 0 unchanged, 1 refused.").waitFor();
  await page.getByRole("button", { name: "Change 21 domains" }).click();
  await page.getByText("20 domains were changed. 2 rows were refused. 1 of them was refused after the plan.").waitFor();
  const left = page.getByRole("table", { name: "Refused rows" }).getByRole("row");
  await expect.poll(() => left.count()).toBe(3);
  expect(await left.nth(1).textContent()).toMatch(/part30\.example.*Refused after the plan: The owner was disabled/);
  expect(await left.nth(2).textContent()).toMatch(/none\.example.*Refused: No domain/);
  await expectAccessible(page);
  await photograph(page, "portfolio-refused");
  await sql`drop function leaves cascade`.execute(db);
  await page.getByRole("button", { name: "Plan again…" }).click();
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByText("0 to change, 20 unchanged, 2 refused.").waitFor();
});

test("an import that changes many domains goes on as a job, whose page has progress, outcome and undo", async () => {
  const { zonewright } = site;
  const providerConfigId = await manualConfig(zonewright);
  const names = Array.from({ length: 101 }, (_, index) => `many${index + 100}.example`);
  for (const name of names) await addZone(zonewright, { name, providerConfigId });
  const page = await site.signedIn({ path: "/portfolio" });
  await page.getByRole("button", { name: "Import CSV…" }).click();
  await page.getByLabel("Table").fill(`name,notes\n${names.map((name) => `${name},Of many\n`).join("")}`);
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("button", { name: "Change 101 domains" }).click();
  await page.getByRole("heading", { name: "Import of a table of domains" }).waitFor();
  await page.getByRole("status").getByText("101 domains changed").waitFor();
  const rows = page.getByRole("list", { name: "Domains" }).getByRole("listitem");
  await expect.poll(() => rows.first().textContent()).toBe("many100.exampleChanged");
  await photograph(page, "portfolio-job");
  await expectAccessible(page);
  expect(await rows.first().getByRole("link").getAttribute("href")).toBe("/d/many100.example/registration");
  await page.getByRole("button", { name: "Undo…" }).click();
  await page.getByRole("dialog").getByText("Each domain gets back what it had.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByRole("heading", { name: "Undo of Import of a table of domains" }).waitFor();
  await page.getByRole("status").getByText("101 domains changed").waitFor();
  const { body } = await zonewright.admin.get("/api/domains/export?format=csv");
  expect(String(body)).not.toContain("Of many");
  await page.getByRole("main").getByRole("link", { name: "Portfolio" }).click();
  await page.waitForURL(/\/portfolio$/);
});
