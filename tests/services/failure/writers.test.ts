import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { migratedDatabase } from "../../support/servers/postgres.ts";
import { newKey } from "../../dns-service/updates/key-clients.ts";
import { update, UpdateClient } from "../../support/name-servers/update-client.ts";
import { freePorts } from "../../support/programs.ts";
import { RestClient, type Answer } from "../../support/rest-client.ts";
import { startService, type ServiceProcess } from "../../support/service-process.ts";
import { bindBackend, powerdnsBackend, withoutDriftChecks, type Backend } from "./backends.ts";
import { expectAgreement, expectInSync, manage, type ManagedZone } from "./managed-zone.ts";

const name = "writers.example";

const addressOf = (writer: number, index: number) => `198.51.100.${writer * 100 + index}`;

describe.each([
  ["BIND by rfc2136", "rfc2136", () => bindBackend([name])],
  ["PowerDNS by its API", "powerdns", () => powerdnsBackend()],
] as const)("simultaneous writers of one zone at %s", (_label, kind, start) => {
  let dataDir: string;
  let instances: ServiceProcess[];
  let dnsPorts: number[];
  let backend: Backend;
  let zone: ManagedZone;
  let there: RestClient;
  let host: string;
  let count = 0;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "zonewright-writers-"));
    const databaseUrl = await migratedDatabase(`zonewright_writers_${kind}`);
    const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...withoutDriftChecks };
    backend = await start();
    dnsPorts = await freePorts(2);
    instances = await Promise.all(dnsPorts.map((port) => startService({ ...env, DNS_LISTEN: `127.0.0.1:${port}` })));
    const [here, other] = await Promise.all(instances.map((instance) => instance.signIn()));
    if (!here || !other) throw new Error("There are two instances.");
    zone = await manage(here, name, backend);
    there = other;
  });

  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.close()));
    await backend.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  beforeEach(() => {
    host = `host${++count}`;
  });

  afterEach(async () => {
    await expectInSync(zone);
    await expectAgreement(zone);
  });

  /** Another writer, which also retries: see `insist`. */
  async function editElsewhere(index: number, tries = 1): Promise<void> {
    try {
      await backend.edit(name, `${host}-else${index}`, "A", [addressOf(1, index)]);
    } catch (error) {
      if (tries === 10) throw error;
      await editElsewhere(index, tries + 1);
    }
  }

  /** Each writer adds, changes and deletes records of its own names, and of one RRset that all share. */
  async function write(client: RestClient, writer: number): Promise<Answer[]> {
    const at = `${zone.path}/records`;
    const answers = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const own = { recordType: "A", name: `${host}-${writer}-${index}`, value: addressOf(writer, index), ttl: 300 };
        const shared = { ...own, name: `${host}-shared` };
        const [made, added] = await Promise.all([
          insist(() => client.post(at, own)),
          insist(() => client.post(at, shared)),
        ]);
        const next =
          index % 3 === 0
            ? await insist(() => client.delete(`${at}/${made.body.id}`))
            : await insist(() => client.put(`${at}/${made.body.id}`, { value: "203.0.113.1" }));
        return [made, added, next];
      }),
    );
    return answers.flat();
  }

  /** Expects that every call succeeded and every record exists. @param updated how many records dynamic updates added to the shared RRset */
  async function expectAllWritten(answers: readonly Answer[], writers: number, updated = 0): Promise<void> {
    expect(answers.filter(({ status }) => status > 201).map(({ body }) => body)).toEqual([]);
    const shared = await zone.named(`${host}-shared`);
    expect(shared).toHaveLength(12 * writers + updated);
    const own = (await zone.records()).filter(
      (record) => /-\d+-\d+$/.test(record.name) && record.name.startsWith(host),
    );
    expect(own).toHaveLength(8 * writers);
    expect(own.every(({ value }) => value === "203.0.113.1")).toBe(true);
  }

  test.each(["two in one instance", "two instances on one PostgreSQL"])(
    "simultaneous writers lose no update: %s",
    async (which) => {
      const other = which === "two in one instance" ? new RestClient(zone.client.url, zone.client.token) : there;
      const answers = (await Promise.all([write(zone.client, 0), write(other, 1)])).flat();
      expect(answers).toHaveLength(72);
      await expectAllWritten(answers, 2);
      await expectAgreement(zone);
    },
  );

  test("dynamic updates at both instances beside edits at both lose no update", async () => {
    const { tsig: key } = await newKey(zone.client, zone.path.split("/").at(-1) ?? "");
    const clients = dnsPorts.map((port) => new UpdateClient(port, name, key));
    const updates = clients.flatMap((client, writer) =>
      Array.from({ length: 12 }, (_, index) => {
        const added = update.add(`${host}-shared`, "A", `192.0.2.${writer * 100 + index}`);
        return untilTaken(() => client.update([added], [], index % 2 === 0 ? "udp" : "tcp"));
      }),
    );
    const [here, other, rcodes] = await Promise.all([write(zone.client, 0), write(there, 1), Promise.all(updates)]);
    expect(new Set(rcodes)).toEqual(new Set([0]));
    await expectAllWritten([...here, ...other], 2, 24);
  });

  test("Zonewright and another writer each find their own names as they wrote them", async () => {
    const elsewhere = Array.from({ length: 20 }, (_, index) => index);
    const [answers] = await Promise.all([
      write(zone.client, 0),
      elsewhere.reduce((before, index) => before.then(() => editElsewhere(index)), Promise.resolve()),
    ]);
    await expectAllWritten(answers, 1);
    const { body } = await zone.client.post(`${zone.path}/sync`, { force: true });
    expect(body).toMatchObject({ created: 20, updated: 0, deleted: 0 });
  });

  test("an edit made elsewhere between a change and its fingerprint is noticed later", async () => {
    expect(await zone.editedElsewhere()).toBe(false);
    const striking = backend.proxy.next({ does: "hold request", to: "question", after: "change" });
    const call = zone.create(host, "192.0.2.1");
    const struck = await striking;
    await backend.edit(name, `${host}-else`, "A", ["192.0.2.2"]);
    struck.release();
    expect((await call).status).toBe(201);
    expect(await zone.editedElsewhere()).toBe(true);
    const { body } = await zone.client.post(`${zone.path}/sync`);
    expect(body).toMatchObject({ created: 1, updated: 0, deleted: 0 });
    expect(await zone.editedElsewhere()).toBe(false);
  });

  test("an edit made elsewhere between the read and a change is noticed later", async () => {
    const striking = backend.proxy.next({ does: "hold request", to: "change" });
    const call = zone.create(host, "192.0.2.1");
    const struck = await striking;
    await backend.edit(name, `${host}-else`, "A", ["192.0.2.2"]);
    struck.release();
    expect((await call).status).toBe(201);
    expect(await zone.editedElsewhere()).toBe(true);
    const { body } = await zone.client.post(`${zone.path}/sync`);
    expect(body).toMatchObject({ created: 1, updated: 0, deleted: 0 });
  });
});

/**
 * Calls again what was refused and not done: while the zone has been busy for long, as on a busy machine, and when SQLite behind PowerDNS refuses
 * one of two simultaneous writers.
 */
async function insist(call: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await call();
    const isUndone =
      answer.status >= 502 && /PowerDNS failed \(500\)|Another change to this zone/.test(answer.body.detail);
    if (tries === 10 || !isUndone) return answer;
  }
}

/** Sends an update again while the zone is busy, as clients do after SERVFAIL. */
async function untilTaken(send: () => Promise<number>): Promise<number> {
  for (let tries = 1; ; tries++) {
    const rcode = await send();
    if (tries === 10 || rcode !== 2) return rcode;
  }
}
