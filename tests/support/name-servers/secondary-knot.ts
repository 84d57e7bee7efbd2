import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { startProgram } from "../programs.ts";
import { substituted } from "../pages/page-configuration.ts";
import { documentedKey, inPlaceOfKey, secondaryOn } from "./documented-secondary.ts";
import { startSecondary, type Secondary, type SecondaryOptions } from "./secondary.ts";

/** Starts Knot as a secondary. */
export async function startKnotSecondary(options: SecondaryOptions): Promise<Secondary> {
  return await startSecondary("knot", options, async (folder, port) => {
    await mkdir(join(folder, "run"), { recursive: true });
    await mkdir(join(folder, "db"), { recursive: true });
    const configuration = join(folder, "knot.conf");
    await writeFile(configuration, await knotConfiguration({ ...options, folder, port }), { mode: 0o600 });
    return await startProgram(binary("knotd"), ["-c", configuration], /server started/);
  });
}

/** Returns the configuration of Knot: what docs/guide/secondaries.md shows, and what a test needs besides, such as transfers to it. */
async function knotConfiguration(parts: SecondaryOptions & { folder: string; port: number }): Promise<string> {
  const { folder, port, primaryPort, key, zones = [], catalog = null } = parts;
  const block = await secondaryOn(`key:\n  - id: ${documentedKey}`);
  const [head = "", zone = ""] = (key ? block : unsigned(block)).split("zone:\n");
  const primary = { "192.0.2.10@53": `127.0.0.1@${primaryPort}`, "192.0.2.10": "127.0.0.1" };
  const [template = "", catalogZone = ""] = (await secondaryOn("catalog-role")).split("zone:\n");
  const members = substituted(template, {
    "- id: member": `- id: member\n    storage: "${folder}"`,
    ...transferable,
  });
  const blocks = [
    ...zones.map((name) => substituted(zone, { "example.com": name, ...transferable })),
    ...(catalog === null ? [] : [substituted(catalogZone, { "catalog.invalid": catalog, ...transferable })]),
  ];
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
${substituted(head, { ...primary, ...(key ? inPlaceOfKey(key) : {}) })}  - id: everyone
    address: 127.0.0.1
    action: transfer
${members}  - id: default
    storage: "${folder}"
    file: "%s.zone"
zone:
${blocks.join("")}`;
}

const transferable = { "acl: zonewright": "acl: [zonewright, everyone]" };

/** Without what concerns the key. */
function unsigned(text: string): string {
  return text.replace(/^key:\n(?: .*\n)*/m, "").replaceAll(/^ +key: .*\n/gm, "");
}
