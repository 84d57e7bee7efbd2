import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { StandInSecondary } from "../../support/name-servers/stand-in-secondary.ts";
import { addZone, freshName } from "../../support/zones.ts";

const site = useConsole({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const secondaries: StandInSecondary[] = [];
let providerConfigId: string;

beforeAll(async () => {
  for (let index = 0; index < 2; index++) secondaries.push(await StandInSecondary.start(null, () => new Date()));
  const notify = secondaries.map(({ port }) => `127.0.0.1:${port}`).join(",");
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", notify };
  const made = { kind: "primary", name: "Two secondaries", config };
  providerConfigId = (await site.zonewright.admin.post("/api/provider-configs", made)).body.id;
});
afterAll(() => {
  for (const secondary of secondaries) secondary.stop();
});

test("the header says on how many secondaries the last change is live, and after how long", async () => {
  const zone = await addZone(site.zonewright, { name: freshName(), providerConfigId });
  await expect
    .poll(async () => (await zone.get("/secondaries")).body.secondaries)
    .toMatchObject([{ inSync: true }, { inSync: true }]);
  // The second one goes on serving what it had.
  const { serial } = (await zone.get("/secondaries")).body;
  secondaries[1]?.serves.set(zone.name, serial);
  const page = await site.signedIn({ path: `/d/${zone.name}/access` });
  await page.getByRole("heading", { level: 1, name: zone.name }).waitFor();
  // The first revision has the name servers.
  await zone.add("A", "www", "192.0.2.1");
  const revision = page.getByText(/^Revision 2,/);
  await expect.poll(() => revision.textContent()).toMatch(/ by admin, live on 1 of 2 secondaries after [\d.]+ s$/);
  secondaries[1]?.serves.clear();
  await expect
    .poll(() => revision.textContent(), { timeout: 60_000 })
    .toMatch(/ by admin, live on 2 of 2 secondaries after [\d.]+ s$/);
  const [entry] = await zone.history();
  expect(entry).toMatchObject({ propagation: { secondaries: 2, inSync: 2, seconds: expect.any(Number) } });
});

test("the settings say how far each secondary is, and raise the serial above one that is ahead", async () => {
  const zone = await addZone(site.zonewright, { name: freshName(), providerConfigId });
  await expect
    .poll(async () => (await zone.get("/secondaries")).body.secondaries)
    .toMatchObject([{ inSync: true }, { inSync: true }]);
  const ahead = (await zone.get("/secondaries")).body.serial + 100;
  secondaries[1]?.serves.set(zone.name, ahead);
  // A secondary that was notified is asked what it has.
  await zone.add("A", "www", "192.0.2.1");
  // The first one may count as behind from then on: it never transfers, which would say that it does not have the lost contents.
  await expect.poll(async () => (await zone.get("/secondaries")).body.secondaries[1].serial).toBe(ahead);
  const page = await site.signedIn({ path: `/d/${zone.name}/settings` });
  const list = page.getByRole("list", { name: "Secondaries" });
  await list.getByText(`has serial ${ahead}, which is ahead`).waitFor();
  await expectAccessible(page);
  await list.scrollIntoViewIfNeeded();
  await photograph(page, "secondaries-of-zone");
  await page.getByRole("button", { name: "Raise the serial…" }).click();
  // Only now: the page looks every few seconds, and offers nothing once none is ahead. The question stays.
  secondaries[1]?.serves.delete(zone.name);
  await page.getByRole("button", { name: "Raise it" }).click();
  await page.getByText(/^The serial is now \d+\.$/).waitFor();
  expect((await zone.get("/secondaries")).body.serial).toBeGreaterThan(ahead);
  await expect.poll(() => list.getByText("in sync since").count(), { timeout: 60_000 }).toBe(2);
  expect(await page.getByRole("button", { name: "Raise the serial…" }).count()).toBe(0);
});
