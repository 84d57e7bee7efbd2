import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bindBackend, type Backend } from "../services/failure/backends.ts";
import { binary } from "../support/binaries.ts";
import { freePorts, startProgram, type RunningProgram } from "../support/programs.ts";
import { startRedis, type RedisServer } from "../support/servers/redis.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";
import { bindZone, jobs, ownZone, type Fault, type TwoInstances } from "./installation.ts";
import { deployed, PatroniCluster } from "./patroni.ts";
import { soakOf, type SoakResult } from "./soak.ts";

/**
 * Uses two instances behind nginx, with PostgreSQL under Patroni, as `soak` does, with the faults of such an installation.
 * @param minutes how long; each fault strikes once at least
 */
export async function highAvailability(minutes: number): Promise<SoakResult> {
  const it = await Cluster.start();
  return await soakOf(it, faultsOf(it), minutes);
}

/** The installation of deploy/high-availability, all on loopback. */
class Cluster implements TwoInstances {
  readonly patroni: PatroniCluster;
  readonly redis: RedisServer;
  readonly backend: Backend;
  /** Between the second instance and Redis. */
  readonly link: Link;
  readonly dnsPorts: readonly number[];
  readonly urls: readonly string[];
  readonly instances: ServiceProcess[] = [];
  readonly #folder: string;
  readonly #ports: readonly number[];
  #nginx: RunningProgram | undefined;

  private constructor(
    parts: Pick<Cluster, "patroni" | "redis" | "backend" | "link">,
    folder: string,
    [nginx = 0, ...ports]: readonly number[],
  ) {
    this.patroni = parts.patroni;
    this.redis = parts.redis;
    this.backend = parts.backend;
    this.link = parts.link;
    this.#folder = folder;
    this.urls = [`http://127.0.0.1:${nginx}`];
    this.#ports = ports.slice(0, 2);
    this.dnsPorts = ports.slice(2);
  }

  static async start(): Promise<Cluster> {
    const [folder, patroni, redis, backend, ports] = await Promise.all([
      mkdtemp(join(tmpdir(), "zonewright-cluster-")),
      PatroniCluster.start(),
      startRedis(),
      bindBackend([bindZone, ownZone]),
      freePorts(5),
    ]);
    // The workers of nginx give up root.
    await chmod(folder, 0o755);
    const link = await Link.open(Number(new URL(redis.url).port));
    const cluster = new Cluster({ patroni, redis, backend, link }, folder, ports);
    const throughLink = new URL(redis.url);
    throughLink.port = String(link.port);
    try {
      await cluster.#startInstance(0, redis.url);
      await cluster.#startInstance(1, throughLink.href);
      await cluster.#startNginx();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get instanceUrls(): string[] {
    return this.#ports.map((port) => `http://127.0.0.1:${port}`);
  }

  get zonesFolder(): string {
    return join(this.#folder, "data", "zones");
  }

  signal(index: number, signal: NodeJS.Signals): void {
    const { pid } = this.instances[index] ?? {};
    if (pid !== undefined) process.kill(pid, signal);
  }

  async describe(): Promise<string> {
    return await this.patroni.describe();
  }

  async stop(): Promise<void> {
    await this.#nginx?.stop("SIGTERM");
    await Promise.all(this.instances.map((instance) => instance.stop("SIGKILL")));
    await this.link.stop();
    await Promise.all([this.backend.stop(), this.redis.stop(), this.patroni.stop()]);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #startInstance(index: number, redisUrl: string): Promise<void> {
    this.instances[index] = await startService(
      {
        DATA_DIR: join(this.#folder, "data"),
        DATABASE_URL: this.patroni.databaseUrl,
        REDIS_URL: redisUrl,
        PORT: String(this.#ports[index]),
        DNS_LISTEN: `127.0.0.1:${this.dnsPorts[index]}`,
        EGRESS_ALLOW: "127.0.0.1",
        TRUST_PROXY: "1",
      },
      jobs,
    );
  }

  async #startNginx(): Promise<void> {
    const { host } = new URL(this.urls[0] ?? "");
    this.#nginx = await startDeployedNginx(
      this.#folder,
      host,
      this.#ports.map((port) => `127.0.0.1:${port}`),
    );
  }
}

/** Runs the recommended nginx before two instances. Its workers give up root: the folder must be open to them. */
export async function startDeployedNginx(
  folder: string,
  host: string,
  [one = "", other = ""]: readonly string[],
): Promise<RunningProgram> {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const configuration = (await readFile(deployed("nginx.conf"), "utf8"))
    .replace("zonewright1:3000", one)
    .replace("zonewright2:3000", other)
    .replace(/^ +listen 8080/m, `listen ${host}`)
    .replace(/^http \{/m, `http {\n${paths.join("\n")}`);
  const file = join(folder, "nginx.conf");
  await writeFile(file, `daemon off;\npid ${folder}/nginx.pid;\nerror_log stderr notice;\n${configuration}`);
  return await startProgram(binary("nginx"), ["-c", file, "-p", folder], /start worker process \d+/);
}

/** A stretch of network: while it is cut, nothing passes, and no connection ends. */
class Link {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(upstreamPort: number) {
    this.#server = createServer((client) => {
      const upstream = connect(upstreamPort, "127.0.0.1");
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(from);
        from.on("data", (data) => to.write(data));
        if (this.#isCut) from.pause();
        from.on("error", () => to.destroy());
        from.once("close", () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      }
    });
  }

  static async open(upstreamPort: number): Promise<Link> {
    const link = new Link(upstreamPort);
    await new Promise<void>((resolve) => link.#server.listen(0, "127.0.0.1", resolve));
    return link;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** In rotation. Each ends when the cluster is whole again. */
function faultsOf(it: Cluster): Fault[] {
  const { patroni, redis, link } = it;
  let struck = patroni.members[0];
  return [
    {
      name: "kill -9 of the primary and its Patroni",
      async begin() {
        struck = await patroni.primary();
        await struck.kill();
      },
      async end() {
        await patroni.primary(struck);
        await struck?.start();
        await patroni.whole();
      },
    },
    {
      name: "switchover",
      begin: () => patroni.switchOver(),
      end: () => patroni.whole(),
    },
    {
      name: "Redis suspended for 20 seconds",
      seconds: [20, 20],
      begin: async () => redis.suspend(),
      end: async () => redis.resume(),
    },
    {
      name: "one instance cut off from Redis",
      seconds: [20, 30],
      begin: async () => link.cut(),
      end: async () => link.mend(),
    },
    {
      name: "one instance suspended for 40 to 60 seconds",
      seconds: [40, 60],
      begin: async () => it.signal(1, "SIGSTOP"),
      end: async () => it.signal(1, "SIGCONT"),
    },
    {
      name: "the primary's member suspended until another has replaced it",
      async begin() {
        struck = await patroni.primary();
        await struck.signal("SIGSTOP");
        await patroni.primary(struck);
      },
      async end() {
        await struck?.signal("SIGCONT");
        await patroni.whole();
      },
    },
    {
      name: "the synchronous standby's member suspended for 30 seconds",
      seconds: [30, 30],
      async begin() {
        struck = await patroni.synchronousStandby();
        await struck.signal("SIGSTOP");
      },
      async end() {
        await struck?.signal("SIGCONT");
        await patroni.whole();
      },
    },
  ];
}
