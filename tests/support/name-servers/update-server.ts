import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dig } from "./dig.ts";
import type { PresentedRecord } from "../records/presentation.ts";
import type { RunningProgram } from "../programs.ts";

/** A name server on loopback that takes updates and transfers signed with one key. */
export interface UpdateServer {
  readonly port: number;
  readonly key: ServerKey;
  /** The configuration of kind `rfc2136` for it. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The whole zone as a secondary gets it. */
  transfer(zone: string, ...options: string[]): Promise<PresentedRecord[]>;
  /** The answer section. */
  lookUp(name: string, type: string): Promise<PresentedRecord[]>;
  stop(): Promise<void>;
}

export interface ServerKey {
  name: string;
  algorithm: "hmac-sha256" | "hmac-sha512" | "hmac-sha1";
  /** Base64. */
  secret: string;
}

export function freshKey(algorithm: ServerKey["algorithm"] = "hmac-sha256"): ServerKey {
  return { name: "zonewright.key", algorithm, secret: randomBytes(32).toString("base64") };
}

/** A folder of a server's own. */
export async function serverFolder(program: string): Promise<string> {
  return await mkdtemp(join(tmpdir(), `zonewright-${program}-`));
}

/** A new zone as a master file: an SOA, one name server with its address. */
export function emptyZone(zone: string): string {
  return `$ORIGIN ${zone}.
$TTL 3600
@ IN SOA ns.${zone}. hostmaster.${zone}. 1 3600 900 1209600 300
@ IN NS ns.${zone}.
ns IN A 127.0.0.1
`;
}

/** What all servers have in common once they run. */
export function updateServer(
  { port, key, folder, program }: { port: number; key: ServerKey; folder: string; program: RunningProgram },
  zones: readonly string[],
): UpdateServer {
  const { name, algorithm, secret } = key;
  return {
    port,
    key,
    config: {
      server: "127.0.0.1",
      port,
      tsigName: name,
      tsigAlgorithm: algorithm,
      tsigSecret: secret,
      zones: zones.join(","),
    },
    transfer: (zone, ...options) =>
      dig(port, "-y", `${algorithm}:${name}:${secret}`, "+tcp", ...options, `${zone}.`, "AXFR"),
    lookUp: (owner, type) => dig(port, "+tcp", `${owner}.`, type),
    async stop() {
      await program.stop("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
