import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { pino } from "pino";
import type { Announce } from "./platform/announcer.ts";
import { createApp } from "./app.ts";
import { ConfigError, type Config } from "./config/config.ts";
import { DatabaseUrlError } from "./database/connection-url.ts";
import { openDatabase, type Database } from "./database/database.ts";
import { InstallationError } from "./database/installation.ts";
import { lockFolder } from "./database/lock-file.ts";
import { databaseStartFailure } from "./database/start-failure.ts";
import { AppError } from "./platform/errors.ts";
import { logOutput } from "./platform/log-output.ts";
import { createLog, type Logger } from "./platform/log.ts";
import type { Pause } from "./platform/pause.ts";
import { rawProblem } from "./api/problem.ts";
import { createServices, type Services } from "./composition/services.ts";
import { version } from "./platform/version.ts";

/** How long open requests may take to finish after the stop was asked for. */
const drainMilliseconds = 8_000;

export interface RunningServer {
  url: string;
  services: Services;
  /** Takes no new requests, gives the open ones eight seconds, lets upkeep under way finish, and closes the database. */
  stop(): Promise<void>;
}

export interface StartOptions {
  announce: Announce;
  now?: () => Date;
  /** How to wait for providers; in real time when left out. */
  pause?: Pause;
  /** A database that is open already and stays open after the stop. */
  database?: Database;
  /** Where the log goes instead of standard output. */
  logTo?: { write(line: string): void };
}

/**
 * Configuration → database → migrations → services → listen.
 * @throws ConfigError when a variable names something that cannot be used, FolderInUseError
 */
export async function startServer(config: Config, options: StartOptions): Promise<RunningServer> {
  const log = createLog(config.logLevel, options.logTo ?? logOutput(config.logFormat, pino.destination(1)));
  const unlock =
    config.databaseUrl === undefined
      ? await lockFolder(config.dataDir, () => endWithoutLock(log, config.dataDir))
      : () => undefined;
  let database = options.database;
  let services: Services | undefined;
  const release = async () => {
    if (!options.database) await database?.close();
    unlock();
  };
  try {
    database ??= await openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir });
    const { now, pause } = options;
    const parts = { config, database, log, ...(now && { now }), ...(pause && { pause }) };
    const running = (services = createServices(parts));
    await database.alone(async () => {
      await parts.database.migrate();
      await running.prepare();
      await announceAdministrator(running, options.announce);
    });
    await running.startJobs();
    const app = createApp(services);
    const server = createServer({ ...slownessLimits, requireHostHeader: false }, app);
    server.on("checkExpectation", app);
    server.on("clientError", answerUnreadable);
    const place = await database.described();
    await listen(server, config);
    const { port } = server.address() as AddressInfo;
    const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
    announceAddresses(config, url, place, options.announce);
    return {
      url,
      services,
      async stop() {
        await stop(server, running);
        await release();
      },
    };
  } catch (error) {
    await services?.stop();
    await services?.close();
    await release();
    throw startFailure(error, config);
  }
}

/** Another process has the embedded database open: each further write would damage it. */
function endWithoutLock(log: Logger, dataDir: string): never {
  log.fatal({ dataDir }, "the lock of the data folder was lost, so another process may use it; ending at once");
  process.exit(1);
}

/** A sentence naming the variable, where one is to blame. */
function startFailure(error: unknown, { host, port, databaseUrl }: Config): unknown {
  if (!(error instanceof Error) || error instanceof ConfigError) return error;
  const blame = (sentence: string) => new ConfigError(sentence, { cause: error });
  if (error instanceof DatabaseUrlError || error instanceof InstallationError) return blame(error.message);
  if (error instanceof ListenError) {
    if (error.code === "EADDRINUSE") {
      return blame(`PORT: ${port} is taken by another program; set PORT to a free one.`);
    }
    if (error.code === "EACCES") {
      return blame(`PORT: ${port} needs rights that this user does not have; choose one above 1023.`);
    }
    return blame(`HOST: ${host} is no address of this machine (${error.code}).`);
  }
  const sentence = databaseUrl === undefined ? null : databaseStartFailure(error);
  return sentence === null ? error : blame(sentence);
}

async function announceAdministrator({ config, database, users }: Services, announce: Announce): Promise<void> {
  const password = config.adminPassword ?? randomBytes(15).toString("base64url");
  const made = await users.createFirst(database.fork(), config.adminUsername, password);
  if (!made || config.adminPassword !== undefined) return;
  announce(`Administrator "${made.username}" created. Password, shown this once: ${password}`);
}

function announceAddresses(config: Config, url: string, database: string, announce: Announce): void {
  announce(`Zonewright ${version} serves ${url}`, {
    api: `${url}/api (tRPC: ${url}/trpc)`,
    documentation: `${url}/api/docs`,
    zoneFiles: join(config.dataDir, "zones"),
    database,
  });
}

/** How long a request may take to arrive, in milliseconds. Node looks only every so often whether one is late. */
const slownessLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
};

class ListenError extends Error {
  readonly code: string;

  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message, { cause });
    this.code = cause.code ?? "";
  }
}

async function listen(server: Server, config: Config): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(new ListenError(error));
    server.once("error", fail);
    server.listen(config.port, config.host, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

/** Answers what the HTTP parser refuses: no request comes of it, and a bare status line would be no problem document. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const reason =
    error.code === "HPE_HEADER_OVERFLOW"
      ? "The request's address and headers are larger than 16 KiB together."
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "The request did not arrive in time."
        : "The request is not well-formed HTTP.";
  socket.end(rawProblem(new AppError("BAD_REQUEST", reason)));
}

async function stop(server: Server, services: Services): Promise<void> {
  services.health.drain();
  // A stream is a request that does not finish by itself.
  services.streams.stop();
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // A kept connection becomes idle when its last request is answered; nobody else closes it then.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => server.closeAllConnections(), drainMilliseconds);
  await Promise.all([closed, services.stop()]);
  clearInterval(idle);
  clearTimeout(late);
  await services.close();
}
