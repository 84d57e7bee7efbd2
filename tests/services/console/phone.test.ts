import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { useConsole } from "../../support/console.ts";
import { fileZone } from "../../support/zones.ts";

const site = useConsole();

async function boxOf(part: Locator) {
  await part.waitFor();
  const box = await part.boundingBox();
  if (box === null) throw new Error("It is not on the page.");
  return box;
}

test("on a phone, the tools above the records lie over none of them, however long the zone is", async () => {
  const zone = await fileZone(site.zonewright);
  for (let host = 10; host < 30; host++) await zone.add("A", `host${host}`, `192.0.2.${host}`);
  const page = await site.signedIn({ path: `/d/${zone.name}/records`, width: 390, height: 700 });
  const first = await boxOf(page.getByRole("row").filter({ hasText: "host10" }));
  const add = await boxOf(page.getByRole("button", { name: "Add record" }));
  expect(add.y + add.height).toBeLessThanOrEqual(first.y);
});

test("on a phone, what is said about a zone moves nothing on its page when it comes", async () => {
  const zone = await fileZone(site.zonewright);
  for (let host = 10; host < 30; host++) await zone.add("A", `host${host}`, `192.0.2.${host}`);
  const page = await site.signedIn({ width: 390, height: 844 });
  const facts = Promise.withResolvers<undefined>();
  await page.route("**/trpc/providerConfigs.list*", async (route) => {
    await facts.promise;
    await route.continue();
  });
  await page.goto(`${site.url}/d/${zone.name}/records`);
  const first = page.getByRole("row").filter({ hasText: "host10" });
  const before = await boxOf(first);
  facts.resolve(undefined);
  await page.getByText(/^.+ in sync$/).first().waitFor();
  await page.getByText(/^Revision 20, /).waitFor();
  // The rows of the grid are placed at whole pixels.
  expect(Math.abs((await boxOf(first)).y - before.y)).toBeLessThan(1);
});
