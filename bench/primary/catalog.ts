import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { binary } from "../../tests/support/binaries.ts";
import { startBindSecondary } from "../../tests/support/name-servers/secondary-bind.ts";
import { serverFolder } from "../../tests/support/name-servers/update-server.ts";
import { freePorts, startProgram } from "../../tests/support/programs.ts";
import type { Environment } from "../support/environment.ts";
import { compared } from "../support/measure.ts";
import type { Figure } from "../support/report.ts";
import { UdpClient } from "./udp-client.ts";
import { configure } from "./zones.ts";

const members = 1_000;
const catalog = "catalog.invalid";
const patienceMilliseconds = 120_000;
/** BIND's defaults make 20 queries for an SOA a second, and two transfers at a time. */
const bindOptions = "serial-query-rate 1000; transfers-in 50; transfers-per-ns 50;";

/** Measures how long a new BIND secondary takes to provision the zones of a catalog, from us and from BIND as the primary. */
export async function measureCatalog(environment: Environment, port: number): Promise<Figure[]> {
  const configId = await configure(environment, "Catalog", { allowTransfer: "127.0.0.1", catalogZone: catalog });
  for (let member = 0; member < members; member++) {
    const { status } = await environment.client.post("/api/domains", {
      name: zoneOf(member),
      providerConfigId: configId,
    });
    if (status !== 201) throw new Error(`${zoneOf(member)} was answered ${status}`);
  }
  const bind = await startBindPrimary();
  try {
    const { ours, baseline, ratio, spread } = compared([
      [await provisioned(port), await provisioned(bind.port)],
      [await provisioned(port), await provisioned(bind.port)],
      [await provisioned(port), await provisioned(bind.port)],
    ]);
    return [
      {
        what: `${members} zones of one catalog at a new BIND secondary`,
        measured: `${(ours / 1_000).toFixed(1)} s`,
        baseline: `${(baseline / 1_000).toFixed(1)} s from BIND as the primary of the same catalog; both secondaries with ${bindOptions.slice(0, -1)}`,
        ratio,
        spread,
        goal: null,
      },
    ];
  } finally {
    await bind.stop();
  }
}

function zoneOf(member: number): string {
  return `member${member}.example`;
}

/** @returns milliseconds from the start of a new secondary until it serves all members */
async function provisioned(primaryPort: number): Promise<number> {
  const start = performance.now();
  const secondary = await startBindSecondary({ primaryPort, key: null, catalog, bindOptions });
  const udp = await UdpClient.open();
  try {
    let missing = Array.from({ length: members }, (_, member) => zoneOf(member));
    while (missing.length > 0) {
      if (performance.now() - start > patienceMilliseconds)
        throw new Error(`${missing.length} zones are not served:\n${secondary.log().slice(-2_000)}`);
      // The last one is asked for first, so that the questions take little of the machine.
      const last = missing.at(-1) ?? "";
      if ((await udp.ask(secondary.port, last, "SOA")).answers > 0) missing = missing.slice(0, -1);
      else await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return performance.now() - start;
  } finally {
    udp.close();
    await secondary.remove();
  }
}

/** Starts BIND as the primary of the same catalog. */
async function startBindPrimary(): Promise<{ port: number; stop(): Promise<void> }> {
  const folder = await serverFolder("bind-primary");
  const [port = 0] = await freePorts(1);
  await mkdir(folder, { recursive: true });
  const soa = "@ 3600 IN SOA ns1.example.net. dns.example.net. 1 3600 900 1209600 300\n";
  await writeFile(join(folder, "member.zone"), `${soa}@ 3600 IN NS ns1.example.net.\n`);
  const pointers = Array.from({ length: members }, (_, member) => `m${member}.zones 0 IN PTR ${zoneOf(member)}.\n`);
  const head = `${soa}@ 0 IN NS invalid.\nversion 0 IN TXT "2"\n`;
  await writeFile(join(folder, "catalog.zone"), head + pointers.join(""));
  const zones = Array.from({ length: members }, (_, member) => [zoneOf(member), "member.zone"]);
  const blocks = [...zones, [catalog, "catalog.zone"]].map(
    ([zone, file]) => `zone "${zone}" { type primary; file "${file}"; };\n`,
  );
  const configuration = join(folder, "named.conf");
  await writeFile(
    configuration,
    `options {
  directory "${folder}";
  pid-file none;
  session-keyfile none;
  listen-on port ${port} { 127.0.0.1; };
  listen-on-v6 { none; };
  recursion no;
  notify no;
  dnssec-validation no;
  empty-zones-enable no;
  transfers-out 50;
  allow-transfer { 127.0.0.1; };
};
${blocks.join("")}`,
  );
  const program = await startProgram(binary("named"), ["-g", "-n", "1", "-c", configuration], / running$/m);
  return {
    port,
    async stop() {
      await program.stop("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
