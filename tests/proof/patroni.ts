import { chown, copyFile, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { vi } from "vitest";
import { binary } from "../support/binaries.ts";
import { freePorts, mustRun, startProgram, type RunningProgram } from "../support/programs.ts";
import { postgresAccount, type Account } from "../support/servers/postgres.ts";
import { processorSeconds } from "./throughput.ts";

/** The configuration that is recommended, and that the cluster of the proof runs. */
export const deployed = (file: string) => join(import.meta.dirname, "../../deploy/high-availability", file);

const password = "the-password-of-the-database";
/** A lost primary is replaced once its lock has expired; then the new one must see its standbys. */
const slow = { timeout: 180_000, interval: 200 };

/** A member of Patroni's cluster: Patroni and the PostgreSQL that it runs. */
class Member {
  readonly name: string;
  readonly restPort: number;
  readonly port: number;
  readonly #folder: string;
  readonly #start: () => Promise<RunningProgram>;
  #patroni: RunningProgram | undefined;

  constructor(
    name: string,
    ports: readonly [rest: number, port: number],
    folder: string,
    start: (member: Member) => Promise<RunningProgram>,
  ) {
    this.name = name;
    [this.restPort, this.port] = ports;
    this.#folder = folder;
    this.#start = () => start(this);
  }

  get dataDir(): string {
    return join(this.#folder, this.name);
  }

  async start(): Promise<void> {
    this.#patroni = await this.#start();
  }

  /** What Patroni and PostgreSQL have printed. */
  output(): string {
    return this.#patroni?.output() ?? "";
  }

  /** Its role, as its Patroni says; null if it does not answer. */
  async status(): Promise<{ role: string; state: string; timeline?: number } | null> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.restPort}/patroni`, { signal: AbortSignal.timeout(2_000) });
      return (await answer.json()) as { role: string; state: string };
    } catch {
      return null;
    }
  }

  /** Sends a signal to Patroni, to the postmaster, and to every process of PostgreSQL: else those go on without them. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    const reached = new Set<number>();
    for (let pids = await this.#processes(); pids.some((pid) => !reached.has(pid)); pids = await this.#processes())
      for (const pid of pids) {
        reached.add(pid);
        try {
          process.kill(pid, signal);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
        }
      }
  }

  async processorSeconds(): Promise<number> {
    return await processorSeconds(await this.#processes());
  }

  /** Ends all of it as a power failure would. */
  async kill(): Promise<void> {
    await this.signal("SIGKILL");
    await this.#patroni?.stop("SIGKILL");
    this.#patroni = undefined;
  }

  /** Queries its PostgreSQL itself, past the balancer. */
  async query(text: string, database = "zonewright"): Promise<Record<string, unknown>[]> {
    const connectionString = `postgres://postgres:${password}@127.0.0.1:${this.port}/${database}`;
    const client = new Client({ connectionString, connectionTimeoutMillis: 3_000, query_timeout: 5_000 });
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async #processes(): Promise<number[]> {
    const parents = new Map<number, number>();
    for (const entry of await readdir("/proc")) {
      if (!/^\d+$/.test(entry)) continue;
      const stat = await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "");
      const [state = "Z", parent = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state !== "Z") parents.set(Number(entry), Number(parent));
    }
    const file = await readFile(join(this.dataDir, "postmaster.pid"), "utf8").catch(() => "");
    // After a kill, another process may have the number of the postmaster.
    const postmaster = Number(file.split("\n")[0]);
    const isOurs = (await readlink(`/proc/${postmaster}/cwd`).catch(() => "")) === this.dataDir;
    const found = [isOurs ? postmaster : 0, this.#patroni?.pid ?? 0].filter((pid) => parents.has(pid));
    for (const pid of found)
      for (const [child, parent] of parents) if (parent === pid && !found.includes(child)) found.push(child);
    return found;
  }
}

/** Three members under Patroni, with etcd, and HAProxy that leads to the primary. All on loopback. */
export class PatroniCluster {
  readonly members: readonly Member[];
  /** Of Zonewright's database, by HAProxy. */
  readonly databaseUrl: string;
  readonly #folder: string;
  readonly #statisticsPort: number;
  readonly #programs: readonly RunningProgram[];

  private constructor(
    members: readonly Member[],
    programs: readonly RunningProgram[],
    folder: string,
    [port = 0, statisticsPort = 0]: number[],
  ) {
    this.members = members;
    this.#programs = programs;
    this.#folder = folder;
    this.databaseUrl = `postgres://zonewright:${password}@127.0.0.1:${port}/zonewright`;
    this.#statisticsPort = statisticsPort;
  }

  static async start(): Promise<PatroniCluster> {
    const folder = await mkdtemp(join(tmpdir(), "zonewright-patroni-"));
    const account = await postgresAccount();
    if (account) await chown(folder, account.uid, account.gid);
    const [client = 0, peer = 0, front = 0, statistics = 0, ...ports] = await freePorts(10);
    const protocol = await etcdProtocol();
    const etcd = await startEtcd(folder, client, peer, protocol);
    const environment = { [`PATRONI_${protocol}_HOSTS`]: `127.0.0.1:${client}` };
    const script = join(folder, "create-database.sh");
    await copyFile(deployed("create-database.sh"), script);
    const configuration = (await readFile(deployed("patroni.yml"), "utf8"))
      .replace("/etc/patroni/create-database.sh", script)
      .replace("/usr/lib/postgresql/17/bin", join(binary("pg_controldata"), ".."));
    const file = join(folder, "patroni.yml");
    await writeFile(file, configuration);
    const members = [0, 1, 2].map((index) => {
      const [rest = 0, port = 0] = ports.slice(index * 2);
      return new Member(`patroni${index + 1}`, [rest, port], folder, (member) =>
        startPatroni(member, file, folder, account, environment),
      );
    });
    const programs = [etcd];
    const cluster = new PatroniCluster(members, programs, folder, [front, statistics]);
    try {
      await Promise.all(members.map((member) => member.start()));
      programs.push(await startHaproxy(folder, members, front, statistics));
      await cluster.whole();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** Waits for a primary. @param other than this member, which may not know yet that it is none */
  async primary(other?: Member): Promise<Member> {
    return await vi.waitFor(async () => {
      for (const member of this.members.filter((one) => one !== other)) {
        const status = await member.status();
        if (status && /^(master|primary)$/.test(status.role) && status.state === "running") return member;
      }
      throw new Error("There is no primary.");
    }, slow);
  }

  /** Waits until one member is primary, both others follow it, and one of them synchronously. */
  async whole(): Promise<void> {
    await vi.waitFor(async () => {
      const primary = await this.primary();
      const [row] = await primary.query(
        "select string_agg(sync_state, ' ' order by sync_state) states from pg_stat_replication where state = 'streaming'",
        "postgres",
      );
      if (row?.["states"] !== "async sync") throw new Error(`The standbys are: ${JSON.stringify(row)}.`);
    }, slow);
  }

  /** Returns the standby that commits wait for. */
  async synchronousStandby(): Promise<Member> {
    const statement = "select application_name from pg_stat_replication where sync_state = 'sync'";
    const [row] = await (await this.primary()).query(statement, "postgres");
    const standby = this.members.find(({ name }) => name === row?.["application_name"]);
    if (!standby) throw new Error("No standby is synchronous.");
    return standby;
  }

  /** Moves the primary in good order, to whichever standby Patroni chooses. */
  async switchOver(): Promise<void> {
    const primary = await this.primary();
    const answer = await fetch(`http://127.0.0.1:${primary.restPort}/switchover`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`patroni:${password}`).toString("base64")}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ leader: primary.name }),
    });
    if (answer.status !== 200) throw new Error(`The switchover failed (${answer.status}): ${await answer.text()}`);
  }

  /** What each member, HAProxy and Patroni's lock are like, with the logs: to find why something was lost. */
  async describe(): Promise<string> {
    const state = `select pg_is_in_recovery() recovering, (select timeline_id from pg_control_checkpoint()) timeline,
      case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end lsn,
      current_setting('synchronous_standby_names') synchronous, (select json_object_agg(name, changes) from (
        select d.name, count(*) changes from change_sets c join domains d on d.id = c.domain_id group by 1) counted) changes`;
    const parts = this.members.map(async (member) => {
      const rows = await member.query(state).catch(String);
      return `${member.name}: ${JSON.stringify(await member.status())} ${JSON.stringify(rows)}`;
    });
    const balancer = await fetch(`http://127.0.0.1:${this.#statisticsPort}/;csv`).then(
      (answer) => answer.text(),
      String,
    );
    const logs = this.members.map((member) => `== ${member.name}\n${member.output()}`);
    return [...(await Promise.all(parts)), balancer, ...logs].join("\n");
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()));
    await Promise.all(this.#programs.map((program) => program.stop("SIGKILL")));
    await rm(this.#folder, { recursive: true, force: true });
  }
}

type EtcdProtocol = "ETCD" | "ETCD3";

async function startEtcd(
  folder: string,
  client: number,
  peer: number,
  protocol: EtcdProtocol,
): Promise<RunningProgram> {
  const [clients, peers] = [client, peer].map((port) => `http://127.0.0.1:${port}`);
  const dataDir = join(folder, "etcd");
  await mkdir(dataDir, { mode: 0o700 });
  const args = [
    "--name=etcd",
    `--data-dir=${dataDir}`,
    ...(protocol === "ETCD" ? ["--enable-v2"] : []),
    `--listen-client-urls=${clients}`,
    `--advertise-client-urls=${clients}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=etcd=${peers}`,
  ];
  return await startProgram(binary("etcd"), args, /ready to serve client requests|serving insecure client requests/, {
    env: { PATH: process.env["PATH"] },
  });
}

/**
 * Before 3.0.3, a Patroni that had been suspended took the lock back from the new primary, by the newer protocol of etcd
 * (https://github.com/patroni/patroni/pull/2689). Those speak the older one here.
 */
async function etcdProtocol(): Promise<EtcdProtocol> {
  const [, major = "0", minor = "0", patch = "0"] =
    /(\d+)\.(\d+)\.(\d+)/.exec(await mustRun(binary("patroni"), ["--version"])) ?? [];
  const isFixed = Number(major) * 10_000 + Number(minor) * 100 + Number(patch) >= 30_003;
  return isFixed ? "ETCD3" : "ETCD";
}

async function startPatroni(
  member: Member,
  file: string,
  folder: string,
  account: Account | undefined,
  environment: Record<string, string>,
): Promise<RunningProgram> {
  const [rest, postgres] = [member.restPort, member.port].map((port) => `127.0.0.1:${port}`);
  return await startProgram(binary("patroni"), [file], /INFO/, {
    ...account,
    cwd: folder,
    env: {
      PATH: `${join(binary("psql"), "..")}:${process.env["PATH"]}`,
      HOME: folder,
      LC_ALL: "C.UTF-8",
      PYTHONUNBUFFERED: "1",
      PATRONI_NAME: member.name,
      PATRONI_RESTAPI_LISTEN: rest,
      PATRONI_RESTAPI_CONNECT_ADDRESS: rest,
      PATRONI_RESTAPI_USERNAME: "patroni",
      PATRONI_RESTAPI_PASSWORD: password,
      PATRONI_POSTGRESQL_LISTEN: postgres,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: postgres,
      PATRONI_POSTGRESQL_DATA_DIR: member.dataDir,
      PATRONI_POSTGRESQL_PGPASS: join(folder, `${member.name}.pgpass`),
      PATRONI_SUPERUSER_PASSWORD: password,
      PATRONI_REPLICATION_PASSWORD: password,
      ZONEWRIGHT_PASSWORD: password,
      ...environment,
    },
  });
}

async function startHaproxy(
  folder: string,
  members: readonly Member[],
  port: number,
  statisticsPort: number,
): Promise<RunningProgram> {
  let configuration = (await readFile(deployed("haproxy.cfg"), "utf8"))
    .replace("bind :5000", `bind 127.0.0.1:${port}`)
    .replace("check port 8008 ", "check ");
  for (const member of members)
    configuration = configuration.replace(`${member.name}:5432`, `127.0.0.1:${member.port} port ${member.restPort}`);
  const file = join(folder, "haproxy.cfg");
  const statistics = `frontend statistics\n    bind 127.0.0.1:${statisticsPort}\n    mode http\n    stats enable\n    stats uri /\n`;
  await writeFile(file, `${configuration}\n${statistics}`);
  return await startProgram(
    binary("haproxy"),
    ["-db", "-f", file],
    /Loading success|New worker|Server primary\/\S+ is/,
  );
}
