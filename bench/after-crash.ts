import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProgram } from "../tests/support/programs.ts";
import { RestClient } from "../tests/support/rest-client.ts";
import { createDatabase, startPostgres } from "../tests/support/servers/postgres.ts";
import { underLimit, type Figure } from "./support/report.ts";
import { startArguments, thisCheckout } from "./support/start-script.ts";

const password = "correct horse battery staple";

const rounds = 5;
/** Sends no queries to registries and name servers. */
const offline = {
  RDAP_BOOTSTRAP_URL: "http://127.0.0.1:9/dns.json",
  WHOIS_SERVER: "127.0.0.1:9",
  RESOLVER_ROOTS: "off",
};
/** Less than a lease, because the start frees the zones of a dead process. */
const mostSeconds = 4;

/** Measures the first change of a zone after `kill -9` of a service that was writing to it, on both databases. */
export async function measureAfterCrash(): Promise<Figure[]> {
  const postgres = await startPostgres();
  try {
    const databases = { embedded: {}, PostgreSQL: { DATABASE_URL: await createDatabase(postgres.url, "crashed") } };
    const figures: Figure[] = [];
    for (const [name, env] of Object.entries(databases)) {
      const value = await slowestFirstChange(env);
      const what = `first change after kill -9, ${name}, slowest of ${rounds}`;
      figures.push(underLimit(what, `${value.toFixed(2)} s`, { value, most: mostSeconds, unit: "s" }));
    }
    return figures;
  } finally {
    await postgres.stop();
  }
}

/** @returns its duration in seconds */
async function slowestFirstChange(env: Readonly<Record<string, string>>): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-bench-crash-"));
  const settings = { DATA_DIR: dataDir, ...env, PORT: "0", ADMIN_PASSWORD: password, RATE_LIMIT: "off", ...offline };
  const start = async () => {
    const args = startArguments(thisCheckout);
    const options = { env: { PATH: process.env["PATH"], ...settings } };
    const program = await startProgram(process.execPath, args, /listening on (http:[^\s"]+)/, options);
    return { ...program, url: program.ready[1] ?? "" };
  };
  let service = await start();
  try {
    const admin = new RestClient(service.url);
    admin.token = (await admin.post("/api/auth/login", { username: "admin", password })).body.accessToken;
    const { body } = await admin.post("/api/domains", { name: "crashed.example" });
    const path = `/api/domains/${body.id}/records`;
    const durations: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const client = new RestClient(service.url, admin.token);
      const write = (index: number) =>
        client.post(path, { recordType: "A", name: `host-${round}-${index}`, value: "192.0.2.1" });
      await write(0);
      const open = Promise.allSettled(Array.from({ length: 20 }, (_, index) => write(index + 1)));
      await service.stop("SIGKILL");
      await open;
      service = await start();
      const began = performance.now();
      const after = new RestClient(service.url, admin.token);
      const { status } = await after.post(path, { recordType: "A", name: `probe-${round}`, value: "192.0.2.1" });
      if (status !== 201) throw new Error(`The first change after a crash was answered with ${status}.`);
      durations.push((performance.now() - began) / 1_000);
    }
    return Math.max(...durations);
  } finally {
    await service.stop("SIGKILL");
    await rm(dataDir, { recursive: true, force: true });
  }
}
