import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible, useConsole } from "../../support/console.ts";
import { fileZone } from "../../support/zones.ts";

const site = useConsole();

const everywhere = [
  "/",
  "/d/ZONE/records",
  "/d/ZONE/text",
  "/d/ZONE/timeline",
  "/d/ZONE/timeline?at=1",
  "/d/ZONE/requests",
  "/d/ZONE/health",
  "/d/ZONE/registration",
  "/d/ZONE/settings",
  "/d/ZONE/access",
  "/requests",
  "/requests/REQUEST",
  "/search?value=192.0.2.1",
  "/replace?type=A&value=192.0.2.1&to=192.0.2.2",
  "/replace/REPLACEMENT",
  "/portfolio",
  "/reverse",
  "/secondaries",
  "/compare",
  "/templates",
  "/templates/TEMPLATE",
  "/notifications",
  "/account/profile",
  "/account/security",
  "/account/tokens",
  "/account/keys",
  "/account/sessions",
  "/authorize",
  "/device",
  "/admin/users",
  "/admin/assignments",
  "/admin/audit",
  "/admin/keys",
  "/admin/invitations",
  "/admin/providers",
  "/admin/providers/new",
  "/admin/providers/PROVIDER/zones",
  "/admin/registrars",
  "/admin/sign-in",
  "/admin/sign-in/gitlab",
  "/admin/channels",
  "/admin/channels/new",
  "/admin/channels/CHANNEL",
  "/admin/system",
  "/no-such-page",
];

/** Pages of who is not signed in. */
const outside = new Set([
  "/sign-in",
  "/forgot-password",
  "/reset-password",
  "/verify-email",
  "/register",
  "/welcome-back",
]);

test("every page of the console for who is signed in is among those that are looked at", async () => {
  const routes = await readFile("web/src/routes.tsx", "utf8");
  const paths = [...routes.matchAll(/^ {2}path: "(\/[^"]*)"/gm)].flatMap(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(40);
  const missing = paths.filter((path) => {
    const ends = new RegExp(`${path.replaceAll(/\$\w+/g, "[^/?]+")}(?:/|\\?.*)?$`);
    return !outside.has(path) && !everywhere.some((visited) => ends.test(visited));
  });
  // A zone's own address leads to its records.
  expect(missing).toEqual(["/d/$name"]);
});

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
  await zone.add("A", "www", "192.0.2.1");
  const search = { recordType: "A", value: "192.0.2.1", newValue: "192.0.2.2", domainIds: [zone.id] };
  const { body: plan } = await admin.post("/api/records/replace/plan", search);
  const wish = { ...search, planHash: plan.planHash, force: true };
  const { body: replacement } = await admin.post("/api/records/replace/apply", wish);
  const wanted = { channel: "web", name: "h".repeat(60), config: { administrators: true }, events: ["zone.drift"] };
  const { body: channel } = await admin.post("/api/notifications", wanted);
  const { body: templates } = await admin.get("/api/templates");
  const made: Record<string, string> = {
    ZONE: zone.name,
    REQUEST: request.body.id,
    REPLACEMENT: replacement.jobId,
    TEMPLATE: templates.templates[0].id,
    PROVIDER: mirror.id,
    CHANNEL: channel.id,
  };
  for (const path of everywhere) {
    await page.goto(site.url + path.replace(/[A-Z]{2,}/, (name) => made[name] ?? name));
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
