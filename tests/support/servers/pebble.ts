import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { freePorts, startProgram } from "../programs.ts";
import { newAuthority } from "./certificates.ts";

/** An ACME server for tests, which validates by asking one DNS server. */
export interface Pebble {
  /** Its ACME directory. */
  directory: string;
  /** The file with the authority that clients must trust. */
  authorityFile: string;
  folder: string;
  stop(): Promise<void>;
}

/** Starts pebble. @param dnsPort of the name server on loopback that it asks */
export async function startPebble(dnsPort: number): Promise<Pebble> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-pebble-"));
  const authority = await newAuthority("Test authority");
  const { certificate, key } = await authority.sign("localhost");
  const [port = 0, managementPort = 0] = await freePorts(2);
  const files = { "ca.pem": authority.certificate, "server.pem": certificate, "server.key": key };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
  const settings = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: join(folder, "server.pem"),
    privateKey: join(folder, "server.key"),
    httpPort: 5_002,
    tlsPort: 5_001,
  };
  const file = join(folder, "pebble.json");
  await writeFile(file, JSON.stringify({ pebble: settings }));
  const args = ["-config", file, "-dnsserver", `127.0.0.1:${dnsPort}`];
  const env = { PATH: process.env["PATH"], PEBBLE_VA_NOSLEEP: "1", PEBBLE_WFE_NONCEREJECT: "0" };
  const program = await startProgram(binary("pebble"), args, /ACME directory available/, { env });
  return {
    directory: `https://localhost:${port}/dir`,
    authorityFile: join(folder, "ca.pem"),
    folder,
    async stop() {
      await program.stop("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
