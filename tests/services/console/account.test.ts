import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { Clock, minute } from "../../support/clock.ts";
import { plugInAuthenticator } from "../../support/console-passkeys.ts";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { memberPassword } from "../../support/zonewright.ts";

const clock = new Clock();
const site = useConsole({ now: clock.now });
const patience = { timeout: 60_000 };
const markup = `<img src="x" onerror="document.title='broken'"><b>bold</b>`;

/** Makes a member and opens a page of their account. */
async function member(username: string, path: string): Promise<Page> {
  await site.zonewright.member(username);
  return await site.signedIn({ username, password: memberPassword, path });
}

/** Fills in the form of a new token, and sends it. */
async function createToken(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Create a token" }).click();
  await page.getByLabel("What it is for").fill(name);
  await page.getByRole("group", { name: "Domains" }).getByLabel("Read").check();
  await page.getByRole("button", { name: "Create the token" }).click();
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test("names and notification settings are stored, and the names appear in the frame", async () => {
  const page = await member("named", "/account/profile");
  await page.getByLabel("Full name").fill("Ada Lovelace");
  await page.getByLabel("Short name").fill("Ada");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Ada Lovelace" }).waitFor();
  // The open stream ends; its attempt to resume may be refused.
  site.expected.push("403");
  await page.getByLabel("In the console").uncheck();
  await page.getByText("Saved.", { exact: true }).waitFor();
  await page.reload();
  expect(await page.getByLabel("Full name").inputValue()).toBe("Ada Lovelace");
  expect(await page.getByLabel("In the console").isChecked()).toBe(false);
  expect(await page.getByLabel("By email").isDisabled()).toBe(true);
});

test("a picture address that is refused is explained at its field, and no picture is loaded from elsewhere", async () => {
  const page = await member("pictured", "/account/profile");
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(site.url)) elsewhere.push(request.url());
  });
  site.expected.push("400");
  await page.getByLabel("Picture address").fill("javascript:alert(1)");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/must be an https/).waitFor();
  await page.getByLabel("Picture address").fill("https://pictures.example/ada.png");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Profile saved.").waitFor();
  await page.reload();
  await page.getByLabel("Picture address").waitFor();
  expect(elsewhere).toEqual([]);
});

test("a calendar feed is shown once, is narrowed by the names of domains, and returns nothing once it is revoked", async () => {
  const page = await member("planner", "/account/tokens");
  const create = page.getByRole("button", { name: "Create a feed" });
  await create.click();
  await page.getByLabel("Name of the calendar").fill("Renewals");
  await page.getByLabel("Domains").fill("elsewhere.example");
  await page.getByRole("button", { name: "Create the feed" }).click();
  await page.getByText("You have no domain elsewhere.example.").waitFor();
  await page.getByLabel("Domains").fill("");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create the feed" }).click();
  const fresh = page.getByRole("region", { name: "New calendar feed" });
  await expect.poll(async () => await fresh.and(page.locator(":focus")).count(), patience).toBe(1);
  const url = (await fresh.getByRole("code").first().textContent()) ?? "";
  expect(await (await fetch(url)).text()).toContain("X-WR-CALNAME:Renewals");
  await expectAccessible(page);
  await photograph(page, "account-feeds");
  await fresh.getByRole("button", { name: "Done" }).click();
  const row = page.getByRole("list", { name: "Calendar feeds" }).getByRole("listitem").filter({ hasText: "Renewals" });
  await row.waitFor();
  expect(await page.content()).not.toContain(url);
  await row.getByRole("button", { name: "Revoke Renewals" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Renewals revoked.").waitFor();
  await page.getByText("No feeds yet").waitFor();
  expect((await fetch(url)).status).toBe(404);
});

test("the theme is chosen by keyboard and outlasts a reload", async () => {
  const page = await member("themed", "/account/profile");
  await page.getByRole("radio", { name: "System" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.reload();
  expect(await page.getByRole("radio", { name: "Dark" }).isChecked()).toBe(true);
  expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
});

test("a token is shown once, works until it is deleted, and has only its permissions", async () => {
  const page = await member("scripted", "/account/tokens");
  await createToken(page, "Backup script");
  const fresh = page.getByRole("region", { name: "New token" });
  await expect.poll(async () => await fresh.and(page.locator(":focus")).count(), patience).toBe(1);
  const token = (await fresh.getByRole("code").first().textContent()) ?? "";
  expect((await fetch(`${site.url}/api/domains`, bearer(token))).status).toBe(200);
  expect((await fetch(`${site.url}/api/notifications`, bearer(token))).status).toBe(403);
  await page.reload();
  const row = page.getByRole("listitem").filter({ hasText: "Backup script" });
  await row.waitFor();
  expect(await page.content()).not.toContain(token);
  expect(await row.textContent()).toContain("domains:read");

  await page.getByRole("button", { name: "Delete Backup script" }).click();
  const question = page.getByRole("dialog", { name: "Delete the token Backup script?" });
  await question.getByRole("button", { name: "Delete" }).click();
  await page.getByText("No tokens yet").waitFor();
  // The button that had the focus is gone; the keyboard goes on beside it.
  await expect.poll(async () => await page.locator("main *:focus").count(), patience).toBe(1);
  expect((await fetch(`${site.url}/api/domains`, bearer(token))).status).toBe(401);
});

test("a token without a name, permission or day is explained before anything is lost", async () => {
  const page = await member("incomplete", "/account/tokens");
  site.expected.push("400");
  await page.getByRole("button", { name: "Create a token" }).click();
  await page.getByLabel("Expires").selectOption("On a date…");
  await page.getByRole("button", { name: "Create the token" }).click();
  await page.getByText("Select at least one permission.").waitFor();
  await page.getByText("This is required.").waitFor();
  await page.getByRole("group", { name: "Records" }).getByLabel("Write").check();
  await page.getByLabel("Last day").fill("2001-01-01");
  await page.getByLabel("What it is for").fill("Late");
  await page.getByRole("button", { name: "Create the token" }).click();
  await page.getByText(/must be in the future/).waitFor();
  expect(await page.getByLabel("What it is for").inputValue()).toBe("Late");
});

test("a token is narrowed by names, and a name, pattern or permission that does not fit is explained at its field", async () => {
  const page = await member("narrowing", "/account/tokens");
  const config = { kind: "manual", name: "For narrowing", membersMayUse: true };
  const { body } = await site.zonewright.admin.post("/api/provider-configs", config);
  const owner = await site.zonewright.signIn("narrowing", memberPassword);
  await owner.post("/api/domains", { name: "narrowing.example", providerConfigId: body.id });
  site.expected.push("400", "400");
  await page.getByRole("button", { name: "Create a token" }).click();
  const limits = page.getByRole("group", { name: "Limits" });
  await page.getByLabel("What it is for").fill("Certificates");
  await page.getByRole("group", { name: "Records" }).getByLabel("Write").check();
  await page.getByRole("group", { name: "Snapshots" }).getByLabel("Write").check();
  await limits.getByLabel("Domains").fill("narrowing.example, unknown.example");
  await limits.getByLabel("Hosts").fill("_acme-challenge*.narrowing.example");
  await limits.getByLabel("Record types").fill("txt");
  const create = page.getByRole("button", { name: "Create the token" });
  await create.click();
  await page.getByText("You have no domain unknown.example.").waitFor();
  await limits.getByLabel("Domains").fill("narrowing.example");
  await create.click();
  await page.getByText(/A narrowed token cannot have snapshots:write/).waitFor();
  await page.getByRole("group", { name: "Snapshots" }).getByLabel("Write").uncheck();
  await create.click();
  await page.getByText(/The pattern must be relative to narrowing.example/).waitFor();
  await limits.getByLabel("Hosts").fill("_acme-challenge*");
  await create.click();
  await page.getByRole("region", { name: "New token" }).waitFor();
  const row = page.getByRole("listitem").filter({ hasText: "Certificates" });
  for (const text of ["_acme-challenge*", "TXT", "1 domain"]) expect(await row.textContent()).toContain(text);
});

test("ten minutes after the sign-in, a token is created once the password is confirmed", async () => {
  const page = await member("late", "/account/tokens");
  clock.advance(11 * minute);
  site.expected.push("403");
  await createToken(page, "Late script");
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await dialog.getByLabel("Password").fill(memberPassword);
  await page.keyboard.press("Enter");
  const fresh = page.getByRole("region", { name: "New token" });
  expect(await fresh.textContent()).toContain("Late script");
});

test("an ended session signs that browser out", async () => {
  const page = await member("elsewhere", "/account/sessions");
  const other = await site.signedIn({ username: "elsewhere", password: memberPassword });
  await page.reload();
  const current = page.getByRole("listitem").filter({ hasText: "This browser" });
  await current.waitFor();
  expect(await current.getByRole("button").count()).toBe(0);
  await page.getByRole("button", { name: "End Chrome on Linux" }).click();
  await page
    .getByRole("dialog", { name: "End the session of Chrome on Linux?" })
    .getByRole("button", { name: "End" })
    .click();
  await page.getByText("Session ended.").waitFor();
  site.expected.push("401");
  await other.reload();
  await other.getByRole("heading", { name: "Sign in to Zonewright" }).waitFor();
  await page.reload();
  await current.waitFor();
});

test("ending all other sessions leaves only this one", async () => {
  const page = await member("alone", "/account/sessions");
  const program = await site.zonewright.signIn("alone", memberPassword);
  await page.reload();
  await page.getByRole("button", { name: "End all others" }).click();
  await page
    .getByRole("dialog", { name: "End all other sessions?" })
    .getByRole("button", { name: "End all others" })
    .click();
  const rows = page.getByRole("list", { name: "Where you are signed in" }).getByRole("listitem");
  await expect.poll(async () => await rows.count(), patience).toBe(1);
  await expect.poll(async () => await page.getByRole("button", { name: "End all others" }).count(), patience).toBe(0);
  expect((await program.get("/api/auth/me")).status).toBe(401);
});

test("the tabs lead to each page by keyboard and name the one that is open", async () => {
  const page = await member("tabbed", "/account/profile");
  const tabs = page.getByRole("navigation", { name: "Pages of your account" });
  for (const name of ["Security", "Tokens", "DNS keys", "Sessions", "Profile"]) {
    await tabs.getByRole("link", { name }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site.url}/account/${name.replace("DNS ", "").toLowerCase()}`);
    // The tabs of the page before say so at once, and go with it.
    await expect.poll(() => page.title(), patience).toBe(`${name} · Zonewright`);
    expect(await tabs.locator("[aria-current=page]").textContent()).toBe(name);
  }
});

test("markup typed into every field stays text", async () => {
  const page = await member("markup", "/account/profile");
  site.expected.push("400");
  await plugInAuthenticator(page);
  await page.getByLabel("Full name").fill(markup);
  await page.getByLabel("Short name").fill("<b>bold</b>");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Profile saved.").waitFor();
  await page.getByRole("button", { name: "Add an address" }).click();
  await page.getByLabel("New address").fill(`${markup}@example.com`);
  await page.getByLabel("Current password").fill(memberPassword);
  await page.getByRole("button", { name: "Set the address" }).click();
  await page.getByRole("alert").waitFor();

  await page.getByRole("link", { name: "Security" }).click();
  await page.getByLabel("Name of the new passkey").fill(markup);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("button", { name: "I have saved them" }).click();
  await page.getByRole("button", { name: `Delete ${markup}` }).click();
  await page
    .getByRole("dialog", { name: `Delete the passkey ${markup}?` })
    .getByRole("button", { name: "Cancel" })
    .click();
  await page.getByLabel("Current password").fill(markup);
  await page.getByLabel("New password").fill(markup);
  site.expected.push("403");
  await page.getByRole("button", { name: "Change the password" }).click();
  await page.getByText("The current password is wrong.").waitFor();
  await page.getByRole("button", { name: "Set up" }).click();
  await page.getByLabel("Six-digit code").fill("<b>1</b>");
  await page.getByRole("button", { name: "Turn on", exact: true }).click();
  await page.getByLabel("Six-digit code").and(page.locator("[aria-invalid=true]")).waitFor();

  await page.getByRole("link", { name: "Tokens" }).click();
  await createToken(page, markup);
  await page.getByRole("region", { name: "New token" }).waitFor();
  await page.getByRole("listitem").filter({ hasText: markup }).waitFor();
  expect(await page.locator("img, main b").count()).toBe(0);
  expect(await page.title()).toBe("Tokens · Zonewright");
});

test.each([
  { dark: false, width: 1280 },
  { dark: true, width: 1280 },
  { dark: false, width: 320 },
  { dark: true, width: 320 },
])("the four pages have no accessibility findings and no sideways scrolling (dark: $dark, $width px)", async (look) => {
  const username = `axe-${look.dark ? "dark" : "light"}-${look.width}`;
  await site.zonewright.member(username);
  const page = await site.signedIn({ username, password: memberPassword, path: "/account/profile", ...look });
  await plugInAuthenticator(page);
  const check = async (name: string) => {
    await expectAccessible(page);
    const width = await page.evaluate(() => document.querySelector("#content")?.scrollWidth);
    expect(width).toBeLessThanOrEqual(look.width);
    if (!look.dark && look.width > 320) await photograph(page, `account-${name}`);
  };
  await page.getByRole("button", { name: "Add an address" }).click();
  await page.getByLabel("New address").waitFor();
  await check("profile");
  await page.getByRole("link", { name: "Security" }).click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("dialog", { name: "Save your recovery codes" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "I have saved them" }).click();
  await page.getByRole("button", { name: "Set up" }).click();
  await page.getByRole("img", { name: /QR code/ }).waitFor();
  await check("security");
  await page.getByRole("link", { name: "Tokens" }).click();
  await createToken(page, "Backup script");
  await page.getByRole("region", { name: "New token" }).waitFor();
  await page.getByRole("button", { name: "Create a token" }).click();
  await check("tokens");
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByText("This browser").waitFor();
  await check("sessions");
});
