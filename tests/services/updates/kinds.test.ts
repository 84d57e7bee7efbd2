import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TsigKey } from "../../../server/dns/wire/tsig.ts";
import { newZone } from "../../dns-service/updates/key-clients.ts";
import { binary } from "../../support/binaries.ts";
import { configurationOn } from "../../support/pages/page-configuration.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { kinds, Places } from "./places.ts";

/** `nsupdate -k` and `dig` with the key file and the commands of docs/guide/dynamic-updates.md, into a zone at each kind of provider. */

const runFile = promisify(execFile);
const guide = "docs/guide/dynamic-updates.md";
let zw: Zonewright & { stop(): Promise<void> };
let folder: string;
const places = new Places();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-nsupdate-"));
  zw = await startZonewright({ env: { DNS_LISTEN: "127.0.0.1:0", EGRESS_ALLOW: "127.0.0.1" } });
});
afterAll(async () => {
  await zw.stop();
  await places.stop();
  await rm(folder, { recursive: true, force: true });
});

const port = () => zw.services.dnsService.ports[0] ?? 0;
const secretOf = (key: TsigKey) => key.secret.toString("base64");

/** Writes the key file of the page, with this key. @returns its path */
async function keyFileOf(key: TsigKey): Promise<string> {
  const text = await configurationOn(guide, "{ algorithm ", {
    "zw-q7m2xk4cha5de": key.name,
    "Zx3l0vVZ0m7Ck1Jp8c2q4mXyT6bWn9dRuEoHfGsKaLQ=": secretOf(key),
  });
  const file = join(folder, `${key.name}.key`);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** The commands that the page gives to nsupdate, for another zone: what is between `server` and `send`. */
async function documentedCommands(zone: string): Promise<string[]> {
  const session = await configurationOn(guide, "$ nsupdate", { "example.com": zone });
  const commands = [...session.matchAll(/^> (.*)$/gm)].map(([, command = ""]) => command);
  return commands.filter((command) => !/^(?:server .*|send)$/.test(command));
}

/** Runs `nsupdate -k` with some lines. @returns what it says: empty if all went well */
async function nsupdate(key: TsigKey, lines: readonly string[], ...options: string[]): Promise<string> {
  const keyFile = await keyFileOf(key);
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
  const options = ["@127.0.0.1", "-p", String(port()), "-k", await keyFileOf(key)];
  const { stdout } = await runFile(binary("dig"), [...options, "+noall", "+answer", "+nocrypto", ...query]);
  const lines = stdout.split("\n").filter((line) => line !== "" && !/^;|\bTSIG\b/.test(line));
  return lines.map((line) => line.replaceAll(/\s+/g, " "));
}

describe.each(kinds)("a zone of kind %s", (kind) => {
  test("nsupdate and dig use a zone with one key, and its provider has the records", async () => {
    const zone = `${kind}.test`;
    const { id, key, lines } = await newZone(zw, zone, { providerConfigId: await places.configFor(zw, kind, zone) });
    const before = await lines();
    const say = (commands: readonly string[], ...options: string[]) => nsupdate(key.tsig, commands, ...options);
    expect(await say(await documentedCommands(zone))).toBe("");
    expect(await say([`update add www.${zone} 300 A 192.0.2.1`, `update add www.${zone} 300 A 192.0.2.2`])).toBe("");
    expect(await say([`prereq yxrrset www.${zone} A`, `update add txt.${zone} 300 TXT "a \\"b\\" c"`], "-v")).toBe("");
    expect(await say([`prereq nxdomain www.${zone}`, `update delete www.${zone}`])).toMatch("YXDOMAIN");
    expect(await say([`prereq nxrrset www.${zone} AAAA`, `update delete www.${zone} A 192.0.2.1`])).toBe("");
    const added = ["shop.web 300 A 192.0.2.20", 'txt 300 TXT a "b" c', "www 300 A 192.0.2.2"];
    expect((await lines()).filter((line) => !before.includes(line))).toEqual(added);
    expect(await dig(key.tsig, `www.${zone}`, "A")).toEqual([`www.${zone}. 300 IN A 192.0.2.2`]);
    expect(await dig(key.tsig, `txt.${zone}`, "TXT", "+tcp")).toEqual([`txt.${zone}. 300 IN TXT "a \\"b\\" c"`]);
    const transferred = await dig(key.tsig, zone, "AXFR");
    expect(transferred.filter((line) => / (?:A|TXT) /.test(line) && !line.startsWith("ns.")).toSorted()).toEqual([
      `shop.web.${zone}. 300 IN A 192.0.2.20`,
      `txt.${zone}. 300 IN TXT "a \\"b\\" c"`,
      `www.${zone}. 300 IN A 192.0.2.2`,
    ]);
    // What an update left and what the provider has are the same; two kinds have no other copy.
    const sync = await zw.admin.post(`/api/domains/${id}/sync`, { dryRun: true });
    const same = expect.objectContaining({ created: 0, updated: 0, deleted: 0 }) as unknown;
    const hasProvider = kind !== "manual" && kind !== "primary";
    expect(hasProvider ? sync.body : { created: 0, updated: 0, deleted: 0 }).toEqual(same);
  });
});
