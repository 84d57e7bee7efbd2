import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { assign } from "../../accounts/assignments/assigned.ts";
import { faults } from "../../support/console-faults.ts";
import { useConsole } from "../../support/console.ts";
import { memberPassword } from "../../support/zonewright.ts";
import { addZone, fileZone, type Zone } from "../../support/zones.ts";

/** A form or dialog whose call fails says why and keeps everything typed, until the same click succeeds. */

const site = useConsole();
let zone: Zone;
beforeAll(async () => {
  zone = await fileZone(site.zonewright);
  const typist = await site.zonewright.member("typist");
  await assign(site.zonewright, typist, (await addZone(site.zonewright, { name: "keyed.example" })).id, "*");
  await mkdir(join(site.zonewright.dataDir, "zones", "typed-zones"), { recursive: true });
});

interface FormCase {
  what: string;
  path: string;
  /** Who fills it in; the administrator by default. */
  username?: string;
  /** Opens it. */
  open?: (page: Page) => Promise<void>;
  form: (page: Page) => Locator;
  /** What is typed, by label. */
  typed: Readonly<Record<string, string>>;
  /** The rest that the form wants. */
  choose?: (form: Locator) => Promise<void>;
  procedure: string;
  submit: string;
  done: (page: Page) => Locator;
}

const dialog = (page: Page) => page.getByRole("dialog");
const click = (name: string) => async (page: Page) => await page.getByRole("button", { name }).first().click();
const card = (heading: string) => (page: Page) =>
  page.locator("section").filter({ has: page.getByRole("heading", { name: heading, exact: true }) });

const forms: readonly FormCase[] = [
  {
    what: "a new domain",
    path: "/",
    open: click("Add domain"),
    form: dialog,
    typed: { Name: "typed.example", Tags: "web, prod", Group: "Customers" },
    procedure: "domains.create",
    submit: "Add domain",
    done: (page) => page.getByRole("heading", { name: "typed.example" }),
  },
  {
    what: "a zone's organization",
    path: "/d/:zone/settings",
    form: card("Organization"),
    typed: { Notes: "Ask Ada before you change MX.", Tags: "mail" },
    procedure: "domains.update",
    submit: "Save",
    done: (page) => page.getByText("Saved."),
  },
  {
    what: "an assignment",
    path: "/d/:zone/access",
    open: click("Assign…"),
    form: dialog,
    typed: { Hosts: "www-*" },
    choose: async (form) => {
      await form.getByLabel("Member", { exact: true }).fill("typist");
      await form.page().getByRole("option", { name: "typist" }).click();
    },
    procedure: "assignments.create",
    submit: "Assign",
    done: (page) => page.getByText("typist assigned."),
  },
  {
    what: "a request for access",
    path: "/d/:zone/access",
    username: "typist",
    open: click("Request access…"),
    form: dialog,
    typed: { Hosts: "shop", "Why you need it": "The shop moves on Friday." },
    procedure: "assignments.request",
    submit: "Request access",
    done: (page) => page.getByText("Request sent to the administrators."),
  },
  {
    what: "a profile",
    path: "/account/profile",
    username: "typist",
    form: card("About you"),
    typed: { "Full name": "Ada Lovelace", "Short name": "Ada" },
    procedure: "profile.update",
    submit: "Save",
    done: (page) => page.getByText("Profile saved."),
  },
  {
    what: "a personal token",
    path: "/account/tokens",
    username: "typist",
    open: click("Create a token"),
    form: (page) => page.locator("form"),
    typed: { "What it is for": "Backup script" },
    choose: async (form) => {
      await form.getByRole("group", { name: "Domains" }).getByLabel("Read").check();
    },
    procedure: "tokens.create",
    submit: "Create the token",
    done: (page) => page.getByRole("region", { name: "New token" }),
  },
  {
    what: "a TSIG key",
    path: "/account/keys",
    username: "typist",
    open: click("Create a key"),
    form: (page) => page.locator("form"),
    typed: { "What it is for": "Router", Domain: "keyed.example", Hosts: "home", "Record types": "A" },
    procedure: "tsigKeys.create",
    submit: "Create the key",
    done: (page) => page.getByRole("region", { name: "New key" }),
  },
  {
    what: "a new user",
    path: "/admin/users",
    open: click("Add user"),
    form: dialog,
    typed: { Username: "typed", Email: "typed@example.com", Password: memberPassword },
    procedure: "users.create",
    submit: "Add user",
    done: (page) => page.getByText("typed added."),
  },
  {
    what: "a provider",
    path: "/admin/providers/new?kind=zonefile",
    form: (page) => page.locator("form"),
    typed: { Name: "Typed zones", Folder: "typed-zones" },
    procedure: "providerConfigs.create",
    submit: "Save and test",
    done: (page) => page.getByRole("heading", { name: /Typed zones/ }),
  },
];

test.each(forms)(
  "$what keeps what was typed through every failure, and is saved by the same click later",
  async (each) => {
    const who = each.username === undefined ? {} : { username: each.username, password: memberPassword };
    const page = await site.signedIn({ ...who, path: each.path.replace(":zone", zone.name) });
    await each.open?.(page);
    const form = each.form(page);
    for (const [label, text] of Object.entries(each.typed)) await form.getByLabel(label, { exact: true }).fill(text);
    await each.choose?.(form);
    const submit = form.getByRole("button", { name: each.submit, exact: true });
    const call = `**/trpc/${each.procedure}*`;
    for (const { logged, answer, says } of Object.values(faults)) {
      site.expected.push(logged);
      await page.route(call, answer);
      await submit.click();
      await form.getByRole("alert").filter({ hasText: says }).waitFor();
      for (const [label, text] of Object.entries(each.typed)) {
        expect(await form.getByLabel(label, { exact: true }).inputValue()).toBe(text);
      }
      await page.unroute(call);
    }
    await submit.click();
    await each.done(page).first().waitFor();
  },
);

test("a page that cannot be loaded says why, and is there by itself once the service answers", async () => {
  const page = await site.signedIn({ path: "/account/profile" });
  const calls = { "domains.list": "/", "notifications.list": "/notifications", "users.list": "/admin/users" };
  for (const [procedure, path] of Object.entries(calls)) {
    site.expected.push("503");
    await page.route(`**/trpc/${procedure}*`, faults.stopping.answer);
    await page.goto(site.url + path);
    await page.getByRole("alert").filter({ hasText: faults.stopping.says }).waitFor();
    await page.unroute(`**/trpc/${procedure}*`);
    await page.getByRole("alert").waitFor({ state: "hidden", timeout: 60_000 });
  }
});

test("a failure that is to be reported shows its request id", async () => {
  const page = await site.signedIn({ path: "/account/profile" });
  const message = "An internal error occurred. Report it with the request id, which identifies it in the log.";
  const data = {
    code: "INTERNAL_SERVER_ERROR",
    httpStatus: 500,
    title: "",
    issues: null,
    requestId: "0123456789abcdef",
  };
  await page.route("**/trpc/users.list*", async (route) => {
    const body = JSON.stringify({ error: { json: { message, code: -32_603, data } } });
    await route.fulfill({ status: 500, contentType: "application/json", body });
  });
  site.expected.push("500");
  await page.goto(`${site.url}/admin/users`);
  await page.getByText(`${message} Request id: 0123456789abcdef`).waitFor();
});

test("after five wrong passwords the sign-in page says how long to wait, and keeps the name", async () => {
  const page = await site.open();
  await page.goto(site.url);
  site.expected.push("401", "429");
  await page.getByLabel("Username").fill("typist");
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const answered = page.waitForResponse((response) => response.url().includes("/trpc/auth.login"));
    await page.getByLabel("Password").fill(`a wrong password ${attempt}`);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await answered;
    await page.getByRole("alert").waitFor();
  }
  await expect.poll(async () => await page.getByRole("alert").textContent()).toMatch(/minutes|seconds/);
  expect(await page.getByLabel("Username").inputValue()).toBe("typist");
});
