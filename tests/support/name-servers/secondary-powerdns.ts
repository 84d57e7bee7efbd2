import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { mustRun, startProgram } from "../programs.ts";
import { createDatabase } from "./powerdns.ts";
import { startSecondary, type Secondary, type SecondaryOptions } from "./secondary.ts";

/** Starts PowerDNS on SQLite as a secondary. */
export async function startPowerdnsSecondary(options: SecondaryOptions): Promise<Secondary> {
  return await startSecondary("powerdns", options, async (folder, port) => {
    await mkdir(join(folder, "run"), { recursive: true });
    await writeFile(join(folder, "pdns.conf"), configurationOf(folder, port), { mode: 0o600 });
    const file = join(folder, "pdns.sqlite3");
    const isNew = await stat(file).then(
      () => false,
      () => true,
    );
    if (isNew) await prepare(folder, file, options);
    const args = [`--config-dir=${folder}`, "--daemon=no", "--guardian=no"];
    return await startProgram(binary("pdns_server"), args, /ready to distribute questions|Done launching threads/);
  });
}

/** Adds the zones as docs/guide/secondaries.md shows it. */
async function prepare(folder: string, file: string, options: SecondaryOptions): Promise<void> {
  const { primaryPort, key, zones = [], catalog = null } = options;
  const pdnsutil = (...command: string[]) => mustRun(binary("pdnsutil"), [`--config-dir=${folder}`, ...command]);
  await createDatabase(file);
  if (key) await pdnsutil("import-tsig-key", key.name, key.algorithm, key.secret);
  for (const zone of [...zones, ...(catalog === null ? [] : [catalog])]) {
    await pdnsutil("create-secondary-zone", zone, `127.0.0.1:${primaryPort}`);
    if (key) await pdnsutil("activate-tsig-key", zone, key.name, "secondary");
    // PowerDNS 4.7 does not take differences of a catalog.
    if (zone !== catalog) await pdnsutil("set-meta", zone, "IXFR", "1");
  }
  if (catalog !== null) await pdnsutil("set-kind", catalog, "consumer");
}

function configurationOf(folder: string, port: number): string {
  return `launch=gsqlite3
gsqlite3-database=${folder}/pdns.sqlite3
gsqlite3-pragma-synchronous=0
local-address=127.0.0.1
local-port=${port}
socket-dir=${folder}/run
secondary=yes
disable-axfr=no
allow-axfr-ips=127.0.0.0/8
security-poll-suffix=
zone-cache-refresh-interval=0
cache-ttl=0
query-cache-ttl=0
negquery-cache-ttl=0
xfr-cycle-interval=1
loglevel=6
`;
}
