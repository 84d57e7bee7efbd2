import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { binary } from "../binaries.ts";
import { dig } from "./dig.ts";
import { patience } from "../patience.ts";
import type { PresentedRecord } from "../records/presentation.ts";
import { freePorts, run, startProgram } from "../programs.ts";

/** BIND's name server, authoritative for zones in files. */
export interface NameServer {
  /** Has the zone read again and waits until the serial is served. */
  reload(zone: string, serial: number): Promise<void>;
  /** The whole zone as a secondary gets it (RFC 5936), without the SOA that it ends with. */
  transfer(zone: string, ...options: string[]): Promise<PresentedRecord[]>;
  /** The answer section. */
  lookUp(name: string, type: string): Promise<PresentedRecord[]>;
  stop(): Promise<void>;
}

/** Starts `named` on loopback. `files` are absolute paths by zone. */
export async function startNamed(files: Readonly<Record<string, string>>): Promise<NameServer> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-named-"));
  const [port = 0, controlPort = 0] = await freePorts(2);
  const key = `key "control" { algorithm hmac-sha256; secret "${randomBytes(32).toString("base64")}"; };\n`;
  const keyFile = join(folder, "control.key");
  const configuration = join(folder, "named.conf");
  await writeFile(keyFile, key, { mode: 0o600 });
  await writeFile(configuration, key + options(folder, port, controlPort) + zones(files), { mode: 0o600 });
  const server = await startProgram(binary("named"), ["-g", "-n", "1", "-c", configuration], / running$/m);

  const rndc = (...command: string[]) =>
    run(binary("rndc"), ["-s", "127.0.0.1", "-p", String(controlPort), "-k", keyFile, ...command]);
  return {
    async reload(zone, serial) {
      const { exitCode, stderr } = await rndc("reload", zone);
      if (exitCode !== 0) throw new Error(`named does not reload ${zone}: ${stderr}\n${server.output()}`);
      await vi.waitFor(async () => {
        const [soa] = await dig(port, `${zone}.`, "SOA");
        const served = soa?.rdata.split(" ")[2];
        if (served !== String(serial)) {
          throw new Error(`named serves ${zone} at ${served}, not at ${serial}:\n${lastLines(server.output())}`);
        }
      }, patience);
    },
    transfer: (zone, ...options) => dig(port, "+tcp", ...options, `${zone}.`, "AXFR"),
    lookUp: (name, type) => dig(port, `${name}.`, type),
    async stop() {
      await server.stop("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function options(folder: string, port: number, controlPort: number): string {
  return `
options {
  directory "${folder}";
  pid-file none;
  session-keyfile none;
  listen-on port ${port} { 127.0.0.1; };
  listen-on-v6 { none; };
  allow-query { 127.0.0.1; };
  allow-transfer { 127.0.0.1; };
  recursion no;
  notify no;
  dnssec-validation no;
  empty-zones-enable no;
};
controls { inet 127.0.0.1 port ${controlPort} allow { 127.0.0.1; } keys { "control"; }; };
`;
}

function zones(files: Readonly<Record<string, string>>): string {
  return Object.entries(files)
    .map(([zone, file]) => `zone "${zone}" { type primary; file "${file}"; };\n`)
    .join("");
}

function lastLines(text: string): string {
  return text.split("\n").slice(-15).join("\n");
}
