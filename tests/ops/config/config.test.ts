import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { rootAnchors } from "../../../server/dns/dnssec/keys.ts";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ConfigError, loadConfig } from "../../../server/ops/config/config.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "zonewright-config-"));
  folders.push(folder);
  return folder;
}

function load(environment: Record<string, string>) {
  return loadConfig({ DATA_DIR: newFolder(), ...environment });
}

function refusal(environment: Record<string, string>): string {
  try {
    load(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(environment)}`);
}

const longKey = "k".repeat(32);

describe("an invalid value stops the start with a sentence that names the variable", () => {
  test.each([
    ["HOST", "not a host"],
    ["DNS_LISTEN", "127.0.0.1"],
    ["DNS_LISTEN", "ns1.example.com:53"],
    ["DNS_LISTEN", "127.0.0.1:65536"],
    ["PDNS_LISTEN", "8081"],
    ["PDNS_LISTEN", "localhost:8081"],
    ["PDNS_LISTEN", "127.0.0.1:8081,127.0.0.1:8082"],
    ["AUDIT_STREAM", "http://siem.example.com"],
    ["AUDIT_STREAM", "syslog://"],
    ["HOST", "http://0.0.0.0"],
    ["HOST", "::::"],
    ["PORT", "eighty"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "3000.5"],
    ["PORT", "0x50"],
    ["PORT", " "],
    ["SITE_URL", "dns.example.com"],
    ["SITE_URL", "ftp://dns.example.com"],
    ["SITE_URL", "https://user:password@dns.example.com"],
    ["SITE_URL", "https://dns.example.com/?page=1"],
    ["SITE_URL", "https://dns.example.com/#top"],
    ["SITE_URL", "https://example.com/dns"],
    ["DATA_DIR", "/dev/null/data"],
    ["DATABASE_URL", "mysql://localhost/zonewright"],
    ["DATABASE_URL", "localhost:5432"],
    ["DATABASE_URL", "postgres://localhost/zonewright?sslmode=sometimes"],
    ["REDIS_URL", "http://localhost:6379"],
    ["REDIS_URL", "redis:"],
    ["REDIS_URL", "redis://localhost:6379/abc"],
    ["REDIS_URL", "redis://:secret@localhost/0/1"],
    ["REDIS_URL", "redis://:p%zzw@localhost"],
    ["SECRET_KEYS", "short"],
    ["SECRET_KEYS", `${longKey},short`],
    ["ADMIN_USERNAME", "a"],
    ["ADMIN_USERNAME", "two words"],
    ["ADMIN_PASSWORD", "eleven char"],
    ["ADMIN_PASSWORD", "x".repeat(257)],
    ["ADMIN_PASSWORD", "Password1234"],
    ["ADMIN_PASSWORD", "admin-2027-07"],
    ["TOKEN_PREFIX", "Zw"],
    ["TOKEN_PREFIX", "9zw"],
    ["TOKEN_PREFIX", "z_w"],
    ["SMTP_URL", "mail.example.com"],
    ["SMTP_URL", "http://mail.example.com"],
    ["SMTP_URL", "smtp:"],
    ["SMTP_URL", "smtp://user:p%zzw@mail.example.com"],
    ["MAIL_FROM", "nobody"],
    ["MAIL_FROM", "dns@example.com\r\nBcc: all@example.com"],
    ["RDAP_BOOTSTRAP_URL", "data.iana.org"],
    ["RDAP_BOOTSTRAP_URL", "https://user:password@rdap.example.com/dns.json"],
    ["WHOIS_SERVER", "whois example"],
    ["WHOIS_SERVER", "whois.example.com:99999"],
    ["WHOIS_SERVER", ":::"],
    ["EGRESS_ALLOW", "10.0.0.0/8, not a host"],
    ["DRIFT_CHECK", "on"],
    ["RESOLVER_ROOTS", "192.0.2.1,192.0.2"],
    ["RESOLVER_ROOTS", "192.0.2.1:53,192.0.2.2:5353"],
    ["RESOLVER_ROOTS", "192.0.2.1:0"],
    ["RESOLVER_ROOTS", "[192.0.2.1]"],
    ["RESOLVER_TRUST_ANCHOR", "20326 8 2"],
    ["RESOLVER_TRUST_ANCHOR", "20326 8 2 e06d, 70000 8 2 e06d"],
    ["SNAPSHOT_RETENTION", "0"],
    ["SNAPSHOT_RETENTION", "1 year"],
    ["TRUST_PROXY", "everyone"],
    ["TRUST_PROXY", "10.0.0.0/33"],
    ["TRUST_PROXY", "1,2"],
    ["CORS_ORIGINS", "app.example.com"],
    ["CORS_ORIGINS", "https://app.example.com/"],
    ["CORS_ORIGINS", "*"],
    ["LOG_LEVEL", "loud"],
    ["LOG_FORMAT", "xml"],
    ["JOBS", "yes"],
  ])("the configuration %s=%j is refused", (name, value) => {
    const message = refusal({ [name]: value });
    expect(message).toMatch(new RegExp(`^${name}\\b.+\\.$`));
    expect(message).not.toContain("\n");
  });

  test("an ADMIN_PASSWORD derived from ADMIN_USERNAME is refused", () => {
    const message = refusal({ ADMIN_USERNAME: "hortensia", ADMIN_PASSWORD: "Hortensia2027" });
    expect(message).toMatch(/^ADMIN_PASSWORD must not be .+\.$/);
  });

  test("all invalid variables are reported at once, one per line", () => {
    const lines = refusal({ PORT: "x", JOBS: "x", LOG_LEVEL: "x" }).split("\n");
    expect(new Set(lines.map((line) => line.split(" ")[0]))).toEqual(new Set(["JOBS", "LOG_LEVEL", "PORT"]));
    expect(lines).toHaveLength(3);
  });

  test("a refused password or key is not repeated in the message", () => {
    expect(refusal({ ADMIN_PASSWORD: "hunter2", SECRET_KEYS: "hunter3" })).not.toMatch(/hunter/);
  });

  test("a key file that cannot be written is reported with DATA_DIR", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "file"), "");
    expect(refusal({ DATA_DIR: join(folder, "file") })).toMatch(/^DATA_DIR: /);
  });

  test("a key file that cannot be read is reported with DATA_DIR", () => {
    const folder = newFolder();
    mkdirSync(join(folder, "secret-key"));
    expect(refusal({ DATA_DIR: folder })).toMatch(/^DATA_DIR: the key file .+ cannot be read \(EISDIR\)\. /);
  });

  test.each([
    ["REDIS_URL", "redis://localhost"],
    ["REDIS_URL", "rediss://user:p%25w@[2001:db8::1]:6380/12"],
    ["SMTP_URL", "smtps://user:p%40w@mail.example.com"],
    ["WHOIS_SERVER", "[2001:db8::1]:4343"],
    ["WHOIS_SERVER", "2001:db8::1"],
    ["HOST", "::"],
  ])("the configuration %s=%j is accepted", (name, value) => {
    expect(() => load({ [name]: value })).not.toThrow();
  });
});

test("without any variables, the service listens on 127.0.0.1:3000 with the embedded database", () => {
  const { secretKeys, dataDir, ...config } = load({});
  expect(config).toEqual({
    host: "127.0.0.1",
    port: 3000,
    siteUrl: "http://localhost:3000",
    canonical: false,
    console: true,
    tokenPrefix: "zw",
    databaseUrl: undefined,
    adminUsername: "admin",
    adminPassword: undefined,
    trustProxy: [],
    corsOrigins: [],
    egressAllow: [],
    dnsListen: [],
    dnsAnswerSoa: false,
    pdnsListen: null,
    logLevel: "info",
    logFormat: process.stdout.isTTY ? "text" : "json",
    requestLimits: { requests: 6_000, costly: 120 },
    jobs: true,
    metricsDomains: false,
    resolverTrustAnchor: rootAnchors,
    resolverRoots: { kind: "system" },
    reviewRequired: "off",
    auditStream: null,
    driftCheck: "hourly",
    snapshotRetentionDays: null,
    smtpUrl: undefined,
    mailFrom: "Zonewright <zonewright@localhost>",
  });
  expect(secretKeys).toHaveLength(1);
  expect(dataDir).toMatch(/^\//);
});

test("an empty variable counts as absent", () => {
  const names = ["HOST", "PORT", "SITE_URL", "DATABASE_URL", "SECRET_KEYS", "ADMIN_USERNAME", "ADMIN_PASSWORD"];
  const others = [
    "TOKEN_PREFIX",
    "TRUST_PROXY",
    "CORS_ORIGINS",
    "LOG_LEVEL",
    "LOG_FORMAT",
    "JOBS",
    "SMTP_URL",
    "REDIS_URL",
  ];
  const dataDir = newFolder();
  const empty = Object.fromEntries([...names, ...others].map((name) => [name, ""]));
  expect(loadConfig({ ...empty, DATA_DIR: dataDir })).toEqual(loadConfig({ DATA_DIR: dataDir }));
});

test("the default SITE_URL has the configured port, and SITE_URL loses its trailing slash", () => {
  expect(load({ PORT: "8080" }).siteUrl).toBe("http://localhost:8080");
  expect(load({ SITE_URL: "https://dns.example.com/" }).siteUrl).toBe("https://dns.example.com");
});

test("rate limits are numbers of calls per minute, or off", () => {
  const { requestLimits } = load({ RATE_LIMIT: "50", RATE_LIMIT_COSTLY: "off" });
  expect(requestLimits).toEqual({ requests: 50, costly: null });
  expect(refusal({ RATE_LIMIT: "0" })).toMatch(/^RATE_LIMIT must be a number of calls per minute/);
  expect(refusal({ RATE_LIMIT_COSTLY: "many" })).toMatch(/^RATE_LIMIT_COSTLY must be/);
});

test.each(["hourly", "daily", "off"])("DRIFT_CHECK may be %s", (every) => {
  expect(load({ DRIFT_CHECK: every }).driftCheck).toBe(every);
});

test.each(["off", "members", "everyone"])("REVIEW_REQUIRED may be %s", (whose) => {
  expect(load({ REVIEW_REQUIRED: whose }).reviewRequired).toBe(whose);
});

test("REVIEW_REQUIRED is nothing else", () => {
  expect(refusal({ REVIEW_REQUIRED: "yes" })).toMatch(/^REVIEW_REQUIRED must be off, members or everyone/);
});

const roots = (text: string) => load({ RESOLVER_ROOTS: text }).resolverRoots;

test("RESOLVER_TRUST_ANCHOR is DS records of the root", () => {
  const [first, second] = ["E06D".repeat(16), "683d".repeat(8)];
  const anchors = `20326 8 2 ${first}, 38696 8 2 ${second} ${second}`;
  expect(load({ RESOLVER_TRUST_ANCHOR: anchors }).resolverTrustAnchor).toEqual([
    { tag: 20_326, algorithm: 8, digestType: 2, digest: first.toLowerCase() },
    { tag: 38_696, algorithm: 8, digestType: 2, digest: second + second },
  ]);
  // No key could match these.
  for (const anchor of ["20326 8 2 e06d", `20326 8 3 ${first}`, `20326 8 4 ${first}`]) {
    expect(refusal({ RESOLVER_TRUST_ANCHOR: anchor })).toMatch(/^RESOLVER_TRUST_ANCHOR must be DS records of the root/);
  }
});

test("RESOLVER_ROOTS are hosts with one port, or off", () => {
  expect(roots("192.0.2.1, 2001:db8::1")).toEqual({ kind: "roots", hosts: ["192.0.2.1", "2001:db8::1"], port: 53 });
  expect(roots("[2001:db8::1]:5353,root.lab:5353")).toEqual({
    kind: "roots",
    hosts: ["2001:db8::1", "root.lab"],
    port: 5353,
  });
  expect(roots("off")).toEqual({ kind: "off" });
});

test("SNAPSHOT_RETENTION is a number of days, or off to keep snapshots forever", () => {
  expect(load({ SNAPSHOT_RETENTION: "365" }).snapshotRetentionDays).toBe(365);
  expect(load({ SNAPSHOT_RETENTION: "off" }).snapshotRetentionDays).toBeNull();
});

test("lists may contain spaces and empty items", () => {
  const config = load({
    CORS_ORIGINS: " https://a.example.com , ,https://b.example.com,",
    TRUST_PROXY: "loopback, 10.0.0.0/8, 2001:db8::/32",
  });
  expect(config.corsOrigins).toEqual(["https://a.example.com", "https://b.example.com"]);
  expect(config.trustProxy).toEqual(["loopback", "10.0.0.0/8", "2001:db8::/32"]);
  expect(load({ TRUST_PROXY: "2" }).trustProxy).toEqual(["2"]);
});

test("SECRET_KEYS keep their order, newest first", () => {
  const [newest, oldest] = ["n".repeat(32), "o".repeat(40)];
  expect(load({ SECRET_KEYS: `${newest},${oldest}` }).secretKeys).toEqual([newest, oldest]);
});

test("without SECRET_KEYS, a key is generated once in a file that only its owner can read", () => {
  const dataDir = newFolder();
  const [key] = loadConfig({ DATA_DIR: dataDir }).secretKeys;
  const path = join(dataDir, "secret-key");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, "utf8")).toBe(key);
  expect(Buffer.from(key, "base64url")).toHaveLength(32);
  expect(loadConfig({ DATA_DIR: dataDir }).secretKeys).toEqual([key]);
  expect(loadConfig({ DATA_DIR: newFolder() }).secretKeys).not.toEqual([key]);
});

test("an empty key file stops the start instead of signing with an empty key", () => {
  const dataDir = newFolder();
  writeFileSync(join(dataDir, "secret-key"), "\n");
  expect(refusal({ DATA_DIR: dataDir })).toMatch(/^DATA_DIR: .*secret-key/);
});
