import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { startProgram } from "../programs.ts";
import { substituted } from "../pages/page-configuration.ts";
import { documentedKey, inPlaceOfKey, secondaryOn } from "./documented-secondary.ts";
import { startSecondary, type Secondary, type SecondaryOptions } from "./secondary.ts";

/** Starts NSD as a secondary. */
export async function startNsdSecondary(options: SecondaryOptions): Promise<Secondary> {
  return await startSecondary("nsd", options, async (folder, port) => {
    const configuration = join(folder, "nsd.conf");
    await writeFile(configuration, await nsdConfiguration({ ...options, folder, port }), { mode: 0o600 });
    return await startProgram(binary("nsd"), ["-d", "-c", configuration], /nsd started/);
  });
}

/** Returns the configuration of NSD: what docs/guide/secondaries.md shows, and what a test needs besides. */
async function nsdConfiguration(parts: SecondaryOptions & { folder: string; port: number }): Promise<string> {
  const { folder, port, primaryPort, key, zones = [] } = parts;
  const [keyClause = "", zone = ""] = (await secondaryOn("request-xfr:")).split("zone:\n");
  const values = {
    "192.0.2.10@53": `127.0.0.1@${primaryPort}`,
    "192.0.2.10": "127.0.0.1",
    [documentedKey]: key?.name ?? "NOKEY",
  };
  const blocks = zones.map(
    (name) => `zone:
${substituted(zone, { ...values, "example.com": name })}  zonefile: "${name}.zone"
  provide-xfr: 127.0.0.1 NOKEY
`,
  );
  return `server:
  ip-address: 127.0.0.1
  port: ${port}
  username: ""
  zonesdir: "${folder}"
  zonelistfile: "${folder}/zone.list"
  xfrdfile: "${folder}/xfrd.state"
  xfrdir: "${folder}"
  pidfile: "${folder}/nsd.pid"
  database: ""
  server-count: 1
  verbosity: 2
  xfrd-reload-timeout: 0
remote-control:
  control-enable: no
${key ? substituted(keyClause, inPlaceOfKey(key)) : ""}${blocks.join("")}`;
}
