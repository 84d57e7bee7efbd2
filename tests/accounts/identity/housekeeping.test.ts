import { expect, onTestFinished, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { deleteExpiredFlows } from "../../../server/accounts/identity/flows.ts";
import { Clock, minute, second } from "../../support/clock.ts";
import { authorize, browserFor, comeBack, site } from "../../support/identity/external-sign-in.ts";
import { useIdentityHarness } from "../../support/identity/harness.ts";
import { rogueClient, startRogueProvider } from "../../support/identity/rogue-openid-provider.ts";
import { useZonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ env: { SITE_URL: site }, now: clock.now });
const harness = useIdentityHarness(zw);

/** The number of flows, tickets, pending registrations and codes in the database. */
async function left(): Promise<number[]> {
  const em = zw.services.database.fork();
  await deleteExpiredFlows(em, clock.now());
  const tables = ["identity_flows", "identity_tickets", "pending_identities", "identity_codes"] as const;
  const counts: number[] = [];
  for (const table of tables) {
    const rows = await queries(em).selectFrom(table).select("expires_at").execute();
    counts.push(rows.length);
  }
  return counts;
}

test("abandoned flows, tickets and registrations are deleted once they expire, and not before", async () => {
  clock.standStill();
  const rogue = await startRogueProvider();
  onTestFinished(() => rogue.stop());
  const config = { providerId: "oidc", ...rogueClient, wellKnownUrl: rogue.wellKnownUrl };
  expect((await zw.admin.post("/api/oauth/providers", config)).status).toBe(201);
  harness.be(1);
  await harness.register();
  expect(await left()).toEqual([0, 0, 0, 0]);
  const browser = browserFor(zw);
  await authorize(browser, "github");
  await harness.goThrough();
  await comeBack(browser, rogue.agree(await authorize(browser, "oidc")));
  expect(await left()).toEqual([1, 1, 1, 1]);
  clock.advance(59 * second);
  expect(await left()).toEqual([1, 1, 1, 1]);
  clock.advance(second);
  expect(await left()).toEqual([1, 0, 1, 1]);
  clock.advance(9 * minute - second);
  expect(await left()).toEqual([1, 0, 1, 1]);
  clock.advance(second);
  expect(await left()).toEqual([0, 0, 0, 0]);
});
