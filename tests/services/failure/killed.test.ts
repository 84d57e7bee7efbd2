import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Fault } from "./faulty-proxy.ts";
import { patience } from "../../support/patience.ts";
import { RestClient } from "../../support/rest-client.ts";
import { migratedDatabase } from "../../support/servers/postgres.ts";
import { startService, type ServiceProcess } from "../../support/service-process.ts";
import { bindBackend, powerdnsBackend, withoutDriftChecks, type Backend } from "./backends.ts";
import { expectAgreement, expectNothingOpen, hugeSet, manage, settle, type ManagedZone } from "./managed-zone.ts";

const name = "killed.example";

/** The stages of a change, by the traffic between Zonewright and the server, and whether the server has it by then. */
const stages: readonly (readonly [string, Fault, boolean])[] = [
  ["between the intent and the call", { does: "hold request", to: "question" }, false],
  ["while the call is in flight", { does: "hold request", to: "change" }, false],
  ["after the server has made it but before its answer", { does: "hold answer", to: "change" }, true],
  ["after the answer but before the commit", { does: "hold answer", to: "question", after: "change" }, true],
];

const onPostgres = async () => ({
  DATABASE_URL: await migratedDatabase("zonewright_killed"),
});

/** Each server with another database: what is settled after a kill depends on both, and not on which meets which. */
describe.each([
  ["BIND by rfc2136, with the embedded database", () => bindBackend([name]), () => Promise.resolve({})],
  ["PowerDNS by its API, with PostgreSQL", () => powerdnsBackend(), onPostgres],
] as const)("kill -9 during a change at %s", (_label, start, database) => {
  let env: Record<string, string>;
  let service: ServiceProcess;
  let backend: Backend;
  let zone: ManagedZone;
  let host: string;
  let count = 0;

  beforeAll(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "zonewright-killed-"));
    env = { DATA_DIR: dataDir, ...withoutDriftChecks, ...(await database()) };
    [service, backend] = await Promise.all([startService(env), start()]);
    zone = await manage(await service.signIn(), name, backend);
  });

  afterAll(async () => {
    await service.close();
    await backend.stop();
    await rm(env["DATA_DIR"] ?? "", { recursive: true, force: true });
  });

  beforeEach(() => {
    host = `host${++count}`;
  });

  /** Kills the service at the moment when the fault strikes a call. */
  async function killWith(fault: Fault, call: () => Promise<unknown>): Promise<void> {
    const striking = backend.proxy.next(fault);
    const ended = Promise.allSettled([call()]);
    const struck = await striking;
    await service.stop("SIGKILL");
    await ended;
    struck.cut();
  }

  async function restart(): Promise<void> {
    service = await startService(env);
    zone.client = new RestClient(service.url, zone.client.token);
  }

  /** On a busy machine, the repair goes on after the start. */
  async function restartAndRepair(): Promise<void> {
    await restart();
    await vi.waitFor(() => expectNothingOpen(zone), patience);
  }

  test.each(stages)("a change killed %s is settled correctly after a restart", async (_stage, fault, carriedOut) => {
    await killWith(fault, () => zone.create(host, "192.0.2.1"));
    await restartAndRepair();
    expect(await zone.named(host)).toHaveLength(carriedOut ? 1 : 0);
    expect((await zone.history())[0]).toMatchObject({
      state: carriedOut ? "applied" : "failed",
      repaired: true,
      creates: carriedOut ? 1 : 0,
    });
    await expectAgreement(zone);
    await settle(zone);
    await expectAgreement(zone);
  });

  test.each(stages)("a plan killed %s is settled correctly after a restart", async (_stage, fault, carriedOut) => {
    for (const which of ["kept", "changed", "gone"]) await zone.create(`${host}-${which}`, "192.0.2.1");
    const [changed] = await zone.named(`${host}-changed`);
    const [gone] = await zone.named(`${host}-gone`);
    const changes = [
      { action: "create", record: { recordType: "A", name: `${host}-made`, value: "192.0.2.2" } },
      { action: "update", recordId: changed?.id, record: { value: "192.0.2.3" } },
      { action: "delete", recordId: gone?.id },
      { action: "create", record: { recordType: "CNAME", name: `${host}-gone`, value: "www.example.net" } },
    ];
    await killWith(fault, () => zone.apply(changes));
    await restartAndRepair();
    await expectAgreement(zone);
    expect(await zone.named(`${host}-made`)).toHaveLength(carriedOut ? 1 : 0);
    // A record keeps its identity through a repair.
    expect(await zone.named(`${host}-changed`)).toMatchObject([
      { id: changed?.id, value: carriedOut ? "192.0.2.3" : "192.0.2.1" },
    ]);
    expect(await zone.named(`${host}-gone`)).toMatchObject([{ recordType: carriedOut ? "CNAME" : "A" }]);
    expect(await zone.named(`${host}-kept`)).toHaveLength(1);
  });

  /** Makes the provider's records of the host differ, and kills the service while it pushes ours over them. */
  async function killPushing(fault: Fault) {
    const { body: ours } = await zone.create(host, "192.0.2.1");
    await backend.edit(name, host, "A", ["192.0.2.9"]);
    await backend.edit(name, `${host}-else`, "A", ["192.0.2.10"]);
    const push = () => zone.client.post(`${zone.path}/push`, { force: true });
    await killWith(fault, push);
    await restartAndRepair();
    expect(await zone.named(host)).toMatchObject([{ id: ours.id, value: "192.0.2.1" }]);
    expect(await zone.named(`${host}-else`)).toEqual([]);
    return push;
  }

  test("a push killed while the call is in flight leaves the records on both sides, and can be repeated", async () => {
    const push = await killPushing({ does: "hold request", to: "change" });
    expect((await zone.history())[0]).toMatchObject({ kind: "push", state: "failed", repaired: true });
    const served = (await backend.served(name)).filter((line) => line.startsWith(host));
    expect(served).toEqual([`${host}-else.${name}. 300 A 192.0.2.10`, `${host}.${name}. 300 A 192.0.2.9`]);
    expect(await push()).toMatchObject({ status: 200, body: { success: true, updated: 1, deleted: 1 } });
    await expectAgreement(zone);
  });

  test("a push killed after the server has made it keeps what the server had in the history", async () => {
    await killPushing({ does: "hold answer", to: "change" });
    const [last, before] = await zone.history();
    expect(last).toMatchObject({ kind: "push", state: "applied", repaired: true });
    expect(before).toMatchObject({ kind: "sync", state: "applied", creates: 1, updates: 1 });
    await expectAgreement(zone);
  });

  test("an atomic set killed between two messages leaves nothing behind", async () => {
    await killWith({ does: "hold request", to: "change", after: "change" }, () => zone.apply(hugeSet(host)));
    await restartAndRepair();
    expect((await backend.served(name)).filter((line) => line.startsWith(`${host}-`))).toEqual([]);
    expect((await zone.history())[0]).toMatchObject({ state: "failed", repaired: true, creates: 0 });
    await expectAgreement(zone);
  });

  test("a killed atomic set leaves a record that somebody else then added, and reports it", async () => {
    const last = { action: "create", record: { recordType: "A", name: `${host}-last`, value: "192.0.2.99", ttl: 300 } };
    await killWith({ does: "hold request", to: "change", after: "change" }, () => zone.apply([...hugeSet(host), last]));
    await backend.edit(name, `${host}-last`, "A", ["192.0.2.99"]);
    await restartAndRepair();
    expect((await backend.served(name)).filter((line) => line.startsWith(`${host}-`))).toEqual([
      `${host}-last.${name}. 300 A 192.0.2.99`,
    ]);
    const [set] = await zone.history();
    expect(set).toMatchObject({ state: "partial", repaired: true, creates: 1 });
    expect(JSON.stringify(set?.["failures"])).toContain("may have been made by somebody else");
    await expectAgreement(zone);
  });

  test("a repair killed while it reads the zone is completed after the next restart", async () => {
    await killWith({ does: "hold answer", to: "change" }, () => zone.create(host, "192.0.2.1"));
    await backend.proxy.refuse();
    await restart();
    await backend.proxy.accept();
    await killWith({ does: "hold answer", to: "transfer" }, () => zone.create(`${host}-next`, "192.0.2.2"));
    await restartAndRepair();
    expect(await zone.named(host)).toHaveLength(1);
    await settle(zone);
    await expectAgreement(zone);
  });
});
