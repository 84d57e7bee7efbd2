import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { useConsole } from "../../support/console.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

/** What people paste wrong is understood, or explained at its field. */

const site = useConsole();
let zone: Zone;
let page: Page;

beforeEach(async () => {
  zone = await fileZone(site.zonewright);
  page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("button", { name: "Add record" }).last().click();
});

const editor = () => page.getByRole("group", { name: "Edit the record" });
const name = () => editor().getByRole("textbox", { name: "Name" });
const value = () => editor().getByRole("textbox", { name: "Value", exact: true });
const done = async () => await editor().getByRole("button", { name: "Done" }).click();

/** Puts a text into a field as a paste does, and leaves the field. */
async function paste(field: ReturnType<typeof name>, text: string): Promise<void> {
  await field.focus();
  await page.keyboard.insertText(text);
  await page.keyboard.press("Tab");
}

test.each([
  ["A", ` "192.0.2.1" `, "The quotes around it are left out", "192.0.2.1"],
  ["A", "http://192.0.2.1:8080/admin", "Only the host name of the URL is used.", "192.0.2.1"],
  ["A", "192.0.2.1.", "The dot at the end is left out.", "192.0.2.1"],
  ["CNAME", "https://shop.example.org/start?x=1", "Only the host name of the URL is used.", "shop.example.org"],
  ["CNAME", "shop.example.org:443", "The port is left out", "shop.example.org"],
  ["TXT", '"v=spf1 " "-all"', "The quoted strings are joined into one text.", "v=spf1 -all"],
  ["TXT", "v=DKIM1; p=MIGf\n  CSqG", "The lines are joined into one text.", "v=DKIM1; p=MIGfCSqG"],
])(
  "a pasted %s value %j is corrected in its field, the page says how, and it is stored so",
  async (type, text, says, stored) => {
    await name().fill("pasted");
    await editor().getByRole("combobox", { name: "Type" }).selectOption(type);
    await paste(value(), text);
    await editor().getByText(says).waitFor();
    expect(await value().inputValue()).toBe(stored);
    await done();
    await page.getByRole("button", { name: /^Review/ }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Apply/ })
      .click();
    await page.getByText("Applied as revision 1").waitFor();
    const { body } = await zone.get("/records?name=pasted");
    expect(body.records.map((record: { value: string }) => record.value)).toEqual([stored]);
  },
);

test("a line of a zone file that is pasted into the field of the name fills all fields", async () => {
  const line = 'sel._domainkey 600 IN TXT ( "v=DKIM1; k=rsa; "\n\t"p=MIGf" ) ; key sel';
  await name().evaluate((field, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, line);
  await editor().getByText("The line fills all fields.").waitFor();
  expect(await name().inputValue()).toBe("sel._domainkey");
  expect(await value().inputValue()).toBe("v=DKIM1; k=rsa; p=MIGf");
  expect(await editor().getByRole("textbox", { name: "TTL" }).inputValue()).toBe("10 min");
});

test("invisible characters and blanks leave the field with the focus, and no fault that nobody can see", async () => {
  await name().fill("zero");
  await paste(value(), " 192.0.2.\u200b9\t");
  expect(await value().inputValue()).toBe("192.0.2.9");
  expect(await value().getAttribute("aria-invalid")).toBeNull();
});

test("an Enter that ends the choice of a character leaves the form open", async () => {
  await name().fill("shop");
  await value().fill("192.0.2.7");
  const note = editor().getByRole("textbox", { name: "Note" });
  await note.fill("ねこ");
  await note.dispatchEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  expect(await note.inputValue()).toBe("ねこ");
  await note.press("Enter");
  await editor().waitFor({ state: "hidden" });
});

test("a review that is asked for by key while the draft is being checked opens once it is checked", async () => {
  const plans: (() => void)[] = [];
  await page.route(/records\.plan/, async (route) => {
    await new Promise<void>((resolve) => plans.push(resolve));
    await route.continue();
  });
  await name().fill("shop");
  await value().fill("192.0.2.7");
  await page.keyboard.press("Enter");
  await editor().waitFor({ state: "hidden" });
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => plans.length).toBe(1);
  expect(await page.getByRole("dialog", { name: /^Review/ }).count()).toBe(0);
  for (const go of plans) go();
  await page.getByRole("dialog", { name: /^Review 1 change/ }).waitFor();
});

test("on a phone, one tap on Done takes a pasted URL, although the page says what it made of it", async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  await name().fill("phone");
  await value().focus();
  await page.keyboard.insertText("https://192.0.2.77/");
  await done();
  await editor().waitFor({ state: "hidden" });
  await page.getByRole("row").filter({ hasText: "phone" }).filter({ hasText: "192.0.2.77" }).waitFor();
  expect(await page.getByText("1 change", { exact: true }).count()).toBe(1);
});

test("a name with the zone's name twice, or as a URL, is understood in its field", async () => {
  await paste(name(), `www.${zone.name}.${zone.name}.`);
  await editor().getByText("The zone’s name appeared twice").waitFor();
  expect(await name().inputValue()).toBe(`www.${zone.name}`);
  await name().fill("");
  await paste(name(), `https://shop.${zone.name}/cart`);
  await editor().getByText("Only the host name of the URL is used.").waitFor();
  await value().fill("192.0.2.7");
  await done();
  await page.getByRole("gridcell", { name: "shop", exact: true }).waitFor();
});

test("a mail server is pasted with its priority, in either order, into any field of the form", async () => {
  await name().fill("@");
  await editor().getByRole("combobox", { name: "Type" }).selectOption("MX");
  await paste(editor().getByRole("textbox", { name: "Target" }), "mail.example.org. 20");
  await editor().getByText("The priority is put first.").waitFor();
  expect(await editor().getByRole("textbox", { name: "Priority" }).inputValue()).toBe("20");
});

test.each([
  ["A", "192.0.2.0/24", /must be an IPv4 address/],
  ["TXT", "a\u0007b", /Remove U\+0007 at position 2\.Disabled/],
  ["A", "2001:db8::1", /To use this value, choose the type AAAA\./],
  ["A", "www.example.org", /To use this value, choose the type CNAME\./],
  ["CNAME", "192.0.2.1", /is an IP address, which belongs in an A or AAAA record/],
  ["CNAME", "someone@example.org", /must be a valid domain name/],
])("a pasted %s value %j that cannot be meant is explained, and stays in its field", async (type, text, says) => {
  await name().fill("pasted");
  await editor().getByRole("combobox", { name: "Type" }).selectOption(type);
  await paste(value(), text);
  await done();
  await expect.poll(async () => await editor().textContent()).toMatch(says);
  expect(await value().getAttribute("aria-invalid")).toBe("true");
  expect(await value().inputValue()).toBe(text);
});

test("a name with a trailing dot outside the zone is explained at its field", async () => {
  await paste(name(), "www.");
  await expect.poll(async () => await editor().textContent()).toContain("leave out the trailing dot");
  expect(await name().getAttribute("aria-invalid")).toBe("true");
});

test("a domain pasted as a URL with spaces is added by its name", async () => {
  await page.goto(site.url);
  await page.getByRole("button", { name: "Add domain" }).click();
  const dialog = page.getByRole("dialog");
  const field = dialog.getByLabel("Name", { exact: true });
  await paste(field, `  https://Pasted-${zone.name}/index.html `);
  await dialog.getByText("Only the name is used.").waitFor();
  await dialog.getByRole("button", { name: "Add domain" }).click();
  await page.waitForURL(`${site.url}/d/pasted-${zone.name}/records`);
});

test("a domain pasted with a port and added at once says what was used, at a provider that makes zones", async () => {
  const config = { server: "127.0.0.1", tsigName: "key.test", tsigSecret: "c2VjcmV0" };
  const made = await site.zonewright.admin.post("/api/provider-configs", {
    kind: "rfc2136",
    name: "A name server",
    config,
  });
  expect(made.status).toBe(201);
  await page.goto(site.url);
  await page.getByRole("button", { name: "Add domain" }).click();
  const dialog = page.getByRole("dialog");
  const provider = dialog.getByRole("combobox", { name: "Provider" });
  await expect.poll(() => provider.getByRole("option").allTextContents()).toContain("A name server");
  expect(await provider.locator("option:checked").textContent()).toBe("Embedded zone files");
  await dialog.getByLabel("Name", { exact: true }).fill(`at-once-${zone.name}:8443/start`);
  await page.keyboard.press("Enter");
  await page.getByText(`at-once-${zone.name} added.`).waitFor();
  await page.getByText("Only the name is used.").waitFor();
});
