import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startService, type ServiceProcess } from "../../support/service-process.ts";
import { bindBackend, type Backend } from "./backends.ts";
import { expectAgreement, manage, type ManagedZone } from "./managed-zone.ts";

const name = "same.example";

let dataDir: string;
let service: ServiceProcess;
let backend: Backend;
let zone: ManagedZone;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-same-"));
  [service, backend] = await Promise.all([startService({ DATA_DIR: dataDir }), bindBackend([name])]);
  zone = await manage(await service.signIn(), name, backend);
});

afterAll(async () => {
  await service.close();
  await backend.stop();
  await rm(dataDir, { recursive: true, force: true });
});

afterEach(async () => {
  await zone.client.post(`${zone.path}/sync`, { force: true });
  await expectAgreement(zone);
});

/** Holds Zonewright's update back until `nsupdate` has changed the same records. */
async function race(call: () => Promise<{ status: number; body: unknown }>, edit: () => Promise<void>) {
  const striking = backend.proxy.next({ does: "hold request", to: "change" });
  const calling = call();
  const struck = await striking;
  await edit();
  struck.release();
  return await calling;
}

const at = async (host: string) =>
  (await backend.served(name)).flatMap((line) =>
    line.startsWith(`${host}.`) ? [line.split(" ").slice(2).join(" ")] : [],
  );

test("two simultaneous writers can both add a value to one RRset", async () => {
  await zone.create("add", "192.0.2.1");
  const { status } = await race(
    () => zone.create("add", "192.0.2.2"),
    () => backend.edit(name, "add", "A", ["192.0.2.1", "192.0.2.9"]),
  );
  expect(status).toBe(201);
  expect(await at("add")).toEqual(["A 192.0.2.1", "A 192.0.2.2", "A 192.0.2.9"]);
});

test("two simultaneous writers can both create a new name", async () => {
  const { status } = await race(
    () => zone.create("new", "192.0.2.2"),
    () => backend.edit(name, "new", "A", ["192.0.2.9"]),
  );
  expect(status).toBe(201);
  expect(await at("new")).toEqual(["A 192.0.2.2", "A 192.0.2.9"]);
});

test("an update to a record that is deleted elsewhere at the same moment is refused with advice to sync", async () => {
  const { body } = await zone.create("gone", "192.0.2.1");
  const answer = await race(
    () => zone.client.put(`${zone.path}/records/${body.id}`, { value: "192.0.2.2" }),
    () => backend.edit(name, "gone", "A", []),
  );
  expect(answer).toMatchObject({ status: 502, body: { detail: expect.stringContaining("sync the zone first") } });
  expect(await at("gone")).toEqual([]);
});

test("a record at a name that gets a CNAME at the same moment is refused, and the CNAME stays", async () => {
  const answer = await race(
    () => zone.create("alias", "192.0.2.1"),
    () => backend.edit(name, "alias", "CNAME", ["www.example.net."]),
  );
  expect(answer).toMatchObject({ status: 502, body: { code: "PROVIDER_ERROR" } });
  expect(await at("alias")).toEqual(["CNAME www.example.net."]);
});

test("an atomic set stays all or nothing if one of its records is changed elsewhere at the same moment", async () => {
  const { body } = await zone.create("set", "192.0.2.1");
  const answer = await race(
    () =>
      zone.apply([
        { action: "update", recordId: body.id, record: { value: "192.0.2.2" } },
        { action: "create", record: { recordType: "A", name: "set-other", value: "192.0.2.3" } },
      ]),
    () => backend.edit(name, "set", "A", ["192.0.2.9"]),
  );
  expect(answer).toMatchObject({ status: 409, body: { detail: expect.stringContaining("Nothing was changed") } });
  expect(await at("set")).toEqual(["A 192.0.2.9"]);
  expect(await at("set-other")).toEqual([]);
});
