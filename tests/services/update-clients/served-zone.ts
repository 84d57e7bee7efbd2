import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { binary } from "../../support/binaries.ts";
import { startBind } from "../../support/name-servers/bind.ts";
import { mustRun } from "../../support/programs.ts";
import { startPebble, type Pebble } from "../../support/servers/pebble.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";

const runFile = promisify(execFile);

/** A zone that Zonewright keeps at BIND, an ACME server that validates there, and a folder for the programs' files. */
export interface ServedZone {
  zw: Zonewright;
  domainId: string;
  pebble: Pebble;
  folder: string;
  /** The records that BIND serves. */
  served(name: string, type: string): Promise<string[]>;
  /** Writes a file into the folder. @returns its path */
  file(name: string, text: string, mode?: number): Promise<string>;
  /** Runs a program with the caller's PATH and these variables. */
  run(program: Parameters<typeof binary>[0], args: readonly string[], env?: Record<string, string>): Promise<void>;
  /**
   * Has lego get a certificate for a name and its wildcard. @returns the names in it
   * @param documented arguments as a page of the guide shows them, for this name
   */
  lego(name: string, documented: readonly string[], settings: Record<string, string>): Promise<string[]>;
  /**
   * Gets certificates for hosts of the zone at the same time, each for the host and its wildcard.
   * @param hosts relative to the zone; empty: its apex
   * @param obtain runs a client for a name, and returns the names in the certificate. `challenge` is the host of the name's challenges
   */
  together(hosts: readonly string[], obtain: (name: string, challenge: string) => Promise<string[]>): Promise<Obtained>;
  stop(): Promise<void>;
}

/** What clients obtained at the same time. */
interface Obtained {
  /** The names in each certificate. */
  certificates: string[][];
  /** Challenges that BIND still serves. */
  left: string[];
}

/** What clients obtain if nothing fails. */
export function certificatesFor(...names: readonly string[]): Obtained {
  return { certificates: names.map((name) => [`*.${name}`, name]), left: [] };
}

/** @param env variables of Zonewright, besides those that let it reach BIND */
export async function startServedZone(zone: string, env: Record<string, string>): Promise<ServedZone> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-clients-"));
  const bind = await startBind([zone]);
  const pebble = await startPebble(bind.port);
  const zw = await startZonewright({ env: { EGRESS_ALLOW: "127.0.0.1", ...env } });
  const wish = { kind: "rfc2136", name: "BIND", config: bind.config };
  const { body: config } = await zw.admin.post("/api/provider-configs", wish);
  const { body: domain } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: config.id });
  const run: ServedZone["run"] = async (program, args, variables = {}) => {
    await runFile(binary(program), args, { env: { PATH: process.env["PATH"], HOME: folder, ...variables } });
  };
  const served: ServedZone["served"] = async (name, type) => (await bind.lookUp(name, type)).map(({ rdata }) => rdata);
  return {
    zw,
    domainId: domain.id,
    pebble,
    folder,
    run,
    served,
    async file(name, text, mode = 0o600) {
      const path = join(folder, name);
      await writeFile(path, text, { mode });
      return path;
    },
    async lego(name, documented, settings) {
      const where = await mkdtemp(join(folder, "lego-"));
      const options = ["--server", pebble.directory, "--path", where, "-a"];
      // The zone is no public one, so lego's own resolvers do not know it.
      const isGiven = documented.includes("--dns.resolvers");
      const resolver = isGiven ? [] : ["--dns.resolvers", `127.0.0.1:${bind.port}`, "--dns.disable-cp"];
      const variables = { LEGO_CA_CERTIFICATES: pebble.authorityFile, ...settings };
      await run("lego", [...options, ...resolver, ...documented], variables);
      return await namesIn(join(where, "certificates", `${name}.crt`));
    },
    async together(hosts, obtain) {
      const wishes = hosts.map((host) => ({
        name: host === "" ? zone : `${host}.${zone}`,
        challenge: host === "" ? "_acme-challenge" : `_acme-challenge.${host}`,
      }));
      const certificates = await Promise.all(wishes.map(({ name, challenge }) => obtain(name, challenge)));
      const left = await Promise.all(wishes.map(({ challenge }) => served(`${challenge}.${zone}`, "TXT")));
      return { certificates, left: left.flat() };
    },
    async stop() {
      await zw.stop();
      await pebble.stop();
      await bind.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The names in a certificate. */
export async function namesIn(certificate: string): Promise<string[]> {
  const text = await mustRun("openssl", ["x509", "-in", certificate, "-noout", "-ext", "subjectAltName"]);
  return [...text.matchAll(/DNS:([^\s,]+)/g)].map(([, name = ""]) => name).toSorted();
}
