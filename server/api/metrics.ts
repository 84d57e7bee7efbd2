import { setTimeout as sleep } from "node:timers/promises";
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { version } from "../platform/version.ts";

/** Memory, CPU and event-loop metrics, collected once per process regardless of the number of services in it. */
let ofProcess: Registry | undefined;

function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** Histogram buckets in seconds, covering usual durations of requests and jobs. */
const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const jobBuckets = [0.01, 0.1, 1, 10, 60, 600, 3_600];

/**
 * How often metrics are made in a second; requests beyond share the first set of the next one. Anybody may ask as often as they like, and each
 * set queries the database and prints thousands of lines.
 */
const mostSets = 10;

/** A gauge that is read when metrics are requested. */
export interface Reading {
  name: string;
  help: string;
  labels?: readonly string[];
  read(): Promise<{ labels?: Record<string, string>; value: number }[]>;
}

/** The content of GET /metrics in Prometheus text format. No label contains the name of a zone, user or provider, unless METRICS_DOMAINS is on. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<"procedure" | "status">;
  readonly #jobs: Histogram<"job">;
  readonly #failures: Counter<"job">;
  readonly #lastSuccess: Gauge<"job">;
  readonly #transfers: Counter<"kind">;
  readonly #notifies: Counter<"outcome">;
  readonly #readings: Reading[] = [];
  readonly #now: () => number;
  readonly #pause: (milliseconds: number) => Promise<unknown>;
  #second = -1;
  #sets = 0;
  #text: Promise<string> | null = null;

  /** @param now milliseconds, as `performance.now` counts */
  constructor(
    now: () => number = () => performance.now(),
    pause: (milliseconds: number) => Promise<unknown> = (milliseconds) => sleep(milliseconds, null, { ref: false }),
  ) {
    this.#now = now;
    this.#pause = pause;
    const registers = [this.#registry];
    new Gauge({
      name: "zonewright_build_info",
      help: "Always 1; the label is the service's version.",
      labelNames: ["version"],
      registers,
    }).set({ version }, 1);
    this.#requests = new Histogram({
      name: "zonewright_request_duration_seconds",
      help: "Time from a request's arrival to the end of its response, by procedure and HTTP status.",
      labelNames: ["procedure", "status"],
      buckets: requestBuckets,
      registers,
    });
    this.#jobs = new Histogram({
      name: "zonewright_job_duration_seconds",
      help: "Duration of job runs on this instance, including failed ones.",
      labelNames: ["job"],
      buckets: jobBuckets,
      registers,
    });
    this.#failures = new Counter({
      name: "zonewright_job_failures_total",
      help: "Failed job runs on this instance.",
      labelNames: ["job"],
      registers,
    });
    this.#lastSuccess = new Gauge({
      name: "zonewright_job_last_success_timestamp_seconds",
      help: "Time of the job's last successful run on this instance.",
      labelNames: ["job"],
      registers,
    });
    this.#transfers = new Counter({
      name: "zonewright_zone_transfers_total",
      help: "Zone transfers to secondaries by this instance: of the whole zone, of differences, or of the SOA alone, because the secondary is up to date.",
      labelNames: ["kind"],
      registers,
    });
    this.#notifies = new Counter({
      name: "zonewright_notifies_total",
      help: "Attempts of this instance to notify a secondary of a zone.",
      labelNames: ["outcome"],
      registers,
    });
  }

  /** Records a request. @param procedure its dotted name, or another label for requests that are not procedures */
  request(procedure: string, status: number, seconds: number): void {
    this.#requests.observe({ procedure, status }, seconds);
  }

  jobRun({ job, seconds, failed }: { job: string; seconds: number; failed: boolean }): void {
    this.#jobs.observe({ job }, seconds);
    this.#failures.inc({ job }, failed ? 1 : 0);
    if (!failed) this.#lastSuccess.set({ job }, Date.now() / 1_000);
  }

  /** Counts a finished zone transfer. @param kind `axfr`, `ixfr`, or `current` for one that had nothing to transfer */
  transfer(kind: "axfr" | "ixfr" | "current"): void {
    this.#transfers.inc({ kind });
  }

  /** Counts an attempt to notify a secondary. */
  notified(outcome: "acknowledged" | "failed"): void {
    this.#notifies.inc({ outcome });
  }

  /** Adds a gauge that is read on each request for metrics. */
  add(reading: Reading): void {
    this.#readings.push(reading);
  }

  /** Returns all metrics. Omits readings that fail, because metrics matter most during outages. */
  async text(): Promise<string> {
    // Requests that come meanwhile share the set.
    this.#text ??= this.#make().finally(() => {
      this.#text = null;
    });
    return await this.#text;
  }

  async #make(): Promise<string> {
    await this.#mayMake();
    const parts = await Promise.all(this.#readings.map(textOf));
    return [await processMetrics().metrics(), await this.#registry.metrics(), ...parts].join("\n");
  }

  /** Waits for the next second if this one has had its sets. */
  async #mayMake(): Promise<void> {
    let second = Math.floor(this.#now() / 1_000);
    if (second === this.#second && this.#sets >= mostSets) {
      await this.#pause((second + 1) * 1_000 - this.#now());
      second++;
    }
    if (second !== this.#second) {
      this.#second = second;
      this.#sets = 0;
    }
    this.#sets++;
  }
}

async function textOf(reading: Reading): Promise<string> {
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
