import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { freePorts, mustRun, startProgram } from "../programs.ts";
import {
  emptyZone,
  freshKey,
  serverFolder,
  untilResigned,
  untilSigned,
  updateServer,
  type ServerKey,
  type SigningServer,
  type UpdateServer,
} from "./update-server.ts";

/** Starts Knot DNS with zones that take updates. */
export async function startKnot(zones: readonly string[]): Promise<UpdateServer> {
  return (await start(zones, false)).server;
}

/** Starts Knot DNS with zones that take updates and that it signs. */
export async function startSigningKnot(zones: readonly string[]): Promise<SigningServer> {
  const { server, configuration } = await start(zones, true);
  for (const zone of zones) await untilSigned(server, zone);
  const sign = (zone: string) => mustRun(binary("knotc"), ["-c", configuration, "-b", "zone-sign", zone]);
  return { ...server, resign: (zone) => untilResigned(server, zone, () => sign(zone)) };
}

async function start(
  zones: readonly string[],
  signing: boolean,
): Promise<{ server: UpdateServer; configuration: string }> {
  const folder = await serverFolder("knot");
  const [port = 0] = await freePorts(1);
  const key = freshKey();
  await mkdir(join(folder, "run"));
  await mkdir(join(folder, "db"));
  for (const zone of zones) await writeFile(join(folder, `${zone}.zone`), emptyZone(zone));
  const configuration = join(folder, "knot.conf");
  await writeFile(configuration, configurationOf(folder, port, key, zones, signing), { mode: 0o600 });
  const program = await startProgram(binary("knotd"), ["-c", configuration], /server started/);
  return { server: updateServer({ port, key, folder, program }, zones), configuration };
}

function configurationOf(
  folder: string,
  port: number,
  key: ServerKey,
  zones: readonly string[],
  signing: boolean,
): string {
  return `
server:
    rundir: "${folder}/run"
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 2
    background-workers: 1
log:
  - target: stdout
    any: info
database:
    storage: "${folder}/db"
    journal-db-max-size: 64M
    kasp-db-max-size: 8M
    timer-db-max-size: 8M
key:
  - id: ${key.name}
    algorithm: ${key.algorithm}
    secret: ${key.secret}
acl:
  - id: zonewright
    key: ${key.name}
    action: [transfer, update]
template:
  - id: default
    storage: "${folder}"
    file: "%s.zone"
    acl: zonewright
    zonefile-sync: -1
    zonefile-load: whole
    journal-content: changes
    dnssec-signing: ${signing ? "on" : "off"}
zone:
${zones.map((zone) => `  - domain: ${zone}`).join("\n")}
`;
}
