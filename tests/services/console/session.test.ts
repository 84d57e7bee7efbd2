import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { fileZone } from "../../support/zones.ts";
import { adminPassword } from "../../support/zonewright.ts";

const site = useConsole();

test("a person signs in with a password, stays signed in over a reload, and signs out", async () => {
  const page = await site.signedInByForm();
  await page.reload();
  await page.getByRole("heading", { name: "Domains", exact: true }).waitFor();
  await signOut(page);
  await page.getByRole("heading", { name: "Sign in to Zonewright" }).waitFor();
});

test("a wrong password is refused on the page with the service's words", async () => {
  const page = await site.open();
  site.expected.push("401");
  await page.goto(site.url);
  await page.getByLabel("Username").fill("admin");
  await page.getByLabel("Password").fill("not the password at all");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect.poll(async () => await page.getByRole("alert").textContent()).toMatch(/username or password/i);
});

test("a browser whose language is not a language tag, as under LANG=C, shows the console with dates", async () => {
  const page = await site.open();
  await page.addInitScript(() => Object.defineProperty(navigator, "language", { value: "C" }));
  await enter(page, "/account/sessions");
  await page.getByText("Signed in").first().waitFor();
});

test("where storage and cookies are blocked, people sign in, hear that a reload signs them out, and edit", async () => {
  const page = await site.open();
  await page.addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage", "indexedDB", "BroadcastChannel"])
      Object.defineProperty(globalThis, name, {
        get: () => {
          throw new DOMException("The operation is insecure.", "SecurityError");
        },
      });
    Object.defineProperty(LockManager.prototype, "request", {
      value: async () => await Promise.reject(new DOMException("Blocked", "SecurityError")),
    });
    Object.defineProperty(navigator, "cookieEnabled", { value: false });
  });
  const zone = await fileZone(site.zonewright);
  await page.goto(`${site.url}/d/${zone.name}/records`);
  await page.getByText(/cookies are blocked/i).waitFor();
  await enter(page);
  await page.getByRole("button", { name: "Add record" }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("www");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.1");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("1 change", { exact: true }).waitFor();
  // The page is live, too.
  await expect.poll(() => site.zonewright.services.streams.openStreams).toBe(2);
});

test("at an IP address no passkey is offered, and the page says that it would need a host name", async () => {
  const page = await site.open();
  // As if the service had a certificate for its address, and no SITE_URL.
  await page.route("https://192.0.2.1/**", async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const response = await route.fetch({ url: site.url + pathname + search });
    if (!response.headers()["content-type"]?.includes("html")) return await route.fulfill({ response });
    return await route.fulfill({ response, body: (await response.text()).replace(site.url, "") });
  });
  await page.goto("https://192.0.2.1/sign-in");
  await page.getByText("Passkeys need a host name").waitFor();
  expect(await page.getByRole("button", { name: /passkey/ }).count()).toBe(0);
});

test("a passkey that the browser refuses is explained in the page's words", async () => {
  const page = await site.open();
  await page.addInitScript(() => {
    CredentialsContainer.prototype.get = async () =>
      await Promise.reject(
        new DOMException("The relying party ID is not a registrable domain suffix.", "SecurityError"),
      );
  });
  await page.goto(site.url);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect.poll(async () => await page.getByRole("alert").textContent()).toMatch(/^The passkey was not used/);
});

test("a page whose scripts do not run says what to do, and the text goes when the console is there", async () => {
  const page = await site.open();
  await page.route("**/assets/packages-*.js", async (route) => await route.abort());
  site.expected.push("ERR_FAILED");
  await page.goto(site.url);
  const text = page.getByText("If nothing else appears");
  await text.waitFor();
  await page.unroute("**/assets/packages-*.js");
  await page.reload();
  await page.getByLabel("Username").waitFor();
  expect(await text.isVisible()).toBe(false);
});

test("a deep link survives the sign-in", async () => {
  const page = await site.signedInByForm({ path: "/account/sessions" });
  await page.waitForURL(`${site.url}/account/sessions`);
});

test("signing out in one tab signs out the others", async () => {
  const page = await site.signedInByForm();
  const other = await page.context().newPage();
  await other.goto(site.url);
  await other.getByRole("heading", { name: "Domains", exact: true }).waitFor();
  // The other tab learns of it when it is refused.
  site.expected.push("401");
  await signOut(page);
  await other.getByRole("heading", { name: "Sign in to Zonewright" }).waitFor();
});

test("without a connection, a sign-out says that the session goes on, keeps the drafts, and works once the network is back", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await site.signedInByForm({ path: `/d/${zone.name}/records` });
  const other = await page.context().newPage();
  await other.goto(`${site.url}/d/${zone.name}/records`);
  await page.getByRole("button", { name: "Add record" }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("www");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.1");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("1 change", { exact: true }).waitFor();
  await page.route("**/api/auth/logout", async (route) => await route.abort());
  site.expected.push("ERR_FAILED", "401");
  await signOut(page);
  await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
  const failed = page.getByRole("dialog", { name: "You are still signed in" });
  await failed.getByRole("alert").getByText("Zonewright did not answer.").waitFor();
  await photograph(page, "sign-out-failed");
  await expectAccessible(page);
  await failed.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("1 change", { exact: true }).waitFor();
  await other.getByText("1 change", { exact: true }).waitFor();
  // Both tabs are live again.
  await zone.add("A", "new", "192.0.2.9");
  for (const tab of [page, other]) await tab.getByText("192.0.2.9").waitFor();
  await page.unrouteAll();
  await signOut(page);
  await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
  for (const tab of [page, other]) await tab.getByRole("heading", { name: "Sign in to Zonewright" }).waitFor();
  const renewed = await page.request.post(`${site.url}/api/auth/refresh`, { data: {} });
  expect(renewed.status()).toBe(401);
  await enter(page, `/d/${zone.name}/records`);
  await page.getByText("192.0.2.9").waitFor();
  expect(await page.getByText("1 change", { exact: true }).count()).toBe(0);
});

test.each(["before the sign-out", "while it asks"])(
  "a sign-out succeeds although the browser drops its stored drafts %s",
  async (when) => {
    const zone = await fileZone(site.zonewright);
    const page = await site.signedInByForm({ path: `/d/${zone.name}/records` });
    await page.getByRole("button", { name: "Add record" }).first().click();
    await page.getByRole("textbox", { name: "Name" }).fill("www");
    await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.1");
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("1 change", { exact: true }).waitFor();
    const devTools = await page.context().newCDPSession(page);
    const drop = async () =>
      await devTools.send("Storage.clearDataForOrigin", { origin: site.url, storageTypes: "indexeddb" });
    site.expected.push("401");
    if (when === "before the sign-out") {
      await drop();
      await signOut(page);
    } else {
      await signOut(page);
      const ask = page.getByRole("dialog", { name: "Sign out and lose your drafts?" });
      await ask.waitFor();
      await drop();
      await ask.getByRole("button", { name: "Sign out" }).click();
    }
    await page.getByRole("heading", { name: "Sign in to Zonewright" }).waitFor();
    const renewed = await page.request.post(`${site.url}/api/auth/refresh`, { data: {} });
    expect(renewed.status()).toBe(401);
  },
);

test("a sign-out that waits for the service says so, also when it is repeated after a failure", async () => {
  const page = await site.signedInByForm();
  const held: Route[] = [];
  await page.route("**/api/auth/logout", (route) => void held.push(route));
  site.expected.push("ERR_FAILED", "401");
  await signOut(page);
  const waiting = page.getByRole("dialog", { name: "Signing out…" });
  await waiting.getByText("Zonewright has not answered yet.").waitFor();
  await expect.poll(() => held.length).toBe(1);
  await photograph(page, "signing-out");
  await expectAccessible(page);
  await held[0]?.abort();
  const failed = page.getByRole("dialog", { name: "You are still signed in" });
  await failed.getByRole("alert").getByText("Zonewright did not answer.").waitFor();
  await failed.getByRole("button", { name: "Sign out" }).click();
  await expect.poll(() => held.length).toBe(2);
  expect(await failed.count()).toBe(1);
  expect(await failed.getByRole("button", { name: "Sign out" }).getAttribute("aria-busy")).toBe("true");
  await held[1]?.continue();
  await page.getByRole("heading", { name: "Sign in to Zonewright" }).waitFor();
});

test("a mailed password link sets the password, and its token leaves the address", async () => {
  const page = await site.open();
  await page.goto(`${site.url}/reset-password#token=a-token-that-is-invalid`);
  await page.getByRole("heading", { name: "Choose a new password" }).waitFor();
  expect(page.url()).toBe(`${site.url}/reset-password`);
  site.expected.push("400");
  await page.getByLabel("New password").fill(adminPassword);
  await page.getByRole("button", { name: "Set the password" }).click();
  await expect.poll(async () => await page.getByRole("alert").textContent()).toMatch(/invalid or has expired/);
});

test("the sign-in page has no accessibility findings, in both themes and at 320 pixels", async () => {
  for (const dark of [false, true]) {
    const page = await site.open({ dark, width: dark ? 320 : 1280 });
    await page.goto(site.url);
    await page.getByLabel("Username").waitFor();
    await expectAccessible(page);
    if (!dark) await photograph(page, "sign-in");
  }
});

/** Signs in by the form, on the page that is open or at a path. */
async function enter(page: Page, path: string | null = null): Promise<void> {
  if (path !== null) await page.goto(site.url + path);
  await page.getByLabel("Username").fill("admin");
  await page.getByLabel("Password").fill(adminPassword);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}

/** Chooses "Sign out" from the menu. */
async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "admin" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
}
