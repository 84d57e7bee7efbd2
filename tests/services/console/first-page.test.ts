import { expect, test } from "vitest";
import { useConsole } from "../../support/console.ts";
import { fileZone } from "../../support/zones.ts";

const site = useConsole();

/** What a page that shows a zone asks the service for before it can show it, each once. */
const calls = ["/api/auth/refresh", "/trpc/auth.me", "/trpc/domains.get", "/trpc/domains.list", "/trpc/records.list"];

test("a zone's page asks for its session, zone, records and code before the console has arrived, and for each once", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "early", "192.0.2.1");
  const page = await site.signedIn();
  // The page before this one may still be loading what it needs later.
  await page.goto("about:blank");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const arrival = Promise.withResolvers<undefined>();
  await page.route("**/assets/packages-*.js", async (route) => {
    await arrival.promise;
    await route.continue();
  });
  await page.goto(`${site.url}/d/${zone.name}/records`, { waitUntil: "commit" });
  await expect.poll(() => calls.filter((path) => !asked.includes(path))).toEqual([]);
  await expect.poll(() => asked.some((path) => path.startsWith("/assets/records-page-"))).toBe(true);
  arrival.resolve(undefined);
  await page.getByRole("gridcell", { name: "early", exact: true }).waitFor();
  expect(asked.filter((path) => calls.includes(path)).toSorted()).toEqual(calls);
  const files = asked.filter((path) => /^\/assets\/.*\.(?:js|css)$/.test(path));
  expect(files).toEqual([...new Set(files)]);
});

test.each([
  ["the list of domains", () => Promise.resolve("/")],
  ["a zone's records", async () => `/d/${(await fileZone(site.zonewright)).name}/records`],
])("what is loaded early for %s is used there", async (_, path) => {
  const page = await site.signedIn();
  await page.goto(site.url + (await path()));
  const early = page.locator("link[rel=preload][as=style]");
  await expect.poll(() => early.count()).toBeGreaterThan(0);
  const unused = () =>
    page.evaluate(() => {
      const used = new Set([...document.styleSheets].map(({ href }) => href));
      const loaded = [...document.querySelectorAll<HTMLLinkElement>("link[rel=preload][as=style]")];
      return loaded.map(({ href }) => href).filter((href) => !used.has(href));
    });
  await expect.poll(unused).toEqual([]);
});

test.each([
  ["a desktop", 1280],
  ["a phone", 390],
])("on %s, a zone's name is on its page before the console has arrived, and stays where it is", async (_, width) => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "early", "192.0.2.1");
  const page = await site.signedIn({ width });
  await page.evaluate(() => localStorage.setItem("zonewright.theme", "dark"));
  const arrival = Promise.withResolvers<undefined>();
  await page.route("**/assets/packages-*.js", async (route) => {
    await arrival.promise;
    await route.continue();
  });
  await page.goto(`${site.url}/d/${zone.name}/records`, { waitUntil: "commit" });
  const name = page.getByRole("heading", { name: zone.name, level: 1 });
  const place = async () => {
    const { x, y } = (await name.boundingBox()) ?? {};
    const background = await page.locator("header").evaluate((head) => getComputedStyle(head).backgroundColor);
    return { x, y, background };
  };
  await name.waitFor();
  const early = await place();
  const records = page.getByRole("gridcell", { name: "early", exact: true });
  expect(await records.count()).toBe(0);
  arrival.resolve(undefined);
  await records.waitFor();
  expect(await place()).toEqual(early);
});

test("a session that ended leads from a zone's address to the sign-in, and from there to the zone", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "early", "192.0.2.1");
  const page = await site.signedIn();
  await page.context().clearCookies();
  site.expected.push("400", "401");
  await page.goto(`${site.url}/d/${zone.name}/records`);
  await page.getByLabel("Username").fill("admin");
  await page.getByLabel("Password").fill("correct horse battery staple");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("gridcell", { name: "early", exact: true }).waitFor();
});

test("an edit that is finished before the rules for values have arrived is judged as it is once they are there, and not if it was left", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "early", "192.0.2.1");
  const page = await site.signedIn();
  const arrival = Promise.withResolvers<undefined>();
  await page.route("**/assets/check-*.js", async (route) => {
    await arrival.promise;
    await route.continue();
  });
  await page.goto(`${site.url}/d/${zone.name}/records`);
  await page.getByRole("gridcell", { name: "early", exact: true }).waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Alt+n");
  await page.keyboard.type("left");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.7");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.getByRole("row").filter({ hasText: "left" }).waitFor({ state: "detached" });
  await page.getByRole("grid").focus();
  await page.keyboard.press("Alt+n");
  await page.keyboard.type("shop");
  const value = page.getByRole("textbox", { name: "Value", exact: true });
  await value.fill("192.0.2.8");
  await value.press("Enter");
  const editor = page.getByRole("group", { name: "Edit the record" });
  await expect.poll(() => editor.getByRole("button", { name: "Done" }).getAttribute("aria-busy")).toBe("true");
  await value.fill("192.0.2.999");
  expect(await editor.textContent()).not.toContain("must be an IPv4 address");
  arrival.resolve(undefined);
  await expect.poll(async () => await editor.textContent()).toContain("must be an IPv4 address");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.9");
  await page.keyboard.press("Enter");
  await page.getByRole("row").filter({ hasText: "shop" }).filter({ hasText: "192.0.2.9" }).waitFor();
  await page.getByText("1 change", { exact: true }).waitFor();
});
