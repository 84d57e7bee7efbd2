import { createSocket } from "node:dgram";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { freePorts, startProgram } from "../programs.ts";

/** Kea's DHCP-DDNS server. */
export interface Kea {
  /** Reports a lease that began or ended, as Kea's DHCP server does. */
  lease(change: "begins" | "ends", host: string, address: string): Promise<void>;
  /** Its log so far. */
  output(): string;
  stop(): Promise<void>;
}

/** Starts Kea's DHCP-DDNS server, and waits until it listens. @param documented `kea-dhcp-ddns.conf` as a page shows it */
export async function startKea(documented: string): Promise<Kea> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-kea-"));
  const [port = 0] = await freePorts(1);
  const { DhcpDdns } = JSON.parse(documented) as { DhcpDdns: Record<string, unknown> };
  const configuration = {
    DhcpDdns: {
      ...DhcpDdns,
      "ip-address": "127.0.0.1",
      port,
      loggers: [{ name: "kea-dhcp-ddns", severity: "DEBUG", debuglevel: 0, output_options: [{ output: "stdout" }] }],
    },
  };
  const file = join(folder, "kea-dhcp-ddns.conf");
  await writeFile(file, JSON.stringify(configuration), { mode: 0o600 });
  const env = { PATH: process.env["PATH"], KEA_PIDFILE_DIR: folder, KEA_LOCKFILE_DIR: folder };
  const program = await startProgram(binary("kea-dhcp-ddns"), ["-c", file], /DHCP_DDNS_QUEUE_MGR_STARTED/, { env });
  return {
    lease: (change, host, address) => report(port, requestOf(change, host, address)),
    output: () => program.output(),
    async stop() {
      await program.stop("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A name change request, in the form in which Kea's DHCP servers send it. */
function requestOf(change: "begins" | "ends", host: string, address: string): object {
  return {
    "change-type": change === "begins" ? 0 : 1,
    "forward-change": true,
    "reverse-change": true,
    fqdn: `${host}.`,
    "ip-address": address,
    // Identifies the client (RFC 4701 §3.3): the type of identifier, the digest's algorithm, the digest.
    dhcid: `000101${"5a".repeat(32)}`,
    "lease-expires-on": "20991231235900",
    "lease-length": 3_600,
    "use-conflict-resolution": true,
  };
}

async function report(port: number, request: object): Promise<void> {
  const text = Buffer.from(JSON.stringify(request));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  const socket = createSocket("udp4");
  await new Promise<void>((resolve, reject) => {
    socket.send(Buffer.concat([length, text]), port, "127.0.0.1", (error) => (error ? reject(error) : resolve()));
  });
  socket.close();
}
