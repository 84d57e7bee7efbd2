import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts, startProgram, type RunningProgram } from "../../tests/support/programs.ts";
import { createDatabase, startPostgres } from "../../tests/support/servers/postgres.ts";
import { RestClient } from "../../tests/support/rest-client.ts";
import { startArguments, thisCheckout } from "./start-script.ts";

const password = "correct horse battery staple";

/** PostgreSQL and Zonewright, as an operator would run them. */
export interface Environment {
  databaseUrl: string;
  url: string;
  client: RestClient;
  /** The process id of the service. */
  servicePid: number;
  /** Of the user `admin`. */
  password: string;
  /** Id of the embedded zone-file configuration and of one without a back end. */
  zonefileConfig: string;
  manualConfig: string;
  /** Writes a zone file with this many records and imports it. @returns the domain's id and the duration of the import in seconds */
  importZone: (name: string, records: number) => Promise<{ domainId: string; seconds: number }>;
  /** Peak resident memory of the service, in MB. */
  peakMegabytes(): Promise<number>;
  /** Starts another instance on the same database. @param settings more variables */
  startInstance(
    settings: Readonly<Record<string, string>>,
  ): Promise<{ program: RunningProgram; peakMegabytes(): Promise<number> }>;
  startBaseline(env: Record<string, string>): Promise<{ url: string; program: RunningProgram }>;
  stop(): Promise<void>;
}

/** @param settings more variables of the service */
export async function startEnvironment(settings: Readonly<Record<string, string>> = {}): Promise<Environment> {
  const postgres = await startPostgres();
  const databaseUrl = await createDatabase(postgres.url, "zonewright");
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-bench-"));
  const zones = join(dataDir, "zones");
  await mkdir(zones);
  const [port = 0] = await freePorts(1);
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: String(port),
    ADMIN_PASSWORD: password,
    NODE_ENV: "production",
    // Measures the work, not the rate limits.
    RATE_LIMIT: "off",
    RATE_LIMIT_COSTLY: "off",
    // Sends no queries to registries and name servers.
    RDAP_BOOTSTRAP_URL: "http://127.0.0.1:9/dns.json",
    WHOIS_SERVER: "127.0.0.1:9",
    RESOLVER_ROOTS: "off",
    TRUST_PROXY: "loopback",
    ...settings,
  };
  const start = (more: Readonly<Record<string, string>>) =>
    startProgram(process.execPath, startArguments(thisCheckout), /(?:serves|listening on) ([^\s"]+)/, {
      env: { ...env, ...more },
    });
  const service = await start({});
  const url = service.ready[1] ?? "";
  const client = new RestClient(url);
  await signIn({ client, password });
  const zonefileConfig: string = (await client.get("/api/provider-configs")).body.configs[0].id;
  const manualConfig: string = (await client.post("/api/provider-configs", { kind: "manual", name: "Manual" })).body.id;
  return {
    databaseUrl,
    url,
    client,
    servicePid: service.pid,
    password,
    zonefileConfig,
    manualConfig,
    async importZone(name, records) {
      await writeFile(join(zones, `${name}.zone`), zoneFile(name, records));
      const start = performance.now();
      const { body } = await client.post(`/api/provider-configs/${zonefileConfig}/import`, { zones: [name] });
      const seconds = (performance.now() - start) / 1000;
      if (body.results?.[0]?.records !== records)
        throw new Error(`the import of ${name} failed: ${JSON.stringify(body)}`);
      return { domainId: body.results[0].domainId, seconds };
    },
    peakMegabytes: () => peakOf(service),
    async startInstance(more) {
      const [instancePort = 0] = await freePorts(1);
      const program = await start({ PORT: String(instancePort), ...more });
      return { program, peakMegabytes: () => peakOf(program) };
    },
    async startBaseline(baselineEnv) {
      const [baselinePort = 0] = await freePorts(1);
      const options = {
        env: {
          ...process.env,
          ...baselineEnv,
          DATABASE_URL: databaseUrl,
          PORT: String(baselinePort),
          NODE_ENV: "production",
        },
      };
      const started = await startProgram(process.execPath, [program("../baseline-reads.ts")], /listening/, options);
      return { url: `http://127.0.0.1:${baselinePort}`, program: started };
    },
    async stop() {
      await service.stop("SIGTERM");
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Signs `admin` in, again where a measurement lasts longer than an access token. */
export async function signIn({ client, password: ofAdmin }: Pick<Environment, "client" | "password">): Promise<void> {
  const { body } = await client.post("/api/auth/login", { username: "admin", password: ofAdmin });
  client.token = body.accessToken;
}

async function peakOf({ pid }: RunningProgram): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

function program(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Returns a master file with this many records. */
export function zoneFile(zone: string, records: number): string {
  const lines = [
    `$ORIGIN ${zone}.`,
    "$TTL 3600",
    `@ IN SOA ns1.${zone}. hostmaster.${zone}. 1 3600 900 1209600 300`,
    `@ NS ns1.${zone}.`,
    "ns1 A 192.0.2.53",
  ];
  for (let host = 0; host < records - 2; host++)
    lines.push(`h${host} 300 IN A 10.${(host >> 16) & 255}.${(host >> 8) & 255}.${host & 255}`);
  return `${lines.join("\n")}\n`;
}
