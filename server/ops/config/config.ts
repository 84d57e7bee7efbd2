import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { adminPasswordFault, environmentSchema } from "./environment.ts";
import type { ReviewRequired } from "../../database/tables/domains.ts";
import type { Ds } from "../../dns/dnssec/keys.ts";
import type { ResolverRoots, AuditTarget } from "./variable-forms.ts";
import { logFormatFor, type LogFormat } from "../../platform/log.ts";

export interface Config {
  host: string;
  port: number;
  /** Public URL without a trailing slash. */
  siteUrl: string;
  /** Whether SITE_URL is set. */
  canonical: boolean;
  /** Whether to serve the web console. */
  console: boolean;
  /** Absolute path. */
  dataDir: string;
  /** Undefined: the embedded database under `dataDir`. */
  databaseUrl: string | undefined;
  /** Undefined: limits and notifications stay within each process. */
  redisUrl: string | undefined;
  /** The first key signs and encrypts; all keys verify and decrypt. */
  secretKeys: readonly [string, ...string[]];
  adminUsername: string;
  /** Undefined: generated and printed at the first start. */
  adminPassword: string | undefined;
  tokenPrefix: string;
  /** Undefined: no mail. */
  smtpUrl: string | undefined;
  mailFrom: string;
  /** URL of the RDAP bootstrap file (RFC 9224). Undefined: IANA's. */
  rdapBootstrapUrl: string | undefined;
  /** The first WHOIS server to query, `host` or `host:port`. Undefined: IANA's. */
  whoisServer: string | undefined;
  /** Non-public hosts and networks that outgoing calls may reach. */
  egressAllow: string[];
  trustProxy: string[];
  /** Origins of web apps on other hosts. */
  corsOrigins: string[];
  logLevel: "trace" | "debug" | "info" | "warn" | "error" | "silent";
  logFormat: LogFormat;
  /** Calls per minute of one user, personal token or address, and how many of them may be costly; null: unlimited. */
  requestLimits: { requests: number | null; costly: number | null };
  jobs: boolean;
  /** Whether the metrics name domains and say when they expire. */
  metricsDomains: boolean;
  /** Where the DNS service listens; empty: nowhere. */
  dnsListen: { address: string; port: number }[];
  /** Whether the DNS service answers unsigned queries for the SOA of any zone. */
  dnsAnswerSoa: boolean;
  /** Where PowerDNS's API has a port of its own; null: nowhere. */
  pdnsListen: { address: string; port: number } | null;
  /** The servers that delegations are checked from. */
  resolverRoots: ResolverRoots;
  /** DS records of the root that DNSSEC is validated from. */
  resolverTrustAnchor: readonly Ds[];
  /** Whose changes need a review, in domains without a setting of their own. */
  reviewRequired: ReviewRequired;
  /** How often each zone is compared with what its provider serves. */
  driftCheck: "hourly" | "daily" | "off";
  /** Where the audit trail is sent; null: nowhere. */
  auditStream: AuditTarget | null;
  /** Days for which automatic snapshots are kept; null: forever. */
  snapshotRetentionDays: number | null;
}

/** An invalid configuration. The message is complete for the operator. */
export class ConfigError extends Error {}

/**
 * Reads the configuration from the environment. Empty variables count as absent.
 * Creates DATA_DIR and, if SECRET_KEYS is absent, a key file in it (mode 0600).
 * @throws ConfigError naming each invalid variable
 */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = environmentSchema.safeParse(present);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map(({ message }) => `${message}.`).join("\n"));
  }
  const values = parsed.data;
  const fault = adminPasswordFault(values.ADMIN_PASSWORD ?? null, values.ADMIN_USERNAME);
  if (fault !== null) throw new ConfigError(`ADMIN_PASSWORD ${fault}.`);
  const dataDir = resolve(values.DATA_DIR);
  makeDataDir(dataDir);
  const [firstKey, ...otherKeys] = values.SECRET_KEYS;
  return {
    host: values.HOST,
    port: values.PORT,
    siteUrl: (values.SITE_URL ?? `http://localhost:${values.PORT}`).replace(/\/+$/, ""),
    canonical: values.SITE_URL !== undefined,
    console: values.CONSOLE,
    dataDir,
    databaseUrl: values.DATABASE_URL,
    redisUrl: values.REDIS_URL,
    secretKeys: [firstKey ?? storedKey(dataDir), ...otherKeys],
    adminUsername: values.ADMIN_USERNAME,
    adminPassword: values.ADMIN_PASSWORD,
    tokenPrefix: values.TOKEN_PREFIX,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM ?? `Zonewright <zonewright@${new URL(values.SITE_URL ?? "http://localhost").hostname}>`,
    rdapBootstrapUrl: values.RDAP_BOOTSTRAP_URL,
    whoisServer: values.WHOIS_SERVER,
    egressAllow: values.EGRESS_ALLOW,
    trustProxy: values.TRUST_PROXY,
    corsOrigins: values.CORS_ORIGINS,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT ?? logFormatFor(process.stdout),
    requestLimits: { requests: values.RATE_LIMIT, costly: values.RATE_LIMIT_COSTLY },
    jobs: values.JOBS,
    metricsDomains: values.METRICS_DOMAINS,
    dnsListen: values.DNS_LISTEN,
    dnsAnswerSoa: values.DNS_ANSWER_SOA,
    pdnsListen: values.PDNS_LISTEN,
    resolverRoots: values.RESOLVER_ROOTS ?? { kind: "off" },
    resolverTrustAnchor: values.RESOLVER_TRUST_ANCHOR ?? [],
    reviewRequired: values.REVIEW_REQUIRED,
    driftCheck: values.DRIFT_CHECK,
    auditStream: values.AUDIT_STREAM,
    snapshotRetentionDays: values.SNAPSHOT_RETENTION,
  };
}

function makeDataDir(dataDir: string): void {
  try {
    // Lets a name server under another account reach the zone files; secret files have stricter modes.
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  } catch (error) {
    throw new ConfigError(
      `DATA_DIR: ${dataDir} cannot be created (${error instanceof Error ? error.message : String(error)}). Check its permissions, or set DATA_DIR to another directory.`,
    );
  }
}

/**
 * Returns the key generated at the first start. Losing it ends all sessions and makes stored secrets unreadable: those of provider, sign-in
 * and channel configurations, and of authenticator apps.
 */
function storedKey(dataDir: string): string {
  const path = join(dataDir, "secret-key");
  try {
    writeFileSync(path, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) {
      throw new ConfigError(
        `DATA_DIR: the key file ${path} cannot be written. Check the permissions of the directory.`,
      );
    }
  }
  const key = readKey(path);
  if (key.length < 32) {
    throw new ConfigError(
      `DATA_DIR: the key file ${path} is damaged. Restore it from a backup, or delete it to generate a new key.`,
    );
  }
  return key;
}

function readKey(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new ConfigError(
      `DATA_DIR: the key file ${path} cannot be read (${code}). It must be a file that the account of the service owns.`,
    );
  }
}
