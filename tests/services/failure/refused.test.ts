import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { patience } from "../../support/patience.ts";
import { startService, type ServiceProcess } from "../../support/service-process.ts";
import { bindBackend, powerdnsBackend, type Backend } from "./backends.ts";
import { expectAgreement, hugeSet, manage, type ManagedZone } from "./managed-zone.ts";

const name = "refused.example";
/** No server accepts an address here: BIND by its policy, PowerDNS because of a CNAME added elsewhere. */
const taken = "no";

const policy = {
  start: () => bindBackend([name], [`${taken}.${name}`]),
  unseen: [],
  refusal: "REFUSED",
};
const alias = {
  start: async () => await powerdnsBackend(),
  unseen: [`${taken}.${name}. 300 CNAME www.example.net.`],
  refusal: "Conflicts with pre-existing RRset",
};

describe.each([
  ["BIND by rfc2136", policy],
  ["PowerDNS by its API", alias],
] as const)("one of many changes refused by %s", (_label, { start, unseen, refusal }) => {
  let dataDir: string;
  let service: ServiceProcess;
  let backend: Backend;
  let zone: ManagedZone;
  let host: string;
  let count = 0;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "zonewright-refused-"));
    [service, backend] = await Promise.all([startService({ DATA_DIR: dataDir }), start()]);
    zone = await manage(await service.signIn(), name, backend);
    if (unseen.length > 0) await backend.edit(name, taken, "CNAME", ["www.example.net."]);
  });

  afterAll(async () => {
    await service.close();
    await backend.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  beforeEach(() => {
    host = `host${++count}`;
  });

  afterEach(() => expectAgreement(zone, unseen));

  const last = async () => (await zone.history())[0];

  /** The refused record is in the middle. */
  const records = () =>
    Array.from({ length: 31 }, (_, index) => ({
      recordType: "A",
      name: index === 15 ? taken : `${host}-${index}`,
      value: `192.0.2.${index}`,
    }));

  test("a bulk makes the other changes, and reports the server's reason for the refused one", async () => {
    const { status, body } = await zone.client.post(`${zone.path}/records/bulk`, { records: records() });
    expect({ status, body }).toMatchObject({ status: 200, body: { total: 31, succeeded: 30 } });
    const refused = body.results.filter(({ success }: { success: boolean }) => !success);
    expect(refused).toMatchObject([{ name: taken, id: null, error: expect.stringContaining(refusal) }]);
    expect(await last()).toMatchObject({
      state: "partial",
      creates: 30,
      failures: [{ name: taken, error: refused[0].error }],
    });
  });

  test("an atomic bulk with a refused change makes none, and names the refused one", async () => {
    const before = await backend.served(name);
    const { status, body } = await zone.client.post(`${zone.path}/records/bulk`, {
      records: records(),
      mode: "atomic",
    });
    expect({ status, body }).toMatchObject({ status: 409, body: { detail: expect.stringContaining(refusal) } });
    expect(body.issues).toContainEqual({ path: ["records", 15], message: expect.stringContaining(refusal) });
    expect(await backend.served(name)).toEqual(before);
    expect(await last()).toMatchObject({ state: "failed", creates: 0 });
  });

  test("a plan with a refused change changes nothing", async () => {
    const changed = (await zone.create(`${host}-changed`, "192.0.2.1")).body;
    const gone = (await zone.create(`${host}-gone`, "192.0.2.1")).body;
    const before = await backend.served(name);
    const { status, body } = await zone.apply([
      { action: "update", recordId: changed.id, record: { value: "192.0.2.2" } },
      { action: "delete", recordId: gone.id },
      { action: "create", record: { recordType: "A", name: taken, value: "192.0.2.3" } },
      { action: "create", record: { recordType: "A", name: `${host}-made`, value: "192.0.2.4" } },
    ]);
    expect({ status, body }).toMatchObject({ status: 409, body: { detail: expect.stringContaining(refusal) } });
    expect(await backend.served(name)).toEqual(before);
  });

  test("a set of several messages is made, and its fingerprint is known", async () => {
    const known = !(await zone.editedElsewhere());
    const { status, body } = await zone.client.post(`${zone.path}/records/bulk`, {
      records: hugeSet(host).map(({ record }) => record),
    });
    expect({ status, body }).toMatchObject({ status: 200, body: { succeeded: 100 } });
    expect(await zone.editedElsewhere()).toBe(!known);
    const made = (await zone.records()).filter((record) => record.name.startsWith(`${host}-`));
    const cleared = await zone.apply(made.map(({ id }) => ({ action: "delete", recordId: id })));
    expect(cleared.status).toBe(200);
  });

  test("an atomic set of several messages with a refused change makes none", async () => {
    const gone = (await zone.create(`${host}-gone`, "192.0.2.1")).body;
    const before = await backend.served(name);
    const changes = [
      { action: "delete", recordId: gone.id },
      ...hugeSet(host),
      { action: "create", record: { recordType: "A", name: taken, value: "192.0.2.3" } },
    ];
    // PowerDNS itself closes a connection that takes a busy machine too long: nothing is made then either.
    const { status, body } = await vi.waitFor(async () => {
      const answer = await zone.apply(changes);
      if (answer.status === 502) throw new Error(JSON.stringify(answer.body));
      return answer;
    }, patience);
    expect({ status, body }).toMatchObject({ status: 409, body: { detail: expect.stringContaining(refusal) } });
    expect(await backend.served(name)).toEqual(before);
    expect(await last()).toMatchObject({ state: "failed", creates: 0, deletes: 0 });
    // Undone changes do not count as edits made elsewhere.
    expect(await zone.editedElsewhere()).toBe(unseen.length > 0);
  });
});
