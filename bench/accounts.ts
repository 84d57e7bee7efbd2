import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpPort } from "../server/platform/http-port.ts";
import { loadConfig } from "../server/ops/config/config.ts";
import { openDatabase } from "../server/database/database.ts";
import { startServer } from "../server/start.ts";
import { RestClient } from "../tests/support/rest-client.ts";
import { interleaved, median, percentile, timings } from "./support/measure.ts";
import { underLimit, type Figure } from "./support/report.ts";
import type { Environment } from "./support/environment.ts";

const loginsPerSecond = 200;
const reads = 400;
const rounds = 3;

/** Measures other users' reads during a flood of sign-ins. */
export async function measureFlood({ client }: Environment): Promise<Figure[]> {
  const readP99 = async () => percentile(await timings(reads, () => client.get("/api/domains")), 0.99);
  const answered = { refused: 0, later: 0 };
  let attempts = 0;
  const signIn = async (body: object, headers: Record<string, string>) => {
    const { status } = await client.post("/api/auth/login", body, headers);
    if (status === 401) answered.refused++;
    else if (status === 503) answered.later++;
    else throw new Error(`A sign-in during the flood returned ${status}.`);
  };
  const flooded = async () => {
    const over = new AbortController();
    const inFlight: Promise<void>[] = [];
    const flood = (async () => {
      for (; !over.signal.aborted; attempts++) {
        // Each comes from its own address, so that no per-address limit applies.
        const headers = { "x-forwarded-for": `198.19.${(attempts >> 8) & 255}.${attempts & 255}` };
        inFlight.push(signIn({ username: `nobody-${attempts}`, password: "a wrong password" }, headers));
        await sleep(1_000 / loginsPerSecond);
      }
    })();
    await sleep(1_000);
    const p99 = await readP99();
    over.abort();
    await flood;
    await Promise.all(inFlight);
    return p99;
  };
  const { ours, baseline, ratio, spread } = await interleaved(rounds, flooded, readP99);
  return [
    {
      what: `GET /api/domains, p99 of ${reads}, during about ${loginsPerSecond} failed sign-ins a second (${answered.later} of ${answered.later + answered.refused} got 503)`,
      measured: `${ours.toFixed(1)} ms`,
      baseline: `${baseline.toFixed(1)} ms without them`,
      ratio,
      spread,
      goal: { most: 1.5 },
    },
  ];
}

const checks = 5_000;

/** Processor time of authenticating one call, in this process, on the embedded database. */
export async function measureAuthentication(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-bench-"));
  const password = "correct horse battery staple";
  const config = loadConfig({
    PORT: "0",
    DATA_DIR: dataDir,
    ADMIN_PASSWORD: password,
    LOG_LEVEL: "silent",
    JOBS: "off",
  });
  const database = await openDatabase({ databaseUrl: undefined, dataDir: "memory" });
  const server = await startServer(config, { announce: () => undefined, database });
  const { body } = await new RestClient(server.url).post("/api/auth/login", { username: "admin", password });
  const http = { header: (name: string) => (name === "authorization" ? `Bearer ${body.accessToken}` : undefined) };
  const { authenticator } = server.services;
  const perCheck: number[] = [];
  for (let round = 0; round < 7; round++) {
    const began = process.cpuUsage();
    for (let check = 0; check < checks; check++) await authenticator.authenticate(database.fork(), http as HttpPort);
    const { user, system } = process.cpuUsage(began);
    perCheck.push((user + system) / 1_000 / checks);
  }
  await server.stop();
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
  const milliseconds = median(perCheck);
  const what = `authentication of a call: processor time, median of ${perCheck.length} × ${checks.toLocaleString("en")}`;
  return [underLimit(what, `${milliseconds.toFixed(4)} ms`, { value: milliseconds, most: 0.15, unit: "ms" })];
}
