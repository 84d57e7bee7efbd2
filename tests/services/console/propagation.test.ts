import { afterAll, beforeAll, expect, test } from "vitest";
import { useConsole } from "../../support/console.ts";
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
