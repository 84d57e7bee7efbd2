import { expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { adminPassword } from "../../support/zonewright.ts";
import { fileZone } from "../../support/zones.ts";

const site = useConsole();

test("who reads German does the main job in it; another language keeps the draft, and only German loads its texts", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  const page = await site.open({ locale: "de-DE" });
  const dictionaries: string[] = [];
  page.on("request", (request) => {
    if (/\/assets\/de-/.test(request.url())) dictionaries.push(request.url());
  });
  const language = async () => await page.evaluate(() => document.documentElement.lang);

  await page.goto(site.url);
  await page.getByRole("heading", { name: "Bei Zonewright anmelden" }).waitFor();
  await photograph(page, "german-sign-in");
  await page.getByLabel("Benutzername").fill("admin");
  await page.getByLabel("Passwort").fill(adminPassword);
  await page.getByRole("button", { name: "Anmelden", exact: true }).click();
  await page.getByRole("searchbox", { name: "Nach Namen suchen" }).waitFor();
  expect(await language()).toBe("de");
  expect(new Set(dictionaries).size).toBe(1);
  await photograph(page, "german-domains");
  await page.getByRole("link", { name: zone.name }).click();

  await page.getByRole("button", { name: "Eintrag hinzufügen" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("shop");
  await page.getByRole("textbox", { name: "Wert", exact: true }).fill("192.0.2.80");
  await page.getByRole("button", { name: "Fertig" }).click();
  await page.getByText("1 Änderung", { exact: true }).waitFor();
  await expectAccessible(page);
  await photograph(page, "german-records");

  await page.getByRole("button", { name: "admin" }).click();
  await page.getByRole("menuitem", { name: "Konto" }).click();
  await photograph(page, "german-account");
  await page.getByRole("textbox", { name: "Voller Name" }).fill("Ada Lovelace");
  dictionaries.length = 0;
  await page.getByRole("combobox", { name: "Sprache" }).selectOption("English");
  await page.getByRole("combobox", { name: "Language" }).waitFor();
  expect([await language(), dictionaries]).toEqual(["en", []]);
  expect(await page.getByRole("textbox", { name: "Full name" }).inputValue()).toBe("Ada Lovelace");
  await page.goto(`${site.url}/d/${zone.name}/records`);
  await page.getByText("1 change", { exact: true }).waitFor();
  // As the browser says again: without a choice.
  await page.evaluate(() => localStorage.removeItem("zonewright.language"));
  await page.reload();

  await page.getByRole("button", { name: /^Prüfen/ }).click();
  const dialog = page.getByRole("dialog", { name: `1 Änderung an ${zone.name} prüfen` });
  await dialog.getByText("192.0.2.80").waitFor();
  await expectAccessible(page);
  await photograph(page, "german-review");
  await dialog.getByRole("button", { name: /^Anwenden/ }).click();
  await page.getByText(/^Angewendet als Revision \d+$/).waitFor();
  await page.getByRole("button", { name: "Rückgängig" }).click();
  await page.getByText(/^Rückgängig gemacht als Revision/).waitFor();
  expect(await language()).toBe("de");
});

test("without the German texts, which a lost connection keeps away, the console is there in English", async () => {
  const page = await site.open({ locale: "de-DE" });
  site.expected.push("/assets/de-", "ERR_FAILED");
  await page.route(/\/assets\/de-/, async (route) => await route.abort());
  await page.goto(site.url);
  await page.getByRole("heading", { name: "Sign in to Zonewright" }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe("en");
  await expectAccessible(page);
});
