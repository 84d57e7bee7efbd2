import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { Clock, minute } from "../../support/clock.ts";
import { plugInAuthenticator } from "../../support/console-passkeys.ts";
import { focusIn, useConsole } from "../../support/console.ts";
import { startIdentityVendor, vendorClient } from "../../support/identity/vendors.ts";
import { codeAt, middleOfStep, step, wrongCodeAt } from "../../support/second-factors/authenticator-app.ts";
import { startMailServer } from "../../support/servers/mail-server.ts";
import { verificationToken } from "../../support/verify-email.ts";
import { memberPassword } from "../../support/zonewright.ts";

const clock = new Clock();
const mail = await startMailServer();
const site = useConsole({ now: clock.now, env: { SMTP_URL: mail.url, MAIL_FROM: "dns@example.com" } });
afterAll(() => mail.stop());

const patience = { timeout: 60_000 };
const security = "/account/security";

/** Makes a member and opens a page of their account. */
async function member(username: string, path = security): Promise<Page> {
  await site.zonewright.member(username);
  return await site.signedIn({ username, password: memberPassword, path });
}

/** Signs in by password in a new browser, up to the second step. */
async function upToSecondStep(username: string): Promise<Page> {
  const page = await site.open();
  await page.goto(site.url);
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password").fill(memberPassword);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Second step" }).waitFor();
  return page;
}

const signedIn = async (page: Page) => await page.getByRole("navigation", { name: "Main" }).waitFor();
const heading = (page: Page, name: string) => page.getByRole("heading", { name });

/** Begins to set up the authenticator app on the page. @returns its secret */
async function setUpApp(page: Page): Promise<string> {
  middleOfStep(clock);
  await page.getByRole("button", { name: "Set up" }).click();
  await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
  const shown = await page
    .getByRole("listitem")
    .filter({ hasText: "Authenticator app" })
    .getByRole("code")
    .textContent();
  return (shown ?? "").replaceAll(" ", "");
}

/** Turns on the authenticator app on the page. @returns its secret */
async function turnOnApp(page: Page): Promise<string> {
  const secret = await setUpApp(page);
  await page.getByLabel("Six-digit code").fill(codeAt(secret, clock.now()));
  await page.getByRole("button", { name: "Turn on", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Save your recovery codes" });
  await dialog.getByRole("button", { name: "I have saved them" }).click();
  clock.advance(step);
  return secret;
}

describe("passkeys", () => {
  test("a passkey added on the page signs its owner in alone, and no longer once it is deleted", async () => {
    const page = await member("pass");
    await plugInAuthenticator(page);
    // Without a name, neither the service nor the authenticator is asked for one.
    let asked = false;
    page.on("request", (request) => (asked ||= request.url().includes("passkeyCreationOptions")));
    await page.getByLabel("Name of the new passkey").fill(" ");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("alert").getByText("This is required.").waitFor();
    expect(asked).toBe(false);
    await page.getByLabel("Name of the new passkey").fill("Laptop");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("button", { name: "I have saved them" }).click();
    expect(asked).toBe(true);
    await page.getByRole("button", { name: "Delete Laptop" }).waitFor();
    await signOut(page, "pass");

    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await signedIn(page);
    await page.goto(site.url + security);
    const row = page.getByRole("listitem").filter({ hasText: "Laptop" });
    await expect.poll(async () => await row.textContent(), patience).toContain("Last used now");

    await page.getByRole("button", { name: "Delete Laptop" }).click();
    await page
      .getByRole("dialog", { name: "Delete the passkey Laptop?" })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByText("You have no passkey yet.").waitFor();
    await signOut(page, "pass");
    site.expected.push("401");
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("alert").waitFor();
  });

  test("an authenticator that has a passkey already adds no second one, and the page says so", async () => {
    const page = await member("twice");
    await plugInAuthenticator(page);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("button", { name: "I have saved them" }).click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    expect(await page.getByRole("alert").textContent()).toContain("already has a passkey");
    expect(await page.getByRole("list", { name: "Passkeys" }).getByRole("listitem").count()).toBe(1);
  });

  test("where the browser has no passkeys, the page says why and offers none", async () => {
    await site.zonewright.member("plain");
    const page = await site.signedIn({ username: "plain", password: memberPassword });
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, "PublicKeyCredential"));
    await page.goto(site.url + security);
    await page.getByText("This browser offers no passkeys").waitFor();
    expect(await page.getByRole("button", { name: "Add a passkey" }).count()).toBe(0);
  });
});

describe("the second step", () => {
  test("an authenticator app set up on the page is the second step of the next sign-in", async () => {
    const page = await member("app");
    const secret = await turnOnApp(page);
    const other = await upToSecondStep("app");
    await other.getByLabel("Six-digit code from your authenticator app").fill(codeAt(secret, clock.now()));
    await other.getByRole("button", { name: "Continue" }).click();
    await signedIn(other);
    expect(other.url()).toBe(`${site.url}/`);
  });

  test("a wrong first code is explained at its field, and the app stays off", async () => {
    const page = await member("mistyped");
    site.expected.push("400");
    const wrong = wrongCodeAt(await setUpApp(page), clock.now());
    await page.getByLabel("Six-digit code").fill(wrong.replace(/^(...)/, "$1 "));
    await page.getByRole("button", { name: "Turn on", exact: true }).click();
    await expect.poll(async () => await page.getByRole("alert").textContent(), patience).toMatch(/This code is wrong/);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Set up" }).waitFor();
  });

  test("a downloaded recovery code is the second step once", async () => {
    const page = await member("recovers");
    await turnOnApp(page);
    await page.getByRole("button", { name: "Create new codes" }).click();
    const question = page.getByRole("dialog", { name: "Create new recovery codes?" });
    await question.getByRole("button", { name: "Create new codes" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click(),
    ]);
    const codes = (await text(await download.createReadStream())).match(/^\w{4}(?:-\w{4}){3}$/gm) ?? [];
    expect(codes).toHaveLength(10);

    const other = await upToSecondStep("recovers");
    await other.getByRole("button", { name: "Recovery code" }).click();
    await other.getByLabel("One of your recovery codes").fill(codes[0] ?? "");
    await other.getByRole("button", { name: "Continue" }).click();
    await signedIn(other);
    await other.goto(site.url + security);
    await other.getByText("9 left").waitFor();
  });

  test("a stray key or click does not lose new recovery codes", async () => {
    const page = await member("careful");
    await turnOnApp(page);
    await page.getByRole("button", { name: "Create new codes" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Create new codes" }).click();
    const dialog = page.getByRole("dialog", { name: "Save your recovery codes" });
    await focusIn(dialog);
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    expect(await dialog.getByRole("code").count()).toBe(10);
  });

  test("turning the app off asks first, and then the password alone signs in", async () => {
    const page = await member("back");
    await turnOnApp(page);
    await page.getByRole("button", { name: "Turn off: Authenticator app" }).click();
    await page
      .getByRole("dialog", { name: "Turn off the authenticator app?" })
      .getByRole("button", { name: "Turn off" })
      .click();
    await page.getByRole("button", { name: "Set up" }).waitFor();
    const other = await site.signedIn({ username: "back", password: memberPassword });
    expect(other.url()).toBe(`${site.url}/`);
  });

  test("an address is added, verified by its link, and then receives sign-in codes", async () => {
    const page = await member("mailed", "/account/profile");
    await page.getByRole("button", { name: "Add an address" }).click();
    await page.getByLabel("New address").fill("mailed@example.com");
    await page.getByLabel("Current password").fill(memberPassword);
    await page.getByRole("button", { name: "Set the address" }).click();
    await page.getByText("Not verified").waitFor();
    const token = await verificationToken(mail, "mailed@example.com");
    const opened = await page.context().newPage();
    await opened.goto(`${site.url}/verify-email#token=${token}`);
    await opened.getByText("Your email address is verified.").waitFor();

    await page.goto(site.url + security);
    await page.getByRole("button", { name: "Turn on: Email codes" }).click();
    await page.getByRole("button", { name: "I have saved them" }).click();
    const other = await upToSecondStep("mailed");
    await other.getByLabel("Code from the email").fill(await mailedCode("mailed@example.com"));
    await other.getByRole("button", { name: "Continue" }).click();
    await signedIn(other);
    await page.getByRole("button", { name: "Turn off: Email codes" }).waitFor();
  });
});

describe("the password", () => {
  test("a new password ends the sessions of other browsers, and signs in from then on", async () => {
    const page = await member("changes");
    const other = await site.signedIn({ username: "changes", password: memberPassword });
    await page.getByLabel("Current password").fill(memberPassword);
    await page.getByLabel("New password").fill("seven grey herons wading");
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText("Password changed.").waitFor();
    expect(await page.getByLabel("Current password").inputValue()).toBe("");

    // Its live stream ends with the session, so the page hears of it by itself.
    site.expected.push("401");
    await heading(other, "Your session ended").waitFor();
    await site.signedIn({ username: "changes", password: "seven grey herons wading" });
  });

  test("what is ticked ends with the old password, and the page says what still opens the account", async () => {
    const client = await site.zonewright.member("ticks");
    await client.post("/api/auth/me/tokens", { name: "Script", permissions: ["domains:read"] });
    const page = await site.signedIn({ username: "ticks", password: memberPassword, path: security });
    await page.getByLabel("Sessions in other browsers").uncheck();
    await page.getByLabel("Personal tokens").check();
    await page.getByLabel("Current password").fill(memberPassword);
    await page.getByLabel("New password").fill("seven grey herons wading");
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText("Still open: 1 other session.").waitFor();
    expect((await client.get("/api/auth/me/tokens")).body).toEqual({ tokens: [] });
  });

  test("a wrong current password and a weak new one are explained at their fields", async () => {
    const page = await member("weak");
    site.expected.push("403", "400");
    await page.getByLabel("Current password").fill("not this one at all");
    await page.getByLabel("New password").fill("seven grey herons wading");
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText("The current password is wrong.").waitFor();
    expect(await page.getByLabel("Current password").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Current password").fill(memberPassword);
    await page.getByLabel("New password").fill("zonewright1234");
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText(/must not be easy to guess/).waitFor();
    expect(await page.getByLabel("New password").getAttribute("aria-invalid")).toBe("true");
  });
});

describe("confirmation", () => {
  test("ten minutes after the sign-in, the page asks for the password, and then does what was asked", async () => {
    const page = await member("late");
    clock.advance(11 * minute);
    site.expected.push("403");
    await turnOnAppWithConfirmation(page);
    const qr = page.getByRole("img", { name: "QR code for your authenticator app" });
    expect(await qr.locator("path").getAttribute("d")).toMatch(/^M/);
  });

  test("what is wrong with a new user is said before the administrator's own password is asked for", async () => {
    const page = await site.signedIn({ path: "/admin/users" });
    clock.advance(11 * minute);
    await page.getByRole("button", { name: "Add user" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a user" });
    await dialog.getByLabel("Username").fill("Admin");
    await dialog.getByLabel("Password").fill("short");
    await dialog.getByRole("button", { name: "Add user" }).click();
    await dialog.getByText("The username Admin is taken.").waitFor();
    await dialog.getByText("A password must have at least 12 characters.").waitFor();
    expect(await page.getByRole("dialog", { name: "Confirm that it is you" }).count()).toBe(0);
  });

  test("deleting something ten minutes after the sign-in goes through its question and the password", async () => {
    const page = await member("late-delete");
    await plugInAuthenticator(page);
    await page.getByLabel("Name of the new passkey").fill("Old key");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("button", { name: "I have saved them" }).click();
    clock.advance(11 * minute);
    site.expected.push("403");
    await page.getByRole("button", { name: "Delete Old key" }).click();
    await page
      .getByRole("dialog", { name: /^Delete the passkey/ })
      .getByRole("button", { name: "Delete" })
      .click();
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    await dialog.getByRole("button", { name: "Use your passkey" }).click();
    await page.getByText("You have no passkey yet.").waitFor();
    expect(await page.getByRole("dialog", { name: "Confirm that it is you" }).count()).toBe(0);
  });

  test("cancelling the confirmation changes nothing and leaves what was typed", async () => {
    const page = await member("cancels");
    clock.advance(11 * minute);
    site.expected.push("403");
    await page.getByLabel("Name of the new passkey").fill("Not yet");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("dialog", { name: "Confirm that it is you" }).getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByLabel("Name of the new passkey").inputValue()).toBe("Not yet");
  });
});

test("an identity elsewhere is connected from the page and disconnected again", async () => {
  const vendor = await startIdentityVendor("github");
  onTestFinished(() => vendor.stop());
  const config = { providerId: "github", ...vendorClient, ...vendor.endpoints };
  const admin = await site.zonewright.signIn("admin", "correct horse battery staple");
  expect((await admin.post("/api/oauth/providers", config)).status).toBe(201);
  const page = await member("octo");
  // The vendor's own page, on which the person agrees.
  await page.route(`${vendor.endpoints.authorizeUrl}**`, async (route) => {
    const location = vendor.agree(new URL(route.request().url())).href;
    await route.fulfill({ status: 302, headers: { location } });
  });
  await page.getByRole("button", { name: "Connect GitHub" }).click();
  await page.getByText("You can now sign in with github.").waitFor();
  expect(page.url()).toBe(site.url + security);
  await page.getByRole("button", { name: "Disconnect GitHub" }).click();
  await page.getByRole("dialog", { name: "Disconnect GitHub?" }).getByRole("button", { name: "Disconnect" }).click();
  await page.getByRole("button", { name: "Connect GitHub" }).waitFor();
});

async function turnOnAppWithConfirmation(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Set up" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await dialog.getByLabel("Password").fill(memberPassword);
  await dialog.getByRole("button", { name: "Confirm" }).click();
}

/** The code of the next mail to an address that has one; notices about the account come as well. */
async function mailedCode(address: string): Promise<string> {
  for (;;) {
    const [, code] = /sign-in code is (\d{6})/.exec((await mail.next(address)).text) ?? [];
    if (code !== undefined) return code;
  }
}

async function signOut(page: Page, username: string): Promise<void> {
  await page.getByRole("button", { name: username, exact: true }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await heading(page, "Sign in to Zonewright").waitFor();
}
