import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { freePorts, run, startProgram } from "../programs.ts";

/** Zone files by zone: what name servers are to load. */
export type ZoneTexts = ReadonlyMap<string, string>;

/** BIND's limits, as a server's configuration has them. */
export interface Limits {
  maxRecordsPerType: number;
  maxTypesPerName: number;
}

/** What each zone is refused for by `named-checkconf -z`, with all of them configured. */
export async function refusedByCheckconf(zones: ZoneTexts): Promise<Map<string, string>> {
  return await inFolder(zones, async (folder) => {
    const configuration = join(folder, "named.conf");
    await writeFile(configuration, `options { directory "${folder}"; };\n${configured(zones)}`);
    const { exitCode, stdout, stderr } = await run(binary("named-checkconf"), ["-z", configuration]);
    const refused = refusalsIn(stdout + stderr, zones);
    if ((exitCode === 0) !== (refused.size === 0)) throw new Error(`named-checkconf ended with ${exitCode}: ${stdout}`);
    return refused;
  });
}

/** What a running `named` refuses each zone for; only it knows its limits. */
export async function refusedByNamed(
  zones: ZoneTexts,
  { maxRecordsPerType, maxTypesPerName }: Limits,
): Promise<Map<string, string>> {
  return await inFolder(zones, async (folder) => {
    const configuration = join(folder, "named.conf");
    const [port = 0] = await freePorts(1);
    const options = `options {
      directory "${folder}"; pid-file none; session-keyfile none; recursion no; notify no; empty-zones-enable no;
      listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
      max-records-per-type ${maxRecordsPerType}; max-types-per-name ${maxTypesPerName};
    };\ncontrols {};\n`;
    await writeFile(configuration, options + configured(zones));
    const server = await startProgram(binary("named"), ["-g", "-n", "1", "-c", configuration], / running$/m);
    await server.stop("SIGTERM");
    return refusalsIn(server.output(), zones);
  });
}

/** What each zone is refused for by Knot's `kzonecheck`. */
export async function refusedByKnot(zones: ZoneTexts): Promise<Map<string, string>> {
  return await inFolder(zones, async (folder) => {
    const refused = new Map<string, string>();
    for (const zone of zones.keys()) {
      const { exitCode, stdout, stderr } = await run(binary("kzonecheck"), [
        "-o",
        zone,
        join(folder, encodeURIComponent(zone)),
      ]);
      if (exitCode !== 0) refused.set(zone, stdout + stderr);
    }
    return refused;
  });
}

async function inFolder<T>(zones: ZoneTexts, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-loading-"));
  try {
    for (const [zone, text] of zones) await writeFile(join(folder, encodeURIComponent(zone)), text);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function configured(zones: ZoneTexts): string {
  return [...zones.keys()].map(configurationOf).join("");
}

function configurationOf(zone: string): string {
  return `zone "${zone}" { type primary; file "${encodeURIComponent(zone)}"; };\n`;
}

function refusalsIn(output: string, zones: ZoneTexts): Map<string, string> {
  const lines = output.split("\n");
  const refused = lines.flatMap((line) => /zone (\S+)\/IN: not loaded due to errors/.exec(line)?.[1] ?? []);
  return new Map(
    refused
      .filter((zone) => zones.has(zone))
      .map((zone) => [zone, lines.filter((line) => line.includes(zone)).join("\n")]),
  );
}
