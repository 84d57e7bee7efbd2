import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { mustRun, startProgram } from "../programs.ts";
import { substituted } from "../pages/page-configuration.ts";
import { documentedKey, inPlaceOfKey, secondaryOn } from "./documented-secondary.ts";
import { startSecondary, type Secondary, type SecondaryOptions } from "./secondary.ts";

/** Starts NSD as a secondary. */
export async function startNsdSecondary(options: SecondaryOptions): Promise<Secondary> {
  const secondary = await startSecondary("nsd", options, async (folder, port) => {
    const configuration = join(folder, "nsd.conf");
    await writeFile(configuration, await nsdConfiguration({ ...options, folder, port }), { mode: 0o600 });
    return await startProgram(binary("nsd"), ["-d", "-c", configuration], /nsd started/);
  });
  /** Runs the command of the page. */
  const control = async (command: "addzone" | "delzone", zone: string) => {
    const line = new RegExp(`^nsd-control (${command} .*)$`, "m").exec(await secondaryOn("nsd-control addzone"))?.[1];
    const words = (line ?? "").replace(/\S+\.example\b/, zone).split(" ");
    await mustRun(binary("nsd-control"), ["-c", join(secondary.folder, "nsd.conf"), ...words]);
  };
  return {
    ...secondary,
    add: (zone) => control("addzone", zone),
    drop: (zone) => control("delzone", zone),
  };
}

/** Returns the configuration of NSD: what docs/guide/secondaries.md shows, and what a test needs besides. */
async function nsdConfiguration(parts: SecondaryOptions & { folder: string; port: number }): Promise<string> {
  const { folder, port, primaryPort, key, zones = [] } = parts;
  const [keyClause = "", zone = ""] = (await secondaryOn('name: "example.com"')).split("zone:\n");
  const values = {
    "192.0.2.10@53": `127.0.0.1@${primaryPort}`,
    "192.0.2.10": "127.0.0.1",
    [documentedKey]: key?.name ?? "NOKEY",
  };
  const provideXfr = "  provide-xfr: 127.0.0.1 NOKEY\n";
  const blocks = zones.map(
    (name) => `zone:
${substituted(zone, { ...values, "example.com": name })}  zonefile: "${name}.zone"
${provideXfr}`,
  );
  const members = substituted(await secondaryOn("control-enable"), {
    ...values,
    "control-enable: yes\n": `control-enable: yes\n  control-interface: "${folder}/nsd.ctl"\n`,
  });
  return `server:
  ip-address: 127.0.0.1
  port: ${port}
  username: ""
  zonesdir: "${folder}"
  zonelistfile: "${folder}/zone.list"
  xfrdfile: "${folder}/xfrd.state"
  xfrdir: "${folder}"
  pidfile: "${folder}/nsd.pid"
  database: "${folder}/nsd.db"
  server-count: 1
  verbosity: 2
  xfrd-reload-timeout: 0
${key ? substituted(keyClause, inPlaceOfKey(key)) : ""}${members}${provideXfr}${blocks.join("")}`;
}
