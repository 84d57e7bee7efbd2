import { once } from "node:events";
import { createSocket } from "node:dgram";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { headerOctets, queryMessage } from "../server/dns/wire/messages.ts";
import { signRequest, type TsigKey } from "../server/dns/wire/tsig.ts";
import { prerequisite, update, UpdateClient } from "../tests/support/name-servers/update-client.ts";
import { freePorts } from "../tests/support/programs.ts";
import { RestClient } from "../tests/support/rest-client.ts";
import { createDatabase, startPostgres } from "../tests/support/servers/postgres.ts";
import { median } from "./support/measure.ts";
import { underLimit, type Figure } from "./support/report.ts";
import { startWatched, worstDelay } from "./support/watched-process.ts";

const password = "correct horse battery staple";
const most = 50;
const rounds = 3;
/** How long a flood is watched. Whoever is stopped in between has long been stopped by then. */
const milliseconds = 3_000;
const zone = "flood.example";
const zoneRecords = 50_000;
/** Records of a name that updates add as many to as one may. */
const fullName = 3_000;
const updateRecords = 1_000;

/** Measures the longest event-loop delay while many small messages arrive at once, and during calls about a large zone, on both databases. */
export async function measureStalls(): Promise<Figure[]> {
  const postgres = await startPostgres();
  try {
    const url = await createDatabase(postgres.url, "zonewright_stalls");
    return [...(await measureOn("PostgreSQL", { DATABASE_URL: url })), ...(await measureOn("embedded database", {}))];
  } finally {
    await postgres.stop();
  }
}

async function measureOn(database: string, settings: Record<string, string>): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-stalls-"));
  const [dnsPort = 0] = await freePorts(1);
  const { child, url } = await startWatched("hostile-service.ts", {
    DATA_DIR: dataDir,
    PORT: "0",
    DNS_LISTEN: `127.0.0.1:${dnsPort}`,
    ADMIN_PASSWORD: password,
    RATE_LIMIT: "off",
    RATE_LIMIT_COSTLY: "off",
    LOG_LEVEL: "warn",
    NODE_ENV: "production",
    RDAP_BOOTSTRAP_URL: "http://127.0.0.1:9/dns.json",
    WHOIS_SERVER: "127.0.0.1:9",
    RESOLVER_ROOTS: "off",
    ...settings,
  });
  try {
    const calls = await furnish(url, dnsPort);
    const figures: Figure[] = [];
    for (const [what, work] of [
      ["no requests", () => sleep(milliseconds)],
      ...floods(Number(new URL(url).port), dnsPort),
      ...calls,
    ] as [string, () => Promise<unknown>][]) {
      const delays: number[] = [];
      for (let round = 0; round < rounds; round++) delays.push((await worstDelay(child, work)).worstMilliseconds);
      const worst = median(delays);
      const measured = `${worst.toFixed(0)} ms (${delays.map((delay) => delay.toFixed(0)).join(", ")})`;
      figures.push(underLimit(`worst loop delay, ${database}: ${what}`, measured, { value: worst, most, unit: "ms" }));
    }
    return figures;
  } finally {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
    await rm(dataDir, { recursive: true, force: true });
  }
}

const framed = (message: Buffer) => Buffer.concat([Buffer.of(message.length >> 8, message.length & 255), message]);

/** Repeats a message up to 65,000 octets. */
const repeated = (message: Buffer, times = Math.floor(65_000 / message.length)) =>
  Buffer.concat(Array.from({ length: times }, () => message));

const get = (path: string) => repeated(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`));

/** A notification (RFC 1996), which is a query of another opcode. */
const notify = (id: number) => {
  const message = queryMessage(id, zone, "SOA");
  message.writeUInt16BE(0x2400, 2);
  return message;
};

/** An update (RFC 2136) by a key that does not exist, each time another. */
const updateByStranger = (id: number) => {
  const message = queryMessage(id, zone, "SOA");
  message.writeUInt16BE(0x2800, 2);
  const key: TsigKey = { name: `k${id}.flood.example`, algorithm: "hmac-sha256", secret: Buffer.alloc(32) };
  return signRequest(message, key, Math.floor(Date.now() / 1_000)).message;
};

function floods(port: number, dnsPort: number): [string, () => Promise<unknown>][] {
  const framedUpdates = Buffer.concat(Array.from({ length: 500 }, (_, id) => framed(updateByStranger(id))));
  const acme = Buffer.from(
    "POST /api/acme/present HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
  );
  return [
    ["DNS by TCP, 20 × 65 KB of garbage", () => flood(dnsPort, 20, repeated(framed(Buffer.alloc(12))))],
    [
      "DNS by TCP, 2,500 transfers asked for",
      () => flood(dnsPort, 1, repeated(framed(queryMessage(1, "small.flood.example", "AXFR")), 2_500)),
    ],
    ["DNS by TCP, 20 × 500 updates by unknown keys", () => flood(dnsPort, 20, framedUpdates)],
    ["DNS by UDP, 20,000 queries", () => floodDatagrams(dnsPort, (id) => queryMessage(id, zone, "SOA"))],
    ["DNS by UDP, 20,000 notifications", () => floodDatagrams(dnsPort, notify)],
    ["DNS by UDP, 20,000 updates by unknown keys", () => floodDatagrams(dnsPort, updateByStranger)],
    ["HTTP, 10 × 65 KB of GET /x", () => flood(port, 10, get("/x"))],
    ["HTTP, 100 × 65 KB of GET /x", () => flood(port, 100, get("/x"))],
    ["HTTP, 10 × 65 KB of GET /metrics", () => flood(port, 10, get("/metrics"))],
    ["HTTP, 10 × 65 KB of GET /nic/update", () => flood(port, 10, get("/nic/update?hostname=a.flood.example"))],
    ["HTTP, 10 × 65 KB of challenges without a token", () => flood(port, 10, repeated(acme))],
    [
      "HTTP, 10 × 65 KB of PowerDNS's API without a token",
      () => flood(port, 10, get(`/pdns/api/v1/servers/localhost/zones/${zone}.`)),
    ],
    ["streams, 10 × 65 KB of requests for one", () => flood(port, 10, get("/api/notifications/stream?token=x"))],
  ];
}

async function flood(port: number, count: number, part: Buffer): Promise<void> {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined);
      await once(socket, "connect");
      return socket.resume();
    }),
  );
  for (const socket of sockets) socket.write(part);
  await sleep(milliseconds);
  for (const socket of sockets) socket.destroy();
}

async function floodDatagrams(port: number, message: (id: number) => Buffer): Promise<void> {
  const socket = createSocket("udp4");
  for (let id = 0; id < 20_000; id++) {
    socket.send(message(id), port, "127.0.0.1", () => undefined);
    if (id % 100 === 0) await new Promise(setImmediate);
  }
  await sleep(1_000);
  socket.close();
}

const lineOf = (index: number) => `h${index} 300 IN A 10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
const fileOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => lineOf(from + index)).join("\n");

/** Takes a whole transfer without reading it, which would take longer than sending it. */
async function transferWhole(port: number, key: TsigKey): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.write(framed(signRequest(queryMessage(7, zone, "AXFR"), key, Math.floor(Date.now() / 1_000)).message));
  let left = zoneRecords + 2;
  let unread = Buffer.alloc(0);
  for await (const part of socket as AsyncIterable<Buffer>) {
    unread = Buffer.concat([unread, part]);
    for (;;) {
      const length = unread.length < 2 ? Number.POSITIVE_INFINITY : unread.readUInt16BE(0) + 2;
      if (unread.length < length) break;
      const records = unread.readUInt16BE(2 + headerOctets - 6);
      if (records === 0) throw new Error(`The transfer was refused: ${unread.readUInt16BE(4) & 15}.`);
      left -= records;
      unread = unread.subarray(length);
    }
    if (left <= 0) break;
  }
  socket.destroy();
  if (left > 0) throw new Error(`${left} records of a transfer are missing.`);
}

/** Makes two large zones. @returns calls about them */
async function furnish(url: string, dnsPort: number): Promise<[string, () => Promise<unknown>][]> {
  const client = new RestClient(url);
  client.token = (await client.post("/api/auth/login", { username: "admin", password })).body.accessToken;
  const must: Must = async (method, path, body, headers) => {
    const answer = await client.send(method, path, body, headers);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}`);
    return answer.body;
  };
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.1" };
  const { id: providerConfigId } = await must("POST", "/api/provider-configs", { kind: "primary", name: "P", config });
  await must("POST", "/api/domains", { name: "small.flood.example", providerConfigId });
  const { id } = await must("POST", "/api/domains", { name: zone, providerConfigId });
  const { id: other } = await must("POST", "/api/domains", { name: "other.example", providerConfigId });
  const base = `/api/domains/${id}`;
  const { id: from } = await must("POST", `${base}/snapshots`);
  await must("POST", `${base}/zonefile`, { zonefile: fileOf(zoneRecords), mode: "merge" });
  await must("POST", `/api/domains/${other}/zonefile`, { zonefile: fileOf(zoneRecords, 5_000), mode: "merge" });
  const { id: to } = await must("POST", `${base}/snapshots`);
  const permissions = ["records:read", "domains:read"];
  const { token } = await must("POST", "/api/auth/me/tokens", { name: "face", permissions });
  const key = await newKey(must, id, "read");
  let imports = 0;
  const changes = Array.from({ length: 10_000 }, (_, index) => ({
    action: "create",
    record: { recordType: "A", name: `n${index}`, value: `10.9.${index >> 8}.${index & 255}`, ttl: 300 },
  }));
  const shifted = { zonefile: fileOf(zoneRecords, 5_000), mode: "replace", dryRun: true };
  return [
    ["dry run of 50,000 lines", () => must("POST", `${base}/zonefile`, shifted)],
    [
      "import of 50,000 records into a new zone",
      async () => {
        const made = await must("POST", "/api/domains", { name: `import${imports++}.example`, providerConfigId });
        await must("POST", `/api/domains/${made.id}/zonefile`, { zonefile: fileOf(zoneRecords), mode: "merge" });
      },
    ],
    ["export of 50,000 records", () => must("GET", `${base}/zonefile`)],
    [
      "a zone of 50,000 records by PowerDNS's API",
      () => must("GET", `/pdns/api/v1/servers/localhost/zones/${zone}.`, undefined, { "x-api-key": token }),
    ],
    ["comparison of two zones of 50,000 records", () => must("POST", `${base}/compare`, { with: other })],
    ["plan of 10,000 changes", () => must("POST", `${base}/records/plan`, { changes })],
    [
      "six exports of 50,000 records at once",
      () => Promise.all(Array.from({ length: 6 }, () => must("GET", `${base}/zonefile`))),
    ],
    [
      "eight transfers of 50,000 records by a key at once",
      () => Promise.all(Array.from({ length: 8 }, () => transferWhole(dnsPort, key))),
    ],
    ["a snapshot of 50,000 records read", () => must("GET", `${base}/snapshots/${to}`)],
    ["a difference of 50,000 records", () => must("GET", `${base}/snapshots/diff?from=${from}&to=${to}`)],
    ...(await furnishUpdates(must, dnsPort)),
  ];
}

/** Calls the API. @throws Error unless it succeeds */
type Must = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<{ id: string; token: string; keyName: string; algorithm: TsigKey["algorithm"]; secret: string }>;

async function newKey(must: Must, domainId: string, access: "read" | "update"): Promise<TsigKey> {
  const { keyName: name, algorithm, secret } = await must("POST", "/api/auth/me/tsig-keys", { domainId, access });
  return { name, algorithm, secret: Buffer.from(secret, "base64") };
}

async function mustAnswer(expected: number, answer: Promise<number>): Promise<void> {
  const rcode = await answer;
  if (rcode !== expected) throw new Error(`An update was answered with ${rcode}, not ${expected}.`);
}

/** Makes a zone with a full name for each round. @returns updates of it by a key (RFC 2136) */
async function furnishUpdates(must: Must, dnsPort: number): Promise<[string, () => Promise<unknown>][]> {
  const name = "updated.example";
  const { id: providerConfigId } = await must("POST", "/api/provider-configs", { kind: "manual", name: "M" });
  const { id } = await must("POST", "/api/domains", { name, providerConfigId });
  for (let round = 0; round < rounds; round++) {
    const zonefile = addresses(0, fullName)
      .map((address) => `full${round} 300 IN A ${address}`)
      .join("\n");
    await must("POST", `/api/domains/${id}/zonefile`, { zonefile, mode: "merge" });
  }
  const client = new UpdateClient(dnsPort, name, await newKey(must, id, "update"));
  const added = addresses(fullName, updateRecords);
  const wanted = added.map((address) => prerequisite.rrsetHas("full0", "A", address));
  const tooMany = Array.from({ length: 1_700 }, () => update.add("x", "NAPTR", '1 1 "" "" "" .'));
  let round = 0;
  return [
    [
      "update that adds 1,000 records to a name with 3,000",
      async () => {
        const owner = `full${round++}`;
        await mustAnswer(
          0,
          client.update(
            added.map((address) => update.add(owner, "A", address)),
            [],
            "tcp",
          ),
        );
      },
    ],
    ["update with 1,000 prerequisites", () => mustAnswer(8, client.update([], wanted, "tcp"))],
    ["update with 1,700 additions, refused", () => mustAnswer(5, client.update(tooMany, [], "tcp"))],
  ];
}

const addresses = (from: number, count: number) =>
  Array.from(
    { length: count },
    (_, index) => `10.${(from + index) >> 16}.${((from + index) >> 8) & 255}.${(from + index) & 255}`,
  );
