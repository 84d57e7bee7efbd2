import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { binary } from "../support/binaries.ts";
import { page } from "../support/markdown.ts";
import { createDatabase } from "../support/servers/postgres.ts";
import { RestClient } from "../support/rest-client.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";

const run = promisify(execFile);

let folder: string;
let blocks: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-backup-"));
  const { blocks: all } = await page("docs/operations/backup.md");
  blocks = all.filter(({ language }) => language === "sh").map(({ code }) => code);
  if (blocks.length !== 4) throw new Error("The page has a block each for copying and restoring, on both databases.");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Where the page's commands run in this test. */
interface Place {
  dataDir: string;
  backup: string;
}

async function newPlace(name: string): Promise<Place> {
  const place = { dataDir: join(folder, name, "data"), backup: join(folder, name, "backup") };
  await mkdir(place.backup, { recursive: true });
  return place;
}

/** Runs a block of the page with this test's folders and database. */
async function carryOut(block: string | undefined, { dataDir, backup }: Place, databaseUrl = ""): Promise<void> {
  const script = (block ?? "").replaceAll("/var/lib/zonewright", dataDir).replaceAll("/backup/", `${backup}/`);
  const path = [dirname(binary("initdb")), process.env["PATH"]].join(delimiter);
  await run("bash", ["-euo", "pipefail", "-c", script], { env: { PATH: path, DATABASE_URL: databaseUrl } });
}

const zone = "kept.example";

interface Filled {
  /** A personal token. */
  token: string;
  domainId: string;
}

/** Fills a service with one of everything that a backup must preserve. */
async function fill(service: ServiceProcess): Promise<Filled> {
  const admin = await service.signIn();
  const { body: domain } = await admin.post("/api/domains", { name: zone });
  const path = `/api/domains/${domain.id}`;
  await admin.post(`${path}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
  await admin.post(`${path}/snapshots`);
  const config = { url: "http://127.0.0.1:9", apiKey: "sealed-with-the-key" };
  expect((await admin.post("/api/provider-configs", { kind: "powerdns", name: "Kept", config })).status).toBe(201);
  const permissions = ["records:read", "records:write", "snapshots:read"];
  const { body: token } = await admin.post("/api/auth/me/tokens", { name: "Kept", permissions });
  return { token: token.token, domainId: domain.id };
}

/** Adds a record: between two backups, or after both, where the restore must remove it. */
async function change(service: ServiceProcess, { token, domainId }: Filled, name: "later" | "late"): Promise<void> {
  const client = new RestClient(service.url, token);
  const record = { recordType: "A", name, value: "192.0.2.2" };
  expect((await client.post(`/api/domains/${domainId}/records`, record)).status).toBe(201);
}

/** Waits for the next second: the copies are named by theirs. */
async function nextSecond(): Promise<void> {
  await sleep(1_000 - (Date.now() % 1_000));
}

/** Checks that a restored service has everything and still works. */
async function stateOf(service: ServiceProcess, { token, domainId }: Filled, { dataDir }: Place) {
  const client = new RestClient(service.url, token);
  const path = `/api/domains/${domainId}`;
  const { body: listed } = await client.get(`${path}/records`);
  const { body: snapshots } = await client.get(`${path}/snapshots`);
  const admin = await service.signIn();
  const { body } = await admin.get("/api/provider-configs");
  const kept = body.configs.find(({ name }: { name: string }) => name === "Kept");
  const { body: tried } = await admin.post(`/api/provider-configs/${kept.id}/test`);
  const edit = await client.post(`${path}/records`, { recordType: "A", name: "new", value: "192.0.2.3" });
  const { body: sync } = await admin.post(`${path}/sync`, { dryRun: true });
  return {
    hosts: listed.records.filter((one: { recordType: string }) => one.recordType === "A").map(hostOf),
    snapshots: snapshots.total,
    // The key opens the secret, so only the connection fails.
    configuration: tried.error,
    edit: edit.status,
    served: /^new\s/m.test(await readFile(join(dataDir, "zones", `${zone}.zone`), "utf8")),
    drift: sync.created + sync.updated + sync.deleted,
  };
}

const hostOf = ({ name }: { name: string }) => name;

const asBefore = {
  hosts: ["later", "www"],
  snapshots: 1,
  configuration: expect.stringContaining("127.0.0.1"),
  edit: 201,
  served: true,
  drift: 0,
};

test("the embedded database can be restored from the newest copy of its folder, with keys and zone files", async () => {
  const place = await newPlace("embedded");
  const { dataDir } = place;
  let service = await startService({ DATA_DIR: dataDir });
  const filled = await fill(service);
  await service.close();
  await carryOut(blocks[0], place);
  service = await startService({ DATA_DIR: dataDir });
  await change(service, filled, "later");
  await service.close();
  await nextSecond();
  await carryOut(blocks[0], place);
  service = await startService({ DATA_DIR: dataDir });
  await change(service, filled, "late");
  await service.close();
  await carryOut(blocks[1], place);
  service = await startService({ DATA_DIR: dataDir });
  expect(await stateOf(service, filled, place)).toEqual(asBefore);
  await service.close();
});

test("a PostgreSQL database can be restored from the newest dump made while the service ran", async () => {
  const server = process.env["TEST_DATABASE_URL"] ?? "";
  const place = await newPlace("postgres");
  const { dataDir } = place;
  const before = await createDatabase(server, "zonewright_dumped");
  let service = await startService({ DATA_DIR: dataDir, DATABASE_URL: before });
  const filled = await fill(service);
  await carryOut(blocks[2], place, before);
  await change(service, filled, "later");
  await nextSecond();
  await carryOut(blocks[2], place, before);
  await change(service, filled, "late");
  await service.close();
  const restored = await createDatabase(server, "zonewright_restored");
  await carryOut(blocks[3], place, restored);
  await access(join(dataDir, "secret-key"));
  service = await startService({ DATA_DIR: dataDir, DATABASE_URL: restored });
  expect(await stateOf(service, filled, place)).toEqual(asBefore);
  await service.close();
});

/** One step of a writer: what it calls, and the values that its hosts have afterwards. No two steps leave the same. */
interface Step {
  action: "create" | "update" | "delete";
  host: string;
  after: Readonly<Record<string, string>>;
}

function* stepsOf(writer: string): Generator<Step, never> {
  const hosts = new Map<string, string>();
  const after = () => Object.fromEntries(hosts);
  for (let index = 0; ; index++) {
    const host = `${writer}${index}`;
    hosts.set(host, "192.0.2.1");
    yield { action: "create", host, after: after() };
    hosts.set(host, "192.0.2.2");
    yield { action: "update", host, after: after() };
    if (index % 2 === 0) continue;
    const former = `${writer}${index - 1}`;
    hosts.delete(former);
    yield { action: "delete", host: former, after: after() };
  }
}

/** Writes to a domain, one acknowledged call after another. */
class Writer {
  /** What the zone has of this writer after each acknowledged call, from none on. */
  readonly acknowledged: Step["after"][] = [{}];
  readonly name: string;
  readonly #path: string;
  #isStopped = false;

  constructor(name: string, domainId: string) {
    this.name = name;
    this.#path = `/api/domains/${domainId}/records`;
  }

  async write(client: RestClient): Promise<void> {
    const ids = new Map<string, string>();
    for (const { action, host, after } of stepsOf(this.name)) {
      if (this.#isStopped) return;
      const at = `${this.#path}/${ids.get(host)}`;
      const answer =
        action === "create"
          ? await client.post(this.#path, { recordType: "A", name: host, value: after[host] })
          : action === "update"
            ? await client.put(at, { value: after[host] })
            : await client.delete(at);
      if (answer.status !== (action === "create" ? 201 : 200))
        throw new Error(`${action} of ${host}: ${answer.status} ${JSON.stringify(answer.body)}`);
      if (action === "create") ids.set(host, answer.body.id);
      this.acknowledged.push(after);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}

/** Returns what the zone has of a writer. */
async function hostsOf(client: RestClient, domainId: string, { name }: Writer): Promise<Record<string, string>> {
  const hosts: Record<string, string> = {};
  for (let page = 1; ; page++) {
    const { body } = await client.get(`/api/domains/${domainId}/records?limit=500&page=${page}`);
    for (const record of body.records) if (record.name.startsWith(name)) hosts[record.name] = record.value;
    if (page * 500 >= body.total) return hosts;
  }
}

/** Returns the revisions of a domain's history, oldest first. */
async function revisionsOf(client: RestClient, domainId: string): Promise<number[]> {
  const revisions: number[] = [];
  for (let page = 1; ; page++) {
    const { body } = await client.get(`/api/domains/${domainId}/history?limit=100&page=${page}`);
    revisions.unshift(...body.entries.map(({ revision }: { revision: number }) => revision).toReversed());
    if (page * 100 >= body.total) return revisions;
  }
}

test("a dump taken while calls write has everything acknowledged before it, and each zone as it was at one moment", async () => {
  const server = process.env["TEST_DATABASE_URL"] ?? "";
  const place = await newPlace("under-load");
  const { dataDir } = place;
  const busy = await createDatabase(server, "zonewright_busy");
  let service = await startService({ DATA_DIR: dataDir, DATABASE_URL: busy });
  let admin = await service.signIn();
  const { body: manual } = await admin.post("/api/provider-configs", { kind: "manual", name: "By hand" });
  const { body: byHand } = await admin.post("/api/domains", { name: "busy.example", providerConfigId: manual.id });
  const { body: inFile } = await admin.post("/api/domains", { name: "file.example" });
  const pair = [new Writer("a", byHand.id), new Writer("b", byHand.id)];
  const alone = new Writer("f", inFile.id);
  const writers = [...pair, alone];
  const writing = Promise.all(writers.map((writer) => writer.write(admin)));
  const acknowledged = () => writers.map((writer) => writer.acknowledged.length - 1);
  const written = () => acknowledged().reduce((sum, count) => sum + count);
  let before: number[];
  // Again, should no call be answered during the dump.
  do {
    const start = written();
    while (written() < start + 30) await sleep(10);
    await nextSecond();
    before = acknowledged();
    await carryOut(blocks[2], place, busy);
  } while (acknowledged().every((count, index) => count === before[index]));
  for (const writer of writers) writer.stop();
  await writing;
  await service.close();

  const restored = await createDatabase(server, "zonewright_busy_restored");
  await carryOut(blocks[3], place, restored);
  service = await startService({ DATA_DIR: dataDir, DATABASE_URL: restored });
  admin = await service.signIn();
  const calls = await Promise.all(
    writers.map(async (writer) => {
      const found = JSON.stringify(await hostsOf(admin, writer === alone ? inFile.id : byHand.id, writer));
      return writer.acknowledged.findIndex((hosts) => found === sorted(hosts));
    }),
  );
  for (const [index, count] of calls.entries()) expect(count).toBeGreaterThanOrEqual(before[index] ?? 0);
  // A change of the zone in a file may have been in flight. Without a provider, a change is one transaction.
  const made = (calls[0] ?? 0) + (calls[1] ?? 0);
  const { body: domain } = await admin.get(`/api/domains/${byHand.id}`);
  const { body: now } = await admin.get(`/api/domains/${byHand.id}/records?limit=500`);
  const { body: then } = await admin.get(`/api/domains/${byHand.id}/records?limit=500&at=${made}`);
  expect({ revision: domain.revision, count: domain.recordCount }).toEqual({ revision: made, count: now.total });
  expect(then.records).toEqual(now.records);
  expect(await revisionsOf(admin, byHand.id)).toEqual(Array.from({ length: made }, (_, index) => index + 1));
  await service.close();
});

/** As `hostsOf` reads them: in the order of the list. */
function sorted(hosts: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(hosts).toSorted(([one], [other]) => (one < other ? -1 : 1))));
}
