import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { FaultyProxy } from "./faulty-proxy.ts";
import { patience } from "../../support/patience.ts";
import { startService, type ServiceProcess } from "../../support/service-process.ts";
import { bindBackend, powerdnsBackend, withoutDriftChecks, type Backend } from "./backends.ts";
import { expectAgreement, expectInSync, hugeSet, manage, settle, type ManagedZone } from "./managed-zone.ts";

const name = "faulty.example";
/** A zone whose configuration has a short timeout, for tests that wait it out. Any other call may take longer than that on a busy machine. */
const impatientName = "impatient.example";

describe.each([
  ["BIND by rfc2136", () => bindBackend([name, impatientName])],
  ["PowerDNS by its API", () => powerdnsBackend()],
] as const)("failing connections to %s", (_label, start) => {
  let dataDir: string;
  let service: ServiceProcess;
  let backend: Backend;
  let proxy: FaultyProxy;
  let zone: ManagedZone;
  let impatient: ManagedZone;
  let host: string;
  let count = 0;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "zonewright-faulty-"));
    [service, backend] = await Promise.all([startService({ DATA_DIR: dataDir, ...withoutDriftChecks }), start()]);
    proxy = backend.proxy;
    const admin = await service.signIn();
    zone = await manage(admin, name, backend);
    const { kind, config } = backend.configuration;
    const configuration = { kind, name: "Impatient", config: { ...config, timeoutSeconds: 4 } };
    impatient = await manage(admin, impatientName, { ...backend, configuration });
  });

  afterAll(async () => {
    await service.close();
    await backend.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  beforeEach(() => {
    host = `host${++count}`;
  });

  /** The newest change set. */
  const last = async (of = zone) => (await of.history())[0];

  test("a change whose answer is lost is reported as it really ended", async () => {
    const struck = proxy.next({ does: "hold answer", to: "change" });
    const { status, body } = await impatient.create(host, "192.0.2.1");
    expect({ status, body }).toMatchObject({ status: 201, body: { name: host, value: "192.0.2.1" } });
    (await struck).cut();
    expect(await last(impatient)).toMatchObject({ state: "applied", creates: 1, failures: [] });
    await expectAgreement(impatient);
  });

  test("a connection cut in mid-change fails the change and reports that nothing was changed", async () => {
    const struck = proxy.next({ does: "cut request", to: "change" });
    const { status, body } = await zone.create(host, "192.0.2.1");
    await struck;
    expect({ status, body }).toMatchObject({ status: 502, body: { code: "PROVIDER_ERROR" } });
    expect(body.detail).toMatch(/closed the connection|cut the connection/);
    expect(await last()).toMatchObject({ state: "failed", creates: 0, failures: [{ name: host, error: body.detail }] });
    expect(await zone.named(host)).toEqual([]);
    await expectAgreement(zone);
  });

  test("a connection cut in the middle of the answer reports the change as it really ended", async () => {
    const struck = proxy.next({ does: "cut answer", to: "change" });
    expect((await zone.create(host, "192.0.2.1")).status).toBe(201);
    await struck;
    expect(await last()).toMatchObject({ state: "applied", creates: 1 });
    await expectAgreement(zone);
  });

  test("a change that is delayed in transit is made once", async () => {
    const struck = proxy.next({ does: "hold request", to: "change" });
    const call = zone.create(host, "192.0.2.1");
    (await struck).release();
    expect((await call).status).toBe(201);
    expect(await zone.named(host)).toHaveLength(1);
    await expectAgreement(zone);
  });

  test("a change held in transit until the timeout fails and reports that nothing was changed", async () => {
    const struck = proxy.next({ does: "hold request", to: "change" });
    const { status, body } = await impatient.create(host, "192.0.2.1");
    (await struck).cut();
    expect({ status, body }).toMatchObject({
      status: 502,
      body: { detail: expect.stringMatching(/in time|did not respond within/) },
    });
    expect(await last(impatient)).toMatchObject({ state: "failed", failures: [{ name: host }] });
    await expectAgreement(impatient);
  });

  test("a change delivered after its timeout counts as an edit made elsewhere, and a sync imports it", async () => {
    const struck = proxy.next({ does: "hold request", to: "change" });
    expect((await impatient.create(host, "192.0.2.1")).status).toBe(502);
    (await struck).release();
    const line = `${host}.${impatientName}. 300 A 192.0.2.1`;
    await vi.waitFor(async () => expect(await backend.served(impatientName)).toContain(line), patience);
    expect(await impatient.editedElsewhere()).toBe(true);
    const { body } = await impatient.client.post(`${impatient.path}/sync`);
    expect(body).toMatchObject({ created: 1, updated: 0, deleted: 0 });
    await expectAgreement(impatient);
  });

  test("a connection refused before a change fails it and reports that nothing was changed", async () => {
    await proxy.refuse();
    const { status, body } = await zone.create(host, "192.0.2.1");
    expect({ status, body }).toMatchObject({
      status: 502,
      body: { detail: expect.stringContaining("refused the connection") },
    });
    await proxy.accept();
    expect(await last()).toMatchObject({ state: "failed", failures: [{ name: host }] });
    await expectAgreement(zone);
  });

  test("a connection lost right after a change leaves it pending with a notice, and it is settled later", async () => {
    const struck = proxy.next({ does: "hold answer", to: "change" });
    const call = zone.create(host, "192.0.2.1");
    await struck;
    await proxy.refuse();
    const { status, body } = await call;
    expect({ status, body }).toMatchObject({ status: 502, body: { detail: expect.stringContaining("not known yet") } });
    expect(await last()).toMatchObject({ state: "pending" });
    expect(await zone.named(host)).toEqual([]);
    // A zone with a pending change cannot be edited.
    const next = await zone.create(`${host}-next`, "192.0.2.2");
    expect(next).toMatchObject({ status: 502, body: { detail: expect.stringContaining("earlier change") } });
    await proxy.accept();
    await settle(zone);
    expect(await zone.history()).toContainEqual(expect.objectContaining({ state: "applied", repaired: true }));
    expect(await zone.named(host)).toHaveLength(1);
    await expectAgreement(zone);
  });

  test("a connection cut while a change is verified reports the change as it really ended", async () => {
    const struck = proxy.next({ does: "hold answer", to: "question", after: "change" });
    const call = zone.create(host, "192.0.2.1");
    (await struck).cut();
    expect((await call).status).toBe(201);
    expect(await last()).toMatchObject({ state: "applied", creates: 1 });
    await expectAgreement(zone);
  });

  test("a connection lost while a change is verified never reports that nothing was changed", async () => {
    const struck = proxy.next({ does: "hold request", to: "question", after: "change" });
    const call = zone.create(host, "192.0.2.1");
    await struck;
    await proxy.refuse();
    const { status, body } = await call;
    await proxy.accept();
    expect(status === 201 ? "done" : body.detail).toMatch(/^done$|not known yet/);
    await settle(zone);
    expect(await zone.named(host)).toHaveLength(1);
    await expectAgreement(zone);
  });

  test("cut connections in a bulk, an update and a delete are each reported correctly", async () => {
    const records = Array.from({ length: 20 }, (_, index) => ({
      recordType: "A",
      name: `${host}-${index}`,
      value: `192.0.2.${index}`,
    }));
    let struck = proxy.next({ does: "cut answer", to: "change" });
    const { body: bulk } = await zone.client.post(`${zone.path}/records/bulk`, { records });
    await struck;
    expect(bulk).toMatchObject({ total: 20, succeeded: 20 });
    const [first, second] = bulk.results;
    struck = proxy.next({ does: "hold answer", to: "change" });
    const call = zone.client.put(`${zone.path}/records/${first.id}`, { value: "192.0.2.200" });
    (await struck).cut();
    const updated = await call;
    expect(updated).toMatchObject({ status: 200, body: { value: "192.0.2.200" } });
    struck = proxy.next({ does: "cut request", to: "change" });
    expect((await zone.client.delete(`${zone.path}/records/${second.id}`)).status).toBe(502);
    await struck;
    expect(await zone.named(second.name)).toHaveLength(1);
    await expectAgreement(zone);
  });

  test("an atomic set of several messages leaves nothing behind if the connection is cut in the middle", async () => {
    const struck = proxy.next({ does: "cut request", to: "change", after: "change" });
    const { status, body } = await zone.apply(hugeSet(host));
    await struck;
    expect({ status, body }).toMatchObject({ status: 502, body: { code: "PROVIDER_ERROR" } });
    expect(await last()).toMatchObject({ state: "failed", creates: 0, revision: null });
    expect((await backend.served(name)).filter((line) => line.startsWith(`${host}-`))).toEqual([]);
    await expectAgreement(zone);
  });

  test("an atomic set whose connection is lost in the middle is reported as unknown and leaves nothing behind", async () => {
    const striking = proxy.next({ does: "hold request", to: "change", after: "change" });
    const call = zone.apply(hugeSet(host));
    await striking;
    await proxy.refuse();
    const { status, body } = await call;
    await proxy.accept();
    expect({ status, body }).toMatchObject({ status: 502, body: { detail: expect.stringContaining("not known yet") } });
    await settle(zone);
    expect((await backend.served(name)).filter((line) => line.startsWith(`${host}-`))).toEqual([]);
    await expectAgreement(zone);
  });

  test.each([10, 70_000])("a transfer cut after %i octets fails the sync and loses nothing", async (octets) => {
    // A zone of more than one message, or packet.
    const changes = Array.from({ length: 900 }, (_, index) => ({
      action: "create",
      record: { recordType: "TXT", name: `${host}-${index}`, value: "x".repeat(250) },
    }));
    expect((await zone.apply(changes)).status).toBe(200);
    const { body: before } = await zone.client.get(zone.path);
    const struck = proxy.next({ does: "cut answer", to: "transfer", octets });
    const cut = await zone.client.post(`${zone.path}/sync`);
    await struck;
    expect(cut).toMatchObject({ status: 502, body: { code: "PROVIDER_ERROR" } });
    expect((await zone.client.get(zone.path)).body).toMatchObject({
      recordCount: before.recordCount,
      revision: before.revision,
    });
    await expectInSync(zone);
  });
});
