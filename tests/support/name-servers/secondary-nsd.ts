import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { startProgram } from "../programs.ts";
import { startSecondary, type Secondary, type SecondaryOptions } from "./secondary.ts";

/** Starts NSD as a secondary. */
export async function startNsdSecondary(options: SecondaryOptions): Promise<Secondary> {
  return await startSecondary("nsd", options, async (folder, port) => {
    const configuration = join(folder, "nsd.conf");
    await writeFile(configuration, nsdConfiguration({ ...options, folder, port }), { mode: 0o600 });
    return await startProgram(binary("nsd"), ["-d", "-c", configuration], /nsd started/);
  });
}

/** Returns the configuration of NSD, as docs/guide/secondaries.md shows it. */
function nsdConfiguration(parts: SecondaryOptions & { folder: string; port: number }): string {
  const { folder, port, primaryPort, key, zones = [] } = parts;
  const keyName = key?.name ?? "NOKEY";
  const blocks = zones.map(
    (zone) => `zone:
  name: "${zone}"
  zonefile: "${zone}.zone"
  request-xfr: 127.0.0.1@${primaryPort} ${keyName}
  allow-notify: 127.0.0.1 ${keyName}
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
${key ? `key:\n  name: "${key.name}"\n  algorithm: ${key.algorithm}\n  secret: "${key.secret}"\n` : ""}${blocks.join("")}`;
}
