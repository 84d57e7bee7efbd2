import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible, useConsole } from "../../support/console.ts";
import { fileZone } from "../../support/zones.ts";

const site = useConsole();

const everywhere = [
  "/",
  "/d/ZONE/records",
  "/d/ZONE/text",
  "/d/ZONE/requests",
  "/d/ZONE/health",
  "/d/ZONE/registration",
  "/d/ZONE/settings",
  "/d/ZONE/access",
  "/requests",
  "/requests/REQUEST",
  "/notifications",
  "/account/profile",
  "/account/security",
  "/account/tokens",
  "/account/keys",
  "/account/sessions",
  "/admin/users",
  "/admin/assignments",
  "/admin/audit",
  "/admin/keys",
  "/admin/invitations",
  "/admin/providers",
  "/admin/providers/new",
  "/admin/registrars",
  "/admin/sign-in",
  "/admin/sign-in/gitlab",
  "/admin/channels",
  "/admin/channels/new",
  "/no-such-page",
];

/** Visits every page, and looks at each. */
async function visit(page: Page, look: (path: string) => Promise<void>): Promise<void> {
  const zone = await fileZone(site.zonewright);
  await zone.add("TXT", "a-long-name-that-wraps.in-a-narrow-window", `"${"v".repeat(200)}"`);
  const { admin } = site.zonewright;
  const folder = { kind: "zonefile", name: `Mirror of ${zone.name}`, config: { folder: `mirror-${zone.name}` } };
  const { body: mirror } = await admin.post("/api/provider-configs", folder);
  expect((await zone.post("/mirrors", { providerConfigId: mirror.id })).status).toBe(200);
  const narrowed = { domainIds: [zone.id], hostPattern: "_acme-challenge*", recordTypes: ["TXT"] };
  const token = { name: `Certificates of ${zone.name}`, permissions: ["records:write"], ...narrowed };
  expect((await admin.post("/api/auth/me/tokens", token)).status).toBe(201);
  expect((await admin.post("/api/auth/me/tsig-keys", { domainId: zone.id, name: "k".repeat(100) })).status).toBe(201);
  const rule = { group: "g".repeat(256), role: "auditor", assignment: { domainId: zone.id, access: "read" } };
  const groups = { clientId: "a client", clientSecret: "a secret", groupsClaim: "groups", groupRules: [rule] };
  expect((await admin.post("/api/oauth/providers", { providerId: "gitlab", ...groups })).status).toBe(201);
  const added = { action: "create", record: { recordType: "A", name: "n".repeat(60), value: "192.0.2.1" } };
  const request = await zone.post("/change-requests", { title: "w".repeat(120), changes: [added] });
  expect(request.status).toBe(201);
  for (const path of everywhere) {
    await page.goto(site.url + path.replace("ZONE", zone.name).replace("REQUEST", request.body.id));
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await page.getByRole("status", { name: "Loading" }).waitFor({ state: "detached" });
    await look(path);
  }
}

const sideways = async (page: Page) => await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

// A browser at 200 % lays a window of 1280 pixels out with 640, at twice the density. Each page is loaded once and looked at in each form.
test("at double zoom no page has an accessibility finding or scrolls sideways, in either theme, and with forced colors and reduced motion every page keeps its controls visible and nothing moves", async () => {
  const page = await site.signedIn({ width: 640, height: 400 });
  await visit(page, async (path) => {
    await page.setViewportSize({ width: 640, height: 400 });
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none", reducedMotion: "no-preference" });
    await expectAccessible(page);
    expect(`${path} ${await sideways(page)}`).toBe(`${path} 0`);
    // Of what is looked for, a theme changes colors only.
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await expectAccessible(page, ["color-contrast"]);
    expect(`${path} ${await sideways(page)}`).toBe(`${path} 0`);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: "light", forcedColors: "active" });
    await expectAccessible(page);
    const moving = await page.evaluate(
      () => document.getAnimations().filter(({ effect }) => Number(effect?.getComputedTiming().duration) > 50).length,
    );
    expect(`${path} ${moving}`).toBe(`${path} 0`);
  });
}, 600_000);
