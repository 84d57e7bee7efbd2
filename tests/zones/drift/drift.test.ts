import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { DriftJob, driftNotifier, type OnDrift } from "../../../server/zones/drift/drift-job.ts";
import { ZoneWatch } from "../../../server/zones/drift/zone-watch.ts";
import { createLog } from "../../../server/platform/log.ts";
import { ProviderComparison } from "../../../server/zones/changes/state/compare-with-provider.ts";
import { patience } from "../../support/patience.ts";
import { fileZone, manualConfig, manualZone, type Body, type Zone } from "../../support/zones.ts";
import { holdLease } from "./hold-lease.ts";
import { Clock, day, hour, minute } from "../../support/clock.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ env: { JOBS: "off" } });
const clock = new Clock();

let reported: Parameters<OnDrift>[0][];
let log: Body[];
let zone: Zone;
beforeEach(async () => {
  reported = [];
  log = [];
  meanwhile = () => Promise.resolve();
  // Checks this zone and all that other tests left.
  zone = await fileZone(zw, "www 300 A 192.0.2.1\nold 300 TXT x\nttl 300 A 192.0.2.2\n");
  await later();
  reported = [];
});
afterEach(() => zw.admin.delete(zone.path));

/** Runs after a zone was compared and before the result is stored. */
let meanwhile: () => Promise<unknown>;

class HeldUpComparison extends ProviderComparison {
  override async plan(...compared: Parameters<ProviderComparison["plan"]>) {
    const plan = await super.plan(...compared);
    await meanwhile();
    return plan;
  }
}

function job(every: "hourly" | "daily" | "off" = "hourly", onDrift?: OnDrift): DriftJob {
  return new DriftJob({
    database: zw.services.database,
    connections: zw.services.providerConfigs.connections,
    comparison: new HeldUpComparison(clock.now, clock.pause),
    log: createLog("info", { write: (line) => log.push(JSON.parse(line)) }),
    now: clock.now,
    every,
    onDrift: onDrift ?? ((drift) => void reported.push(drift)),
  });
}

/** A run an hour after the last. */
async function later(): Promise<void> {
  clock.advance(hour);
  await job().runOnce();
}

const drift = async () => (await zone.detail()).drift;
const byHand = () =>
  zone.edit(
    (text) => `${text.replace(/^old.*$/m, "").replace(/^ttl +300/m, "ttl 77")}new 60 A 192.0.2.9\nn2 A 192.0.2.9\n`,
  );
const counts = { created: 2, updated: 1, deleted: 1 };

test("drift whose notification could not be stored is found and reported by the next check", async () => {
  const { database, notifications } = zw.services;
  const { body: channel } = await zw.admin.post("/api/notifications", {
    channel: "webhook",
    name: "Drift",
    config: {
      url: "https://hooks.example.com/zones",
      secret: `whsec_${Buffer.from("a key of thirty-two bytes, exact").toString("base64")}`,
    },
    events: ["zone.drift"],
    enabled: true,
  });
  const check = async () => {
    clock.advance(hour);
    await job("hourly", driftNotifier(notifications)).runOnce();
    return (await zw.admin.get(`/api/notifications/configs/${channel.id}/deliveries`)).body.deliveries;
  };
  await byHand();
  await sql`alter table deliveries add constraint none check (false) not valid`.execute(queries(database.fork()));
  expect(await check()).toEqual([]);
  await sql`alter table deliveries drop constraint none`.execute(queries(database.fork()));
  expect(await drift()).toBeNull();
  expect(await check()).toMatchObject([
    { event: "zone.drift", title: `${zone.name} differs from what its provider serves` },
  ]);
  expect(await check()).toHaveLength(1);
  await zw.admin.delete(`/api/notifications/configs/${channel.id}`);
});

describe("an edit made elsewhere", () => {
  test("an edit made elsewhere is shown on the domain and reported once, and nothing is changed", async () => {
    expect(await drift()).toBeNull();
    const before = await zone.detail();
    await byHand();
    await later();
    const found = await zone.detail();
    expect(found).toEqual({
      ...before,
      driftedAt: expect.any(String),
      drift: { foundAt: expect.any(String), ...counts },
    });
    expect(reported).toEqual([{ domainId: zone.id, name: zone.name, counts, error: null }]);

    await zone.edit((text) => `${text}n3 A 192.0.2.9\n`);
    await later();
    expect(await drift()).toEqual({ ...found.drift, created: 3 });
    expect(reported).toHaveLength(1);
  });

  test("a sync settles an edit made elsewhere, and the next one is reported again", async () => {
    await byHand();
    await later();
    expect((await zone.post("/sync", { dryRun: true })).status).toBe(200);
    expect(await drift()).toMatchObject(counts);
    expect((await zone.post("/sync")).body).toMatchObject(counts);
    expect(await drift()).toBeNull();
    await later();
    expect(await drift()).toBeNull();
    await zone.edit((text) => `${text}again A 192.0.2.9\n`);
    await later();
    expect(reported).toHaveLength(2);
  });

  test("drift that is reverted by hand is cleared by the next check", async () => {
    const file = await zone.readFile();
    await byHand();
    await later();
    await zone.edit(() => file);
    await later();
    expect(await drift()).toBeNull();
    await byHand();
    await later();
    await zone.edit(() => `; other bytes, the same records\n${file}`);
    await later();
    expect(await drift()).toBeNull();
  });

  test("an edit elsewhere that changes no record is not drift", async () => {
    await zone.edit((text) => `; a comment\n${text}`);
    await later();
    expect([await drift(), reported]).toEqual([null, []]);
  });
});

describe("drift checks of a zone", () => {
  test("a zone is checked once per period, whichever of two instances comes first", async () => {
    await byHand();
    clock.advance(hour);
    await Promise.all([job().runOnce(), job().runOnce()]);
    expect(reported).toHaveLength(1);
    await zone.post("/sync");
    await zone.edit((text) => `${text}later A 192.0.2.9\n`);
    clock.advance(59 * minute);
    await job().runOnce();
    expect(await drift()).toBeNull();
    clock.advance(2 * minute);
    await job("daily").runOnce();
    expect(await drift()).toBeNull();
    clock.advance(day);
    await job("daily").runOnce();
    expect(await drift()).not.toBeNull();
  });

  test("a zone that is disabled or has no provider is not checked", async () => {
    const manual = await manualZone(zw);
    await zw.admin.put(zone.path, { status: "disabled" });
    await byHand();
    await later();
    expect([(await manual.detail()).drift, await drift(), reported, log]).toEqual([null, null, [], []]);
  });

  test("a zone that is being changed here is not checked until the change ends", async () => {
    await byHand();
    await holdLease(zw, zone, 3_600);
    await later();
    expect(await drift()).toBeNull();
    await holdLease(zw, zone, -1);
    await later();
    expect(await drift()).toMatchObject(counts);
  });

  test.each<[string, () => Promise<unknown>]>([
    ["is changed", () => zone.add("A", "meanwhile", "192.0.2.3")],
    ["moves elsewhere", async () => zw.admin.put(zone.path, { providerConfigId: await manualConfig(zw), force: true })],
  ])("a zone that %s during a comparison is not judged by it", async (_how, happens) => {
    await byHand();
    const answers: unknown[] = [];
    meanwhile = async () => answers.push(await happens());
    await later();
    expect(answers).toHaveLength(1);
    expect(await drift()).toBeNull();
    expect(reported).toEqual([]);
  });

  test("a zone's drift is cleared when it moves to another provider", async () => {
    const { body } = await zw.admin.post("/api/provider-configs", { kind: "manual", name: `For ${zone.name}` });
    await byHand();
    await later();
    expect((await zw.admin.put(zone.path, { providerConfigId: body.id })).body).toMatchObject({ drift: null });
  });
});

describe("a zone file edited while no service was running", () => {
  test("a zone file edited before the service watched it is found to differ when watching starts", async () => {
    const gone = await fileZone(zw, "www 300 A 192.0.2.1\n");
    const same = await fileZone(zw, "www 300 A 192.0.2.1\n");
    for (const { path } of [gone, same]) onTestFinished(async () => void (await zw.admin.delete(path)));
    await later();
    await byHand();
    await rm(gone.file);
    clock.advance(minute);
    const { database, providerConfigs } = zw.services;
    const { connections } = providerConfigs;
    const quiet = createLog("info", { write: () => undefined });
    const watch = new ZoneWatch({ database, connections, drift: job(), log: quiet, now: clock.now });
    onTestFinished(() => watch.stop());
    await watch.start();
    // A finding is reported in the transaction that stores it, so it may be read only afterwards.
    await vi.waitFor(async () => {
      expect(await drift()).toMatchObject(counts);
      expect(await gone.detail()).toMatchObject({ driftError: expect.any(String) });
    }, patience);
    expect(reported).toHaveLength(2);
    expect(await same.detail()).toMatchObject({ driftedAt: null });
  });
});

describe("a provider that fails", () => {
  test("a failing provider is logged once per configuration, and the other zones are checked", async () => {
    await brokenZone("Away", 1);
    await pointAt(await manualZone(zw), await brokenZone("Twice", 1));
    await byHand();
    await later();
    expect(await drift()).toMatchObject(counts);
    const { body } = await zw.admin.get("/api/domains?drift=true");
    expect(body.domains.map(({ id }: Body) => id)).toEqual([zone.id]);
    const warnings = log.map(({ level, config, zones, err }) => ({ level, config, zones, said: err.message }));
    const said = expect.stringContaining("cannot be reached");
    expect(warnings.toSorted((a, b) => a.config.localeCompare(b.config))).toEqual([
      { level: 40, config: "Away", zones: 1, said },
      { level: 40, config: "Twice", zones: 2, said },
    ]);
  });

  test("a provider that never answers does not delay shutdown", async () => {
    const silent = await silentServer();
    await brokenZone("Silent", silent.port);
    clock.advance(hour);
    const ended = new AbortController();
    const run = job().runOnce(ended.signal);
    await silent.called;
    ended.abort();
    await run;
    expect(log).toEqual([]);
  });
});

/** A zone whose name server is on this port of loopback. @returns its configuration */
async function brokenZone(name: string, port: number): Promise<string> {
  const config = { server: "127.0.0.1", port, tsigName: "a.key", tsigSecret: "c2VjcmV0" };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "rfc2136", name, config });
  await pointAt(await manualZone(zw), body.id);
  return body.id;
}

/** Moves a domain in the database, because the provider would refuse. */
async function pointAt(domain: Zone, config: string): Promise<void> {
  await queries(zw.services.database.fork())
    .updateTable("domains")
    .set({ provider_config_id: config })
    .where("id", "=", domain.id)
    .execute();
  onTestFinished(async () => {
    await zw.admin.delete(domain.path);
  });
}

/** Accepts connections and never answers. */
async function silentServer(): Promise<{ port: number; called: Promise<unknown> }> {
  const server = createServer();
  const called = once(server, "connection");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of await called) (socket as Socket).destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, called };
}
