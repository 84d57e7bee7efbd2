import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useConsole } from "../../support/console.ts";
import { startIdentityVendor, vendorClient, type IdentityVendor } from "../../support/identity/vendors.ts";

const site = useConsole();
const deepLink = "/account/tokens";
let vendor: IdentityVendor;

beforeAll(async () => {
  vendor = await startIdentityVendor("github");
  const config = { providerId: "github", ...vendorClient, ...vendor.endpoints };
  await site.zonewright.admin.post("/api/oauth/providers", config);
});
afterAll(() => vendor.stop());

/** Opens a deep link, and continues at the provider, where the person agrees or refuses. */
async function goThere(answer: "agree" | "refuse"): Promise<Page> {
  const page = await site.open();
  // A browser's redirects cannot be routed, so the provider's page is passed where the service sends there.
  await page.route("**/api/auth/oauth/github/authorize*", async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    const asked = new URL(response.headers()["location"] ?? "");
    const refused = new URL(asked.searchParams.get("redirect_uri") ?? "");
    refused.search = `error=access_denied&state=${encodeURIComponent(asked.searchParams.get("state") ?? "")}`;
    const { href } = answer === "agree" ? vendor.agree(asked) : refused;
    await route.fulfill({ response, headers: { ...response.headers(), location: href } });
  });
  await page.goto(site.url + deepLink);
  await page.getByRole("button", { name: "Continue with GitHub" }).click();
  return page;
}

test("an identity without an account asks for an invitation code, then signs in and leads to the deep link", async () => {
  const { body: invitation } = await site.zonewright.admin.post("/api/invitations", { maxUses: 1 });
  const page = await goThere("agree");
  await page.getByRole("heading", { name: "One more step" }).waitFor();
  expect(page.url()).toBe(`${site.url}/welcome-back`);
  site.expected.push("400", "404");
  await page.getByLabel("Invitation code").fill("NOT-A-CODE");
  await page.getByRole("button", { name: "Create the account" }).click();
  await page
    .getByText(/invitation/i)
    .nth(1)
    .waitFor();
  expect(await page.getByLabel("Invitation code").inputValue()).toBe("NOT-A-CODE");
  await page.getByLabel("Invitation code").fill(invitation.code);
  await page.getByRole("button", { name: "Create the account" }).click();
  await page.getByRole("button", { name: "Create a token" }).waitFor();
  expect(page.url()).toBe(site.url + deepLink);
});

test("an identity with an account signs in and leads to the deep link, and its ticket leaves the address", async () => {
  const page = await goThere("agree");
  await page.getByRole("button", { name: "Create a token" }).waitFor();
  expect(page.url()).toBe(site.url + deepLink);
  await page.goBack();
  expect(page.url()).not.toContain("ticket");
});

test("a sign-in that the person refuses at the provider is explained on the sign-in page", async () => {
  const page = await goThere("refuse");
  await page.getByText("The provider did not confirm the sign-in.").waitFor();
  await page.getByLabel("Username").waitFor();
});
