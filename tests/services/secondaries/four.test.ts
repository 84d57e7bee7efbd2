import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Secondary, SecondaryOptions } from "../../support/name-servers/secondary.ts";
import { untilServed } from "../../support/name-servers/secondary.ts";
import { startBindSecondary } from "../../support/name-servers/secondary-bind.ts";
import { startKnotSecondary } from "../../support/name-servers/secondary-knot.ts";
import { startNsdSecondary } from "../../support/name-servers/secondary-nsd.ts";
import { startPowerdnsSecondary } from "../../support/name-servers/secondary-powerdns.ts";
import { freshKey, type ServerKey } from "../../support/name-servers/update-server.ts";
import { freePorts } from "../../support/programs.ts";
import { asPresented, recordLines } from "../../support/records/presentation.ts";
import type { Answer } from "../../support/rest-client.ts";
import { onceStarted, startZonewright, type Zonewright } from "../../support/zonewright.ts";

type Start = (options: SecondaryOptions) => Promise<Secondary>;
const kinds: readonly Start[] = [startBindSecondary, startKnotSecondary, startNsdSecondary, startPowerdnsSecondary];

let running: (Zonewright & { stop(): Promise<void> }) | undefined;
let dnsPort = 0;
const zw = onceStarted(() => running);

beforeAll(async () => {
  [dnsPort = 0] = await freePorts(1);
  running = await startZonewright({ env: { DNS_LISTEN: `127.0.0.1:${dnsPort}` } });
});
afterAll(() => running?.stop());

/** Pseudo-random numbers that a failure can be repeated with. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function listed(zone: string, id: string): Promise<string[]> {
  const records: never[] = [];
  for (let page = 1; ; page++) {
    const { body } = await zw.admin.get(`/api/domains/${id}/records?limit=100&page=${page}`);
    records.push(...(body.records as never[]));
    if (body.records.length < 100) return recordLines(asPresented(zone, records));
  }
}

/** Makes one random edit: a record, a bulk, a zone file merged, an atomic plan, a deletion, or a rollback. @throws Error for an answer that it may not have */
async function edit(id: string, random: (below: number) => number): Promise<void> {
  const path = `/api/domains/${id}`;
  const kind = random(12);
  if (kind < 5) {
    const [recordType = "A", value] = [
      ["A", `192.0.2.${random(256)}`],
      ["TXT", `text "${random(1_000)}" ; with \\ marks`],
      ["MX", `${random(50)} mail${random(9)}.example.org.`],
      ["AAAA", `2001:db8::${random(9_999)}`],
      ["CNAME", `target${random(9)}.example.org.`],
    ][random(5)] ?? ["A", "192.0.2.1"];
    const body = { recordType, name: `${recordType.toLowerCase()}${random(40)}`, value };
    // A duplicate is refused, and changes nothing.
    await must(zw.admin.post(`${path}/records`, body), [201, 400, 409]);
  } else if (kind < 7) {
    const lines = Array.from({ length: 20 }, (_, index) => `bulk${random(60)} 300 A 198.51.100.${index}\n`);
    await must(zw.admin.post(`${path}/zonefile`, { zonefile: lines.join("") }), [200, 409]);
  } else if (kind < 11) {
    const { body } = await zw.admin.get(`${path}/records?limit=100`);
    const deletable = (body.records as { id: string; name: string }[]).filter(({ name }) => name !== "@");
    const one = deletable[random(Math.max(1, deletable.length))];
    if (!one) return;
    const records = Array.from({ length: 5 }, () => ({
      recordType: "A",
      name: `many${random(100)}`,
      value: `203.0.113.${random(256)}`,
    }));
    if (kind < 9) await must(zw.admin.delete(`${path}/records/${one.id}`), [200]);
    else if (kind === 9) await must(zw.admin.post(`${path}/records/bulk`, { records }), [200]);
    else await replace(path, one.id, records);
  } else {
    const { body } = await zw.admin.post(`${path}/snapshots`);
    const record = { recordType: "A", name: "undone", value: "192.0.2.9" };
    await must(zw.admin.post(`${path}/records`, record), [201, 409]);
    await must(zw.admin.post(`${path}/snapshots/${body.id}/rollback`, { force: true }), [200]);
  }
}

/** Replaces a record by five others in a plan, which is applied as a whole or not at all. */
async function replace(path: string, recordId: string, records: readonly object[]): Promise<void> {
  const changes = [{ action: "delete", recordId }, ...records.map((record) => ({ action: "create", record }))];
  const { status, body } = await zw.admin.post(`${path}/records/plan`, { changes });
  // Some of the records may be there, or twice.
  if (status !== 400 && status !== 409)
    await must(zw.admin.post(`${path}/records/apply`, { changes, planHash: body.planHash }), [200]);
}

async function must(call: Promise<Answer>, statuses: readonly number[]): Promise<void> {
  const { status, body } = await call;
  if (!statuses.includes(status)) throw new Error(`Answered ${status}: ${JSON.stringify(body)}`);
}

async function transfers(kind: string): Promise<number> {
  const text = await (await fetch(`${zw.url}/metrics`)).text();
  const [, count = "0"] =
    new RegExp(`^zonewright_zone_transfers_total\\{kind="${kind}"\\} (\\d+)`, "m").exec(text) ?? [];
  return Number(count);
}

describe.each([
  ["signed with TSIG", true],
  ["by address alone", false],
])("BIND, Knot, NSD and PowerDNS, %s", (_, signed) => {
  const zone = signed ? "signed.test" : "plain.test";
  let secondaries: Secondary[] = [];
  let id: string;
  let ports: number[];

  beforeAll(async () => {
    ports = await freePorts(kinds.length);
    const keys: (ServerKey | null)[] = kinds.map((_, index) =>
      signed ? { ...freshKey(), name: `xfr${index}` } : null,
    );
    const tsigKeys = keys.flatMap((key) => (key ? [`${key.name}:${key.algorithm}:${key.secret}`] : [])).join(",");
    const config = {
      nameServers: "ns1.example.net, ns2.example.net",
      contact: "hostmaster@example.net",
      notify: ports.map((port) => `127.0.0.1:${port}`).join(","),
      ...(signed ? { tsigKeys } : {}),
    };
    const made = await zw.admin.post("/api/provider-configs", { kind: "primary", name: zone, config });
    const { body } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: made.body.id });
    id = body.id;
    secondaries = await Promise.all(
      kinds.map((start, index) =>
        start({ primaryPort: dnsPort, port: ports[index], key: keys[index] ?? null, zones: [zone] }),
      ),
    );
  }, 60_000);
  afterAll(async () => {
    await Promise.all(secondaries.map((secondary) => secondary.remove()));
  });

  const untilAllServe = async () => {
    const wanted = await listed(zone, id);
    await Promise.all(secondaries.map((secondary) => untilServed(secondary, zone, wanted)));
  };

  test("all serve exactly the API's records after each batch of 20 random edits, 500 in all, and transfer only differences after the first time", async () => {
    await untilAllServe();
    const random = randomFrom(18);
    const before = await transfers("axfr");
    for (let batch = 0; batch < 25; batch++) {
      for (let index = 0; index < 20; index++) await edit(id, random);
      await untilAllServe();
    }
    expect(await transfers("ixfr")).toBeGreaterThan(kinds.length);
    expect((await transfers("axfr")) - before).toBe(0);
  }, 240_000);

  test("a secondary that was away, and one that was killed, catch up", async () => {
    const [first, ...others] = secondaries;
    await first?.stop("SIGKILL");
    await others[0]?.stop("SIGTERM");
    const random = randomFrom(19);
    for (let index = 0; index < 10; index++) await edit(id, random);
    await first?.restart();
    await others[0]?.restart();
    await zw.services.secondaryCheck.runOnce();
    await untilAllServe();
    const { body } = await zw.admin.get(`/api/domains/${id}`);
    expect(body.recordCount).toBe((await listed(zone, id)).length);
  }, 120_000);
});
