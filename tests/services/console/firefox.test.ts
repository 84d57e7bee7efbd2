import { launch, type Browser, type KeyInput, type Page } from "puppeteer-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { binary } from "../../support/binaries.ts";
import { lanName } from "../../support/console.ts";
import { freePorts } from "../../support/programs.ts";
import { adminPassword, startZonewright, type Zonewright } from "../../support/zonewright.ts";

let zonewright: Zonewright & { stop(): Promise<void> };
let firefox: Browser;
let page: Page;
let url = "";
/** What the browser logs or throws. */
const faults: string[] = [];

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  url = `http://${lanName}:${port}`;
  zonewright = await startZonewright({ env: { PORT: String(port), SITE_URL: url } });
  firefox = await launch({
    browser: "firefox",
    executablePath: binary("firefox-esr"),
    extraPrefsFirefox: { "network.dns.localDomains": lanName, "intl.accept_languages": "en-US" },
    defaultViewport: { width: 1280, height: 800 },
  });
  page = await firefox.newPage();
  page.setDefaultTimeout(60_000);
  page.on("console", (message) => faults.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.goto(url);
});
afterEach(() => {
  if (faults.length > 0) throw new Error(faults.splice(0).join("\n"));
});
afterAll(async () => {
  await firefox?.close();
  await zonewright?.stop();
});

/** The first control of a name that is ready for use. In some, the key that does the same follows the name. */
const control = (path: string, name: string) =>
  page.locator(
    `::-p-xpath(${path}[not(@aria-disabled)][starts-with(normalize-space(), "${name}") or @aria-label="${name}"])`,
  );
const press = async (name: string) => await control("//button", name).click();
const choose = async (item: string) => await control('//*[@role="menuitem"]', item).click();
const fill = async (name: string, value: string) =>
  await page.locator(`::-p-aria([role="textbox"][name="${name}"])`).fill(value);
const shown = async (text: string) => await page.locator(`::-p-text(${text})`).wait();

async function hold(modifier: KeyInput, key: KeyInput): Promise<void> {
  await page.keyboard.down(modifier);
  await page.keyboard.press(key);
  await page.keyboard.up(modifier);
}

async function signIn(): Promise<void> {
  await fill("Username", "admin");
  await page.locator("input[type=password]").fill(adminPassword);
  await press("Sign in");
  await page.locator("nav").wait();
}

async function apply(): Promise<void> {
  await press("Review");
  await control('//*[@role="dialog"]//button', "Apply").click();
}

/** The records of a zone, as the service has them. */
async function stored(zone: string): Promise<string[]> {
  const { body: list } = await zonewright.admin.get(`/api/domains?name=${zone}`);
  const { body } = await zonewright.admin.get(`/api/domains/${list.domains[0].id}/records`);
  return body.records.map(({ name, recordType, value }: Record<string, string>) => `${name} ${recordType} ${value}`);
}

test("in Firefox at a plain HTTP address, a person signs in, adds a domain, adds, edits and deletes records, reviews, applies and undoes, and signs out", async () => {
  expect(await page.evaluate(() => isSecureContext)).toBe(false);
  await shown("Passkeys need HTTPS or localhost. Sign in with your password.");
  await signIn();
  await shown("No domains yet");
  await press("Add domain");
  await fill("Name", "fox.example");
  await page.keyboard.press("Enter");
  for (const [name, value] of [
    ["www", "192.0.2.1"],
    ["api", "192.0.2.7"],
  ] as const) {
    await press("Add record");
    await fill("Name", name);
    await fill("Value", value);
    await press("Done");
  }
  await apply();
  await shown("Applied as revision 1");
  const before = ["api A 192.0.2.7", "www A 192.0.2.1"];
  expect(await stored("fox.example")).toEqual(before);

  await press("Actions for www A");
  await choose("Edit");
  await fill("Value", "192.0.2.2");
  await press("Done");
  await press("Actions for api A");
  await choose("Delete");
  await apply();
  await shown("Applied as revision 2");
  expect(await stored("fox.example")).toEqual(["www A 192.0.2.2"]);
  await press("Undo");
  await shown("Undone as revision 3");
  expect(await stored("fox.example")).toEqual(before);

  await press("admin");
  await choose("Sign out");
  await page.locator("input[type=password]").wait();
  expect(await page.evaluate(() => document.querySelector("nav"))).toBeNull();
});

test("in Firefox at a plain HTTP address, rows and links are copied, and the account says that passkeys need HTTPS", async () => {
  const { body: zone } = await zonewright.admin.post("/api/domains", { name: "copied.example" });
  await zonewright.admin.post(`/api/domains/${zone.id}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
  await signIn();
  const records = `${url}/d/copied.example/records`;
  const filter = "main input[type=search]";
  const pasted = async () => {
    await page.goto(records);
    await page.locator(filter).click();
    await hold("Control", "v");
    await page.waitForFunction((field) => document.querySelector<HTMLInputElement>(field)?.value !== "", {}, filter);
    return await page.$eval(filter, ({ value }) => value);
  };
  await page.goto(records);
  // The grid is hidden until its rows are there, and takes no focus before.
  await control('//*[@role="gridcell"]', "www").wait();
  await page.focus("[role=grid]");
  await hold("Control", "c");
  await shown("1 line copied");
  expect(await pasted()).toMatch(/^www\s.*\sA\s192\.0\.2\.1$/);
  // In a dialog, which keeps the focus within it.
  await page.goto(`${url}/admin/invitations`);
  await press("Invite");
  await press("Create");
  await press("Copy the link");
  await shown("Copied.");
  expect(await pasted()).toMatch(new RegExp(`^${url}/register\\?code=`));

  await page.goto(`${url}/account/security`);
  await shown("This address cannot use passkeys: browsers allow them only over HTTPS or on localhost.");
  expect(await page.$$("::-p-text(Add a passkey)")).toEqual([]);
});
