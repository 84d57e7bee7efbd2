import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { binary } from "../binaries.ts";
import { freePorts, mustRun, startProgram } from "../programs.ts";
import { emptyZone, freshKey, serverFolder, updateServer, type UpdateServer } from "./update-server.ts";

const schema = "/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql";

/** Starts PowerDNS on SQLite with zones that take updates. */
export async function startPowerdns(zones: readonly string[]): Promise<UpdateServer> {
  const folder = await serverFolder("powerdns");
  const [port = 0] = await freePorts(1);
  const key = freshKey();
  await mkdir(join(folder, "run"));
  await writeFile(join(folder, "pdns.conf"), configurationOf(folder, port), { mode: 0o600 });
  await createDatabase(join(folder, "pdns.sqlite3"));
  const pdnsutil = (...command: string[]) => mustRun(binary("pdnsutil"), [`--config-dir=${folder}`, ...command]);
  await pdnsutil("import-tsig-key", key.name, key.algorithm, key.secret);
  for (const zone of zones) {
    const file = join(folder, `${zone}.zone`);
    await writeFile(file, emptyZone(zone));
    await pdnsutil("load-zone", zone, file);
    await pdnsutil("set-meta", zone, "TSIG-ALLOW-DNSUPDATE", key.name);
    await pdnsutil("set-meta", zone, "TSIG-ALLOW-AXFR", key.name);
  }
  const program = await startProgram(
    binary("pdns_server"),
    [`--config-dir=${folder}`, "--daemon=no", "--guardian=no"],
    /ready to distribute questions|Done launching threads/,
  );
  return updateServer({ port, key, folder, program }, zones);
}

/** Creates a database of the SQLite backend. */
export async function createDatabase(file: string): Promise<void> {
  const text = await readFile(schema, "utf8").catch((error: unknown) => {
    throw new Error("The services suite needs PowerDNS with SQLite: apt-get install pdns-backend-sqlite3 (Debian).", {
      cause: error,
    });
  });
  const database = new DatabaseSync(file);
  database.exec(text);
  database.close();
}

function configurationOf(folder: string, port: number): string {
  return `launch=gsqlite3
gsqlite3-database=${folder}/pdns.sqlite3
gsqlite3-pragma-synchronous=0
local-address=127.0.0.1
local-port=${port}
socket-dir=${folder}/run
dnsupdate=yes
allow-dnsupdate-from=127.0.0.0/8
disable-axfr=no
allow-axfr-ips=
security-poll-suffix=
zone-cache-refresh-interval=0
loglevel=5
`;
}
