import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TsigKey } from "../../../server/dns/wire/tsig.ts";
import { newZone } from "../../dns-service/updates/key-clients.ts";
import { binary } from "../../support/binaries.ts";
import { startBind } from "../../support/name-servers/bind.ts";
import { startPowerdns } from "../../support/name-servers/powerdns-api.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { startCloudflare } from "../../support/vendors/cloudflare/server.ts";

/** `nsupdate -k` and `dig -y` as people run them, into a zone at each kind of provider. */

const runFile = promisify(execFile);
let zw: Zonewright & { stop(): Promise<void> };
let folder: string;
const running: { stop(): Promise<void> }[] = [];
/** The configuration of each kind; null: one that is there already. */
const configs: Record<string, () => Promise<Record<string, unknown> | null>> = {
  async rfc2136() {
    const bind = await startBind(["rfc2136.test"]);
    running.push(bind);
    return { ...bind.config };
  },
  async powerdns() {
    const server = await startPowerdns();
    running.push(server);
    return { url: server.url, apiKey: server.apiKey };
  },
  async cloudflare() {
    const server = await startCloudflare();
    running.push(server);
    return { apiToken: server.token, accountId: server.accountId, endpoint: server.url };
  },
  primary: async () => await Promise.resolve({ nameServers: "ns1.example.net", contact: "dns@example.net" }),
  zonefile: async () => await Promise.resolve(null),
  manual: async () => await Promise.resolve(null),
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-nsupdate-"));
  zw = await startZonewright({ env: { DNS_LISTEN: "127.0.0.1:0", EGRESS_ALLOW: "127.0.0.1" } });
});
afterAll(async () => {
  await zw.stop();
  for (const one of running) await one.stop();
  await rm(folder, { recursive: true, force: true });
});

async function configOf(kind: string): Promise<string> {
  const config = await configs[kind]?.();
  if (config) {
    const { status, body } = await zw.admin.post("/api/provider-configs", { kind, name: kind, config });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.id;
  }
  const { body } = await zw.admin.get("/api/provider-configs");
  const present: { id: string; kind: string }[] = body.configs;
  return present.find((one) => one.kind === kind)?.id ?? "";
}

const port = () => zw.services.dnsService.ports[0] ?? 0;
const secretOf = (key: TsigKey) => key.secret.toString("base64");

/** Runs `nsupdate -k` with some lines. @returns what it says: empty if all went well */
async function nsupdate(key: TsigKey, lines: readonly string[], ...options: string[]): Promise<string> {
  const keyFile = join(folder, `${key.name}.key`);
  const text = `key "${key.name}" { algorithm ${key.algorithm}; secret "${secretOf(key)}"; };\n`;
  await writeFile(keyFile, text, { mode: 0o600 });
  const script = join(folder, `${key.name}.txt`);
  // Without `zone`: it asks for the SOA to find the zone.
  await writeFile(script, [`server 127.0.0.1 ${port()}`, ...lines, "send", ""].join("\n"));
  try {
    return (await runFile(binary("nsupdate"), [...options, "-k", keyFile, script])).stderr;
  } catch (error) {
    return error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
  }
}

async function dig(key: TsigKey, ...query: string[]): Promise<string[]> {
  const options = ["@127.0.0.1", "-p", String(port()), "-y", `${key.algorithm}:${key.name}:${secretOf(key)}`];
  const { stdout } = await runFile(binary("dig"), [...options, "+noall", "+answer", "+nocrypto", ...query]);
  const lines = stdout.split("\n").filter((line) => line !== "" && !/^;|\bTSIG\b/.test(line));
  return lines.map((line) => line.replaceAll(/\s+/g, " "));
}

describe.each(Object.keys(configs))("a zone of kind %s", (kind) => {
  test("nsupdate and dig use a zone with one key, and its provider has the records", async () => {
    const zone = `${kind}.test`;
    const { id, key, lines } = await newZone(zw, zone, { providerConfigId: await configOf(kind) });
    const before = await lines();
    const say = (commands: readonly string[], ...options: string[]) => nsupdate(key.tsig, commands, ...options);
    expect(await say([`update add www.${zone} 300 A 192.0.2.1`, `update add www.${zone} 300 A 192.0.2.2`])).toBe("");
    expect(await say([`prereq yxrrset www.${zone} A`, `update add txt.${zone} 300 TXT "a \\"b\\" c"`], "-v")).toBe("");
    expect(await say([`prereq nxdomain www.${zone}`, `update delete www.${zone}`])).toMatch("YXDOMAIN");
    expect(await say([`prereq nxrrset www.${zone} AAAA`, `update delete www.${zone} A 192.0.2.1`])).toBe("");
    const added = ['txt 300 TXT a "b" c', "www 300 A 192.0.2.2"];
    expect((await lines()).filter((line) => !before.includes(line))).toEqual(added);
    expect(await dig(key.tsig, `www.${zone}`, "A")).toEqual([`www.${zone}. 300 IN A 192.0.2.2`]);
    expect(await dig(key.tsig, `txt.${zone}`, "TXT", "+tcp")).toEqual([`txt.${zone}. 300 IN TXT "a \\"b\\" c"`]);
    const transferred = await dig(key.tsig, zone, "AXFR");
    expect(transferred.filter((line) => / (?:A|TXT) /.test(line) && !line.startsWith("ns."))).toEqual([
      `txt.${zone}. 300 IN TXT "a \\"b\\" c"`,
      `www.${zone}. 300 IN A 192.0.2.2`,
    ]);
    // What an update left and what the provider has are the same; two kinds have no other copy.
    const sync = await zw.admin.post(`/api/domains/${id}/sync`, { dryRun: true });
    const same = expect.objectContaining({ created: 0, updated: 0, deleted: 0 }) as unknown;
    const hasProvider = kind !== "manual" && kind !== "primary";
    expect(hasProvider ? sync.body : { created: 0, updated: 0, deleted: 0 }).toEqual(same);
  }, 60_000);
});
