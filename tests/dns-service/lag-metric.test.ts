import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { queries } from "../../server/database/database.ts";
import { StandInSecondary } from "../support/name-servers/stand-in-secondary.ts";
import { patience } from "../support/patience.ts";
import { useZonewright } from "../support/zonewright.ts";
import { addZone } from "../support/zones.ts";
import { untilFollowed } from "./until-followed.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0", JOBS: "off" } });

/** The addresses that the metric lists, with the seconds. */
async function lags(): Promise<Map<string, number>> {
  const text = await (await fetch(`${zw.url}/metrics`)).text();
  const lines = text.matchAll(/^zonewright_secondary_lag_seconds\{secondary="([^"]+)"\} (\S+)$/gm);
  return new Map([...lines].map(([, address = "", seconds]) => [address, Number(seconds)]));
}

test("the metric of the lag lists a secondary as long as it lacks a change, and not before or after", async () => {
  const secondary = await StandInSecondary.start(null, () => new Date());
  onTestFinished(() => secondary.stop());
  const notify = `127.0.0.1:${secondary.port}`;
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", notify };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Stand-in", config });
  const zone = await addZone(zw, { name: "lag.example", providerConfigId: body.id });
  await untilFollowed(zw, zw.admin, zone.id);
  await zw.services.secondaryCheck.runOnce();
  expect([...(await lags()).keys()]).toEqual([]);
  secondary.serves.set(zone.name, (await zone.get("/secondaries")).body.serial);
  await zone.add("A", "www", "192.0.2.1");
  await zw.services.secondaryCheck.runOnce();
  expect([...(await lags()).keys()]).toEqual([notify]);
  await sql`update primary_secondaries set behind_since = behind_since - interval '90 seconds'`.execute(
    queries(zw.services.database.fork()),
  );
  expect((await lags()).get(notify)).toBeGreaterThanOrEqual(90);
  secondary.serves.clear();
  const caughtUp = async () => {
    const { body: report } = await zone.get("/secondaries");
    expect(report).toMatchObject({ secondaries: [{ inSync: true, error: null }] });
    await zw.services.secondaryCheck.runOnce();
    expect([...(await lags()).keys()]).toEqual([]);
  };
  await vi.waitFor(caughtUp, patience);
});
