import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { startProgram } from "../support/programs.ts";
import { RestClient, type Answer } from "../support/rest-client.ts";
import { codeAt } from "../support/second-factors/authenticator-app.ts";
import { createDatabase, startPostgres } from "../support/servers/postgres.ts";
import { accounts, secretKeys, type Fixture } from "./fixture.ts";
import { rowsOfOtherTables, withProviderZones } from "./other-rows.ts";

/**
 * Makes tests/upgrade/<version>: runs the service of a checkout, uses it through its interface, and stores its database, its zone files and what it
 * answered. Run with the checkout's folder, whose packages are installed, and the version, or the
 * date of a commit between releases: `node tests/upgrade/make-fixture.ts ../zonewright-0.1.0 0.1.0`.
 */
async function makeFixture(checkout: string, version: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-fixture-"));
  const postgres = await startPostgres();
  try {
    const databaseUrl = await createDatabase(postgres.url, "zonewright_fixture");
    const dataDir = join(folder, "data");
    await mkdir(join(dataDir, "zones"), { recursive: true });
    await writeFile(join(dataDir, "zones", "imported.example.zone"), importedZone);
    const service = await startProgram(
      process.execPath,
      [join(checkout, "server/main.ts")],
      /(?:serves|listening on) (http:[^\s"]+)/,
      {
        env: {
          PATH: process.env["PATH"],
          PORT: "0",
          JOBS: "off",
          DATA_DIR: dataDir,
          DATABASE_URL: databaseUrl,
          SECRET_KEYS: secretKeys,
          ADMIN_PASSWORD: accounts.admin.password,
          RDAP_BOOTSTRAP_URL: "http://127.0.0.1:9/dns.json",
          WHOIS_SERVER: "127.0.0.1:9",
        },
      },
    );
    const fixture = await fill(service.ready[1] ?? "", databaseUrl, version);
    await service.stop("SIGTERM");
    const target = join(import.meta.dirname, version);
    await rm(target, { recursive: true, force: true });
    await mkdir(target);
    await writeFile(join(target, "database.sql"), await dump(databaseUrl));
    await cp(join(dataDir, "zones"), join(target, "zones"), { recursive: true });
    await writeFile(join(target, "fixture.json"), `${JSON.stringify(fixture, null, 1)}\n`);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const importedZone = `$ORIGIN imported.example.
$TTL 3600
@ SOA ns1 hostmaster 1 3600 900 1209600 300
@ NS ns1
ns1 A 192.0.2.53
www A 192.0.2.80
host SSHFP 4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789
_443._tcp TLSA 3 1 1 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
`;

/** One of each kind, TXT in the forms that differ: short, long, with quotes, empty parts, not ASCII. */
const records = [
  { recordType: "A", name: "ns1", value: "192.0.2.53" },
  { recordType: "NS", name: "@", value: "ns1.harbour.example" },
  { recordType: "A", name: "@", value: "192.0.2.1", ttl: 300 },
  { recordType: "AAAA", name: "@", value: "2001:db8::1" },
  { recordType: "CNAME", name: "www", value: "harbour.example" },
  { recordType: "MX", name: "@", value: "10 mail.harbour.example" },
  { recordType: "A", name: "mail", value: "192.0.2.25" },
  { recordType: "SRV", name: "_sip._tcp", value: "0 5 5060 sip.example.net" },
  { recordType: "CAA", name: "@", value: '0 issue "ca.example.net"' },
  { recordType: "TXT", name: "@", value: "v=spf1 -all" },
  { recordType: "TXT", name: "long", value: `v=DKIM1; p=${"A".repeat(400)}` },
  { recordType: "TXT", name: "quoted", value: 'say "hello"; \\ and ü' },
  { recordType: "A", name: "*", value: "192.0.2.9" },
  { recordType: "A", name: "bücher", value: "192.0.2.10" },
];

/** What 0.1.0 cannot have: records with notes and capitals, a request, a template, a mirror, keys and a reverse zone. @returns paths to read */
async function fillLaterParts(
  admin: RestClient,
  { kept, manual, embedded }: Record<"kept" | "manual" | "embedded", string>,
): Promise<string[]> {
  const path = `/api/domains/${kept}`;
  const ownerId = (await must(admin.get("/api/auth/me"))).body.id;
  const noted = [
    { recordType: "A", name: "locked", value: "198.51.100.2", locked: true, comment: "Asked for by the press." },
    { recordType: "A", name: "Owned", value: "198.51.100.3", ownerId, reviewAt: "2027-01-01T00:00:00.000Z" },
    { recordType: "A", name: "off", value: "198.51.100.4", status: "disabled" },
    { recordType: "NS", name: "lab", value: "ns.example.net" },
    { recordType: "DNAME", name: "alias", value: "target.example.net" },
    { recordType: "CNAME", name: "Mixed", value: "Target.Example.NET" },
  ];
  for (const record of noted) await must(admin.post(`${path}/records`, record));
  await must(admin.post(`${path}/snapshots`, { name: "Before the move" }));
  const changes = [{ action: "create", record: { recordType: "A", name: "wanted", value: "198.51.100.5" } }];
  await must(admin.post(`${path}/change-requests`, { title: "Add a host", changes }));
  const template = {
    providerId: "shop.example",
    providerName: "Shop",
    serviceId: "web",
    serviceName: "Web",
    records: [{ type: "A", host: "www", pointsTo: "198.51.100.6", ttl: 3600 }],
  };
  await must(admin.post("/api/templates", template));
  await must(admin.post("/api/auth/me/tsig-keys", { name: "certbot", domainId: kept }));
  await must(admin.post(`${path}/mirrors`, { providerConfigId: embedded }));
  const reverse = { name: "100.51.198.in-addr.arpa", providerConfigId: manual };
  const { body: net } = await must(admin.post("/api/domains", reverse));
  await must(admin.post(`/api/domains/${net.id}/records`, { recordType: "PTR", name: "1", value: "a.kept.example" }));
  return [
    `${path}/records?status=disabled`,
    `${path}/records?locked=true`,
    `${path}/records?sort=type&limit=500`,
    "/api/change-requests",
    `${path}/mirrors`,
    "/api/records?search=198.51.100&limit=100",
    "/api/records?comment=press",
    "/api/reverse/report",
    "/api/templates",
    "/api/auth/me/tsig-keys",
    `/api/domains/${net.id}/records`,
  ];
}

async function fill(url: string, databaseUrl: string, version: string): Promise<Fixture> {
  const admin = await signIn(url, accounts.admin);
  for (const { username, password } of [accounts.member, accounts.guarded]) {
    await must(admin.post("/api/users", { username, password, email: `${username}@example.net`, role: "member" }));
  }
  const [member, guarded] = [await signIn(url, accounts.member), await signIn(url, accounts.guarded)];
  const { body: app } = await must(guarded.post("/api/2fa/totp/setup"));
  const { body: enabled } = await must(guarded.post("/api/2fa/totp/enable", { code: codeAt(app.secret, new Date()) }));
  const permissions = ["domains:read", "records:read", "records:write", "snapshots:read"];
  const { body: token } = await must(admin.post("/api/auth/me/tokens", { name: "Fixture", permissions }));

  const { body: manual } = await must(admin.post("/api/provider-configs", { kind: "manual", name: "By hand" }));
  const sealed = { url: "http://127.0.0.1:9", apiKey: "a-sealed-api-key" };
  await must(admin.post("/api/provider-configs", { kind: "powerdns", name: "PowerDNS", config: sealed }));
  const { body: harbour } = await must(admin.post("/api/domains", { name: "harbour.example" }));
  const { body: kept } = await must(
    admin.post("/api/domains", { name: "kept.example", providerConfigId: manual.id, tags: ["production", "eu"] }),
  );
  const embedded = harbour.providerConfigId as string;
  await must(admin.post(`/api/provider-configs/${embedded}/import`, { zones: ["imported.example"] }));

  const path = `/api/domains/${harbour.id}`;
  const made: Record<string, string> = {};
  for (const record of records) {
    made[`${record.recordType} ${record.name}`] = (await must(admin.post(`${path}/records`, record))).body.id;
  }
  const { body: first } = await must(admin.post(`${path}/snapshots`));
  await must(admin.put(`${path}/records/${made["A @"]}`, { value: "192.0.2.2", ttl: 600 }));
  await must(admin.delete(`${path}/records/${made["SRV _sip._tcp"]}`));
  const { body: second } = await must(admin.post(`${path}/snapshots`));
  await must(admin.post(`${path}/snapshots/${first.id}/rollback`));
  await must(admin.put(`${path}/records/${made["TXT @"]}`, { value: "v=spf1 mx -all" }));
  const bulk = { records: ["a", "b", "c"].map((name) => ({ recordType: "A", name, value: "198.51.100.1" })) };
  await must(admin.post(`/api/domains/${kept.id}/records/bulk`, bulk));
  await must(
    admin.put(`/api/domains/${kept.id}`, { notes: "By hand.", groupName: "Shop", snapshotSchedule: "weekly" }),
  );
  await must(admin.put(`/api/domains/${kept.id}/expiry`, { expiresAt: "2027-06-01T00:00:00.000Z" }));

  const users = (await must(admin.get("/api/users"))).body.users as { id: string; username: string }[];
  const userId = (username: string) => users.find((user) => user.username === username)?.id ?? "";
  const assignment = {
    userId: userId(accounts.member.username),
    domainId: harbour.id,
    subdomainPattern: "*.lab",
    access: "write",
  };
  await must(admin.post("/api/assignments", assignment));
  await must(member.post("/api/assignments/requests", { domainName: "kept.example", host: "c", reason: "To learn." }));
  await must(admin.post("/api/invitations", { role: "member", maxUses: 3 }));
  await must(
    admin.post("/api/notifications", {
      channel: "webhook",
      name: "Hook",
      config: { url: "https://hook.example.net/", secret: `whsec_${Buffer.alloc(24, 1).toString("base64")}` },
      events: ["zone.drift"],
    }),
  );
  await must(
    admin.post("/api/oauth/providers", {
      providerId: "github",
      clientId: "client",
      clientSecret: "a-sealed-client-secret",
      enabled: true,
    }),
  );
  const later = version === "0.1.0" ? [] : await fillLaterParts(admin, { kept: kept.id, manual: manual.id, embedded });
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query(version === "0.1.0" ? rowsOfOtherTables : withProviderZones(rowsOfOtherTables));
  await database.end();

  const paths = [
    "/api/domains",
    ...[harbour.id, kept.id].flatMap((id: string) => [
      `/api/domains/${id}`,
      `/api/domains/${id}/records?limit=500`,
      `/api/domains/${id}/history?limit=100`,
      `/api/domains/${id}/snapshots?records=false`,
    ]),
    ...[first.id, second.id].map((id: string) => `${path}/snapshots/${id}`),
    `${path}/snapshots/diff?from=${first.id}&to=${second.id}`,
    "/api/users",
    "/api/provider-configs",
    "/api/assignments",
    "/api/assignments/requests",
    "/api/invitations",
    "/api/notifications/configs",
    "/api/oauth/providers",
    "/api/auth/me/tokens",
    ...later,
  ];
  const answers: Fixture["answers"] = {};
  for (const one of paths) answers[one] = (await must(admin.get(one))).body;
  return {
    madeAt: new Date().toISOString(),
    token: token.token,
    refreshToken: (await must(admin.post("/api/auth/login", accounts.admin))).body.refreshToken,
    totpSecret: app.secret,
    recoveryCode: enabled.recoveryCodes[0],
    harbour: harbour.id,
    kept: kept.id,
    snapshots: [first.id, second.id],
    exported: (await must(admin.get(`${path}/zonefile`))).body,
    answers,
  };
}

async function signIn(
  url: string,
  { username, password }: { username: string; password: string },
): Promise<RestClient> {
  const client = new RestClient(url);
  client.token = (await must(client.post("/api/auth/login", { username, password }))).body.accessToken;
  return client;
}

async function must(answering: Promise<Answer>): Promise<Answer> {
  const answer = await answering;
  if (answer.status >= 300) throw new Error(`Refused: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

/** As SQL that both engines read. The job queue is left out: its owner brings its own schema up to date. */
async function dump(databaseUrl: string): Promise<string> {
  const flags = ["--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=50", "--exclude-schema=jobs"];
  const { stdout } = await promisify(execFile)("pg_dump", [...flags, databaseUrl], {
    maxBuffer: 16 * 1024 * 1024,
  });
  const lines = stdout.split("\n").filter((line) => !line.startsWith("\\") && !line.startsWith("--") && line !== "");
  return `${lines.join("\n")}\n`;
}

const [checkout, version] = process.argv.slice(2);
if (checkout === undefined || version === undefined)
  throw new Error("Usage: node tests/upgrade/make-fixture.ts <checkout> <version>");
await makeFixture(resolve(checkout), version);
