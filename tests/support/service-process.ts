import { existsSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { startArguments, thisCheckout } from "../../bench/support/start-script.ts";
import { placeMigratedCluster } from "./migrated-cluster.ts";
import { patience } from "./patience.ts";
import { programEnv, startProgram, type RunningProgram } from "./programs.ts";
import { RestClient } from "./rest-client.ts";
import { adminPassword } from "./zonewright.ts";

/** What `npm start` passes to Node. */
export const serviceArguments: readonly string[] = startArguments(thisCheckout);
/** Its options for any program that opens the database. */
export const serviceOptions: readonly string[] = serviceArguments.slice(0, -1);
const promptService = new URL("./prompt-service.ts", import.meta.url).pathname;

/** The service as an operator runs it: a process of its own. */
export interface ServiceProcess extends RunningProgram {
  url: string;
  /** Signs the administrator in. */
  signIn(): Promise<RestClient>;
  /** Asks for a run of the jobs that `startService` was given. Once it has ended, nobody does them. */
  runJobs(): void;
  /** Stops it as an operator does. @throws Error unless it ends well. */
  close(): Promise<void>;
}

/**
 * Starts the service and waits until it is ready. `env` is its whole configuration. A new data folder gets a prepared database: creating one takes
 * eight seconds of processor time.
 * @param jobs that the test has run instead of waiting for their minute, see prompt-service.ts
 * @param createsDatabase whether the service creates its embedded database itself, as it does for its operator
 */
export async function startService(
  env: Readonly<Record<string, string>>,
  jobs: readonly string[] = [],
  createsDatabase = false,
): Promise<ServiceProcess> {
  const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = env;
  if (!createsDatabase && dataDir && !databaseUrl && !existsSync(join(dataDir, "database")))
    await placeMigratedCluster(dataDir);
  const args = jobs.length === 0 ? serviceArguments : [...serviceOptions, promptService, ...jobs];
  const program = await startProgram(process.execPath, args, /listening on (http:[^\s"]+)/, {
    env: {
      ...programEnv,
      PORT: "0",
      LOG_LEVEL: "warn",
      RATE_LIMIT: "off",
      RATE_LIMIT_COSTLY: "off",
      ADMIN_PASSWORD: adminPassword,
      // Tests never query real registries and name servers.
      RDAP_BOOTSTRAP_URL: "http://127.0.0.1:9/dns.json",
      WHOIS_SERVER: "127.0.0.1:9",
      RESOLVER_ROOTS: "127.0.0.1:9",
      ...env,
    },
  });
  const [, url = ""] = program.ready;
  await vi.waitFor(async () => {
    const { status } = await fetch(`${url}/readyz`);
    if (status !== 200) throw new Error(`The service is not ready (${status}):\n${program.output()}`);
  }, patience);
  let isRunning = true;
  const stop = async (signal: NodeJS.Signals) => {
    isRunning = false;
    return await program.stop(signal);
  };
  return {
    ...program,
    stop,
    url,
    async signIn() {
      const client = new RestClient(url);
      const { status, body } = await client.post("/api/auth/login", { username: "admin", password: adminPassword });
      if (status !== 200) throw new Error(`The administrator cannot sign in: ${JSON.stringify(body)}`);
      client.token = body.accessToken;
      return client;
    },
    runJobs() {
      if (isRunning) process.kill(program.pid, "SIGUSR2");
    },
    async close() {
      const exitCode = await stop("SIGTERM");
      if (exitCode !== 0) throw new Error(`The service ended with ${exitCode}:\n${program.output()}`);
    },
  };
}
