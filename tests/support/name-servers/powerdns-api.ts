import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { binary } from "../binaries.ts";
import { presentedRecords, type PresentedRecord } from "../records/presentation.ts";
import { freePorts, mustRun, startProgram } from "../programs.ts";

const schema = "/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql";

const digOptions = ["+noall", "+answer", "+onesoa", "+noidnin", "+noidnout", "+norecurse", "+time=5", "+tries=3"];

/** A PowerDNS Authoritative Server with its HTTP API, zones in SQLite. */
export interface PowerdnsServer {
  /** Address of the API's web server. */
  url: string;
  apiKey: string;
  /** Calls the API as another program does. @param path below `/api/v1/servers/localhost`. @throws Error unless it succeeds */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** The whole zone by transfer, without the SOA that it ends with. */
  transfer(zone: string, ...options: string[]): Promise<PresentedRecord[]>;
  /** The answer section. */
  lookUp(name: string, type: string): Promise<PresentedRecord[]>;
  /** Runs `pdnsutil`, as an operator does on the server itself. */
  pdnsutil(...command: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a server. @param at where it answers questions, which must not be taken; 127.0.0.1 at any port by default */
export async function startPowerdns(at: { address: string; port: number } | null = null): Promise<PowerdnsServer> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-powerdns-"));
  const [freePort = 0, apiPort = 0] = await freePorts(2);
  const { address, port } = at ?? { address: "127.0.0.1", port: freePort };
  const apiKey = randomBytes(24).toString("base64url");
  await makeDatabase(join(folder, "zones.sqlite3"));
  await writeFile(join(folder, "pdns.conf"), configuration(folder, { address, port }, apiPort, apiKey), {
    mode: 0o600,
  });
  const server = await startProgram(binary("pdns_server"), [`--config-dir=${folder}`], /ready to distribute questions/);
  const url = `http://127.0.0.1:${apiPort}`;

  const dig = async (...query: string[]) =>
    presentedRecords(await mustRun(binary("dig"), [`@${address}`, "-p", String(port), ...digOptions, ...query]));
  return {
    url,
    apiKey,
    async call(method, path, body) {
      const response = await fetch(`${url}/api/v1/servers/localhost${path}`, {
        method,
        headers: { "x-api-key": apiKey },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`PowerDNS answers ${response.status} to ${method} ${path}: ${text}`);
      return text === "" ? null : JSON.parse(text);
    },
    transfer: (zone, ...options) => dig("+tcp", ...options, `${zone}.`, "AXFR"),
    lookUp: (name, type) => dig(`${name}.`, type),
    pdnsutil: (...command) => mustRun(binary("pdnsutil"), [`--config-dir=${folder}`, ...command]),
    async stop() {
      await server.stop("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Debian's schema is written for the sqlite3 program, whose commands begin with a dot. */
async function makeDatabase(path: string): Promise<void> {
  const statements = (await readFile(schema, "utf8")).replaceAll(/^\..*$/gm, "");
  const database = new DatabaseSync(path);
  database.exec(statements);
  database.close();
}

/** Caches off: a test asks right after a change. */
function configuration(
  folder: string,
  { address, port }: { address: string; port: number },
  apiPort: number,
  apiKey: string,
): string {
  return `
launch=gsqlite3
gsqlite3-database=${join(folder, "zones.sqlite3")}
gsqlite3-pragma-synchronous=0
gsqlite3-dnssec=yes
local-address=${address}
local-port=${port}
allow-axfr-ips=127.0.0.1/32
webserver=yes
webserver-address=127.0.0.1
webserver-port=${apiPort}
webserver-allow-from=127.0.0.1/32
api=yes
api-key=${apiKey}
socket-dir=${folder}
cache-ttl=0
query-cache-ttl=0
negquery-cache-ttl=0
dnssec-key-cache-ttl=0
zone-metadata-cache-ttl=0
zone-cache-refresh-interval=0
daemon=no
guardian=no
`;
}
