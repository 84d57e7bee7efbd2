import { readFile } from "node:fs/promises";
import { median, requestsPerSecond } from "../../bench/support/measure.ts";
import type { RestClient } from "../support/rest-client.ts";

const zones = 10;
/** Short turns, so that other load on the machine affects all addresses alike. */
const seconds = 2;
const rounds = 9;

/** What an installation has used since its start, with what its parts use while they wait for calls. */
export interface Usage {
  readonly calls: number;
  /** Seconds of processor time of all instances. */
  readonly instances: number;
  /** The same of PostgreSQL's members. */
  readonly database: number;
}

/** Seconds of processor time of these processes and of their children that have ended: user and system time from proc_pid_stat(5), in ticks of 10 ms. */
export async function processorSeconds(pids: readonly number[]): Promise<number> {
  const all = pids.map(async (pid) => {
    // A process may end meanwhile; its time is then its parent's.
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const ticks = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 15);
    return ticks.reduce((sum, tick) => sum + Number(tick), 0) / 100;
  });
  return (await Promise.all(all)).reduce((sum, seconds) => sum + seconds, 0);
}

/**
 * Measures reads and single creates at each address, in turns.
 * @param targets by what is there; the first is what the others are compared with
 * @param usage of the whole installation
 * @returns lines for people
 */
export async function throughput(
  admin: RestClient,
  targets: ReadonlyMap<string, string>,
  usage: () => Promise<Usage>,
): Promise<string[]> {
  const token = admin.token ?? "";
  const manual = await created(admin, "/api/provider-configs", { kind: "manual", name: "Throughput" });
  const ids: string[] = [];
  for (let zone = 0; zone < zones; zone++)
    ids.push(await created(admin, "/api/domains", { name: `throughput${zone}.example`, providerConfigId: manual }));
  const listed = Array.from({ length: 100 }, (_, index) => record(`listed-${index}`));
  await admin.post(`/api/domains/${ids[0]}/records/bulk`, { records: listed });
  let made = 0;
  const kinds: Record<string, (url: string) => Promise<number>> = {
    "lists of 50 records": (url) =>
      requestsPerSecond({ url: `${url}/api/domains/${ids[0]}/records?limit=50`, token, seconds }),
    "single creates": (url) =>
      requestsPerSecond({
        url,
        token,
        seconds,
        method: "POST",
        next: () => ({
          path: `/api/domains/${ids[++made % zones]}/records`,
          body: JSON.stringify(record(`made-${made}`)),
        }),
      }),
  };
  const lines: string[] = [];
  for (const [kind, measure] of Object.entries(kinds)) {
    const measured = new Map([...targets.keys()].map((target) => [target, new Measured()]));
    // The first round warms up.
    for (let round = -1; round < rounds; round++)
      for (const [target, url] of targets) {
        const before = await usage();
        const rate = await measure(url);
        if (round >= 0) measured.get(target)?.add(rate, before, await usage());
      }
    const [first = new Measured()] = measured.values();
    for (const [target, one] of measured) lines.push(`${kind}, ${target}: ${one.describe(first)}`);
  }
  return lines;
}

/** The rounds of one kind at one address. */
class Measured {
  readonly #rates: number[] = [];
  #calls = 0;
  #instances = 0;
  #database = 0;

  add(rate: number, before: Usage, after: Usage): void {
    this.#rates.push(rate);
    this.#calls += after.calls - before.calls;
    this.#instances += after.instances - before.instances;
    this.#database += after.database - before.database;
  }

  describe(first: Measured): string {
    const ratios = this.#rates.map((rate, round) => rate / (first.#rates[round] ?? Number.NaN));
    const ofCall = (seconds: number) => `${((seconds * 1_000) / this.#calls).toFixed(2)} ms`;
    return [
      `${median(this.#rates).toFixed(0)} a second`,
      `${median(ratios).toFixed(2)} of the first (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
      `processor time of a call: ${ofCall(this.#instances)} of the instances, ${ofCall(this.#database)} of PostgreSQL`,
    ].join("; ");
  }
}

const record = (name: string) => ({ recordType: "A", name, value: "192.0.2.1", ttl: 300 });

async function created(admin: RestClient, path: string, body: object): Promise<string> {
  const answer = await admin.post(path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return String(answer.body.id);
}
