import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createApp } from "./app.ts";
import type { Config } from "./config.ts";
import { openDatabase, type Database } from "./database/database.ts";
import { lockFolder } from "./database/lock-file.ts";
import { createLog } from "./log.ts";
import { createServices, type Services } from "./services.ts";
import { version } from "./version.ts";

/** How long open requests may take to finish after the stop was asked for. */
const drainMilliseconds = 8_000;

export interface RunningServer {
  url: string;
  services: Services;
  /** Takes no new requests, finishes the open ones, closes the database. At most ten seconds. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** Prints a line for the operator. */
  announce: (line: string) => void;
  now?: () => Date;
  /** A database that is open already and stays open after the stop. */
  database?: Database;
}

/** Configuration → database → migrations → services → listen. */
export async function startServer(config: Config, options: StartOptions): Promise<RunningServer> {
  const unlock = config.databaseUrl === undefined ? lockFolder(config.dataDir) : () => undefined;
  const log = createLog(config.logLevel);
  try {
    const database =
      options.database ?? (await openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir }));
    await database.migrate();
    const services = createServices({ config, database, log, ...(options.now ? { now: options.now } : {}) });
    await services.prepare();
    await announceAdministrator(services, options.announce);
    const server = createServer(createApp(services));
    limitSlowClients(server);
    await listen(server, config);
    const { port } = server.address() as AddressInfo;
    const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
    announceAddresses(config, url, options.announce);
    return {
      url,
      services,
      async stop() {
        await stop(server, services);
        if (!options.database) await database.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

async function announceAdministrator(
  { config, database, users }: Services,
  announce: StartOptions["announce"],
): Promise<void> {
  const password = config.adminPassword ?? randomBytes(15).toString("base64url");
  const made = await users.createFirst(database.fork(), config.adminUsername, password);
  if (!made || config.adminPassword !== undefined) return;
  announce(`Administrator "${made.username}" made. Password, shown this once: ${password}`);
}

function announceAddresses(config: Config, url: string, announce: StartOptions["announce"]): void {
  announce(`Zonewright ${version} serves ${url}`);
  announce(`  API            ${url}/api (tRPC: ${url}/trpc)`);
  announce(`  documentation  ${url}/api/docs`);
  announce(`  zone files     ${join(config.dataDir, "zones")}`);
  announce(
    `  database       ${config.databaseUrl === undefined ? join(config.dataDir, "database") : "PostgreSQL, by DATABASE_URL"}`,
  );
}

function limitSlowClients(server: Server): void {
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 65_000;
}

async function listen(server: Server, config: Config): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(config.port, config.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

async function stop(server: Server, services: Services): Promise<void> {
  services.health.drain();
  await services.stop();
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), drainMilliseconds);
  await closed;
  clearTimeout(late);
}
