import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpPort } from "../server/platform/http-port.ts";
import { loadConfig } from "../server/config/config.ts";
import { openDatabase } from "../server/database/database.ts";
import { startServer } from "../server/start.ts";
import { RestClient } from "../tests/support/rest-client.ts";
import { median, percentile, timings } from "./support/measure.ts";
import type { Figure } from "./support/report.ts";
import type { Environment } from "./support/environment.ts";

const loginsPerSecond = 200;
const looks = 400;

/** What a flood of sign-ins does to somebody who works meanwhile. */
export async function measureFlood({ client }: Environment): Promise<Figure[]> {
  const look = () => timings(looks, () => client.get("/api/domains"));
  await look();
  const quiet = await look();
  const answered = { refused: 0, later: 0 };
  const over = new AbortController();
  const under: Promise<void>[] = [];
  const signIn = async (body: object, headers: Record<string, string>) => {
    const { status } = await client.post("/api/auth/login", body, headers);
    if (status === 401) answered.refused++;
    else if (status === 503) answered.later++;
    else throw new Error(`A sign-in in a flood was answered with ${status}.`);
  };
  const flood = (async () => {
    for (let count = 0; !over.signal.aborted; count++) {
      // Each from an address of its own: what is measured is not the limit of one.
      const headers = { "x-forwarded-for": `198.19.${(count >> 8) & 255}.${count & 255}` };
      const body = { username: `nobody-${count}`, password: "a wrong password" };
      under.push(signIn(body, headers));
      await sleep(1_000 / loginsPerSecond);
    }
  })();
  await sleep(1_000);
  const busy = await look();
  over.abort();
  await flood;
  await Promise.all(under);
  return [
    {
      what: `GET /api/domains, p99, while about ${loginsPerSecond} sign-ins a second come (${answered.later} of ${answered.later + answered.refused} got 503)`,
      measured: `${percentile(busy, 0.99).toFixed(1)} ms`,
      baseline: `${percentile(quiet, 0.99).toFixed(1)} ms when it is quiet`,
      ratio: percentile(busy, 0.99) / percentile(quiet, 0.99),
      goal: { most: 2 },
    },
  ];
}

const checks = 5_000;

/** Processor time of finding out who is calling, which a route without it does not have; in this process, on the embedded database. */
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
  const rounds: number[] = [];
  for (let round = 0; round < 7; round++) {
    const began = process.cpuUsage();
    for (let check = 0; check < checks; check++) await authenticator.authenticate(database.fork(), http as HttpPort);
    const { user, system } = process.cpuUsage(began);
    rounds.push((user + system) / 1_000 / checks);
  }
  await server.stop();
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
  const milliseconds = median(rounds);
  return [
    {
      what: `who is calling: processor time, median of ${rounds.length} × ${checks.toLocaleString("en")}`,
      measured: `${milliseconds.toFixed(4)} ms`,
      baseline: "0.15 ms",
      ratio: milliseconds / 0.15,
      goal: { most: 1 },
    },
  ];
}
