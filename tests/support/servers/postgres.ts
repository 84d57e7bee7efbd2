import { randomBytes } from "node:crypto";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Client } from "pg";
import { openDatabase } from "../../../server/database/database.ts";
import { binary } from "../binaries.ts";
import { freePorts, mustRun, startProgram, type RunningProgram } from "../programs.ts";

const runFile = promisify(execFile);

export interface PostgresServer {
  /** Of the database `postgres`, as its superuser. */
  url: string;
  /** Where its Unix socket is. */
  socketFolder: string;
  /** Ends it as `pg_ctl stop -m immediate` does: connections break, and the next start recovers from the log. */
  crash(): Promise<void>;
  /** Starts it again after a crash, at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Accepts only TLS on TCP: PEM texts. The authority signs clients' certificates. */
  tls?: { certificate: string; key: string; authority: string };
  /** With `tls`: lines of pg_hba.conf that come before the one for everybody. */
  access?: readonly string[];
  /** Leaves writing to the disk to the system: committed data outlives any process, but not a power failure. */
  unsynced?: boolean;
}

/** Starts a PostgreSQL server of its own on loopback, in a temporary folder that goes with it. */
export async function startPostgres({ tls, access = [], unsynced }: PostgresOptions = {}): Promise<PostgresServer> {
  const account = await postgresAccount();
  const folder = await mkdtemp(join(tmpdir(), "zonewright-postgres-"));
  const data = join(folder, "data");
  const passwordFile = join(folder, "password");
  const password = randomBytes(16).toString("hex");
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) {
    await chown(folder, account.uid, account.gid);
    await chown(passwordFile, account.uid, account.gid);
  }
  const as = { ...account, cwd: folder, env: { PATH: process.env["PATH"], HOME: folder, LC_ALL: "C" } };
  const [port = 0] = await freePorts(1);
  await runFile(
    binary("initdb"),
    [
      "-D",
      data,
      "-U",
      "postgres",
      "-A",
      "scram-sha-256",
      `--pwfile=${passwordFile}`,
      "-E",
      "UTF8",
      "--no-locale",
      ...(unsynced ? ["--no-sync"] : []),
    ],
    as,
  );
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`];
  if (unsynced) settings.push("fsync=off", "full_page_writes=off");
  if (tls) {
    const files = { "server.crt": tls.certificate, "server.key": tls.key, "authority.crt": tls.authority };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(data, name), text, { mode: 0o600 });
      if (account) await chown(join(data, name), account.uid, account.gid);
    }
    settings.push("ssl=on", "ssl_ca_file=authority.crt");
    const lines = ["local all all scram-sha-256", ...access, "hostssl all all 127.0.0.1/32 scram-sha-256"];
    await writeFile(join(data, "pg_hba.conf"), `${lines.join("\n")}\n`);
  }
  const options = settings.flatMap((setting) => ["-c", setting]);
  const start = () => startProgram(binary("postgres"), ["-D", data, ...options], /ready to accept connections/, as);
  let server: RunningProgram = await start();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    socketFolder: folder,
    async crash() {
      await server.stop("SIGQUIT");
    },
    async restart() {
      server = await start();
    },
    async stop() {
      await server.stop("SIGINT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The user to run PostgreSQL as, because it refuses root; undefined if we are not root. */
export async function postgresAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = async (which: string) => Number(await mustRun("id", [which, name]));
      return { uid: await id("-u"), gid: await id("-g") };
    } catch {
      continue;
    }
  }
  throw new Error("PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody here.");
}

/** A database on a server: empty, or a copy of another one that nobody is connected to. @returns its address. */
export async function createDatabase(serverUrl: string, name: string, template = "template1"): Promise<string> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name} template ${template}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** On the server that all files share: what a service leaves that starts with an empty database. */
const migrated = "zonewright_migrated";

/** Makes what {@link migratedDatabase} copies. */
export async function makeMigrated(serverUrl: string): Promise<void> {
  const database = await openDatabase({ databaseUrl: await createDatabase(serverUrl, migrated), dataDir: "unused" });
  await database.migrate();
  await database.close();
}

/**
 * A database after all migrations on the server that all files share, for tests of what a service does later: copying takes a tenth of the
 * processor time of migrating. @returns its address.
 */
export async function migratedDatabase(name: string): Promise<string> {
  return await createDatabase(process.env["TEST_DATABASE_URL"] ?? "", name, migrated);
}
