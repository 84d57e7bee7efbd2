import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { loadConfig } from "../../server/ops/config/config.ts";
import type { Database } from "../../server/database/database.ts";
import type { Egress } from "../../server/platform/net/egress.ts";
import { startServer, type RunningServer } from "../../server/start.ts";
import { emptyDatabase } from "./database.ts";
import { LogWatch } from "./log-watch.ts";
import { RestClient } from "./rest-client.ts";

export const adminPassword = "correct horse battery staple";
export const memberPassword = "another long enough password";

/** The lowest cost that argon2 accepts. */
const lightHashes = { memoryCost: 1_024, timeCost: 1 };

/** A running service with an empty database, as one file of tests sees it. */
export interface Zonewright {
  readonly url: string;
  /** Where PDNS_LISTEN serves PowerDNS's API. */
  readonly powerdnsUrl: string | null;
  /** The folder of its zone files and keys. */
  readonly dataDir: string;
  readonly services: RunningServer["services"];
  /** A client that is not signed in. */
  readonly nobody: RestClient;
  /** The administrator, signed in. */
  readonly admin: RestClient;
  /** Makes a member and signs in. */
  member(username: string): Promise<RestClient>;
  signIn(username: string, password: string): Promise<RestClient>;
}

export interface Options {
  env?: Record<string, string>;
  now?: () => Date;
  /** How to wait for providers and for the next attempt of a delivery, instead of in real time. */
  pause?: (milliseconds: number) => Promise<void>;
  /** How to make outgoing calls, instead of by the addresses that they name. */
  egress?: Egress;
  /** Hashes passwords at production cost, for tests of the hashes or of what happens meanwhile. */
  realHashes?: boolean;
  /** Runs jobs by their schedules, too. By default they run when something enqueues them or a test calls them: at a full minute, one would get in its way. */
  schedules?: boolean;
  /** A database to use instead of the worker's, which has no rows then. The service closes it. */
  database?: Database;
  /** Where the log goes. By default it is searched for secrets when the service stops. */
  logTo?: { write(line: string): void };
}

/** Starts the service before the tests of a file and stops it after them. Use the result only within tests and hooks. */
export function useZonewright(options: Options = {}): Zonewright {
  let running: (Zonewright & { stop(): Promise<void> }) | undefined;
  beforeAll(async () => {
    running = await startZonewright(options);
  });
  afterAll(async () => {
    await running?.stop();
  });
  return onceStarted(() => running);
}

/** A service that a hook starts later. Reading from it before that throws. */
export function onceStarted(running: () => Zonewright | undefined): Zonewright {
  return new Proxy({} as Zonewright, {
    get(_target, property) {
      const zonewright = running();
      if (!zonewright) throw new Error("The service is not running yet.");
      return Reflect.get(zonewright, property) as unknown;
    },
  });
}

export async function startZonewright(options: Options = {}): Promise<Zonewright & { stop(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-"));
  const config = loadConfig({
    PORT: "0",
    DATA_DIR: dataDir,
    ADMIN_PASSWORD: adminPassword,
    LOG_LEVEL: "trace",
    RATE_LIMIT: "off",
    RATE_LIMIT_COSTLY: "off",
    ...(await noRegistries(dataDir)),
    ...options.env,
  });
  const watch = new LogWatch();
  const server = await startServer(config, {
    announce: () => undefined,
    logTo: options.logTo ?? watch,
    database: options.database ?? (await emptyDatabase()),
    ...(options.now ? { now: options.now } : {}),
    ...(options.pause ? { pause: options.pause } : {}),
    ...(options.egress ? { egress: options.egress } : {}),
    ...(options.realHashes ? {} : { passwordCost: lightHashes }),
    schedules: options.schedules ?? false,
  });
  const { url, powerdnsUrl, services } = server;
  const signIn = async (username: string, password: string) => {
    const client = new RestClient(url);
    const { body } = await client.post("/api/auth/login", { username, password });
    client.token = body.accessToken;
    return client;
  };
  return {
    url,
    powerdnsUrl,
    dataDir,
    services,
    nobody: new RestClient(url),
    admin: await signIn("admin", adminPassword),
    signIn,
    async member(username) {
      await services.users.create(services.database.fork(), {
        username,
        password: memberPassword,
        email: null,
        role: "member",
      });
      return await signIn(username, memberPassword);
    },
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
      watch.mustBeClean();
    },
  };
}

/** Tests never query real registries and name servers: the stored list is empty, and the others have unused addresses. */
async function noRegistries(dataDir: string): Promise<Record<string, string>> {
  const url = "http://127.0.0.1:9/dns.json";
  const text = JSON.stringify({ services: [[["suffix-of-nobody"], ["https://127.0.0.1:9/"]]] });
  await writeFile(join(dataDir, "rdap-servers.json"), JSON.stringify({ url, fetchedAt: new Date(), text }));
  return { RDAP_BOOTSTRAP_URL: url, WHOIS_SERVER: "127.0.0.1:9", RESOLVER_ROOTS: "127.0.0.1:9" };
}
