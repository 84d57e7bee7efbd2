import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openDatabase, queries, type Database } from "../../../server/database/database.ts";
import { deleteOldSnapshots } from "../../../server/zones/snapshots/retention.ts";
import { freePorts } from "../../support/programs.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { migratedDatabase } from "../../support/servers/postgres.ts";
import { startService, type ServiceProcess } from "../../support/service-process.ts";
import { FourServers, kinds } from "./four-servers.ts";
import { edit, listed, must, randomFrom } from "./random-edits.ts";

let dataDir: string;
let dnsPort = 0;
let start: () => Promise<ServiceProcess>;
let service: ServiceProcess;
let admin: RestClient;
/** Opened beside the service, as another instance does. */
let database: Database;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-four-"));
  const [httpPort = 0, port = 0] = await freePorts(2);
  dnsPort = port;
  const databaseUrl = await migratedDatabase("zonewright_four");
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    PORT: String(httpPort),
    DNS_LISTEN: `127.0.0.1:${dnsPort}`,
    LOG_LEVEL: "debug",
  };
  start = () => startService(env, ["secondaries.notify"]);
  service = await start();
  admin = await service.signIn();
  database = await openDatabase({ databaseUrl, dataDir: "memory" });
});
afterAll(async () => {
  await database?.close();
  await service?.stop("SIGKILL");
  await rm(dataDir, { recursive: true, force: true });
});

/** Returns how many transfers of a kind a zone had since the service started. */
function transfers(id: string, kind: "axfr" | "ixfr"): number {
  const marks = [`"zoneId":"${id}"`, `"kind":"${kind}"`, "transferred a zone"];
  return service
    .output()
    .split("\n")
    .filter((line) => marks.every((mark) => line.includes(mark))).length;
}

/** Waits until each server has transferred a zone whole, and returns how many such transfers there were. */
async function wholeTransfers(id: string, before = 0): Promise<number> {
  const each = () => expect(transfers(id, "axfr")).toBeGreaterThanOrEqual(before + kinds.length);
  await vi.waitFor(each, { timeout: 150_000, interval: 100 });
  return transfers(id, "axfr");
}

describe.each([
  ["signed with TSIG", "signed", 20, "SIGTERM"],
  // What differs is whom the service answers, not what.
  ["by address alone", "plain", 5, "SIGKILL"],
] as const)("BIND, Knot, NSD and PowerDNS, %s", (_, mode, batches, signal) => {
  const [main, wrapped, lasting, passing] = [
    `${mode}.test`,
    `wrapped.${mode}.test`,
    `new.${mode}.test`,
    `old.${mode}.test`,
  ];
  let four: FourServers;

  beforeAll(async () => {
    const signed = mode === "signed";
    four = await FourServers.configure(admin, () => service.runJobs(), { catalog: `catalog-${mode}.invalid`, signed });
    await four.create(main);
    const id = await four.create(wrapped);
    await queries(database.fork())
      .updateTable("primary_zones")
      .set({ serial_base: 2 ** 32 - 3 })
      .where("domain_id", "=", id)
      .execute();
    await four.start(dnsPort);
  });
  afterAll(() => four?.remove());

  test(`all four servers serve exactly the API's records after each batch of 20 random edits, ${20 * batches} in all, while zones are added and deleted, and transfer only differences after the first time`, async () => {
    await four.untilServed();
    const random = randomFrom(18);
    const before = new Map([[main, await wholeTransfers(four.id(main))]]);
    for (let batch = 0; batch < batches; batch++) {
      if (batch % 5 === 0) await four.addMember(passing);
      if (batch === 2) await four.addMember(lasting);
      for (let index = 0; index < 20; index++) {
        const zones = [main, ...four.zones.filter((zone) => zone !== wrapped)];
        await edit(admin, four.id(zones[random(zones.length)] ?? main), random);
      }
      if (batch % 5 === 4) {
        // A zone that leaves the catalog while PowerDNS transfers it stays there for good.
        await four.untilServed();
        await four.deleteMember(passing);
      }
      await four.untilServed();
      if (batch === 2) before.set(lasting, await wholeTransfers(four.id(lasting)));
    }
    for (const [zone, whole] of before) {
      expect(transfers(four.id(zone), "ixfr")).toBeGreaterThan(kinds.length);
      expect(transfers(four.id(zone), "axfr")).toBe(whole);
    }
  }, 600_000);

  test(`all four servers serve exactly the API's records after a ${signal} and a start of each, with changes meanwhile, and then of the service`, async () => {
    const random = randomFrom(19);
    const change = async () => {
      for (let index = 0; index < 10; index++) await edit(admin, four.id(index % 2 ? main : lasting), random);
    };
    await four.each((secondary) => secondary.stop(signal));
    await change();
    await four.each((secondary) => secondary.restart());
    await four.untilServed();

    const served = await four.listed();
    if (signal === "SIGTERM") await service.close();
    else await service.stop(signal);
    await four.untilServed(served);
    service = await start();
    await change();
    await four.untilServed();
    for (const zone of [main, lasting]) expect(transfers(four.id(zone), "axfr")).toBe(0);
  });

  test("all four servers follow serials across their wrap-around by differences (RFC 1982 §3)", async () => {
    const path = `/api/domains/${four.id(wrapped)}`;
    const serial = async (): Promise<number> => (await admin.get(`${path}/secondaries`)).body.serial;
    expect(await serial()).toBeGreaterThan(2 ** 32 - 5);
    await four.untilServed();
    const whole = transfers(four.id(wrapped), "axfr");
    for (let change = 0; change < 4; change++) {
      const record = { recordType: "A", name: `host${change}`, value: "192.0.2.1" };
      await must(admin.post(`${path}/records`, record), [201]);
      await four.untilServed(new Map([[wrapped, await listed(admin, wrapped, four.id(wrapped))]]));
    }
    const last = await serial();
    expect(last).toBeLessThan(5);
    const serials = await four.each(async (secondary) =>
      (await secondary.served(wrapped)).flatMap(({ type, rdata }) => (type === "SOA" ? [rdata.split(" ")[2]] : [])),
    );
    expect(serials).toEqual(kinds.map(() => [String(last)]));
    // PowerDNS takes its serial 0 for none, and then transfers the zone whole.
    const differences = () => expect(transfers(four.id(wrapped), "ixfr")).toBeGreaterThanOrEqual(4 * kinds.length - 1);
    await vi.waitFor(differences, { timeout: 60_000, interval: 100 });
    expect(transfers(four.id(wrapped), "axfr") - whole).toBeLessThanOrEqual(1);
  });

  test("secondaries that were away until retention deleted their serials get the whole zone", async () => {
    const path = `/api/domains/${four.id(main)}/records`;
    await four.each((secondary) => secondary.stop());
    const [gone] = [
      await must(admin.post(path, { recordType: "A", name: "gone", value: "192.0.2.1" }), [201]),
      await must(admin.post(path, { recordType: "A", name: "stays", value: "192.0.2.1" }), [201]),
    ];
    await must(admin.delete(`${path}/${gone.id}`), [200]);
    const { versions } = await deleteOldSnapshots(database.fork(), new Date(Date.now() + 60_000));
    expect(versions).toBeGreaterThan(0);
    const [whole, differences] = [transfers(four.id(main), "axfr"), transfers(four.id(main), "ixfr")];
    await four.each((secondary) => secondary.restart());
    await wholeTransfers(four.id(main), whole);
    await four.untilServed();
    expect(transfers(four.id(main), "ixfr")).toBe(differences);
  });
});
