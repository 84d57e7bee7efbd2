import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startBind } from "../support/name-servers/bind.ts";
import { startKnot } from "../support/name-servers/knot.ts";
import type { UpdateServer } from "../support/name-servers/update-server.ts";
import { nsupdate } from "../support/name-servers/nsupdate.ts";
import { RestClient } from "../support/rest-client.ts";
import { migratedDatabase } from "../support/servers/postgres.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";
import { withoutDriftChecks } from "./failure/backends.ts";
import { startFaultyProxy, type Fault, type FaultyProxy } from "./failure/faulty-proxy.ts";
import { dnsWire } from "./failure/wire-requests.ts";
import { Model, type Step } from "./reverse-model.ts";

const forwardName = "follow.example";
const reverseName = "2.0.192.in-addr.arpa";
const followMilliseconds = 150_000;

let dataDir: string;
let databaseUrl: string;
let service: ServiceProcess;
let admin: RestClient;
let observer: Client;
let bind: UpdateServer;
let knot: UpdateServer;
let bindProxy: FaultyProxy;
let knotProxy: FaultyProxy;
let forward: string;
let reverse: string;
const model = new Model(forwardName);

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-reverse-"));
  databaseUrl = await migratedDatabase("zonewright_reverse");
  observer = new Client({ connectionString: databaseUrl });
  await observer.connect();
  [service, bind, knot] = await Promise.all([start(), startBind([forwardName]), startKnot([reverseName])]);
  [bindProxy, knotProxy] = await Promise.all([
    startFaultyProxy(bind.port, dnsWire),
    startFaultyProxy(knot.port, dnsWire),
  ]);
  // PTR records of somebody else's names, which stay.
  await nsupdate(knot, reverseName, [`update add 7.${reverseName}. 300 PTR host.example.net.`]);
  model.foreign("192.0.2.7", "host.example.net");
  admin = await service.signIn();
  forward = await manage(forwardName, "BIND", bind, bindProxy);
  reverse = await manage(reverseName, "Knot", knot, knotProxy);
  await letFollow();
});

afterAll(async () => {
  await service.close();
  await observer.end();
  for (const proxy of [bindProxy, knotProxy]) await proxy.stop();
  for (const server of [bind, knot]) await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<ServiceProcess> {
  const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...withoutDriftChecks };
  return await startService(env, ["changes.repair", "reverse.follow"]);
}

async function letFollow(): Promise<void> {
  expect((await admin.put(forward, { reverse: "follow" })).body).toMatchObject({ reverse: "follow" });
}

async function manage(name: string, label: string, server: UpdateServer, proxy: FaultyProxy): Promise<string> {
  const config = { ...server.config, port: proxy.port, timeoutSeconds: 60 };
  const { body: made } = await admin.post("/api/provider-configs", { kind: "rfc2136", name: label, config });
  const { status, body } = await admin.post("/api/domains", { name, providerConfigId: made.id });
  expect({ status, body }).toMatchObject({ status: 201 });
  return `/api/domains/${body.id}`;
}

/** What `dig` sees at a server, as `name type value`, without what the zones began with. */
async function served(server: UpdateServer, zone: string, type: string): Promise<string[]> {
  const records = await server.transfer(zone);
  return records
    .filter((record) => record.type === type && !record.name.startsWith("ns."))
    .map(({ name, rdata }) => `${name} ${type} ${rdata}`)
    .toSorted();
}

/** What Zonewright lists, in the same form. */
async function listed(path: string, zone: string, type: string): Promise<string[]> {
  const { body } = await admin.get(`${path}/records?limit=500&type=${type}`);
  return body.records
    .filter(({ name }: { name: string }) => name !== "ns")
    .map(({ name, value }: { name: string; value: string }) => {
      const rdata = type === "PTR" ? `${value}.` : value;
      return `${name}.${zone}. ${type} ${rdata}`;
    })
    .toSorted();
}

/** Expects both servers, and both lists, to agree with the model. */
async function expectAgreement(): Promise<void> {
  expect(await served(bind, forwardName, "A")).toEqual(model.addresses());
  expect(await served(knot, reverseName, "PTR")).toEqual(model.pointers());
  expect(await listed(forward, forwardName, "A")).toEqual(model.addresses());
  expect(await listed(reverse, reverseName, "PTR")).toEqual(model.pointers());
}

/** Expects the same once the jobs have carried on what was interrupted. */
async function expectAgreementSoon(): Promise<void> {
  await vi.waitFor(carriedOn, { timeout: followMilliseconds, interval: 500 });
}

async function carriedOn(): Promise<void> {
  await letMinutePass();
  service.runJobs();
  // What was interrupted may have changed nothing: then all agree before it is settled.
  for (const path of [forward, reverse]) {
    const { body } = await admin.get(`${path}/history`);
    expect(body.entries.filter(({ state }: { state: string }) => state === "pending")).toEqual([]);
  }
  await expectAgreement();
}

/** What failed, or was begun by a process that is gone, is tried again a minute later. Nothing else depends on that minute. */
async function letMinutePass(): Promise<void> {
  await observer.query("update reverse_follows set next_at = next_at - interval '1 minute'");
}

/** Has the service make a step: as a single edit, or as a plan with all of its edits. */
async function make(step: Step): Promise<number> {
  const { body } = await admin.get(`${forward}/records?limit=500&type=A`);
  const idOf = (name: string, value: string): string =>
    body.records.find((record: { name: string; value: string }) => record.name === name && record.value === value).id;
  const changes = step.map(({ name, from, to }) => {
    if (from === null) return { action: "create", record: { recordType: "A", name, value: to, ttl: 300 } };
    const recordId = idOf(name, from);
    return to === null ? { action: "delete", recordId } : { action: "update", recordId, record: { value: to } };
  });
  const [change, ...others] = changes;
  if (change && others.length === 0) {
    const at = `${forward}/records/${change.recordId ?? ""}`;
    if (change.action === "create") return (await admin.post(`${forward}/records`, change.record)).status;
    if (change.action === "update") return (await admin.put(at, change.record)).status;
    return (await admin.delete(at)).status;
  }
  const { body: plan } = await admin.post(`${forward}/records/plan`, { changes });
  const applying = { changes, planHash: plan.planHash, force: true };
  return (await admin.post(`${forward}/records/apply`, applying)).status;
}

/** Kills the service at the moment when the fault strikes, and starts it again. */
async function killWith(proxy: FaultyProxy, fault: Fault, call: () => Promise<unknown>): Promise<void> {
  const striking = proxy.next(fault);
  const ended = Promise.allSettled([call()]);
  const early = ended.then(([outcome]) => {
    throw new Error(`The fault did not strike: ${JSON.stringify(outcome)}`);
  });
  const struck = await Promise.race([striking, early]);
  await service.stop("SIGKILL");
  await early.catch(() => undefined);
  struck.cut();
  service = await start();
  admin = new RestClient(service.url, admin.token);
}

/** The stages of the reverse change, all of them after the forward zone has its change. */
const stages: readonly (readonly [string, Fault])[] = [
  ["before the reverse zone is asked for anything", { does: "hold request", to: "question" }],
  ["while the reverse change is in flight", { does: "hold request", to: "change" }],
  ["after the reverse server has made it", { does: "hold answer", to: "change" }],
  ["before the outcome in the reverse zone is stored", { does: "hold answer", to: "question", after: "change" }],
];

describe("the forward zone at BIND, the reverse zone at Knot", () => {
  test("without a crash, both servers agree with the model after every edit", async () => {
    for (let edit = 0; edit < 40; edit++) {
      const step = model.next();
      expect(await make(step)).toBeLessThan(300);
      model.take(step);
      await expectAgreement();
    }
    expect(model.moves).toBeGreaterThan(10);
  });

  test.each(stages)(
    "killed %s, both servers agree with the model after a restart",
    async (_stage, fault) => {
      for (let kill = 0; kill < 2; kill++) {
        const step = model.nextMoving();
        await killWith(knotProxy, fault, () => make(step));
        model.take(step);
        await expectAgreementSoon();
        // The link survives, and nothing is open.
        const [newest] = (await admin.get(`${reverse}/history?limit=1`)).body.entries;
        expect(newest).toMatchObject({ state: "applied", causedBy: expect.any(String) });
        for (let edit = 0; edit < 3; edit++) {
          const next = model.next();
          expect(await make(next)).toBeLessThan(300);
          model.take(next);
          await expectAgreement();
        }
      }
    },
    600_000,
  );

  test("killed before the forward server has the change, no PTR record follows", async () => {
    const step = model.nextMoving();
    await killWith(bindProxy, { does: "hold request", to: "change" }, () => make(step));
    await expectAgreementSoon();
    const [newest] = (await admin.get(`${forward}/history?limit=1`)).body.entries;
    expect(newest).toMatchObject({ state: "failed", repaired: true });
  });

  test("killed after the forward server has made the change but before its answer, the PTR records follow", async () => {
    const step = model.nextMoving();
    await killWith(bindProxy, { does: "hold answer", to: "change" }, () => make(step));
    model.take(step);
    await expectAgreementSoon();
    expect((await admin.get(`${forward}/history?limit=1`)).body.entries).toMatchObject([{ state: "applied" }]);
  });

  test("while Knot is away the forward change stands, and its PTR records follow once it is back", async () => {
    await knotProxy.refuse();
    const step = model.nextMoving();
    expect(await make(step)).toBeLessThan(300);
    const before = model.pointers();
    model.take(step);
    expect(await served(bind, forwardName, "A")).toEqual(model.addresses());
    expect(await served(knot, reverseName, "PTR")).toEqual(before);
    await knotProxy.accept();
    await expectAgreementSoon();
  });
});
