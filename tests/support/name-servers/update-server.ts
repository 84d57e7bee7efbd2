import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
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

/** A server that signs its zones itself. */
export interface SigningServer extends UpdateServer {
  /** Re-signs a zone, and waits until the new signatures are served. */
  resign(zone: string): Promise<void>;
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

/** What all running servers have in common. */
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

/** Waits until the server serves a signed zone: one whose transfer has a signature over the SOA. */
export async function untilSigned(server: UpdateServer, zone: string): Promise<void> {
  await vi.waitFor(async () => expectSigned(await server.transfer(zone), zone), { timeout: 60_000, interval: 50 });
}

function expectSigned(records: readonly PresentedRecord[], zone: string): void {
  if (signatureOf(records, "SOA") === undefined) throw new Error(`${zone} is not signed yet`);
}

/** Has the signer run, and waits until the SOA has another signature or serial. */
export async function untilResigned(server: UpdateServer, zone: string, sign: () => Promise<unknown>): Promise<void> {
  const before = signatureOf(await server.transfer(zone), "SOA");
  await sign();
  const renewed = async () => {
    if (signatureOf(await server.transfer(zone), "SOA") === before) throw new Error(`${zone} is not signed anew`);
  };
  await vi.waitFor(renewed, { timeout: 60_000, interval: 50 });
}

/** The signature over the records of a type at the apex. */
function signatureOf(records: readonly PresentedRecord[], type: string): string | undefined {
  return records.find((record) => record.type === "RRSIG" && record.rdata.startsWith(`${type.toLowerCase()} `))?.rdata;
}
