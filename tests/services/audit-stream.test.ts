import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePorts, programEnv } from "../support/programs.ts";
import { RestClient } from "../support/rest-client.ts";
import {
  entryOf,
  startLineReceiver,
  startSyslogReceiver,
  type AuditReceiver,
} from "../support/servers/audit-receiver.ts";
import { newAuthority, type Authority } from "../support/servers/certificates.ts";
import { migratedDatabase } from "../support/servers/postgres.ts";
import { startRsyslog, type Rsyslog, type SyslogMessage } from "../support/servers/rsyslog.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";
import { adminPassword } from "../support/zonewright.ts";

let folder: string;
let authority: Authority;
let tls: { certificate: string; key: string };
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-audit-stream-"));
  authority = await newAuthority("Audit authority");
  tls = await authority.sign("localhost");
  await writeFile(join(folder, "ca.pem"), authority.certificate);
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** The configuration of a service on PostgreSQL that trusts the tests' authority. */
async function environment(target: string): Promise<Record<string, string>> {
  count += 1;
  return {
    DATA_DIR: join(folder, `data${count}`),
    DATABASE_URL: await migratedDatabase(`zonewright_audit_stream_${count}`),
    NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
    AUDIT_STREAM: target,
  };
}

async function change(client: RestClient, times: number): Promise<void> {
  const { body } = await client.post("/api/domains", { name: `trail${crypto.randomUUID()}.example` });
  for (let time = 0; time < times; time++) await client.put(`/api/domains/${body.id}`, { notes: `time ${time}` });
}

async function trailOf(client: RestClient): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const { body } = await client.get(`/api/audit?limit=100&page=${page}`);
    ids.push(...body.entries.map(({ id }: { id: string }) => id));
    if (ids.length >= body.total) return ids.toReversed();
  }
}

/** The entries that arrived, without those that came twice. */
const arrived = (receivers: readonly AuditReceiver[]) => [
  ...new Set(receivers.flatMap(({ messages }) => messages.map((message) => String(entryOf(message)["id"])))),
];

test("over TLS every entry arrives in order through kill -9 of the service and outages of the receiver", async () => {
  const [port = 0] = await freePorts(1);
  const env = await environment(`syslogs://localhost:${port}`);
  let service: ServiceProcess = await startService(env);
  const receivers: AuditReceiver[] = [];
  try {
    const { token } = await service.signIn();
    const client = () => new RestClient(service.url, token);
    for (let round = 0; round < 2; round++) {
      const receiver = await startSyslogReceiver({ port, tls });
      receivers.push(receiver);
      const changes = change(client(), 40);
      // After a kill, the next process waits until the lease of the dead one ends.
      await expect.poll(() => receiver.messages.length, { timeout: 60_000 }).toBeGreaterThan(0);
      await receiver.stop();
      await changes;
      await service.stop("SIGKILL");
      service = await startService(env);
    }
    receivers.push(await startSyslogReceiver({ port, tls }));
    await expect.poll(() => arrived(receivers), { timeout: 120_000 }).toEqual(await trailOf(client()));
  } finally {
    await service.stop("SIGKILL");
    for (const receiver of receivers) await receiver.stop();
  }
});

test("an HTTPS receiver gets lines with its credentials, and those that it refused again, and no error has the credentials", async () => {
  const credentials: unknown[] = [];
  const receiver = await startLineReceiver({ tls }, ({ number, authorization }) => {
    credentials.push(authorization);
    return number <= 2 ? 503 : 204;
  });
  const service = await startService(await environment(`https://siem:hushhush@localhost:${receiver.port}/in`));
  try {
    const client = await service.signIn();
    await change(client, 5);
    await expect.poll(() => arrived([receiver]), { timeout: 60_000 }).toEqual(await trailOf(client));
    expect(new Set(credentials)).toEqual(new Set([`Basic ${Buffer.from("siem:hushhush").toString("base64")}`]));
    expect(service.output()).toContain("The receiver answered 503.");
    expect(service.output()).not.toContain("hushhush");
  } finally {
    await service.stop("SIGKILL");
    await receiver.stop();
  }
});

test("a receiver with a certificate of an unknown authority gets nothing", async () => {
  const other = await newAuthority("Another authority");
  const receiver = await startSyslogReceiver({ tls: await other.sign("localhost") });
  const service = await startService(await environment(`syslogs://localhost:${receiver.port}`));
  try {
    await change(await service.signIn(), 1);
    await expect.poll(() => service.output(), { timeout: 60_000 }).toContain("could not be sent to AUDIT_STREAM");
    expect(receiver.messages).toEqual([]);
  } finally {
    await service.stop("SIGKILL");
    await receiver.stop();
  }
});

test("two instances on one database send every entry, also one whose transaction commits after later ones", async () => {
  const receiver = await startSyslogReceiver();
  const env = await environment(`syslog://127.0.0.1:${receiver.port}`);
  const services = [await startService(env)];
  services.push(await startService(env));
  const database = new Client({ connectionString: env["DATABASE_URL"] });
  await database.connect();
  try {
    const client = await services[0]?.signIn();
    if (!client) throw new Error("No service was started.");
    await database.query("begin");
    await database.query(
      "insert into audit_entries (id, at, action, target_type) values (gen_random_uuid(), now(), 'test.late', 'test')",
    );
    await change(client, 10);
    await expect.poll(() => receiver.messages.length, { timeout: 60_000 }).toBeGreaterThan(5);
    await database.query("commit");
    await services[0]?.stop("SIGKILL");
    const second = new RestClient(services[1]?.url ?? "", client.token);
    await change(second, 5);
    await expect
      .poll(() => arrived([receiver]).toSorted(), { timeout: 90_000 })
      .toEqual((await trailOf(second)).toSorted());
    // An instance that ends before it has noted what arrived leaves that to be sent again: an entry can come twice.
    expect(receiver.messages.map(entryOf).map(({ action }) => action)).toContain("test.late");
  } finally {
    await database.end();
    for (const service of services) await service.stop("SIGKILL");
    await receiver.stop();
  }
});

/** How many entries a service has not sent, or does not know to have arrived. */
async function pendingOf(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^zonewright_audit_stream_pending (\d+)$/m.exec(metrics)?.[1]);
}

test.each(["syslog", "syslogs"])(
  "rsyslog reads every entry as it was written, also large ones and those from outages, over %s",
  async (scheme) => {
    const [port = 0] = await freePorts(1);
    const env = await environment(`${scheme}://localhost:${port}`);
    const options = { port, ...(scheme === "syslogs" ? { tls: { ...tls, authority: authority.certificate } } : {}) };
    const service = await startService(env);
    const servers: Rsyslog[] = [];
    const received: SyslogMessage[] = [];
    try {
      const client = await service.signIn();
      for (let outage = 0; outage < 2; outage++) {
        const { body } = await client.post("/api/domains", { name: `large${outage}.example` });
        const records = Array.from({ length: 100 }, (_, index) => ({
          recordType: "TXT",
          name: `large${index}`,
          value: "grün ".repeat(100),
        }));
        expect((await client.post(`/api/domains/${body.id}/records/bulk`, { records })).status).toBe(200);
        const server = await startRsyslog(options);
        servers.push(server);
        const present = async () => [...received, ...(await server.messages())].map(({ text }) => entryOf(text)["id"]);
        await expect.poll(present, { timeout: 90_000 }).toEqual(await trailOf(client));
        // What the service does not know to have arrived is sent again after an outage.
        await expect.poll(() => pendingOf(service.url)).toBe(0);
        received.push(...(await server.messages()));
        await server.stop();
      }
      const large = received.find(({ text }) => text.length > 50_000);
      expect(large).toMatchObject({ facility: "13", severity: "6", application: "zonewright", id: "records.bulk" });
      const { body } = await client.get("/api/audit?action=records.bulk");
      const [second, first] = body.entries.map(({ after }: { after: object }) => JSON.stringify(after).length);
      const arrivedSizes = received
        .filter(({ id }) => id === "records.bulk")
        .map(({ text }) => JSON.stringify(entryOf(text)["after"]).length);
      expect(arrivedSizes).toEqual([first, second]);
    } finally {
      await service.stop("SIGKILL");
    }
  },
  240_000,
);

test("a reader of standard output that takes nothing holds up neither calls nor the stop, and breaks no line", async () => {
  const [port = 0] = await freePorts(1);
  const env = { ...programEnv, ...(await environment("stdout")), PORT: String(port), LOG_LEVEL: "trace" };
  const service = spawn(process.execPath, ["server/main.ts"], {
    env: {
      ...env,
      ADMIN_PASSWORD: adminPassword,
      RATE_LIMIT: "off",
      RDAP_BOOTSTRAP_URL: "http://127.0.0.1:9/dns.json",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(service, "exit");
  try {
    const client = new RestClient(`http://127.0.0.1:${port}`);
    // Nobody reads yet: a pipe holds 64 KiB.
    await expect
      .poll(
        () =>
          client.get("/readyz").then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 60_000 },
      )
      .toBe(200);
    const account = { username: "admin", password: adminPassword };
    client.token = (await client.post("/api/auth/login", account)).body.accessToken;
    const { body } = await client.post("/api/domains", { name: "blocked.example" });
    for (let time = 0; time < 100; time++)
      expect((await client.put(`/api/domains/${body.id}`, { notes: `${"x".repeat(1_500)} ${time}` })).status).toBe(200);
    const trail = await trailOf(client);
    const text: string[] = [];
    const take = (chunk: Buffer) => text.push(chunk.toString("latin1"));
    service.stdout.on("data", take);
    const sentIds = () => {
      const lines = text.join("").split("\n").slice(0, -1).map(entryOf);
      return lines.filter(({ type }) => type === "audit").map(({ id }) => id);
    };
    await expect.poll(sentIds, { timeout: 60_000 }).toEqual(trail);
    service.stdout.off("data", take).pause();
    for (let time = 0; time < 100; time++)
      await client.put(`/api/domains/${body.id}`, { notes: `${"y".repeat(1_500)} ${time}` });
    service.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  } finally {
    service.kill("SIGKILL");
  }
});

test("on standard output entries are lines of JSON beside the log", async () => {
  const service = await startService(await environment("stdout"));
  try {
    const client = await service.signIn();
    await change(client, 2);
    const trail = await trailOf(client);
    const lines = () =>
      service
        .output()
        .split("\n")
        .filter((line) => line.startsWith('{"type":"audit"'));
    await expect.poll(() => lines().map((line) => String(entryOf(line)["id"])), { timeout: 60_000 }).toEqual(trail);
  } finally {
    await service.stop("SIGKILL");
  }
});
