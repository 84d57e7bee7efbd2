import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { vi } from "vitest";
import { binary } from "../binaries.ts";
import { recordLines, type PresentedRecord } from "../records/presentation.ts";
import { freePorts, startProgram, type RunningProgram } from "../programs.ts";
import { dig } from "./dig.ts";
import { serverFolder, type ServerKey } from "./update-server.ts";

/** What a secondary on loopback transfers, and from where. */
export interface SecondaryOptions {
  primaryPort: number;
  /** Signs requests. Null: the address is enough. */
  key: ServerKey | null;
  zones?: readonly string[];
  catalog?: string | null;
  port?: number;
  folder?: string;
}

/** A name server that transfers zones from Zonewright. */
export interface Secondary {
  readonly name: string;
  readonly port: number;
  readonly folder: string;
  /** Its log since its last start. */
  log(): string;
  /** The whole zone as it serves it; empty while it does not. */
  served(zone: string): Promise<PresentedRecord[]>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again with what it stored. */
  restart(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts BIND as a secondary. */
export async function startBindSecondary(options: SecondaryOptions): Promise<Secondary> {
  return await startSecondary("bind", options, async (folder, port) => {
    const configuration = join(folder, "named.conf");
    await writeFile(configuration, bindConfiguration({ ...options, folder, port }), { mode: 0o600 });
    return await startProgram(binary("named"), ["-g", "-n", "1", "-c", configuration], / running$/m);
  });
}

/** Returns the configuration of BIND, as docs/guide/secondaries.md shows it. */
function bindConfiguration(parts: SecondaryOptions & { folder: string; port: number }): string {
  const { folder, port, primaryPort, key, zones = [], catalog = null } = parts;
  const signed = key ? ` key "${key.name}"` : "";
  const primaries = `{ 127.0.0.1 port ${primaryPort}${signed}; }`;
  const secondaries = [...zones, ...(catalog === null ? [] : [catalog])].map(
    (zone) => `zone "${zone}" {
  type secondary;
  primaries ${primaries};
  file "${join(folder, zone)}.zone";
};`,
  );
  const members =
    catalog === null
      ? ""
      : `  catalog-zones { zone "${catalog}" default-primaries ${primaries} zone-directory "${folder}" min-update-interval 1; };`;
  return `${key ? `key "${key.name}" { algorithm ${key.algorithm}; secret "${key.secret}"; };` : ""}
options {
  directory "${folder}";
  pid-file none;
  session-keyfile none;
  listen-on port ${port} { 127.0.0.1; };
  listen-on-v6 { none; };
  recursion no;
  notify no;
  dnssec-validation no;
  empty-zones-enable no;
  min-refresh-time 1;
  allow-transfer { 127.0.0.1; };
${members}
};
${secondaries.join("\n")}
`;
}

/** What all kinds of secondaries have in common. @param start starts the program and returns it when it answers */
async function startSecondary(
  name: string,
  { port: givenPort, folder: givenFolder }: SecondaryOptions,
  start: (folder: string, port: number) => Promise<RunningProgram>,
): Promise<Secondary> {
  const folder = givenFolder ?? (await serverFolder(`${name}-secondary`));
  const port = givenPort ?? (await freePorts(1))[0] ?? 0;
  let program = await start(folder, port);
  return {
    name,
    port,
    folder,
    log: () => program.output(),
    served: (zone) => dig(port, "+tcp", `${zone}.`, "AXFR").catch(() => []),
    async stop(signal = "SIGTERM") {
      await program.stop(signal);
    },
    async restart() {
      program = await start(folder, port);
    },
    async remove() {
      await program.stop("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until a secondary serves exactly these lines of a zone, besides the SOA. */
export async function untilServed(
  secondary: Secondary,
  zone: string,
  wanted: readonly string[],
  timeout = 30_000,
): Promise<void> {
  const check = async () => {
    const served = recordLines(await secondary.served(zone));
    if (served.join("\n") === wanted.join("\n")) return;
    const counts = `${served.length} records of ${zone}, not the ${wanted.length} of the API`;
    throw new Error(
      `${secondary.name} serves ${counts}:\n${difference(served, wanted)}\n${secondary.log().slice(-1_500)}`,
    );
  };
  await vi.waitFor(check, { timeout, interval: 100 });
}

function difference(served: readonly string[], wanted: readonly string[]): string {
  const [one, other] = [new Set(served), new Set(wanted)];
  return [
    ...served.filter((line) => !other.has(line)).map((line) => `extra: ${line}`),
    ...wanted.filter((line) => !one.has(line)).map((line) => `missing: ${line}`),
  ]
    .slice(0, 10)
    .join("\n");
}
