import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { z } from "zod";
import { passwordFault } from "./auth/password-rules.ts";
import { isAllowEntry } from "./net/allow-list.ts";

/** What Express knows as "trust proxy": an address, a network, or the name of some. */
function isProxy(text: string): boolean {
  if (/^(?:loopback|linklocal|uniquelocal)$/.test(text)) return true;
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** The address that people type: without a path, because the interface has its place below /api. */
function isSite(text: string): boolean {
  return (
    /^https?:\/\/[^/\s]+\/?$/.test(text) && URL.canParse(text) && new URL(text).href === `${new URL(text).origin}/`
  );
}

function commaList(fits: (part: string, parts: string[]) => boolean, sentence: string) {
  return z
    .string()
    .default("")
    .transform((text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    )
    .refine((parts) => parts.every((part) => fits(part, parts)), sentence);
}

function url(name: string, protocols: string[], example: string) {
  return z.string().refine((text) => {
    try {
      return protocols.includes(new URL(text).protocol);
    } catch {
      return false;
    }
  }, `${name} must be an address such as ${example}`);
}

/** Calls a minute; null: no limit. */
function perMinute(name: string, fallback: number) {
  return z
    .string()
    .regex(/^(?:off|[1-9]\d{0,6})$/, `${name} must be a number of calls a minute, such as ${fallback}, or off`)
    .transform((text) => (text === "off" ? null : Number(text)))
    .default(fallback);
}

function onOff(name: string, fallback: "on" | "off") {
  return z
    .enum(["on", "off"], `${name} must be on or off`)
    .default(fallback)
    .transform((text) => text === "on");
}

function adminPasswordFault(password: string | null, username = "admin"): string | null {
  return password === null ? null : passwordFault(password, { username });
}

/** The environment as contract §2 describes it. Every message is the sentence that a failed start prints. */
const environmentSchema = z.object({
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, "HOST must be an address or a host name such as 0.0.0.0")
    .default("127.0.0.1"),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, "PORT must be a whole number from 0 to 65535")
    .transform(Number)
    .refine((port) => port <= 65_535, "PORT must be a whole number from 0 to 65535")
    .default(3000),
  SITE_URL: z.string().refine(isSite, "SITE_URL must be an address such as https://dns.example.com").optional(),
  DATA_DIR: z.string().default("./data"),
  DATABASE_URL: url(
    "DATABASE_URL",
    ["postgres:", "postgresql:"],
    "postgres://user:password@host:5432/zonewright",
  ).optional(),
  REDIS_URL: url("REDIS_URL", ["redis:", "rediss:"], "redis://localhost:6379").optional(),
  SECRET_KEYS: commaList(
    (part) => part.length >= 32,
    "SECRET_KEYS must be keys of at least 32 characters each, separated by commas, the newest first",
  ),
  ADMIN_USERNAME: z
    .string()
    .regex(/^[\w.@-]{2,64}$/, "ADMIN_USERNAME must be 2 to 64 letters, digits or any of . _ @ -")
    .default("admin"),
  ADMIN_PASSWORD: z
    .string()
    .refine((password) => adminPasswordFault(password) === null, {
      error: ({ input }) => `ADMIN_PASSWORD ${adminPasswordFault(String(input))}`,
    })
    .optional(),
  TOKEN_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, "TOKEN_PREFIX must be 1 to 16 lower-case letters or digits, a letter first")
    .default("zw"),
  SMTP_URL: url("SMTP_URL", ["smtp:", "smtps:"], "smtp://user:password@mail.example.com:587").optional(),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*[^\s<>@]+@[^\s<>@]+>?$/, "MAIL_FROM must be an address such as Zonewright <dns@example.com>")
    .optional(),
  RDAP_BOOTSTRAP_URL: url("RDAP_BOOTSTRAP_URL", ["http:", "https:"], "https://rdap.example.com/dns.json").optional(),
  WHOIS_SERVER: z
    .string()
    .regex(/^[\w.:[\]-]+$/, "WHOIS_SERVER must be a host such as whois.example.com or whois.example.com:4343")
    .optional(),
  EGRESS_ALLOW: commaList(
    isAllowEntry,
    "EGRESS_ALLOW must be hosts and networks separated by commas, such as 10.0.0.0/8,dns.internal",
  ),
  TRUST_PROXY: commaList(
    (part, { length }) => isProxy(part) || (length === 1 && /^\d{1,2}$/.test(part)),
    "TRUST_PROXY must be a number of proxies, or addresses and networks such as loopback,10.0.0.0/8",
  ),
  CORS_ORIGINS: commaList(
    (part) => URL.canParse(part) && /^https?:/.test(part) && new URL(part).origin === part,
    "CORS_ORIGINS must be origins separated by commas, such as https://app.example.com,https://admin.example.com",
  ),
  LOG_LEVEL: z
    .enum(
      ["trace", "debug", "info", "warn", "error", "silent"],
      "LOG_LEVEL must be trace, debug, info, warn, error or silent",
    )
    .default("info"),
  RATE_LIMIT: perMinute("RATE_LIMIT", 6_000),
  RATE_LIMIT_COSTLY: perMinute("RATE_LIMIT_COSTLY", 120),
  JOBS: onOff("JOBS", "on"),
  SNAPSHOT_RETENTION: z
    .string()
    .regex(/^(?:off|[1-9]\d{0,4})$/, "SNAPSHOT_RETENTION must be a number of days, such as 365, or off")
    .default("off")
    .transform((text) => (text === "off" ? null : Number(text))),
  DRIFT_CHECK: z.enum(["hourly", "daily", "off"], "DRIFT_CHECK must be hourly, daily or off").default("hourly"),
});

/** Every variable that is read. */
export const environmentNames: readonly string[] = Object.keys(environmentSchema.shape);

export interface Config {
  host: string;
  port: number;
  /** Public address without a trailing slash. */
  siteUrl: string;
  /** Absolute path. */
  dataDir: string;
  /** Undefined: the embedded database under `dataDir`. */
  databaseUrl: string | undefined;
  /** Undefined: what instances share of counts stays in each process. */
  redisUrl: string | undefined;
  /** The first one signs and encrypts, all of them verify and decrypt. */
  secretKeys: readonly [string, ...string[]];
  adminUsername: string;
  /** Undefined: one is made and printed at the first start. */
  adminPassword: string | undefined;
  /** What personal tokens begin with. */
  tokenPrefix: string;
  /** Undefined: no mail. */
  smtpUrl: string | undefined;
  mailFrom: string;
  /** Where the list of RDAP servers is (RFC 9224). Undefined: at IANA. */
  rdapBootstrapUrl: string | undefined;
  /** The WHOIS server that is asked first, `host` or `host:port`. Undefined: IANA's. */
  whoisServer: string | undefined;
  /** Hosts and networks that calls may go to although they are not public. */
  egressAllow: string[];
  trustProxy: string[];
  /** Origins of web front ends on other hosts. */
  corsOrigins: string[];
  logLevel: "trace" | "debug" | "info" | "warn" | "error" | "silent";
  /** Calls a minute of one user, personal token or address, and how many of them may be costly; null: no limit. */
  requestLimits: { requests: number | null; costly: number | null };
  jobs: boolean;
  /** How often each zone is compared with what its provider serves. */
  driftCheck: "hourly" | "daily" | "off";
  /** How long snapshots that nobody asked for are kept; null: for good. */
  snapshotRetentionDays: number | null;
}

/** A variable that stops the start; the message is all that an operator needs to read. */
export class ConfigError extends Error {}

/**
 * Reads the configuration once. Empty variables count as absent.
 * Makes DATA_DIR, and a key file in it (mode 0600) where SECRET_KEYS is absent.
 * @throws ConfigError naming each bad variable.
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
    requestLimits: { requests: values.RATE_LIMIT, costly: values.RATE_LIMIT_COSTLY },
    jobs: values.JOBS,
    driftCheck: values.DRIFT_CHECK,
    snapshotRetentionDays: values.SNAPSHOT_RETENTION,
  };
}

function makeDataDir(dataDir: string): void {
  try {
    // A name server under another account must get through to the zone files; what is secret has a mode of its own.
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  } catch (error) {
    throw new ConfigError(
      `DATA_DIR: ${dataDir} cannot be made: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

/** The key made at the first start. Losing it ends all sessions; nothing that is stored depends on it yet. */
function storedKey(dataDir: string): string {
  const path = join(dataDir, "secret-key");
  try {
    writeFileSync(path, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) {
      throw new ConfigError(`DATA_DIR: the key file ${path} cannot be written.`);
    }
  }
  const key = readFileSync(path, "utf8").trim();
  if (key.length < 32) {
    throw new ConfigError(
      `DATA_DIR: the key file ${path} is damaged; restore it, or remove it to have a new one made.`,
    );
  }
  return key;
}
