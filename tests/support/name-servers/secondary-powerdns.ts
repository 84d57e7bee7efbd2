import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { binary } from "../binaries.ts";
import { mustRun, startProgram } from "../programs.ts";
import { createDatabase } from "./powerdns.ts";
import { substituted } from "../pages/page-configuration.ts";
import { documentedKey, inPlaceOfKey, inPlaceOfName, secondaryOn } from "./documented-secondary.ts";
import type { ServerKey } from "./update-server.ts";
import { startSecondary, type Secondary, type SecondaryOptions } from "./secondary.ts";

/** Starts PowerDNS on SQLite as a secondary. */
export async function startPowerdnsSecondary(options: SecondaryOptions): Promise<Secondary> {
  return await startSecondary("powerdns", options, async (folder, port) => {
    await mkdir(join(folder, "run"), { recursive: true });
    await writeFile(join(folder, "pdns.conf"), await configurationOf(folder, port), { mode: 0o600 });
    const file = join(folder, "pdns.sqlite3");
    const isNew = await stat(file).then(
      () => false,
      () => true,
    );
    if (isNew) await prepare(folder, file, options);
    const args = [`--config-dir=${folder}`, "--daemon=no", "--guardian=no"];
    return await startProgram(binary("pdns_server"), args, /ready to distribute questions|Done launching threads/);
  });
}

/** Adds the zones with the commands of docs/guide/secondaries.md. */
async function prepare(folder: string, file: string, options: SecondaryOptions): Promise<void> {
  await createDatabase(file);
  for (const [, ...command] of await pdnsutilCommands(options))
    await mustRun(binary("pdnsutil"), [`--config-dir=${folder}`, ...command]);
  if ((options.catalog ?? null) === null) return;
  const database = new DatabaseSync(file);
  database.exec(withKey(options.key, await secondaryOn("CREATE TRIGGER")));
  database.close();
}

/** Returns the commands of the page that add the zones, each as its words. */
async function pdnsutilCommands({
  primaryPort,
  key,
  zones = [],
  catalog = null,
}: SecondaryOptions): Promise<string[][]> {
  const primary = { "192.0.2.10:53": `127.0.0.1:${primaryPort}` };
  const block = withKey(key, await secondaryOn("import-tsig-key"));
  const ofCatalog = withKey(key, await secondaryOn("set-kind"));
  const texts = [
    ...zones.map((name) => substituted(block, { ...primary, "example.com": name })),
    ...(catalog === null ? [] : [substituted(ofCatalog, { ...primary, "catalog.invalid": catalog })]),
  ];
  const lines = new Set(texts.flatMap((text) => text.trim().split("\n")));
  return [...lines].map((line) => line.split(" "));
}

/** Returns a text of the page with a test's key in place of the page's, or without the lines that name a key. */
function withKey(key: ServerKey | null, text: string): string {
  if (!key) return text.replaceAll(new RegExp(`^.*${documentedKey}.*\n`, "gm"), "");
  return substituted(text, text.includes("import-tsig-key") ? inPlaceOfKey(key) : inPlaceOfName(key));
}

async function configurationOf(folder: string, port: number): Promise<string> {
  return `launch=gsqlite3
gsqlite3-database=${folder}/pdns.sqlite3
gsqlite3-pragma-synchronous=0
local-address=127.0.0.1
local-port=${port}
socket-dir=${folder}/run
${await secondaryOn("secondary=yes")}disable-axfr=no
allow-axfr-ips=127.0.0.0/8
security-poll-suffix=
zone-cache-refresh-interval=0
cache-ttl=0
query-cache-ttl=0
negquery-cache-ttl=0
xfr-cycle-interval=1
loglevel=6
`;
}
