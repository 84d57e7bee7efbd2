import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { ConfigError, type Config } from "./ops/config/config.ts";
import { DatabaseUrlError, databaseStartFailure } from "./database/connection-url.ts";
import { openDatabase, type Database } from "./database/database.ts";
import { InstallationError } from "./database/installation.ts";
import { lockFolder } from "./database/lock-file.ts";
import type { Timing } from "./ops/jobs/runner.ts";
import { DnsListenError } from "./dns-service/service.ts";
import { createCluster, hasCluster } from "./database/new-cluster.ts";
import type { Egress } from "./platform/net/egress.ts";
import { createLog, type Logger, logOutput, type Announce, programOutput } from "./platform/log.ts";
import { atMost, type Pause } from "./platform/pause.ts";
import { createHttpServer } from "./api/http/connections.ts";
import type { createServices, Services } from "./composition/services.ts";
import { version } from "./platform/version.ts";

/** How long open requests may take to finish during a shutdown. */
const drainMilliseconds = 8_000;
/** How long the connections to a database server may take to close. What was committed is safe without it. */
const closeMilliseconds = 5_000;

export interface RunningServer {
  url: string;
  /** Where PDNS_LISTEN serves PowerDNS's API; null: nowhere. */
  powerdnsUrl: string | null;
  services: Services;
  /** Refuses new requests, gives open ones eight seconds, lets running jobs finish, and closes the database; a silent server is not waited for. */
  stop(): Promise<void>;
}

export interface StartOptions {
  announce: Announce;
  now?: () => Date;
  /** How to wait for providers and for the next attempt of a delivery. Default: in real time. */
  pause?: Pause;
  /** Makes the outgoing calls, and is closed with the service. Default: guarded by EGRESS_ALLOW. */
  egress?: Egress;
  /** Cost of a password hash. Default: OWASP's recommendation. */
  passwordCost?: Parameters<typeof createServices>[0]["passwordCost"];
  /** Whether jobs also run by their schedules. Default: JOBS. */
  schedules?: boolean;
  /** How often the job queue looks for work. Default: every few seconds. */
  jobTiming?: Timing;
  /** An open database, which stays open after the stop. */
  database?: Database;
  /** Destination of the log. Default: standard output. */
  logTo?: { write(line: string): void };
}

/**
 * Starts the service: database, migrations, services, HTTP server.
 * @throws ConfigError if a variable has an unusable value, FolderInUseError
 */
export async function startServer(config: Config, options: StartOptions): Promise<RunningServer> {
  const log = createLog(config.logLevel, options.logTo ?? logOutput(config.logFormat, programOutput(process.stdout)));
  const unlock =
    config.databaseUrl === undefined
      ? await lockFolder(config.dataDir, () => endWithoutLock(log, config.dataDir))
      : () => undefined;
  let database = options.database;
  let services: Services | undefined;
  const servers: Server[] = [];
  const release = async () => {
    if (!options.database) await database?.close();
    unlock();
  };
  try {
    const { databaseUrl, dataDir } = config;
    if (databaseUrl === undefined && !options.database) await createCluster(dataDir);
    // The other modules load while the database opens.
    const [opened, { createServices }, { createApp, createPowerdnsApp }] = await Promise.all([
      options.database ?? openDatabase({ databaseUrl, dataDir }),
      import("./composition/services.ts"),
      import("./app.ts"),
    ]);
    database = opened;
    const { now, pause, egress, passwordCost, schedules, jobTiming } = options;
    const parts = {
      config,
      database,
      log,
      ...(now && { now }),
      ...(pause && { pause }),
      ...(egress && { egress }),
      ...(passwordCost && { passwordCost }),
      ...(schedules !== undefined && { schedules }),
      ...(jobTiming && { jobTiming }),
    };
    const running = (services = await createServices(parts));
    await database.alone(async () => {
      await parts.database.migrate();
      await running.prepare();
      const isNew = await announceAdministrator(running, options.announce);
      if (isNew && databaseUrl !== undefined && hasCluster(dataDir)) log.warn(leavesEmbedded(dataDir));
    });
    await running.startRepair();
    const app = createApp(services);
    const listening = createHttpServer(app);
    servers.push(listening);
    const place = await database.described();
    await listen(listening, { address: config.host, port: config.port });
    const url = urlOf(listening, config.host);
    const pdnsListen = config.pdnsListen;
    let powerdnsUrl: string | null = null;
    if (pdnsListen) {
      const powerdns = createHttpServer(createPowerdnsApp(services));
      servers.push(powerdns);
      await listen(powerdns, pdnsListen).catch((error: unknown) => {
        throw error instanceof ListenError ? new PowerdnsListenError(pdnsListen, error) : error;
      });
      powerdnsUrl = urlOf(powerdns, pdnsListen.address);
    }
    announceAddresses(config, { url, powerdnsUrl, database: place }, options.announce);
    await running.dnsService.listen();
    await running.startJobs();
    return {
      url,
      powerdnsUrl,
      services,
      async stop() {
        await drain(servers, running);
        const closing = running.close().then(release);
        if (config.databaseUrl === undefined) return await closing;
        await atMost(closeMilliseconds, closing, () =>
          log.warn(
            "the database did not answer while its connections were being closed; the service stops without that",
          ),
        );
      },
    };
  } catch (error) {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    await services?.stop();
    await services?.close();
    await release();
    throw startFailure(error, config);
  }
}

/** Exits immediately, because another process may have the embedded database open and further writes would damage it. */
function endWithoutLock(log: Logger, dataDir: string): never {
  log.fatal({ dataDir }, "lost the lock of the data directory, which another process may now use; exiting immediately");
  process.exit(1);
}

/** Converts an error into a sentence that names the variable at fault, if there is one. */
function startFailure(error: unknown, { host, port, databaseUrl }: Config): unknown {
  if (!(error instanceof Error) || error instanceof ConfigError) return error;
  const blame = (sentence: string) => new ConfigError(sentence, { cause: error });
  if (error instanceof DnsListenError || error instanceof PowerdnsListenError) return blame(error.message);
  if (error instanceof DatabaseUrlError || error instanceof InstallationError) return blame(error.message);
  if (error instanceof ListenError) {
    if (error.code === "EADDRINUSE") {
      return blame(`PORT: ${port} is taken by another program; set PORT to a free one.`);
    }
    if (error.code === "EACCES") {
      return blame(`PORT: ${port} needs privileges that this user does not have; choose a port above 1023.`);
    }
    return blame(
      `HOST: ${host} is not an address of this machine (${error.code}); use one of its addresses, or 0.0.0.0.`,
    );
  }
  const sentence = databaseUrl === undefined ? null : databaseStartFailure(error);
  return sentence === null ? error : blame(sentence);
}

/** Creates the first administrator. @returns whether there was none, so that the installation is new */
async function announceAdministrator({ config, database, users }: Services, announce: Announce): Promise<boolean> {
  const password = config.adminPassword ?? randomBytes(15).toString("base64url");
  const made = await users.createFirst(database.fork(), config.adminUsername, password);
  if (made && config.adminPassword === undefined)
    announce(`Administrator "${made.username}" created. Password, shown only once: ${password}`);
  return made !== null;
}

function leavesEmbedded(dataDir: string): string {
  return `this installation is new and empty: with DATABASE_URL, the embedded database in ${join(dataDir, "database")} is not used, and nothing is taken over from it. Unset DATABASE_URL to have it back.`;
}

function announceAddresses(
  config: Config,
  { url, powerdnsUrl, database }: { url: string; powerdnsUrl: string | null; database: string },
  announce: Announce,
): void {
  announce(`Zonewright ${version} is listening on ${url}`, {
    ...(config.console && { console: config.canonical ? config.siteUrl : consoleUrl(url) }),
    api: `${url}/api (tRPC: ${url}/trpc)`,
    documentation: `${url}/api/docs`,
    ...(powerdnsUrl !== null && { powerdnsApi: `${powerdnsUrl}/api/v1` }),
    zoneFiles: join(config.dataDir, "zones"),
    database,
  });
}

/** The address to open in a browser: passkeys work at `localhost`, not at `127.0.0.1`. */
function consoleUrl(url: string): string {
  return url.replace(/^http:\/\/(?:127\.0\.0\.1|\[::1\]):/, "http://localhost:");
}

class ListenError extends Error {
  readonly code: string;

  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message, { cause });
    this.code = cause.code ?? "";
  }
}

/** An address of PDNS_LISTEN that cannot be used. */
class PowerdnsListenError extends Error {
  constructor({ address, port }: Place, cause: ListenError) {
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: "is taken by another program; choose another port",
      EACCES: "needs privileges that this user does not have; choose a port above 1023",
      EADDRNOTAVAIL: "is not an address of this machine; use one of its addresses, or 0.0.0.0",
    };
    const reason = reasons[cause.code] ?? `cannot be used (${cause.code})`;
    super(`PDNS_LISTEN: ${bracketed(address)}:${port} ${reason}.`, { cause });
  }
}

interface Place {
  address: string;
  port: number;
}

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${bracketed(host)}:${port}`;
}

async function listen(server: Server, { address, port }: Place): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(new ListenError(error));
    server.once("error", fail);
    server.listen(port, address, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

async function drain(servers: readonly Server[], services: Services): Promise<void> {
  services.health.drain();
  // Streams do not finish by themselves.
  services.streams.stop();
  const closed = servers.map(
    (server) =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
      }),
  );
  const each = (act: (server: Server) => void) => () => servers.forEach(act);
  // Keep-alive connections become idle after their last response and are not closed otherwise.
  const idle = setInterval(
    each((server) => server.closeIdleConnections()),
    50,
  );
  const late = setTimeout(
    each((server) => server.closeAllConnections()),
    drainMilliseconds,
  );
  await Promise.all([...closed, services.stop()]);
  clearInterval(idle);
  clearTimeout(late);
}
