import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { JobRun } from "../jobs/jobs.ts";
import { version } from "../platform/version.ts";

/** What the process itself says of memory, CPU and event loop: once a process, however many services it runs. */
let ofProcess: Registry | undefined;

function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** Seconds; the ends of what requests and jobs usually take. */
const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const jobBuckets = [0.01, 0.1, 1, 10, 60, 600, 3_600];

/** A number that is read when somebody asks for the metrics. */
export interface Reading {
  name: string;
  help: string;
  labels?: readonly string[];
  read(): Promise<{ labels?: Record<string, string>; value: number }[]>;
}

/** What GET /metrics shows, in Prometheus's text format. No name of a zone, user or provider is a label. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<"procedure" | "status">;
  readonly #jobs: Histogram<"job">;
  readonly #failures: Counter<"job">;
  readonly #lastSuccess: Gauge<"job">;
  readonly #readings: Reading[] = [];
  #taking: Promise<string[]> | null = null;

  constructor() {
    const registers = [this.#registry];
    new Gauge({
      name: "zonewright_build_info",
      help: "1, with the version of the service as label.",
      labelNames: ["version"],
      registers,
    }).set({ version }, 1);
    this.#requests = new Histogram({
      name: "zonewright_request_duration_seconds",
      help: "Time from a request's arrival to the end of its answer, by procedure and HTTP status.",
      labelNames: ["procedure", "status"],
      buckets: requestBuckets,
      registers,
    });
    this.#jobs = new Histogram({
      name: "zonewright_job_duration_seconds",
      help: "Time that runs of a job took on this instance, failed ones included.",
      labelNames: ["job"],
      buckets: jobBuckets,
      registers,
    });
    this.#failures = new Counter({
      name: "zonewright_job_failures_total",
      help: "Runs of a job that failed on this instance.",
      labelNames: ["job"],
      registers,
    });
    this.#lastSuccess = new Gauge({
      name: "zonewright_job_last_success_timestamp_seconds",
      help: "When a run of the job last succeeded on this instance.",
      labelNames: ["job"],
      registers,
    });
  }

  /** @param procedure the dotted name of what was called, or what else it was */
  request(procedure: string, status: number, seconds: number): void {
    this.#requests.observe({ procedure, status }, seconds);
  }

  jobRun({ job, seconds, failed }: JobRun): void {
    this.#jobs.observe({ job }, seconds);
    this.#failures.inc({ job }, failed ? 1 : 0);
    if (!failed) this.#lastSuccess.set({ job }, Date.now() / 1_000);
  }

  /** Adds a number that is read at each look. */
  add(reading: Reading): void {
    this.#readings.push(reading);
  }

  /** The whole of it. A reading that fails is left out: metrics are looked at when something is wrong. */
  async text(): Promise<string> {
    // Anyone may look: who looks while somebody else does shares what is read, so that the database is asked by one at a time.
    this.#taking ??= Promise.all(this.#readings.map(taken)).finally(() => {
      this.#taking = null;
    });
    const parts = await this.#taking;
    return [await processMetrics().metrics(), await this.#registry.metrics(), ...parts].join("\n");
  }
}

async function taken(reading: Reading): Promise<string> {
  const { name, help, labels = [] } = reading;
  const registry = new Registry();
  const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [registry] });
  try {
    for (const { labels: at = {}, value } of await reading.read()) gauge.set(at, value);
  } catch {
    return "";
  }
  return await registry.metrics();
}
