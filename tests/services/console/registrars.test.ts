import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { registered, startPorkbun, type RegistrarAccount } from "../../support/vendors/registrars/account.ts";
import { memberPassword } from "../../support/zonewright.ts";

const site = useConsole({ env: { EGRESS_ALLOW: "127.0.0.0/8" } });
let porkbun: RegistrarAccount;
beforeAll(async () => {
  porkbun = await startPorkbun();
});
afterAll(async () => {
  await porkbun.stop();
});

test("a registrar is connected, tested, edited and deleted, and its keys never come back to the page", async () => {
  const { admin } = site.zonewright;
  porkbun.domains.set("names.test", registered());
  porkbun.domains.set("elsewhere.test", registered());
  const { body: domain } = await admin.post("/api/domains", { name: "names.test" });
  const page = await site.signedIn({ path: "/admin/registrars" });
  await page.getByText("No registrar yet").waitFor();
  await page.getByRole("button", { name: "Add registrar" }).click();
  const form = page.getByRole("dialog", { name: "Connect a registrar" });
  await form.getByLabel("Kind").selectOption("porkbun");
  await form.getByLabel("Name", { exact: true }).fill("Company account");
  site.expected.push("400");
  await form.getByRole("button", { name: "Save and test" }).click();
  await form.getByLabel("API key").and(page.locator("[aria-invalid=true]")).waitFor();
  const { apiKey = "", secretKey = "", endpoint = "" } = porkbun.config;
  await form.getByLabel("API key").fill("pk1_wrong0123456789");
  await form.getByLabel("Secret key").fill(secretKey);
  await form.getByLabel("API address").fill(endpoint);
  await expectAccessible(page);
  await photograph(page, "registrar-new");
  await form.getByRole("button", { name: "Save and test" }).click();
  await form.getByRole("alert").getByText("Configuration saved").waitFor();
  expect(await form.getByLabel("API key").inputValue()).toBe("");
  await form.getByLabel("API key").fill(apiKey);
  await form.getByRole("button", { name: "Save and test" }).click();
  await form.waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(apiKey);
  const row = page.getByRole("row").filter({ hasText: "Company account" });
  await row.getByRole("button", { name: "Test Company account" }).click();
  await row.getByText("Works · 2 names").waitFor();
  await expectAccessible(page);
  await photograph(page, "registrars");

  await row.getByRole("button", { name: "Names at Company account" }).click();
  const names = page.getByRole("dialog", { name: "Names at Company account" });
  await names.getByText("Not managed here").waitFor();
  await expect
    .poll(() => names.getByRole("listitem").allTextContents())
    .toEqual(["elsewhere.testNot managed here", "names.testConnect"]);
  await expectAccessible(page);
  await photograph(page, "registrar-names");
  await names.getByRole("button", { name: "Connect names.test" }).click();
  await names.getByText("Connected", { exact: true }).waitFor();
  const { body: configs } = await admin.get("/api/registrar-configs");
  const { body: connected } = await admin.get(`/api/domains/${domain.id}`);
  expect(connected.registrarConfigId).toBe(configs.configs[0].id);
  await names.getByRole("searchbox", { name: "Filter names" }).fill("nowhere");
  await names.getByText("No name matches.").waitFor();
  await names.getByRole("button", { name: "Close" }).last().click();

  const choose = async (item: string) => {
    await row.getByRole("button", { name: "More actions for Company account" }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await choose("Edit");
  const edit = page.getByRole("dialog", { name: "Edit Company account" });
  await edit.getByLabel("Name", { exact: true }).fill("Renamed account");
  await edit.getByRole("button", { name: "Save and test" }).click();
  const renamed = page.getByRole("row").filter({ hasText: "Renamed account" });
  await renamed.waitFor();
  await renamed.getByRole("button", { name: "Test Renamed account" }).click();
  await renamed.getByText("Works · 2 names").waitFor();

  const remove = async () => {
    await renamed.getByRole("button", { name: "More actions for Renamed account" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  };
  site.expected.push("409");
  await remove();
  await page
    .getByRole("alert")
    .getByText("Domains such as names.test use this configuration. On the Registration page of each")
    .waitFor();
  await admin.put(`/api/domains/${domain.id}`, { registrarConfigId: null });
  await remove();
  await page.getByText("No registrar yet").waitFor();
});

test("an auditor reads the registrars and their names, and can change nothing", async () => {
  const { admin } = site.zonewright;
  const { config } = porkbun;
  porkbun.domains.set("audited.test", registered());
  await admin.post("/api/registrar-configs", { kind: "porkbun", name: "Audited account", config });
  await admin.post("/api/domains", { name: "audited.test" });
  const auditor = await site.zonewright.member("olga");
  const { body: me } = await auditor.get("/api/auth/me");
  await admin.put(`/api/users/${me.id}`, { role: "auditor" });
  const page = await site.signedIn({ username: "olga", password: memberPassword, path: "/admin/registrars" });
  await page.getByRole("button", { name: "Names at Audited account" }).click();
  const names = page.getByRole("dialog", { name: "Names at Audited account" });
  await names.getByRole("link", { name: "audited.test" }).waitFor();
  expect(await names.getByRole("button", { name: /^Connect/ }).count()).toBe(0);
  await names.getByRole("button", { name: "Close" }).last().click();
  await expect.poll(() => page.getByRole("main").getByRole("button").allTextContents()).toEqual(["Names"]);
});
