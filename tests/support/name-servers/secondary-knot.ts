import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { startProgram } from "../programs.ts";
import { startSecondary, type Secondary, type SecondaryOptions } from "./secondary.ts";

/** Starts Knot as a secondary. */
export async function startKnotSecondary(options: SecondaryOptions): Promise<Secondary> {
  return await startSecondary("knot", options, async (folder, port) => {
    await mkdir(join(folder, "run"), { recursive: true });
    await mkdir(join(folder, "db"), { recursive: true });
    const configuration = join(folder, "knot.conf");
    await writeFile(configuration, knotConfiguration({ ...options, folder, port }), { mode: 0o600 });
    return await startProgram(binary("knotd"), ["-c", configuration], /server started/);
  });
}

/** Returns the configuration of Knot, as docs/guide/secondaries.md shows it. */
function knotConfiguration(parts: SecondaryOptions & { folder: string; port: number }): string {
  const { folder, port, primaryPort, key, zones = [], catalog = null } = parts;
  const keyLine = key ? `    key: ${key.name}\n` : "";
  return `server:
    rundir: "${folder}/run"
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 2
    background-workers: 2
log:
  - target: stdout
    any: info
database:
    storage: "${folder}/db"
    journal-db-max-size: 256M
    kasp-db-max-size: 8M
    timer-db-max-size: 8M
    catalog-db-max-size: 8M
${key ? `key:\n  - id: ${key.name}\n    algorithm: ${key.algorithm}\n    secret: ${key.secret}\n` : ""}remote:
  - id: zonewright
    address: 127.0.0.1@${primaryPort}
${keyLine}acl:
  - id: zonewright
    address: 127.0.0.1
${keyLine}    action: notify
  - id: everyone
    address: 127.0.0.1
    action: transfer
template:
  - id: default
    storage: "${folder}"
    file: "%s.zone"
  - id: member
    storage: "${folder}"
    master: zonewright
    acl: [zonewright, everyone]
zone:
${zones.map(zoneBlock).join("")}${catalog === null ? "" : `${zoneBlock(catalog)}    catalog-role: interpret\n    catalog-template: member\n`}`;
}

function zoneBlock(name: string): string {
  return `  - domain: ${name}
    master: zonewright
    acl: [zonewright, everyone]
`;
}
