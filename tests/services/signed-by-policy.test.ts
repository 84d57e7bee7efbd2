import { rm, writeFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { binary } from "../support/binaries.ts";
import { startNsd } from "../support/name-servers/authoritative.ts";
import { serverFolder } from "../support/name-servers/update-server.ts";
import { freePorts, mustRun, startProgram } from "../support/programs.ts";
import { manualConfig } from "../support/zones.ts";
import { startZonewright, type Zonewright } from "../support/zonewright.ts";
import { addresses, foreign, sign, soa } from "./dnssec-zones.ts";

// BIND and Knot that make keys and sign by a policy of their own, which also says which DS records they ask for (RFC 7344).

// BIND finds no loopback address but 127.0.0.1.
const servers = { bind: "127.0.0.1", knot: "127.61.0.5" };
/** Delegated with the DS records that it asks for, and with another one besides. */
const zonesOf = (server: keyof typeof servers) => [`${server}.lab`, `${server}-and-other.lab`];
const stops: (() => Promise<void>)[] = [];
const dsOf = new Map<string, string[]>();
let zw: Zonewright & { stop(): Promise<void> };
let providerConfigId: string;

const zoneText = (zone: string, address: string) => `$ORIGIN ${zone}.
$TTL 1
@ SOA ns hostmaster 1 3600 900 1209600 1
@ NS ns
ns A ${address}
`;

async function started(
  server: keyof typeof servers,
  port: number,
  configurationOf: (folder: string) => string,
  program: { name: "knotd" | "named"; args: (configuration: string) => string[]; ready: RegExp },
): Promise<void> {
  const folder = await serverFolder(server);
  stops.push(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "run"));
  for (const zone of zonesOf(server)) await writeFile(join(folder, `${zone}.zone`), zoneText(zone, servers[server]));
  const configuration = join(folder, "server.conf");
  await writeFile(configuration, configurationOf(folder));
  const running = await startProgram(binary(program.name), program.args(configuration), program.ready);
  stops.push(async () => void (await running.stop("SIGTERM")));
  const asked = (zone: string, type: string) =>
    mustRun(binary("dig"), [`@${servers[server]}`, "-p", String(port), "+short", `${zone}.`, type]);
  for (const zone of zonesOf(server)) {
    // BIND asks for DS records once its keys and signatures are everywhere, which its policy says takes seconds.
    const cds = async () => {
      const lines = (await asked(zone, "CDS")).split("\n").filter((line) => line !== "");
      expect(lines).not.toEqual([]);
      return lines.map((line) => {
        const [tag, algorithm, digestType, ...digest] = line.toLowerCase().split(" ");
        return [tag, algorithm, digestType, digest.join("")].join(" ");
      });
    };
    dsOf.set(zone, await vi.waitFor(cds, { timeout: 60_000, interval: 250 }));
  }
}

const bindConfiguration = (folder: string, port: number) => `
options {
  directory "${folder}";
  pid-file none;
  session-keyfile none;
  listen-on port ${port} { ${servers.bind}; };
  listen-on-v6 { none; };
  recursion no;
  notify no;
  dnssec-validation no;
};
controls { };
dnssec-policy "fast" {
  keys { csk lifetime unlimited algorithm ecdsap256sha256; };
  dnskey-ttl 1;
  publish-safety 0;
  retire-safety 0;
  zone-propagation-delay 0;
  max-zone-ttl 1;
  parent-ds-ttl 1;
  parent-propagation-delay 0;
};
${zonesOf("bind")
  .map(
    (zone) =>
      `zone "${zone}" { type primary; file "${folder}/${zone}.zone"; dnssec-policy "fast"; inline-signing yes; key-directory "${folder}"; };`,
  )
  .join("\n")}
`;

const knotConfiguration = (folder: string, port: number) => `
server:
    rundir: "${folder}/run"
    listen: ${servers.knot}@${port}
    udp-workers: 1
    tcp-workers: 2
    background-workers: 1
log:
  - target: stdout
    any: info
database:
    storage: "${folder}"
    journal-db-max-size: 64M
    kasp-db-max-size: 8M
    timer-db-max-size: 8M
policy:
  - id: own
    single-type-signing: on
    cds-cdnskey-publish: always
template:
  - id: default
    storage: "${folder}"
    file: "%s.zone"
    zonefile-sync: -1
    zonefile-load: whole
    journal-content: changes
    dnssec-signing: on
    dnssec-policy: own
zone:
${zonesOf("knot")
  .map((zone) => `  - domain: ${zone}`)
  .join("\n")}
`;

/** Returns the lines of a zone above it. */
function delegationOf(zone: string, address: string): string {
  const ds = (dsOf.get(zone) ?? []).concat(zone.includes("other") ? foreign : []);
  const lines = ds.map((one) => `${zone}. DS ${one}`);
  return [`${zone}. NS ns.${zone}.`, `ns.${zone}. A ${address}`].concat(lines).join("\n");
}

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  await started("bind", port, (folder) => bindConfiguration(folder, port), {
    name: "named",
    args: (configuration) => ["-g", "-n", "1", "-c", configuration],
    ready: / running$/m,
  });
  await started("knot", port, (folder) => knotConfiguration(folder, port), {
    name: "knotd",
    args: (configuration) => ["-c", configuration],
    ready: /server started/,
  });
  const delegations = (["bind", "knot"] as const).flatMap((server) =>
    zonesOf(server).map((zone) => delegationOf(zone, servers[server])),
  );
  const rootText = `${soa(".", "a.root.")}a.root. A ${addresses.root}\n${delegations.join("\n")}\n`;
  const root = await sign(".", rootText, { algorithms: ["ECDSAP256SHA256"] });
  const nsd = await startNsd({ address: addresses.root, port, zones: new Map([[".", root.text]]) });
  stops.push(() => nsd.stop());
  zw = await startZonewright({
    env: {
      RESOLVER_ROOTS: `${addresses.root}:${port}`,
      RESOLVER_TRUST_ANCHOR: root.ds[0] ?? "",
      EGRESS_ALLOW: "127.0.0.0/8",
      JOBS: "off",
    },
  });
  stops.push(() => zw.stop());
  providerConfigId = await manualConfig(zw);
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

async function checked(name: string) {
  const { body: domain } = await zw.admin.post("/api/domains", { name, providerConfigId });
  return await zw.admin.post(`/api/domains/${domain.id}/dnssec/check`);
}

test.for(["bind", "knot"] as const)(
  "a zone that %s signs by policy shows its key, and DS records that agree with its CDS records",
  async (server) => {
    const [agreeing = "", other = ""] = zonesOf(server);
    const ds = dsOf.get(agreeing);
    expect(await checked(agreeing)).toMatchObject({
      status: 200,
      body: {
        state: "signed",
        chain: "secure",
        keys: [{ algorithm: 13, role: "csk", published: true, active: true }],
        dsToPublish: ds,
        parentDs: ds,
        cds: ds,
        findings: [],
      },
    });
    const { body } = await checked(other);
    expect(body).toMatchObject({ state: "signed", cds: dsOf.get(other) });
    expect(body.findings).toEqual(expect.arrayContaining([expect.objectContaining({ code: "cds_differs" })]));
  },
);
