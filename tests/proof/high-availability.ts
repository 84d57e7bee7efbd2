import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bindBackend, type Backend } from "../services/failure/backends.ts";
import { binary } from "../support/binaries.ts";
import { freePorts, startProgram, type RunningProgram } from "../support/programs.ts";
import { startRedis, type RedisServer } from "../support/servers/redis.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";
import { bindZone, jobs, ownZone, type Fault, type Instances } from "./installation.ts";
import { deployed, PatroniCluster } from "./patroni.ts";
import { soakOf, type SoakResult } from "./soak.ts";
import { processorSeconds, throughput, type Usage } from "./throughput.ts";

/**
 * Measures instances behind nginx, with PostgreSQL under Patroni. Then uses them as `soak` does, with the faults of such an installation.
 * @param minutes how long; each fault strikes once at least
 * @param instances how many
 */
export async function highAvailability(minutes: number, instances: number): Promise<SoakResult> {
  const it = await Cluster.start(instances);
  try {
    await it.measure();
  } catch (error) {
    await it.stop();
    throw error;
  }
  return await soakOf(it, faultsOf(it), minutes);
}

/** The installation of deploy/high-availability, all on loopback. */
class Cluster implements Instances {
  readonly patroni: PatroniCluster;
  readonly redis: RedisServer;
  readonly backend: Backend;
  /** Between the second half of the instances and Redis. */
  readonly link: Link;
  readonly dnsPorts: readonly number[];
  readonly urls: readonly string[];
  readonly instances: ServiceProcess[] = [];
  readonly #folder: string;
  readonly #ports: readonly number[];
  #nginx: RunningProgram | undefined;
  #throughput: readonly string[] = [];
  /** Before the load. */
  #counted: readonly Counts[] = [];

  private constructor(
    parts: Pick<Cluster, "patroni" | "redis" | "backend" | "link">,
    folder: string,
    count: number,
    [nginx = 0, ...ports]: readonly number[],
  ) {
    this.patroni = parts.patroni;
    this.redis = parts.redis;
    this.backend = parts.backend;
    this.link = parts.link;
    this.#folder = folder;
    this.urls = [`http://127.0.0.1:${nginx}`];
    this.#ports = ports.slice(0, count);
    this.dnsPorts = ports.slice(count);
  }

  static async start(count: number): Promise<Cluster> {
    const [folder, patroni, redis, backend, ports] = await Promise.all([
      mkdtemp(join(tmpdir(), "zonewright-cluster-")),
      PatroniCluster.start(),
      startRedis(),
      bindBackend([bindZone, ownZone]),
      freePorts(1 + 2 * count),
    ]);
    // The workers of nginx give up root.
    await chmod(folder, 0o755);
    const link = await Link.open(Number(new URL(redis.url).port));
    const cluster = new Cluster({ patroni, redis, backend, link }, folder, count, ports);
    const throughLink = new URL(redis.url);
    throughLink.port = String(link.port);
    try {
      for (let index = 0; index < count; index++)
        await cluster.#startInstance(index, index < count / 2 ? redis.url : throughLink.href);
      cluster.#nginx = await cluster.#startNginx(count, Number(new URL(cluster.urls[0] ?? "").port));
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

  /** Measures one instance, two, and so on, each behind nginx. */
  async measure(): Promise<void> {
    const counts = [1, 2, 4, 8].filter((count) => count < this.#ports.length).concat(this.#ports.length);
    const ports = await freePorts(counts.length);
    const proxies: RunningProgram[] = [];
    const targets = new Map<string, string>();
    try {
      for (const [index, count] of counts.entries()) {
        proxies.push(await this.#startNginx(count, ports[index] ?? 0));
        targets.set(count === 1 ? "1 instance" : `${count} instances`, `http://127.0.0.1:${ports[index]}`);
      }
      const [first] = this.instances;
      if (first) this.#throughput = await throughput(await first.signIn(), targets, () => this.#usage());
    } finally {
      await Promise.all(proxies.map((proxy) => proxy.stop("SIGTERM")));
    }
    process.stdout.write(`${this.#throughput.join("\n")}\n`);
    this.#counted = await this.#counts();
  }

  async report(): Promise<string[]> {
    const counts = (await this.#counts()).map(({ calls, jobs }, index) => {
      const before = this.#counted[index] ?? { calls: 0, jobs: 0 };
      return { calls: calls - before.calls, jobs: jobs - before.jobs };
    });
    const all = { calls: sum(counts.map(({ calls }) => calls)), jobs: sum(counts.map(({ jobs }) => jobs)) };
    return [
      ...this.#throughput,
      ...counts.map(
        ({ calls, jobs }, index) =>
          `instance ${index + 1}: calls ${share(calls, all.calls)}, runs of jobs ${share(jobs, all.jobs)}`,
      ),
    ];
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

  /** @param count how many instances it leads to, from the first */
  async #startNginx(count: number, port: number): Promise<RunningProgram> {
    const folder = join(this.#folder, `nginx-${port}`);
    await mkdir(folder);
    const addresses = this.#ports.slice(0, count).map((one) => `127.0.0.1:${one}`);
    return await startDeployedNginx(folder, `127.0.0.1:${port}`, addresses);
  }

  async #usage(): Promise<Usage> {
    const [counts, instances, ...members] = await Promise.all([
      this.#counts(),
      processorSeconds(this.instances.map(({ pid }) => pid)),
      ...this.patroni.members.map((member) => member.processorSeconds()),
    ]);
    return { calls: sum(counts.map(({ calls }) => calls)), instances, database: sum(members) };
  }

  /** What each instance has done since its start. */
  async #counts(): Promise<Counts[]> {
    return await Promise.all(
      this.instanceUrls.map(async (url) => {
        const metrics = await (await fetch(`${url}/metrics`)).text();
        const sum = (name: string) => {
          const lines = [...metrics.matchAll(new RegExp(`^${name}_count\\{.*\\} (\\d+)$`, "gm"))];
          return lines.reduce((all, [, count]) => all + Number(count), 0);
        };
        return { calls: sum("zonewright_request_duration_seconds"), jobs: sum("zonewright_job_duration_seconds") };
      }),
    );
  }
}

interface Counts {
  calls: number;
  jobs: number;
}

const share = (one: number, all: number) => `${one} of ${all} (${((100 * one) / all).toFixed(0)} %)`;
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

/** Runs the recommended nginx before some instances. Its workers give up root: the folder must be open to them. */
export async function startDeployedNginx(
  folder: string,
  host: string,
  addresses: readonly string[],
): Promise<RunningProgram> {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const configuration = (await readFile(deployed("nginx.conf"), "utf8"))
    .replace(/^( +server )zonewright1:3000(.*)\n.*zonewright2:3000.*$/m, (_, before: string, after: string) =>
      addresses.map((address) => `${before}${address}${after}`).join("\n"),
    )
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
  const count = it.instances.length;
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
      async end() {
        redis.resume();
        await redis.untilSharedBy(count);
      },
    },
    {
      name: "half of the instances cut off from Redis",
      seconds: [20, 30],
      begin: async () => link.cut(),
      async end() {
        link.mend();
        await redis.untilSharedBy(count);
      },
    },
    {
      name: "one instance suspended for a minute",
      seconds: [60, 60],
      begin: async () => it.signal(count - 1, "SIGSTOP"),
      end: async () => it.signal(count - 1, "SIGCONT"),
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
