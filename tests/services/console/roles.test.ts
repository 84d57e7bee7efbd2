import type { Page, Request } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { useConsole } from "../../support/console.ts";
import { memberPassword } from "../../support/zonewright.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

const site = useConsole();

let zone: Zone;
/** Where names stand for what each run makes anew. */
let ids: Readonly<Record<string, string>>;

const forAdministrators = [
  "/admin/invitations",
  "/admin/providers",
  "/admin/providers/new",
  "/admin/providers/PROVIDER/zones",
  "/admin/sign-in",
  "/admin/sign-in/gitlab",
  "/admin/channels",
  "/admin/channels/new",
  "/admin/system",
];
const forAuditorsToo = ["/admin/users", "/admin/assignments", "/admin/audit", "/admin/keys", "/admin/registrars"];
const forAll = [
  "/",
  "/d/ZONE/records",
  "/d/ZONE/text",
  "/d/ZONE/timeline",
  "/d/ZONE/timeline?at=2",
  "/d/ZONE/timeline?at=2&from=1",
  "/d/ZONE/timeline#snapshots",
  "/d/ZONE/requests",
  "/d/ZONE/health",
  "/d/ZONE/registration",
  "/d/ZONE/settings",
  "/d/ZONE/access",
  "/d/ZONE/compare",
  "/search",
  "/search?q=192.0.2",
  "/replace",
  "/templates",
  "/templates/TEMPLATE",
  "/portfolio",
  "/reverse",
  "/secondaries",
  "/requests",
  "/notifications",
  "/account/profile",
  "/account/security",
  "/account/tokens",
  "/account/keys",
  "/account/sessions",
  "/no-such-page",
];

beforeAll(async () => {
  const { admin } = site.zonewright;
  zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await zone.add("A", "hidden-host", "192.0.2.2");
  await zone.post("/snapshots", { name: "Before" });
  const { templates } = (await admin.get("/api/templates?limit=1")).body;
  ids = { ZONE: zone.name, TEMPLATE: templates[0].id, PROVIDER: (await zone.detail()).providerConfigId };
  for (const [username, pattern] of [
    ["auditor", null],
    ["member", "*"],
    ["one-host", "www"],
  ] as const) {
    const client = await site.zonewright.member(username);
    const userId = (await client.get("/api/auth/me")).body.id;
    if (pattern === null) await admin.put(`/api/users/${userId}`, { role: "auditor" });
    else
      await admin.post("/api/assignments", { userId, domainId: zone.id, subdomainPattern: pattern, access: "write" });
  }
});

const isStream = (request: Request) => request.headers()["accept"]?.includes("text/event-stream") === true;

/** Counts the requests of a page that are not answered yet, but for its streams. */
function openCalls(page: Page): () => number {
  const open = new Set<Request>();
  page.on("request", (request) => {
    if (!isStream(request)) open.add(request);
  });
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  return () => open.size;
}

/** Opens pages as links do, without loading the console again. @returns what each shows in the work area */
async function seen(page: Page, paths: readonly string[]): Promise<Map<string, string>> {
  const open = openCalls(page);
  const shown = new Map<string, string>();
  for (const path of paths) {
    const to = path.replace(/[A-Z]+/g, (name) => ids[name] ?? name);
    await page.evaluate((address) => history.pushState(null, "", address), to);
    await page.waitForURL(site.url + to);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const main = page.getByRole("main");
    // Code that has just arrived has not run yet, and until then the page before is shown: what counts is what stays calm.
    let calm = 0;
    await expect
      .poll(async () => {
        await page.evaluate(
          () => new Promise<void>((resolve) => requestIdleCallback(() => resolve(), { timeout: 2_000 })),
        );
        const underWay =
          (await main.locator("[aria-busy=true]").count()) + open() + (await main.getByText(/^Loading/).count());
        calm = underWay === 0 ? calm + 1 : 0;
        return calm;
      })
      .toBeGreaterThanOrEqual(3);
    shown.set(path, await main.innerText());
  }
  return shown;
}

test.each([
  { username: "admin", refused: [] },
  { username: "auditor", refused: forAdministrators },
  { username: "member", refused: [...forAdministrators, ...forAuditorsToo] },
  { username: "one-host", refused: [...forAdministrators, ...forAuditorsToo] },
])(
  "$username opens every page without a fault or a refused call, and the pages of others only say whose they are",
  async ({ username, refused }) => {
    const password = username === "admin" ? {} : { username, password: memberPassword };
    const page = await site.signedIn(password);
    const shown = await seen(page, [...forAll, ...forAuditorsToo, ...forAdministrators]);
    const pages = [...shown];
    expect(pages.filter(([, text]) => text.trim() === "")).toEqual([]);
    expect(
      pages
        .filter(([, text]) => text.includes("for administrators"))
        .map(([path]) => path)
        .toSorted(),
    ).toEqual(refused.toSorted());
    const others = pages.filter(([, text]) => /hidden-host|192\.0\.2\.2\b/.test(text)).map(([path]) => path);
    expect(others.length > 0).toBe(username !== "one-host");
  },
);
