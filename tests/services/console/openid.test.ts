import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { minute } from "../../support/clock.ts";
import { useConsole } from "../../support/console.ts";
import { startOpenIdProvider, type OpenIdProvider } from "../../support/identity/openid-provider.ts";
import { adminPassword, memberPassword } from "../../support/zonewright.ts";

/** The sign-in at a real OpenID provider, on its own pages in the browser. */

const site = useConsole();
const deepLink = "/account/sessions";
let provider: OpenIdProvider;
let configId = "";

beforeAll(async () => {
  provider = await startOpenIdProvider(`${site.url}/oauth/oidc`);
  const { wellKnownUrl, clientId, clientSecret } = provider;
  const config = { providerId: "oidc", clientId, clientSecret, wellKnownUrl };
  configId = (await site.zonewright.admin.post("/api/oauth/providers", config)).body.id;
  provider.accounts.set("ada", { name: "Ada Lovelace", email: "ada@example.com", email_verified: true });
});
afterAll(() => provider.stop());

const rowOfThisBrowser = (page: Page) => page.getByRole("listitem").filter({ hasText: "This browser" });

/** The provider's pages want a font from elsewhere. */
async function reachProvider(page: Page): Promise<Page> {
  await page.route(
    "https://fonts.googleapis.com/**",
    async (route) => await route.fulfill({ contentType: "text/css" }),
  );
  return page;
}

/** Opens a deep link in a new browser and goes to the provider. */
async function goThere(): Promise<Page> {
  const page = await reachProvider(await site.open());
  await page.goto(site.url + deepLink);
  await page.getByRole("button", { name: "Continue with OpenID Connect" }).click();
  return page;
}

/** Signs in on the provider's page, and consents if it asks. */
async function signInThere(page: Page, login: string): Promise<void> {
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("whatever");
  await page.locator("[type=submit]").click();
  const consent = page.getByRole("button", { name: "Continue", exact: true });
  await consent.or(page.locator("#root")).waitFor();
  if ((await consent.count()) > 0) await consent.click();
}

/** Lets every session look as if it was confirmed eleven minutes ago. A clock that runs ahead would disagree with the provider's. */
async function ageConfirmations(): Promise<void> {
  const confirmedAt = new Date(Date.now() - 11 * minute);
  await queries(site.zonewright.services.database.fork())
    .updateTable("sessions")
    .set({ confirmed_at: confirmedAt })
    .execute();
}

async function signInByPassword(page: Page): Promise<void> {
  await page.getByLabel("Username").fill("admin");
  await page.getByLabel("Password").fill(adminPassword);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function invite(): Promise<string> {
  const admin = await site.zonewright.signIn("admin", adminPassword);
  return (await admin.post("/api/invitations", { maxUses: 1 })).body.code;
}

/** Registers a new account by an identity there. */
async function register(login: string): Promise<Page> {
  const page = await goThere();
  await signInThere(page, login);
  await page.getByLabel("Invitation code").fill(`  ${await invite()} `);
  await page.getByRole("button", { name: "Create the account" }).click();
  await rowOfThisBrowser(page).waitFor();
  return page;
}

test("an unknown identity needs an invitation, and then signs in by a ticket; both lead to the deep link, or to the domains", async () => {
  const page = await register("ada");
  expect(page.url()).toBe(site.url + deepLink);
  const again = await goThere();
  await signInThere(again, "ada");
  await rowOfThisBrowser(again).waitFor();
  expect(again.url()).toBe(site.url + deepLink);
  const home = await reachProvider(await site.open());
  await home.goto(site.url);
  await home.getByRole("button", { name: "Continue with OpenID Connect" }).click();
  await signInThere(home, "ada");
  await home.getByRole("heading", { name: "Domains", exact: true }).waitFor();
  // No address in the history of the tab has what the provider or the service sent along.
  const entries = await historyOf(again);
  expect(entries.filter((url) => url.startsWith(site.url) && /ticket|pending_token|code=/.test(url))).toEqual([]);
});

test("an invitation may be pasted late: a code that is refused can be corrected", async () => {
  const page = await goThere();
  await signInThere(page, "late");
  site.expected.push("400");
  await page.getByLabel("Invitation code").fill("ABCD-EFGH-IJKL");
  await page.getByRole("button", { name: "Create the account" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Invitation code").fill(await invite());
  await page.getByRole("button", { name: "Create the account" }).click();
  await rowOfThisBrowser(page).waitFor();
  expect(page.url()).toBe(site.url + deepLink);
});

test("a signed-in account is bound, returns to its page, and signs in there from then on", async () => {
  await site.zonewright.member("grace");
  const page = await reachProvider(
    await site.signedIn({ username: "grace", password: memberPassword, path: "/account/security" }),
  );
  await page.getByRole("button", { name: "Connect OpenID Connect" }).click();
  await signInThere(page, "grace-elsewhere");
  await page.getByText("You can now sign in with").waitFor();
  expect(page.url()).toBe(`${site.url}/account/security`);
  const other = await goThere();
  await signInThere(other, "grace-elsewhere");
  await rowOfThisBrowser(other).waitFor();
  await other.getByRole("button", { name: "grace", exact: true }).waitFor();
});

test("an identity of somebody else is not bound, and the page where it began says so", async () => {
  await site.zonewright.member("mallory");
  const page = await reachProvider(
    await site.signedIn({ username: "mallory", password: memberPassword, path: "/account/security" }),
  );
  await page.getByRole("button", { name: "Connect OpenID Connect" }).click();
  await signInThere(page, "grace-elsewhere");
  await page.getByText("This identity belongs to another account.").waitFor();
  expect(page.url()).toBe(`${site.url}/account/security`);
});

test("a refusal at the provider is explained, and another sign-in then leads to the deep link", async () => {
  const page = await goThere();
  await page.getByRole("link", { name: /cancel/i }).click();
  await page.getByText("The provider did not confirm the sign-in.").waitFor();
  await signInByPassword(page);
  await rowOfThisBrowser(page).waitFor();
  expect(page.url()).toBe(site.url + deepLink);
});

test("without a password, a late change is confirmed by a new sign-in there, which leads back to the page", async () => {
  const page = await register("lin");
  await page.goto(`${site.url}/account/security`);
  await ageConfirmations();
  site.expected.push("403");
  const set = async () => {
    await page.getByLabel("New password").fill("seven grey herons wading");
    await page.getByRole("button", { name: "Set a password" }).click();
  };
  await set();
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await dialog.getByRole("button", { name: "Sign in again with OpenID Connect" }).click();
  // Already signed in there, the person is asked again all the same.
  await signInThere(page, "lin");
  await page.getByText("You have no password and sign in").waitFor();
  expect(page.url()).toBe(`${site.url}/account/security`);
  await set();
  await page.getByText("Password set.").waitFor();
  await page.getByLabel("Current password").waitFor();
});

test("somebody else who confirms there is signed in as who they are, and the page says so", async () => {
  provider.accounts.set("eve", { preferred_username: "eve" });
  await register("eve");
  const page = await register("frank");
  await page.goto(`${site.url}/account/security`);
  await ageConfirmations();
  site.expected.push("403");
  await page.getByRole("button", { name: "Set up" }).click();
  // The provider forgets who was there, as after its own sign-out.
  await page.context().clearCookies({ domain: "127.0.0.1" });
  await page.getByRole("button", { name: "Sign in again with OpenID Connect" }).click();
  await signInThere(page, "eve");
  await page.getByText("You are now signed in as eve.").waitFor();
  expect(page.url()).toBe(`${site.url}/`);
});

test("a provider that an administrator turned off meanwhile is explained, and the password leads to the deep link", async () => {
  const page = await site.open();
  await page.goto(site.url + deepLink);
  const button = page.getByRole("button", { name: "Continue with OpenID Connect" });
  await button.waitFor();
  const admin = await site.zonewright.signIn("admin", adminPassword);
  expect((await admin.put(`/api/oauth/providers/${configId}`, { enabled: false })).status).toBe(200);
  await button.click();
  await page.getByText("An administrator turned this sign-in off.").waitFor();
  expect(await button.count()).toBe(0);
  await signInByPassword(page);
  await rowOfThisBrowser(page).waitFor();
  expect((await admin.put(`/api/oauth/providers/${configId}`, { enabled: true })).status).toBe(200);
});

/** The addresses in the tab's history. */
async function historyOf(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { entries } = await session.send("Page.getNavigationHistory");
  return entries.map(({ url }) => url);
}
