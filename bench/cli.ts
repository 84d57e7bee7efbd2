import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Environment } from "./support/environment.ts";
import { median } from "./support/measure.ts";
import { underLimit, type Figure } from "./support/report.ts";

const program = fileURLToPath(new URL("../cli/dist/zonewright.js", import.meta.url));
const rounds = 40;

/** Measures how long the command line takes to start, in turn with a Node that does nothing. */
export async function measureCli(): Promise<Figure[]> {
  const nothing = ["-e", "0"];
  const started = {
    "`zonewright --version`": { args: [program, "--version"], most: 1.5 },
    "`zonewright --help`": { args: [program, "--help"], most: null },
    "`zonewright records add --help`": { args: [program, "records", "add", "--help"], most: null },
  };
  // The first start reads the files from disk.
  for (const { args } of Object.values(started)) await milliseconds(args);
  const figures: Figure[] = [];
  for (const [what, { args, most }] of Object.entries(started)) {
    const ours: number[] = [];
    const baseline: number[] = [];
    for (let round = 0; round < rounds; round++) {
      baseline.push(await milliseconds(nothing));
      ours.push(await milliseconds(args));
    }
    const ratios = ours.map((time, round) => time / (baseline[round] ?? time)).toSorted((one, other) => one - other);
    figures.push({
      what: `command line: ${what}, median of ${rounds}`,
      measured: `${median(ours).toFixed(0)} ms`,
      baseline: `\`node -e 0\`: ${median(baseline).toFixed(0)} ms`,
      ratio: median(ratios),
      spread: [ratios[Math.floor(rounds / 10)] ?? 0, ratios[Math.floor((rounds * 9) / 10)] ?? 0],
      goal: most === null ? null : { most },
    });
  }
  return figures;
}

const records = 10_000;
const plans = 9;

/** Measures how long a plan of one large zone takes, in turn with BIND's `named-compilezone` on the same file. */
export async function measurePlan({ client, url, manualConfig }: Environment): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-bench-"));
  try {
    const name = "plan.example";
    const file = join(folder, `${name}.zone`);
    const hosts = Array.from({ length: records - 2 }, (_, index) => `h${index} 300 IN A 192.0.2.${index % 250}\n`);
    const text = `$TTL 300\n@ IN SOA ns1 hostmaster 1 7200 900 1209600 3600\n@ IN NS ns1\nns1 IN A 192.0.2.53\n${hosts.join("")}`;
    await writeFile(file, text);
    const { body: domain } = await client.post("/api/domains", { name, providerConfigId: manualConfig });
    await client.post(`/api/domains/${domain.id}/zonefile`, { zonefile: text });
    const permissions = ["domains:read", "records:read"];
    const { body: made } = await client.post("/api/auth/me/tokens", { name: "Bench", permissions });
    // One change, so that there is something to plan.
    await writeFile(file, text.replace("h7 300 IN A 192.0.2.7", "h7 300 IN A 192.0.2.8"));
    const peak = join(folder, "peak");
    const noting = `import { writeFileSync } from "node:fs"; process.on("exit", () => writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS)));`;
    const env = {
      ...process.env,
      ZONEWRIGHT_URL: url,
      ZONEWRIGHT_TOKEN: made.token,
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(noting)}`,
    };
    const planning = () => milliseconds([program, "plan", file], { env, ends: 2 });
    const compiling = ["-q", "-o", join(folder, "compiled"), name, file];
    await planning();
    const [ours, baseline, peaks]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < plans; round++) {
      baseline.push(await milliseconds(compiling, { command: "named-compilezone" }));
      ours.push(await planning());
      peaks.push(Number(await readFile(peak, "utf8")) / 1024);
    }
    const ratios = ours.map((time, round) => time / (baseline[round] ?? time)).toSorted((one, other) => one - other);
    const what = `command line: \`zonewright plan\` of a zone of ${records} records, one of them changed`;
    const most = Math.max(...peaks);
    return [
      {
        what: `${what}, median of ${plans}`,
        measured: `${median(ours).toFixed(0)} ms`,
        baseline: `\`named-compilezone\` on the file: ${median(baseline).toFixed(0)} ms`,
        ratio: median(ratios),
        spread: [ratios[0] ?? 0, ratios.at(-1) ?? 0],
        goal: { most: 4 },
      },
      underLimit(`${what}: memory`, `${most.toFixed(0)} MiB at most`, { value: most, most: 120, unit: "MiB" }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The time from spawning to the end. */
async function milliseconds(
  args: readonly string[],
  {
    command = process.execPath,
    env = process.env,
    ends = 0,
  }: { command?: string; env?: NodeJS.ProcessEnv; ends?: number } = {},
): Promise<number> {
  const from = performance.now();
  const child = spawn(command, args, { stdio: "ignore", cwd: join(program, "../../.."), env });
  const [code] = (await once(child, "close")) as [number];
  if (code !== ends)
    throw new Error(`${args.join(" ")} ended with ${code}. Run npm ci, which builds the command line.`);
  return performance.now() - from;
}
