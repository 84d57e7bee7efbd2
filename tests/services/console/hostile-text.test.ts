import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { idOf, publish } from "../../notifications/publish.ts";
import { useConsole } from "../../support/console.ts";
import { memberPassword } from "../../support/zonewright.ts";
import { fileZone, type Body } from "../../support/zones.ts";

/** Text is text, whatever it says: no page makes elements of it. Violations of the policy and errors fail each test. */

const site = useConsole();

/** Ends an attribute and a text, and would make an element. Short, because some texts are. */
const markup = (field: string) => `"'><img class=hostile>${field}`;

/** Counts the elements that any page in this browser makes of the markup, also for a moment. */
async function watch(page: Page): Promise<() => Promise<number>> {
  let made = 0;
  await page.exposeFunction("hostileElement", () => {
    made += 1;
  });
  await page.addInitScript(() => {
    const { hostileElement } = globalThis as unknown as { hostileElement: () => void };
    new MutationObserver(() => {
      if (document.querySelector(".hostile")) hostileElement();
    }).observe(document, { subtree: true, childList: true });
  });
  return async () => made + (await page.locator(".hostile").count());
}

async function made(call: Promise<{ status: number; body: Body }>): Promise<Body> {
  const { status, body } = await call;
  expect(status < 300 ? "" : JSON.stringify(body)).toBe("");
  return body;
}

test("markup that is stored in any text is text on every page that shows it", async () => {
  const { admin } = site.zonewright;
  const zone = await fileZone(site.zonewright);
  const member = await site.zonewright.member("someone");
  const memberId = await idOf(member);
  await made(admin.put(`/api/users/${memberId}`, { displayName: markup("full name") }));
  await made(admin.put(zone.path, { tags: [markup("tag")], groupName: markup("group"), notes: markup("notes") }));
  await made(admin.post("/api/assignments", { userId: memberId, tag: markup("tag") }));
  const texts = { comment: markup("note of a record"), ownerId: memberId, locked: true };
  await made(zone.create({ recordType: "TXT", name: "text", value: markup("value"), ...texts }));
  await made(zone.create({ recordType: "A", name: "told", value: "192.0.2.9", message: markup("message") }));
  const folder = markup("folder").replaceAll("/", "");
  await mkdir(join(site.zonewright.dataDir, "zones", folder), { recursive: true });
  await writeFile(
    join(site.zonewright.dataDir, "zones", folder, `${markup("file")}.zone`),
    "@ SOA ns1 hostmaster 1 3600 900 1209600 300\n",
  );
  const config = { kind: "zonefile", name: markup("provider"), config: { folder } };
  const { id: providerConfigId } = await made(admin.post("/api/provider-configs", config));
  await made(zone.post("/mirrors", { providerConfigId }));
  const limits = { domainIds: [zone.id], hostPattern: "*.dev", recordTypes: ["TXT"] };
  await made(admin.post("/api/auth/me/tokens", { name: markup("token"), permissions: ["records:read"], ...limits }));
  await made(admin.post("/api/auth/me/tsig-keys", { name: markup("key"), domainId: zone.id }));
  const changes = [
    {
      action: "create",
      record: { recordType: "TXT", name: "more", value: markup("new value"), comment: markup("why") },
    },
  ];
  const asked = { title: markup("title"), note: markup("description"), changes };
  const { id: requestId } = await made(zone.post("/change-requests", asked));
  await made(admin.post(`/api/change-requests/${requestId}/comments`, { text: markup("comment") }));
  const access = { domainId: zone.id, host: "www", reason: markup("reason") };
  await made(member.post("/api/assignments/requests", access));
  await publish(site.zonewright, { userIds: [await idOf(admin)] }, markup("news"), { domainName: markup("domain") });

  const page = await site.signedIn();
  const hostile = await watch(page);
  const pages: [path: string, ...fields: string[]][] = [
    ["/", "tag", "group", "provider"],
    [`/d/${zone.name}/records`, "tag", "note of a record", "value"],
    [`/d/${zone.name}/timeline`, "message"],
    [`/d/${zone.name}/requests`, "title"],
    [`/d/${zone.name}/settings`, "provider"],
    [`/d/${zone.name}/access`, "tag", "reason"],
    ["/requests?show=all", "title"],
    [`/requests/${requestId}`, "title", "description", "comment", "new value"],
    ["/notifications", "news"],
    ["/account/tokens", "token"],
    ["/account/keys", "key"],
    ["/admin/users", "full name"],
    ["/admin/providers", "provider"],
    [`/admin/providers/${providerConfigId}/zones`, "provider", "file"],
  ];
  for (const [path, ...fields] of pages) {
    await page.goto(site.url + path);
    for (const field of fields) {
      await expect
        .poll(async () => `${path}: ${await page.locator("body").textContent()}`, { timeout: 60_000 })
        .toContain(markup(field));
    }
    expect(`${path} ${await hostile()}`).toBe(`${path} 0`);
  }
  await page.goto(`${site.url}/d/${zone.name}/settings`);
  await expect.poll(async () => await page.getByLabel("Notes").inputValue()).toBe(markup("notes"));
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Jump to a domain, page or record" }).fill("hostile");
  await expect.poll(async () => await page.getByRole("listbox").textContent()).toContain(markup("value"));
  expect(await hostile()).toBe(0);
});

/** Pages with fields, and the buttons or choices of a menu that open more of them. */
const forms: [path: string, ...buttons: string[]][] = [
  ["/", "Add domain"],
  ["/d/ZONE/records", "Add record"],
  ["/d/ZONE/settings", "Add a mirror"],
  ["/d/ZONE/settings", "Stop managing it"],
  ["/d/ZONE/access", "Assign…"],
  ["/account/profile"],
  ["/account/security"],
  ["/account/tokens", "Create a token"],
  ["/account/keys", "Create a key"],
  ["/admin/users", "Add user"],
  ["/admin/providers/new?kind=zonefile"],
  ["/admin/providers/new?kind=rfc2136"],
  ["/admin/providers/new?kind=primary"],
  ["/admin/sign-in", "Set up: OpenID Connect"],
  ["/admin/sign-in", "Set up: Custom OpenID Connect"],
  ["/admin/registrars", "Add registrar"],
  ["/admin/channels/new"],
  ["/requests/REQUEST", "Other choices", "Reject…"],
];

test("markup that is typed into any field of any page, and refused or taken, is text", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  const author = await site.zonewright.member("typist");
  const { admin } = site.zonewright;
  await made(admin.post("/api/assignments", { userId: await idOf(author), domainId: zone.id, access: "write" }));
  await made(admin.post("/api/provider-configs", { kind: "manual", name: "By hand" }));
  await made(admin.post("/api/provider-configs", { kind: "zonefile", name: "Elsewhere", config: { folder: "else" } }));
  const changes = [{ action: "create", record: { recordType: "A", name: "new", value: "192.0.2.2" } }];
  const request = await made(author.post(`${zone.path}/change-requests`, { title: "New", changes }));
  // Refusals are part of it.
  site.expected.push("400", "403", "404", "409", "422");
  const page = await site.signedIn();
  const hostile = await watch(page);
  for (const [path, ...buttons] of forms) {
    await page.goto(site.url + path.replace("ZONE", zone.name).replace("REQUEST", request.id));
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    for (const name of buttons) {
      const choice = page.getByRole("menuitem", { name, exact: true });
      await page.getByRole("button", { name, exact: true }).or(choice).first().click();
    }
    for (const folded of await page.getByText("More settings").all()) await folded.click();
    if (path.startsWith("/d/") || buttons.length > 0) {
      await page.locator("input:visible:not([type=search]), textarea:visible").first().waitFor();
    }
    const fields = page.locator(
      "input:visible:not([readonly], [type=checkbox], [type=radio], [type=date], [type=datetime-local], [type=number]), textarea:visible",
    );
    await fields.first().waitFor();
    for (const field of await fields.all()) {
      // A field may go while others are filled, as with a filter that hides what it does not match.
      if (!(await field.isVisible())) continue;
      await field.fill(markup("typed"));
      await field.press("Tab");
    }
    const last = fields.last();
    if (await last.isVisible()) await last.press("Enter");
    await expect.poll(async () => await page.locator("[aria-busy=true]").count(), { timeout: 60_000 }).toBe(0);
    expect(`${path} ${await hostile()}`).toBe(`${path} 0`);
  }
});

test("markup in the address, and as a name at the sign-in, is text", async () => {
  site.expected.push("400", "401", "404", "409");
  const anyone = await site.open();
  const hostile = await watch(anyone);
  const text = encodeURIComponent(markup("address"));
  for (const path of [`/sign-in?error=${text}`, `/register?code=${text}`, `/reset-password#${text}`, `/${text}`]) {
    await anyone.goto(site.url + path);
    await anyone.getByRole("heading", { level: 1 }).first().waitFor();
    expect(`${path} ${await hostile()}`).toBe(`${path} 0`);
  }
  await anyone.goto(`${site.url}/sign-in`);
  await anyone.getByLabel("Username").fill(markup("user"));
  await anyone.getByLabel("Password").fill(memberPassword);
  await anyone.getByRole("button", { name: "Sign in", exact: true }).click();
  await anyone.getByRole("alert").waitFor();
  expect(await hostile()).toBe(0);
  const page = await site.signedIn();
  const inside = await watch(page);
  for (const path of [`/d/${text}/records`, `/?search=${text}&tag=${text}&sort=${text}`, `/nowhere/${text}`]) {
    await page.goto(site.url + path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    expect(`${path} ${await inside()}`).toBe(`${path} 0`);
  }
});
