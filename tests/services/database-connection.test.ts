import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { sql } from "kysely";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase, queries, type EntityManager } from "../../server/database/database.ts";
import { inOneTrip } from "../../server/database/statements.ts";
import { page } from "../support/markdown.ts";
import { newAuthority } from "../support/servers/certificates.ts";
import { createDatabase, startPostgres, type PostgresServer } from "../support/servers/postgres.ts";
import { startService } from "../support/service-process.ts";

const database = "zonewright_tls";
/** A user who signs in with a certificate, and has no password. */
const certified = "zonewright_certified";

let folder: string;
let server: PostgresServer;
let observer: Client;

const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-tls-"));
  const [ours, theirs] = await Promise.all([newAuthority("Ours"), newAuthority("Theirs")]);
  // The certificate names the host; 127.0.0.1 is not in it.
  const [host, client] = await Promise.all([ours.sign("localhost"), ours.sign(certified)]);
  const pems: Record<string, string> = {
    "ours.crt": ours.certificate,
    "theirs.crt": theirs.certificate,
    "client.crt": client.certificate,
    "client.key": client.key,
  };
  for (const [name, text] of Object.entries(pems)) await writeFile(file(name), text, { mode: 0o600 });
  server = await startPostgres({
    tls: { ...host, authority: ours.certificate },
    access: [`hostssl all ${certified} 127.0.0.1/32 cert`],
  });
  observer = new Client({ connectionString: server.url, ssl: { rejectUnauthorized: false } });
  await observer.connect();
  await observer.query(`create database ${database}`);
  await observer.query(`create role ${certified} login superuser`);
});
afterAll(async () => {
  await observer.end();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

function address(parameters: string, change: (url: URL) => void = () => undefined): string {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  url.hostname = "localhost";
  change(url);
  return `${url.href}${parameters === "" ? "" : `?${parameters}`}`;
}

const newDataDir = () => mkdtemp(join(folder, "data-"));

/** How the connections of a running service are encrypted, by pool. */
async function connections(): Promise<Record<string, string[]>> {
  const { rows } = await observer.query<{ name: string; tls: string | null }>(
    `select application_name as name, version as tls from pg_stat_activity join pg_stat_ssl using (pid)
      where datname = $1 and application_name like 'zonewright%'`,
    [database],
  );
  const names = [...new Set(rows.map(({ name }) => name))].toSorted();
  return Object.fromEntries(
    names.map((name) => [name, [...new Set(rows.filter((row) => row.name === name).map(({ tls }) => tls ?? "plain"))]]),
  );
}

/** The output of a start that must fail. */
async function refusedStart(databaseUrl: string): Promise<string> {
  const started = await startService({ DATA_DIR: await newDataDir(), DATABASE_URL: databaseUrl }).catch(
    (error: unknown) => error as Error,
  );
  if (started instanceof Error) return started.message;
  await started.close();
  throw new Error(`It started with ${databaseUrl}.`);
}

describe("a PostgreSQL server that accepts only TLS", () => {
  test.each([
    [
      "the server's certificate, by its authority and name",
      () => `sslmode=verify-full&sslrootcert=${file("ours.crt")}`,
    ],
    ["its authority alone", () => `sslmode=verify-ca&sslrootcert=${file("ours.crt")}`],
    ["nothing", () => "sslmode=require"],
  ])("both pools connect to a TLS server encrypted, checking %s", async (_label, parameters) => {
    const service = await startService({ DATA_DIR: await newDataDir(), DATABASE_URL: address(parameters()) });
    expect(await connections()).toEqual({ zonewright: ["TLSv1.3"], "zonewright jobs": ["TLSv1.3"] });
    expect(service.output()).toMatch(/PostgreSQL \d+\.\d+, zonewright_tls at localhost:\d+, encrypted with TLSv1\.3/);
    await service.close();
  });

  test("a TLS server accepts a client certificate instead of a password, on both pools", async () => {
    const parameters = `sslmode=verify-full&sslrootcert=${file("ours.crt")}&sslcert=${file("client.crt")}&sslkey=${file("client.key")}`;
    const databaseUrl = address(parameters, (url) => {
      url.username = certified;
      url.password = "";
    });
    const service = await startService({ DATA_DIR: await newDataDir(), DATABASE_URL: databaseUrl });
    expect(Object.keys(await connections())).toEqual(["zonewright", "zonewright jobs"]);
    await service.close();
  });

  test.each([
    ["another authority", () => address(`sslmode=verify-full&sslrootcert=${file("theirs.crt")}`), /was rejected/],
    [
      "another authority, its name left unchecked",
      () => address(`sslmode=verify-ca&sslrootcert=${file("theirs.crt")}`),
      /was rejected/,
    ],
    ["the authorities that Node trusts", () => address("sslmode=verify-full"), /was rejected/],
    [
      "a host that the certificate does not name",
      () =>
        address(`sslmode=verify-full&sslrootcert=${file("ours.crt")}`, (url) => {
          url.hostname = "127.0.0.1";
        }),
      /is for another host .*127\.0\.0\.1/,
    ],
    ["no encryption", () => address(""), /requires encryption .*Add sslmode=verify-full/],
    [
      "a missing file of certificates",
      () => address("sslmode=verify-full&sslrootcert=/nowhere.crt"),
      /has sslrootcert=\/nowhere\.crt, which cannot be read/,
    ],
  ])(
    "a service that expects %s does not start on a TLS server, and says so without the password",
    async (_label, databaseUrl, sentence) => {
      const printed = await refusedStart(databaseUrl());
      expect(printed).toMatch(/DATABASE_URL/);
      expect(printed).toMatch(sentence);
      expect(printed).not.toContain(new URL(server.url).password);
      expect(printed).not.toMatch(/ {4}at /);
    },
  );

  test("a TLS server can also be reached by its Unix socket", async () => {
    const databaseUrl = address(`host=${server.socketFolder}`);
    const service = await startService({ DATA_DIR: await newDataDir(), DATABASE_URL: databaseUrl });
    expect(await connections()).toEqual({ zonewright: ["plain"], "zonewright jobs": ["plain"] });
    expect(service.output()).toContain(`zonewright_tls at ${server.socketFolder}, over a local socket`);
    await service.close();
  });
});

describe("a PostgreSQL server without TLS", () => {
  let plain: string;
  beforeAll(async () => {
    plain = await createDatabase(process.env["TEST_DATABASE_URL"] ?? "", "zonewright_plain");
  });

  test("a database connection without TLS is reported in the start line as not encrypted", async () => {
    const service = await startService({ DATA_DIR: await newDataDir(), DATABASE_URL: plain });
    expect(service.output()).toMatch(/PostgreSQL \d+\.\d+, zonewright_plain at 127\.0\.0\.1:\d+, not encrypted/);
    await service.close();
  });

  test("the service starts with only the database rights that the deployment page grants", async () => {
    const { blocks } = await page("docs/operations/deployment.md");
    const [, rights = ""] = blocks.filter(({ language }) => language === "sql").map(({ code }) => code);
    const superuser = new Client({ connectionString: process.env["TEST_DATABASE_URL"] ?? "" });
    await superuser.connect();
    await superuser.query("create role zonewright login password 'secret'");
    await superuser.end();
    const databaseUrl = await createDatabase(process.env["TEST_DATABASE_URL"] ?? "", "zonewright");
    const owner = new Client({ connectionString: databaseUrl });
    await owner.connect();
    await owner.query(rights);
    await owner.end();
    const url = new URL(databaseUrl);
    url.username = "zonewright";
    url.password = "secret";
    const service = await startService({ DATA_DIR: await newDataDir(), DATABASE_URL: url.href });
    expect((await (await service.signIn()).post("/api/domains", { name: "rights.example" })).status).toBe(201);
    await service.close();
  });

  test("the service does not start if it requires encryption and the server does not support TLS", async () => {
    expect(await refusedStart(`${plain}?sslmode=require`)).toContain("DATABASE_URL: the server does not support TLS");
  });

  test("a service whose database is silent still ends on SIGTERM, and exits 0", async () => {
    const relay = await silentRelay(Number(new URL(plain).port));
    const url = new URL(plain);
    url.port = String(relay.port);
    const service = await startService({ DATA_DIR: await newDataDir(), DATABASE_URL: url.href });
    await service.signIn();
    relay.silence();
    await service.close();
    relay.stop();
    expect(service.output()).toContain("the database did not answer");
  });

  test("a mistyped database name does not create a database", async () => {
    const url = new URL(plain);
    url.pathname = "/zonewright_mistyped";
    expect(await refusedStart(url.href)).toContain(
      "DATABASE_URL: the database does not exist on that server. Create it first.",
    );
    const client = new Client({ connectionString: plain });
    await client.connect();
    const { rows } = await client.query("select 1 from pg_database where datname = 'zonewright_mistyped'");
    await client.end();
    expect(rows).toEqual([]);
  });
});

/** Passes octets between loopback ports, until it falls silent as a network that loses every packet: connections stay open. */
async function silentRelay(target: number): Promise<{ port: number; silence(): void; stop(): void }> {
  const open = new Set<Socket>();
  const relay = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    for (const socket of [client, upstream]) open.add(socket.on("error", () => undefined));
    client.pipe(upstream).pipe(client);
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  const { port } = relay.address() as AddressInfo;
  return {
    port,
    silence() {
      for (const socket of open) socket.unpipe().pause();
    },
    stop() {
      relay.close();
      for (const socket of open) socket.destroy();
    },
  };
}

function asking(em: EntityManager, at: Date) {
  return sql`select ${at}::timestamptz as at`.compile(queries(em));
}

describe("the values of an answered statement", () => {
  const ways: [string, (em: EntityManager, at: Date) => Promise<unknown>][] = [
    ["outside a transaction", async (em, at) => await queries(em).executeQuery(asking(em, at))],
    [
      "in a transaction",
      async (em, at) => await em.transactional(async (tx) => await queries(tx).executeQuery(asking(tx, at))),
    ],
    [
      "together with another one",
      async (em, at) =>
        await em.transactional(async (tx) => {
          await inOneTrip(tx, [() => asking(tx, new Date()), () => asking(tx, at)]);
        }),
    ],
  ];

  // Otherwise V8 moves them to the old generation, where they take memory until it is collected.
  test.each(ways)("a collection of the young generation frees the values of a statement %s", async (_where, ask) => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as (what: { type: "minor" }) => void;
    const opened = await openDatabase({ databaseUrl: address("sslmode=require"), dataDir: folder });
    const isFreed = async () => {
      const sent = await (async () => {
        const at = new Date();
        await ask(opened.fork(), at);
        return new WeakRef(at);
      })();
      // A connection holds its last statement, and a reference holds its object until the end of the job that made it.
      for (let next = 0; next < 3; next++) await ask(opened.fork(), new Date());
      await setImmediate();
      for (let round = 0; round < 2; round++) collect({ type: "minor" });
      return sent.deref() === undefined;
    };
    try {
      let freed = 0;
      for (let use = 0; use < 20; use++) if (await isFreed()) freed++;
      // Some become old while they are under way.
      expect(freed).toBeGreaterThanOrEqual(5);
    } finally {
      await opened.close();
    }
  });
});
