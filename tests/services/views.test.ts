import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBindViews } from "../support/name-servers/bind.ts";
import type { UpdateServer } from "../support/name-servers/update-server.ts";
import { asPresented, recordLines } from "../support/records/presentation.ts";
import type { Answer, RestClient } from "../support/rest-client.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";

const name = "split.example";
const edits = 300;

let dataDir: string;
let service: ServiceProcess;
let servers: { internal: UpdateServer; external: UpdateServer };
let admin: RestClient;

/** One view: where it is served, and what must be in it. */
interface View {
  path: string;
  snapshot: string;
  server: UpdateServer | null;
  file: string | null;
  /** The addresses of hosts, as edited: a model that knows one view only. */
  hosts: Map<string, string>;
  snapshotHosts: Map<string, string>;
}
const views = new Map<string, View>();

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-views-"));
  [service, servers] = await Promise.all([startService({ DATA_DIR: dataDir }), startBindViews([name])]);
  admin = await service.signIn();
});

afterAll(async () => {
  await service.close();
  await servers.internal.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function succeeded(call: Promise<Answer>): Promise<Answer["body"]> {
  const { status, body } = await call;
  expect({ status, body }).toMatchObject({ status: status === 201 ? 201 : 200 });
  return body;
}

async function records(path: string): Promise<Answer["body"][]> {
  return (await succeeded(admin.get(`${path}/records?limit=500`))).records;
}

/** The edited hosts in a zone file, sorted. */
async function hostsIn(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8");
  return [...text.matchAll(/^(h\d+)\s.*\sA\s+(\S+)/gm)].map(([, host, value]) => `${host} ${value}`).toSorted();
}

/** Expects the view's list to be what was edited in it and nothing else, and what its server or file has. */
async function expectOwnRecords({ path, server, file, hosts }: View): Promise<void> {
  const list = await records(path);
  const edited = list.flatMap(({ name: host, value }) => (/^h\d+$/.test(host) ? [`${host} ${value}`] : []));
  expect(edited.toSorted()).toEqual([...hosts].map(([host, value]) => `${host} ${value}`).toSorted());
  const listed = recordLines(asPresented(name, list));
  expect(server ? recordLines(await server.transfer(name)) : listed).toEqual(listed);
  expect(file === null ? edited.toSorted() : await hostsIn(file)).toEqual(edited.toSorted());
}

test("two views of a zone at one BIND, chosen by key, are imported as two domains", async () => {
  for (const [view, server] of [
    ["", servers.external],
    ["internal", servers.internal],
  ] as const) {
    const config = await succeeded(
      admin.post("/api/provider-configs", { kind: "rfc2136", name: `BIND ${view}`, config: server.config }),
    );
    const qualified = view === "" ? name : `${name}!${view}`;
    const imported = await succeeded(admin.post(`/api/provider-configs/${config.id}/import`, { zones: [qualified] }));
    expect(imported.results).toMatchObject([{ name: qualified, success: true, records: 2 }]);
    // The zone behind one key is one domain's.
    const other = await admin.post("/api/domains", { name: `${name}!third`, providerConfigId: config.id });
    expect(other).toMatchObject({ status: 409, body: { issues: [{ path: ["providerConfigId"] }] } });
    const path = `/api/domains/${imported.results[0].domainId}`;
    const snapshot = (await succeeded(admin.post(`${path}/snapshots`, {}))).id;
    const empty = { hosts: new Map<string, string>(), snapshotHosts: new Map<string, string>() };
    views.set(view, { path, snapshot, server, file: null, ...empty });
  }
  for (const view of ["", "lab"]) {
    const domain = await succeeded(admin.post("/api/domains", { name: `files.example`, view }));
    const path = `/api/domains/${domain.id}`;
    const snapshot = (await succeeded(admin.post(`${path}/snapshots`, {}))).id;
    const file = join(dataDir, "zones", view === "" ? "files.example.zone" : "files.example!lab.zone");
    const empty = { hosts: new Map<string, string>(), snapshotHosts: new Map<string, string>() };
    views.set(`files ${view}`, { path, snapshot, server: null, file, ...empty });
  }
});

test(
  "300 random edits, bulk calls, syncs, snapshots and rollbacks of four views never cross",
  { timeout: 240_000 },
  async () => {
    const operations = fc.sample(
      fc.record({
        view: fc.constantFrom(...views.keys()),
        host: fc.integer({ min: 0, max: 9 }).map((index) => `h${index}`),
        value: fc.ipV4(),
        kind: fc.constantFrom("set", "set", "set", "set", "delete", "delete", "bulk", "sync", "snapshot", "rollback"),
      }),
      edits,
    );
    expect(views.size).toBe(4);
    const found: number[] = [];
    for (const { view, host, value, kind } of operations) {
      const one = views.get(view);
      if (!one) continue;
      const { path, hosts } = one;
      const present = (await records(path)).find((record) => record.name === host);
      if (kind === "set" && present) await succeeded(admin.put(`${path}/records/${present.id}`, { value }));
      if (kind === "set" && !present)
        await succeeded(admin.post(`${path}/records`, { recordType: "A", name: host, value }));
      if (kind === "set") hosts.set(host, value);
      if (kind === "delete" && present) {
        await succeeded(admin.delete(`${path}/records/${present.id}`));
        hosts.delete(host);
      }
      if (kind === "bulk" && !present) {
        const record = { recordType: "A", name: host, value };
        await succeeded(admin.post(`${path}/records/bulk`, { records: [record], mode: "atomic" }));
        hosts.set(host, value);
      }
      if (kind === "sync") {
        const { created, updated, deleted } = await succeeded(admin.post(`${path}/sync`, {}));
        found.push(created + updated + deleted);
      }
      if (kind === "snapshot") {
        one.snapshot = (await succeeded(admin.post(`${path}/snapshots`, {}))).id;
        one.snapshotHosts = new Map(hosts);
      }
      if (kind === "rollback") {
        await succeeded(admin.post(`${path}/snapshots/${one.snapshot}/rollback`, { force: true }));
        one.hosts = new Map(one.snapshotHosts);
      }
      await expectOwnRecords(one);
    }
    for (const one of views.values()) await expectOwnRecords(one);
  },
);

test("moves of a view leave the other views as they are", async () => {
  const internal = views.get("internal");
  const lab = views.get("files lab");
  if (!internal || !lab) throw new Error("The views were not made.");
  const manual = await succeeded(admin.post("/api/provider-configs", { kind: "manual", name: "Paper" }));
  const before = recordLines(await servers.external.transfer(name));
  const { providerConfigId } = await succeeded(admin.get(internal.path));
  // To a back end that both could share, to the folder, and back to the zone that the key chooses.
  const embedded = (await succeeded(admin.get(lab.path))).providerConfigId;
  for (const target of [manual.id, embedded, providerConfigId]) {
    const moved = await succeeded(admin.put(internal.path, { providerConfigId: target }));
    expect(moved).toMatchObject({ view: "internal", providerConfigId: target });
    for (const one of views.values())
      await expectOwnRecords(one === internal && target !== providerConfigId ? { ...one, server: null } : one);
  }
  expect(await readFile(join(dataDir, "zones", `${name}!internal.zone`), "utf8")).toContain(`$ORIGIN ${name}.`);
  expect(recordLines(await servers.external.transfer(name))).toEqual(before);
  const external = views.get("")?.path ?? "";
  // The zone at the other key's configuration belongs to the other view.
  const shared = await admin.put(internal.path, {
    providerConfigId: (await succeeded(admin.get(external))).providerConfigId,
  });
  expect(shared).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining(`${name} already uses the zone`) },
  });
  for (const one of views.values()) await expectOwnRecords(one);
});

test("a comparison shows what the views differ in", async () => {
  const [external, internal] = [views.get(""), views.get("internal")];
  if (!external || !internal) throw new Error("The views were not made.");
  const domain = (await succeeded(admin.get(internal.path))).id;
  const { added, removed } = await succeeded(admin.post(`${external.path}/compare`, { with: domain }));
  expect(linesOf(added)).toEqual(hostsOnlyIn(internal, external));
  expect(linesOf(removed)).toEqual(hostsOnlyIn(external, internal));
});

function linesOf(records: readonly { name: string; value: string }[]): string[] {
  return records.map((record) => `${record.name} ${record.value}`).toSorted();
}

function hostsOnlyIn(one: View, other: View): string[] {
  return [...one.hosts]
    .flatMap(([host, value]) => (other.hosts.get(host) === value ? [] : [`${host} ${value}`]))
    .toSorted();
}
