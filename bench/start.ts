import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startProgram } from "../tests/support/programs.ts";
import { createDatabase, startPostgres } from "../tests/support/servers/postgres.ts";
import { median } from "./support/measure.ts";
import { underLimit, type Figure } from "./support/report.ts";
import { startArguments, thisCheckout } from "./support/start-script.ts";

const rounds = 7;
const idleSeconds = 3;
const program = fileURLToPath(new URL("start-pglite.ts", import.meta.url));

/** A program that is started repeatedly on the same data. */
interface Subject {
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  ready: RegExp;
}

interface Start {
  /** From spawning to the ready line. */
  seconds: number;
  /** CPU time of all its threads until then. */
  cpuSeconds: number;
  /** Resident memory after `idleSeconds` without a request. */
  megabytes: number;
}

/**
 * Measures the time and memory of starts after the first one, on both databases. Alternates with the checkout in BASELINE if set; otherwise
 * compares with PGlite alone.
 */
export async function measureStarts(): Promise<Figure[]> {
  const given = process.env["BASELINE"];
  const baseline = given === undefined ? null : resolve(given);
  const postgres = await startPostgres();
  const data = await mkdtemp(join(tmpdir(), "zonewright-start-"));
  try {
    const subjects: Record<string, Subject> = {};
    for (const [name, checkout] of Object.entries({ ours: thisCheckout, ...(baseline !== null && { baseline }) })) {
      const url = await createDatabase(postgres.url, name);
      subjects[`${name} embedded`] = service(checkout, { DATA_DIR: join(data, name) });
      subjects[`${name} on PostgreSQL`] = service(checkout, { DATA_DIR: join(data, `${name}-pg`), DATABASE_URL: url });
    }
    // The first start creates the database, and fills the compile cache when it stops.
    for (const subject of Object.values(subjects)) await measureStart(subject);
    const copy = join(data, "pglite");
    await cp(join(data, "ours", "database"), copy, { recursive: true });
    subjects["PGlite"] = { args: [program, copy], ready: /answered/ };
    return figuresOf(await startInTurn(subjects), baseline);
  } finally {
    await postgres.stop();
    await rm(data, { recursive: true, force: true });
  }
}

function service(checkout: string, env: Record<string, string>): Subject {
  const all = {
    ...env,
    PORT: "0",
    ADMIN_PASSWORD: "correct horse battery staple",
    NODE_ENV: "production",
    RDAP_BOOTSTRAP_URL: "http://127.0.0.1:9/dns.json",
    WHOIS_SERVER: "127.0.0.1:9",
    RESOLVER_ROOTS: "off",
  };
  return { args: startArguments(checkout), env: all, ready: /(?:serves|listening on) [^\s"]+/ };
}

/** Reverses the order every other round, so that other load on the machine affects all programs equally. */
async function startInTurn(subjects: Readonly<Record<string, Subject>>): Promise<Map<string, Start[]>> {
  const starts = new Map<string, Start[]>(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const order = Object.entries(subjects);
    for (const [name, subject] of round % 2 === 0 ? order : order.toReversed()) {
      starts.get(name)?.push(await measureStart(subject));
    }
  }
  return starts;
}

async function measureStart({ args, env, ready }: Subject): Promise<Start> {
  const began = performance.now();
  const running = await startProgram(process.execPath, args, ready, { env: { PATH: process.env["PATH"], ...env } });
  const seconds = (performance.now() - began) / 1_000;
  const cpuSeconds = await cpuSecondsOf(running.pid);
  await sleep(idleSeconds * 1_000);
  const megabytes = await megabytesOf(running.pid);
  await running.stop("SIGTERM");
  return { seconds, cpuSeconds, megabytes };
}

/** User and system time from proc_pid_stat(5), whose clock ticks 100 times a second. */
async function cpuSecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function megabytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

const units = {
  seconds: { label: "time", print: (value: number) => `${value.toFixed(2)} s` },
  cpuSeconds: { label: "CPU time", print: (value: number) => `${value.toFixed(2)} s` },
  megabytes: { label: `resident memory ${idleSeconds} s later`, print: (value: number) => `${Math.round(value)} MB` },
};

function figuresOf(starts: ReadonlyMap<string, readonly Start[]>, checkout: string | null): Figure[] {
  const of = (name: string, value: keyof Start) => (starts.get(name) ?? []).map((start) => start[value]);
  /** Compares two programs round by round. */
  const compared = (what: string, value: keyof Start, name: string, other: string, by: string): Figure => {
    const others = of(other, value);
    const ratios = of(name, value).map((one, round) => one / (others[round] ?? Number.NaN));
    const { label, print } = units[value];
    const measured = print(median(of(name, value)));
    if (others.length === 0) return { what: `${what}: ${label}`, measured, baseline: by, ratio: null, goal: null };
    return {
      what: `${what}: ${label}`,
      measured,
      baseline: `${print(median(others))} by ${by}`,
      ratio: median(ratios),
      spread: [Math.min(...ratios), Math.max(...ratios)],
      goal: null,
    };
  };
  const by =
    checkout === null ? "nothing, because BASELINE is not set" : `the start script of the checkout ${checkout}`;
  const ofService = (database: string, value: keyof Start) =>
    compared(`start on existing data, ${database}`, value, `ours ${database}`, `baseline ${database}`, by);
  const embedded = ofService("embedded", "seconds");
  const memory = median(of("ours on PostgreSQL", "megabytes"));
  const alone = compared(
    "PGlite alone, opening that data and running a query",
    "seconds",
    "PGlite",
    "ours embedded",
    "the whole service",
  );
  return [
    { ...embedded, goal: checkout === null ? null : { most: 0.6 } },
    ofService("embedded", "cpuSeconds"),
    ofService("embedded", "megabytes"),
    // The service takes at most 2.5 times as long.
    { ...alone, goal: { least: 1 / 2.5 } },
    compared(
      "PGlite alone, opening that data and running a query",
      "cpuSeconds",
      "PGlite",
      "ours embedded",
      "the whole service",
    ),
    ofService("on PostgreSQL", "seconds"),
    ofService("on PostgreSQL", "cpuSeconds"),
    ofService("on PostgreSQL", "megabytes"),
    underLimit("resident memory when idle on PostgreSQL after such a start", units.megabytes.print(memory), {
      value: memory,
      most: 160,
      unit: "MB",
    }),
  ];
}
