import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "../tests/support/binaries.ts";
import { startBind } from "../tests/support/name-servers/bind.ts";
import type { ServerKey } from "../tests/support/name-servers/update-server.ts";
import { freePorts, mustRun } from "../tests/support/programs.ts";
import { startEnvironment, type Environment } from "./support/environment.ts";
import { interleaved } from "./support/measure.ts";
import type { Figure } from "./support/report.ts";
import { configure } from "./primary/zones.ts";

const rounds = 7;
const updatesInRound = 500;

const clients = [1, 10];

interface Target {
  port: number;
  zone: string;
  key: ServerKey;
}

/** Measures dynamic updates (RFC 2136) beside BIND, by the same program with the same messages. */
export async function measureUpdates(): Promise<Figure[]> {
  const bindZone = "updates.example";
  const bind = await startBind([bindZone]);
  const [port = 0] = await freePorts(1);
  const environment = await startEnvironment({ DNS_LISTEN: `127.0.0.1:${port}` });
  const folder = await mkdtemp(join(tmpdir(), "zonewright-bench-updates-"));
  try {
    const baseline = { port: bind.port, zone: bindZone, key: bind.key };
    const primaryConfig = await configure(environment, "Updated", {});
    const kinds = { manual: environment.manualConfig, primary: primaryConfig };
    const figures: Figure[] = [];
    for (const [kind, providerConfigId] of Object.entries(kinds)) {
      const ours = await target(environment, port, `${kind}.example`, providerConfigId);
      for (const count of clients) figures.push(await measure(folder, kind, count, { ours, baseline }));
    }
    return figures;
  } finally {
    await environment.stop();
    await bind.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function target({ client }: Environment, port: number, zone: string, providerConfigId: string): Promise<Target> {
  const made = await client.post("/api/domains", { name: zone, providerConfigId });
  const { status, body } = await client.post("/api/auth/me/tsig-keys", { domainId: made.body.id });
  if (status !== 201) throw new Error(`no key was made: ${JSON.stringify(body)}`);
  return { port, zone, key: { name: body.keyName, algorithm: body.algorithm, secret: body.secret } };
}

async function measure(
  folder: string,
  kind: string,
  count: number,
  { ours, baseline }: { ours: Target; baseline: Target },
): Promise<Figure> {
  const measured = await interleaved(
    rounds,
    () => updatesPerSecond(folder, ours, count),
    () => updatesPerSecond(folder, baseline, count),
  );
  const by = count === 1 ? "one nsupdate" : `${count} nsupdate at once`;
  return {
    what: `dynamic updates that add a record, ${kind}, by ${by}, TCP`,
    measured: `${Math.round(measured.ours)}/s`,
    baseline: `${Math.round(measured.baseline)}/s into BIND with one thread, which syncs its journal, by the same programs`,
    ratio: measured.ratio,
    spread: measured.spread,
    goal: { least: 0.3 },
  };
}

let host = 0;

/**
 * Runs clients that each send their share one message after another, by TCP: BIND drops some datagrams, and the client then waits for seconds.
 * The programs' start counts, for both alike.
 */
async function updatesPerSecond(folder: string, to: Target, count: number): Promise<number> {
  const files = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const path = join(folder, `updates-${index}`);
      await writeFile(path, script(to, updatesInRound / count), { mode: 0o600 });
      return path;
    }),
  );
  const start = performance.now();
  // It would print a refused update and go on, and end with another code than 0.
  await Promise.all(files.map((path) => mustRun(binary("nsupdate"), ["-v", path])));
  return (updatesInRound * 1_000) / (performance.now() - start);
}

function script({ port, zone, key }: Target, updates: number): string {
  const lines = [`server 127.0.0.1 ${port}`, `zone ${zone}`, `key ${key.algorithm}:${key.name} ${key.secret}`];
  for (let index = 0; index < updates; index++) lines.push(`update add u${host++}.${zone}. 300 A 192.0.2.1`, "send");
  return `${lines.join("\n")}\n`;
}
