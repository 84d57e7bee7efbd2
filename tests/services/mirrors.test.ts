import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { asPresented } from "../support/records/presentation.ts";
import type { Answer } from "../support/rest-client.ts";
import type { Body } from "../support/zones.ts";
import { disturb, editThere, holdCalls, outages, randomFrom, type Outage } from "./mirrors/faults.ts";
import { lines, startPlaces, zone, type Places } from "./mirrors/places.ts";

let places: Places;
let path: string;

beforeAll(async () => {
  places = await startPlaces();
  const { body } = await places.admin.post("/api/domains", { name: zone, providerConfigId: places.configs["main"] });
  path = `/api/domains/${body.id}`;
});
afterAll(() => places?.stop());

async function must(call: Promise<Answer>, statuses: readonly number[]): Promise<void> {
  const { status, body } = await call;
  if (!statuses.includes(status)) throw new Error(`Answered ${status}: ${JSON.stringify(body)}`);
}

async function allRecords(): Promise<Body[]> {
  const all: Body[] = [];
  for (let page = 1; ; page++) {
    const { body } = await places.admin.get(`${path}/records?limit=100&page=${page}`);
    all.push(...body.records);
    if (body.records.length < 100) return all;
  }
}

/** Makes one random change of a record. */
async function change(random: (below: number) => number): Promise<void> {
  const { admin } = places;
  const deletable = (await allRecords()).filter(({ name }) => /^[a-z]+\d+$/.test(name));
  const one = deletable[random(Math.max(1, deletable.length))];
  if (one && random(3) === 0) {
    await must(admin.delete(`${path}/records/${one.id}`), [200]);
    return;
  }
  const [recordType = "A", value = ""] = [
    ["A", `192.0.2.${random(256)}`],
    ["AAAA", `2001:db8::${1 + random(9_000)}`],
    ["TXT", `text ${random(1_000)}`],
    ["MX", `${random(50)} mail${random(9)}.example.org`],
    ["CNAME", `target${random(9)}.example.org`],
  ][random(5)] ?? ["A", "192.0.2.1"];
  // A duplicate, or another TTL beside a CNAME, is refused and changes nothing.
  const record = { recordType, name: `${recordType.toLowerCase()}${random(30)}`, value, ttl: 300 };
  await must(admin.post(`${path}/records`, record), [201, 400, 409]);
}

let added = 0;

async function add(): Promise<Answer> {
  const record = { recordType: "A", name: `added${(added += 1)}`, value: `203.0.113.${added}`, ttl: 300 };
  return await places.admin.post(`${path}/records`, record);
}

/** Waits until the restarted service has settled what the kill left open, and takes changes again. */
async function takesChanges(): Promise<void> {
  await vi.waitFor(() => must(add(), [201]), { timeout: 180_000, interval: 250 });
}

/** Kills the service while changes are under way, which the kill may leave without an answer. */
async function killDuringChanges(milliseconds: number): Promise<void> {
  const changes = Array.from({ length: 6 }, () => add().catch(() => null));
  await Promise.race([Promise.all(changes), sleep(milliseconds)]);
  await places.kill();
  await Promise.all(changes);
  await takesChanges();
}

/** Kills the service while calls to three mirrors are under way. */
async function killDuringCalls(): Promise<void> {
  const held = holdCalls(places);
  await must(add(), [201]);
  await held;
  await places.kill();
  await takesChanges();
}

/** What is out in each batch of changes, and the kills: before which of its changes. */
const batches: { out: Outage[]; kills?: Record<number, () => Promise<void>> }[] = [
  { out: ["PowerDNS is down"] },
  { out: ["PowerDNS is slow"] },
  { out: ["the zone file cannot be read", "both vendors limit calls"] },
  { out: ["NSD is down"], kills: { 0: killDuringCalls } },
  { out: ["both vendors are away"] },
  {
    out: ["PowerDNS is down", "NSD is down", "both vendors are away"],
    kills: { 15: () => killDuringChanges(20), 35: () => killDuringChanges(90) },
  },
];

/** Waits until each mirror was compared after all that was done there, and has the newest records. */
async function inSync(): Promise<void> {
  const compared = new Set<string>();
  await vi.waitFor(
    async () => {
      const { admin } = places;
      places.runJobs();
      const { body } = await admin.get(`${path}/mirrors`);
      await Promise.all(
        body.mirrors.map(async ({ id, state }: Body) => {
          if (state === "in_sync" && compared.has(id)) return;
          await admin.post(`${path}/mirrors/${id}/reconcile`);
          compared.add(id);
        }),
      );
      const { body: now } = await admin.get(`${path}/mirrors`);
      expect(now.mirrors.map(({ kind, state, differences }: Body) => [kind, state, differences])).toEqual([
        ["powerdns", "in_sync", 0],
        ["zonefile", "in_sync", 0],
        ["cloudflare", "in_sync", 0],
        ["route53", "in_sync", 0],
        ["primary", "in_sync", 0],
      ]);
      const { body: report } = await admin.get(`${path}/secondaries`);
      expect(report.secondaries).toMatchObject([{ notified: true, inSync: true, serial: report.serial }]);
    },
    { timeout: 120_000, interval: 250 },
  );
}

test("mirrors at four kinds of providers, and NSD as a secondary of a fifth, serve the same records as BIND after 300 changes with outages, faults, edits by others at all but NSD, and kills of the service", async () => {
  for (const name of ["powerdns", "files", "cloudflare", "route53", "secondaries"])
    await must(places.admin.post(`${path}/mirrors`, { providerConfigId: places.configs[name] }), [200]);
  const www = { recordType: "A", name: "www", value: "192.0.2.1", ttl: 300 };
  await must(places.admin.post(`${path}/records`, www), [201]);
  await inSync();
  const random = randomFrom(19);
  for (const { out, kills = {} } of batches) {
    const mending: (() => unknown)[] = [];
    for (const name of out) mending.push(await outages[name](places));
    for (let index = 0; index < 50; index++) {
      await kills[index]?.();
      if (random(10) === 0) disturb(places, random);
      if (random(10) === 0 && !out.includes("the zone file cannot be read")) await editThere(places, random);
      await change(random);
    }
    for (const { forgetFaults } of [places.cloudflare.vendor, places.route53]) forgetFaults();
    await Promise.all(mending.map((mend) => mend()));
    await inSync();
    const records = lines(asPresented(zone, (await allRecords()) as never[]));
    const served = await places.served();
    expect({ out, served }).toEqual({
      out,
      served: Object.fromEntries(Object.keys(served).map((at) => [at, records])),
    });
  }
  const { body } = await places.admin.get(`${path}/history?limit=1`);
  expect(body.entries).toMatchObject([
    { propagation: { secondaries: 1, inSync: 1 }, mirrors: { mirrors: 5, inSync: 5, seconds: expect.any(Number) } },
  ]);
}, 600_000);
