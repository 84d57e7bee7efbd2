import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { Clock, minute } from "../../support/clock.ts";
import { plugInAuthenticator } from "../../support/console-passkeys.ts";
import { useConsole } from "../../support/console.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { codeAt, middleOfStep, step, wrongCodeAt } from "../../support/second-factors/authenticator-app.ts";
import { startMailServer } from "../../support/servers/mail-server.ts";
import { memberPassword } from "../../support/zonewright.ts";

/** Every second step leads to the page that was asked for, and confirms what the service wants confirmed. */

const clock = new Clock();
const mail = await startMailServer();
const site = useConsole({ now: clock.now, env: { SMTP_URL: mail.url, MAIL_FROM: "dns@example.com" } });
afterAll(() => mail.stop());

const deepLink = "/account/sessions";

interface AppUser {
  client: RestClient;
  secret: string;
  recoveryCodes: string[];
}

/** Makes a member with an authenticator app. */
async function withApp(username: string): Promise<AppUser> {
  const client = await site.zonewright.member(username);
  middleOfStep(clock);
  const { secret } = (await client.post("/api/2fa/totp/setup")).body;
  const { recoveryCodes } = (await client.post("/api/2fa/totp/enable", { code: codeAt(secret, clock.now()) })).body;
  clock.advance(step);
  return { client, secret, recoveryCodes };
}

/** Opens the deep link in a new browser, and signs in by password up to the second step. */
async function upToSecondStep(username: string): Promise<Page> {
  const page = await site.open();
  await page.goto(site.url + deepLink);
  await enterPassword(page, username);
  return page;
}

async function enterPassword(page: Page, username: string): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password").fill(memberPassword);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Second step" }).waitFor();
}

async function arrivesAtDeepLink(page: Page): Promise<void> {
  await page.getByText("This browser").waitFor();
  expect(page.url()).toBe(site.url + deepLink);
}

test("a wrong code is explained, and the right one leads to the deep link", async () => {
  const { secret } = await withApp("app");
  const page = await upToSecondStep("app");
  site.expected.push("401");
  const code = page.getByLabel("Six-digit code from your authenticator app");
  await code.fill(wrongCodeAt(secret, clock.now()));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("alert").waitFor();
  // With the space that apps show in the middle.
  await code.fill(codeAt(secret, clock.now()).replace(/^(...)/, "$1 "));
  await page.getByRole("button", { name: "Continue" }).click();
  await arrivesAtDeepLink(page);
});

test("a recovery code leads to the deep link, once", async () => {
  const { recoveryCodes } = await withApp("recovery");
  const [recoveryCode = ""] = recoveryCodes;
  const use = async () => {
    const page = await upToSecondStep("recovery");
    await page.getByRole("button", { name: "Recovery code" }).click();
    await page.getByLabel("One of your recovery codes").fill(` ${recoveryCode.toUpperCase()} `);
    await page.getByRole("button", { name: "Continue" }).click();
    return page;
  };
  await arrivesAtDeepLink(await use());
  site.expected.push("401");
  await (await use()).getByRole("alert").waitFor();
});

test("a passkey is the second step after the password, and leads to the deep link", async () => {
  await site.zonewright.member("key");
  const page = await site.signedIn({ username: "key", password: memberPassword, path: "/account/security" });
  await plugInAuthenticator(page);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("button", { name: "I have saved them" }).click();
  await page.getByRole("button", { name: "key", exact: true }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Zonewright" }).waitFor();
  await page.goto(site.url + deepLink);
  await enterPassword(page, "key");
  await page.getByRole("button", { name: "Use your passkey" }).click();
  await arrivesAtDeepLink(page);
});

test("a mailed code leads to the deep link", async () => {
  const { services } = site.zonewright;
  const account = { email: "mailed@example.com", password: memberPassword, role: "member" } as const;
  await services.users.create(services.database.fork(), { username: "mailed", ...account });
  const client = await site.zonewright.signIn("mailed", memberPassword);
  expect((await client.post("/api/2fa/email/enable")).status).toBe(200);
  const page = await upToSecondStep("mailed");
  await page.getByText("A code is on its way").waitFor();
  await page.getByLabel("Code from the email").fill(await mailedCode("mailed@example.com"));
  await page.getByRole("button", { name: "Continue" }).click();
  await arrivesAtDeepLink(page);
});

test("somebody who cannot finish the second step starts again with another account", async () => {
  await withApp("stuck");
  await site.zonewright.member("free");
  const page = await upToSecondStep("stuck");
  await page.getByRole("button", { name: "Start again" }).click();
  await page.getByLabel("Username").fill("free");
  await page.getByLabel("Password").fill(memberPassword);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await arrivesAtDeepLink(page);
  expect(await page.getByRole("button", { name: /free/ }).count()).toBe(1);
});

test.each(["Authenticator app", "Recovery code"])(
  "with a second factor, a late change is confirmed by the password and the %s",
  async (method) => {
    const username = method.startsWith("Auth") ? "confirms-app" : "confirms-code";
    const { secret, recoveryCodes } = await withApp(username);
    const page = await upToSecondStep(username);
    await page.getByLabel("Six-digit code from your authenticator app").fill(codeAt(secret, clock.now()));
    await page.getByRole("button", { name: "Continue" }).click();
    await arrivesAtDeepLink(page);
    await page.getByRole("link", { name: "Security" }).click();
    clock.advance(11 * minute);
    middleOfStep(clock);
    site.expected.push("403");
    await page.getByRole("button", { name: "Turn off: Authenticator app" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Turn off" }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    await dialog.getByLabel("Password").fill(memberPassword);
    await dialog.getByLabel("Second step").selectOption({ label: method });
    const code = method === "Recovery code" ? (recoveryCodes[0] ?? "") : codeAt(secret, clock.now());
    await dialog.getByRole("textbox").last().fill(code);
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("button", { name: "Set up" }).waitFor();
    await dialog.waitFor({ state: "hidden" });
  },
);

test("a session that ends is renewed in place with the second step", async () => {
  const { client, secret } = await withApp("renews");
  const page = await upToSecondStep("renews");
  await page.getByLabel("Six-digit code from your authenticator app").fill(codeAt(secret, clock.now()));
  await page.getByRole("button", { name: "Continue" }).click();
  await arrivesAtDeepLink(page);
  await page.getByRole("link", { name: "Profile" }).click();
  await page.getByLabel("Full name").fill("Not saved yet");
  site.expected.push("401");
  const { sessions } = (await client.get("/api/auth/me/sessions")).body;
  for (const { id, current } of sessions) if (!current) await client.delete(`/api/auth/me/sessions/${id}`);
  const dialog = page.getByRole("dialog", { name: "Your session ended" });
  await dialog.getByLabel("Password").fill(memberPassword);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  clock.advance(step);
  const second = page.getByRole("dialog", { name: "Second step" });
  await second.getByLabel("Six-digit code from your authenticator app").fill(codeAt(secret, clock.now()));
  await second.getByRole("button", { name: "Continue" }).click();
  await second.waitFor({ state: "hidden" });
  expect(await page.getByLabel("Full name").inputValue()).toBe("Not saved yet");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Profile saved.").waitFor();
});

/** The code of the next mail to an address that has one; notices about the account come as well. */
async function mailedCode(address: string): Promise<string> {
  for (;;) {
    const [, code] = /sign-in code is (\d{6})/.exec((await mail.next(address)).text) ?? [];
    if (code !== undefined) return code;
  }
}
