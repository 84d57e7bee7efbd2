import { z } from "zod";
import { defaultDataDir } from "../../platform/compile-cache.ts";
import { passwordFault } from "../../platform/password-rules.ts";
import { databaseUrlFault } from "../../database/connection-url.ts";
import { isAllowEntry } from "../../platform/net/address-rules.ts";
import {
  commaList,
  isHost,
  isHostAndPort,
  isProxy,
  isSite,
  listenAddress,
  listenAddresses,
  onOff,
  parseRoots,
  parseTrustAnchor,
  perMinute,
  url,
  parseAuditTarget,
} from "./variable-forms.ts";

/** Returns what is wrong with the administrator's password, or null if it is acceptable or absent. */
export function adminPasswordFault(password: string | null, username = "admin"): string | null {
  return password === null ? null : passwordFault(password, { username });
}

/** What docs/reference/configuration.md says about a variable in addition to its name and default. */
interface VariableNotes {
  meaning: string;
  /** The default in words, if it is not a literal value. */
  otherwise?: string;
  /** The file that reads it, below server/. */
  readIn: string;
  /** The page and heading with details, below docs/. */
  more?: string;
}

const notes = z.registry<VariableNotes>();

/** The environment variables. Messages are sentences printed when the start fails. */
export const environmentSchema = z.object({
  HOST: z
    .string()
    .refine(isHost, "HOST must be an address or a host name such as 0.0.0.0")
    .default("127.0.0.1")
    .register(notes, { meaning: "The address to listen on; `0.0.0.0` or `::` for all.", readIn: "start.ts" }),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, "PORT must be a whole number from 0 to 65535")
    .transform(Number)
    .refine((port) => port <= 65_535, "PORT must be a whole number from 0 to 65535")
    .default(3000)
    .register(notes, { meaning: "The port to listen on; `0` for any free port.", readIn: "start.ts" }),
  SITE_URL: z
    .string()
    .refine(isSite, "SITE_URL must be a URL such as https://dns.example.com")
    .optional()
    .register(notes, {
      meaning:
        "Public URL, without a path. Links in mails use it, and passkeys are bound to it. `https:` makes cookies `Secure`.",
      otherwise: "`http://localhost:PORT`",
      readIn: "composition/services.ts",
      more: "operations/access.md#passkeys-and-site_url",
    }),
  DATA_DIR: z.string().default(defaultDataDir).register(notes, {
    meaning: "Directory for keys, zone files and the embedded database. Created if missing.",
    readIn: "start.ts",
    more: "operations/backup.md#what-to-back-up",
  }),
  DATABASE_URL: z
    .string()
    .refine((text) => databaseUrlFault(text) === null, { error: ({ input }) => databaseUrlFault(String(input)) ?? "" })
    .optional()
    .register(notes, {
      meaning:
        "PostgreSQL 15 or newer, `postgres://user:password@host:5432/database`, with libpq parameters such as `sslmode=verify-full`. " +
        "Unset: the embedded database under `DATA_DIR`.",
      readIn: "start.ts",
      more: "operations/deployment.md#databases",
    }),
  REDIS_URL: url("REDIS_URL", ["redis:", "rediss:"], "redis://:password@localhost:6379/0", ({ pathname }) =>
    /^(?:\/\d*)?$/.test(pathname),
  )
    .optional()
    .register(notes, {
      meaning:
        "Redis or Valkey (`redis://:password@host:6379`, `rediss://…`) through which instances share rate limits and notifications.",
      readIn: "composition/services.ts",
      more: "operations/deployment.md#more-than-one-instance",
    }),
  SECRET_KEYS: commaList(
    (part) => part.length >= 32,
    "SECRET_KEYS must be comma-separated keys of at least 32 characters each, newest first",
  ).register(notes, {
    meaning: "Comma-separated, at least 32 characters each. The first signs and encrypts, all verify and decrypt.",
    otherwise: "generated once in `DATA_DIR/secret-key`",
    readIn: "composition/services.ts",
    more: "operations/access.md#rotating-the-keys",
  }),
  ADMIN_USERNAME: z
    .string()
    .regex(/^[\w.@-]{2,64}$/, "ADMIN_USERNAME must be 2 to 64 letters, digits or the characters . _ @ -")
    .default("admin")
    .register(notes, {
      meaning: "The administrator's username, created at the first start. Later changes have no effect.",
      readIn: "start.ts",
      more: "operations/access.md#a-lost-password",
    }),
  ADMIN_PASSWORD: z
    .string()
    .refine((password) => adminPasswordFault(password) === null, {
      error: ({ input }) => `ADMIN_PASSWORD ${adminPasswordFault(String(input))}`,
    })
    .optional()
    .register(notes, {
      meaning:
        "The administrator's password at the first start, 12 to 256 characters and not a common one. Later changes have no effect.",
      otherwise: "generated and printed once",
      readIn: "start.ts",
      more: "operations/access.md#a-lost-password",
    }),
  TOKEN_PREFIX: z
    .string()
    .regex(
      /^[a-z][a-z0-9]{0,15}$/,
      "TOKEN_PREFIX must be 1 to 16 lower-case letters or digits, beginning with a letter",
    )
    .default("zw")
    .register(notes, {
      meaning:
        "Prefix of personal tokens, so that secret scanners recognize yours (`zw_pt_` and 36 letters and digits, the last six a checksum). Changing it invalidates all existing tokens.",
      readIn: "composition/services.ts",
    }),
  SMTP_URL: url("SMTP_URL", ["smtp:", "smtps:"], "smtp://user:password@mail.example.com:587")
    .optional()
    .register(notes, {
      meaning:
        "Mail server (`smtp://user:password@mail.example.com:587`, `smtps://…`). Without it, no mail is sent, and features that need mail are unavailable.",
      readIn: "composition/services.ts",
    }),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*[^\s<>@]+@[^\s<>@]+>?$/, "MAIL_FROM must be an address such as Zonewright <dns@example.com>")
    .optional()
    .register(notes, {
      meaning: "Sender of mails, such as `Zonewright <dns@example.com>`.",
      otherwise: "`zonewright@` and the site's host",
      readIn: "composition/services.ts",
    }),
  TRUST_PROXY: commaList(
    (part, { length }) => isProxy(part) || (length === 1 && /^\d{1,2}$/.test(part)),
    "TRUST_PROXY must be a number of proxies, or addresses and networks such as loopback,10.0.0.0/8",
  ).register(notes, {
    meaning: "Addresses of reverse proxies whose `X-Forwarded-For` is trusted, or the number of proxies.",
    readIn: "app.ts",
    more: "operations/deployment.md#behind-a-proxy",
  }),
  CORS_ORIGINS: commaList(
    (part) => URL.canParse(part) && /^https?:/.test(part) && new URL(part).origin === part,
    "CORS_ORIGINS must be origins separated by commas, such as https://app.example.com,https://admin.example.com",
  ).register(notes, {
    meaning: "Comma-separated origins of web apps on other hosts, such as `https://app.example.com`.",
    readIn: "app.ts",
  }),
  EGRESS_ALLOW: commaList(
    isAllowEntry,
    "EGRESS_ALLOW must be hosts and networks separated by commas, such as 10.0.0.0/8,dns.internal",
  ).register(notes, {
    meaning:
      "Non-public hosts (`hook.internal`, `*.internal`) and networks (`10.0.0.0/8`) that outgoing calls may reach.",
    readIn: "composition/services.ts",
    more: "operations/access.md#calls-to-other-servers",
  }),
  RATE_LIMIT: perMinute("RATE_LIMIT", 6_000).register(notes, {
    meaning: "Maximum calls per minute of one user, personal token or address, or `off`.",
    readIn: "composition/services.ts",
    more: "operations/access.md#limits",
  }),
  RATE_LIMIT_COSTLY: perMinute("RATE_LIMIT_COSTLY", 120).register(notes, {
    meaning: "Maximum costly calls per minute, or `off`.",
    readIn: "composition/services.ts",
    more: "operations/access.md#limits",
  }),
  LOG_LEVEL: z
    .enum(
      ["trace", "debug", "info", "warn", "error", "silent"],
      "LOG_LEVEL must be trace, debug, info, warn, error or silent",
    )
    .default("info")
    .register(notes, {
      meaning:
        "`trace`, `debug`, `info`, `warn`, `error` or `silent`. Startup and shutdown messages are always printed.",
      readIn: "start.ts",
      more: "operations/monitoring.md#the-log",
    }),
  LOG_FORMAT: z.enum(["json", "text"], "LOG_FORMAT must be json or text").optional().register(notes, {
    meaning: "`json`: one JSON object per line. `text`: human-readable lines.",
    otherwise: "`text` on a terminal, otherwise `json`",
    readIn: "start.ts",
    more: "operations/monitoring.md#the-log",
  }),
  CONSOLE: onOff("CONSOLE", "on").register(notes, {
    meaning: "`off` serves the API without the web console.",
    readIn: "app.ts",
  }),
  JOBS: onOff("JOBS", "on").register(notes, {
    meaning: "`off` for instances that only serve requests.",
    readIn: "composition/job-list.ts",
    more: "operations/jobs.md#jobs",
  }),
  AUDIT_STREAM: z
    .string()
    .optional()
    .refine(
      (text) => text === undefined || parseAuditTarget(text) !== null,
      "AUDIT_STREAM must be stdout, syslog://host, syslogs://host or an https:// address, such as syslogs://siem.example.com:6514",
    )
    .transform((text) => (text === undefined ? null : parseAuditTarget(text)))
    .register(notes, {
      meaning:
        "Sends the audit trail to `stdout`, `syslog://host[:601]`, `syslogs://host[:6514]` (TLS) or an `https://` address.",
      readIn: "composition/services.ts",
      otherwise: "nowhere",
      more: "operations/audit-stream.md#where-to",
    }),
  DNS_LISTEN: listenAddresses("DNS_LISTEN").register(notes, {
    meaning:
      "Addresses of the DNS service, for secondaries and clients with TSIG keys, by UDP and TCP, comma-separated, such as `0.0.0.0:53,[::]:53`.",
    otherwise: "off",
    readIn: "dns-service/service.ts",
    more: "guide/secondaries.md#listen",
  }),
  METRICS_DOMAINS: onOff("METRICS_DOMAINS", "off").register(notes, {
    meaning:
      "`on` has `/metrics` say when each domain expires, with its name. Anybody who reaches `/metrics` then sees the names.",
    readIn: "composition/job-list.ts",
    more: "operations/monitoring.md#expiry-of-domains",
  }),
  DNS_ANSWER_SOA: onOff("DNS_ANSWER_SOA", "off").register(notes, {
    meaning:
      "`on` answers unsigned queries for the SOA of any zone, for update clients that look for their zone unsigned.",
    readIn: "dns-service/service.ts",
    more: "guide/dynamic-updates.md#clients-that-ask-unsigned",
  }),
  PDNS_LISTEN: listenAddress("PDNS_LISTEN").register(notes, {
    meaning:
      "Address of a second listener with PowerDNS's API at `/api/v1`, for clients that take only host and port, such as `127.0.0.1:8081`. Plain HTTP.",
    otherwise: "off",
    readIn: "start.ts",
    more: "guide/powerdns-clients.md#a-port-of-its-own",
  }),
  RDAP_BOOTSTRAP_URL: url(
    "RDAP_BOOTSTRAP_URL",
    ["http:", "https:"],
    "https://rdap.example.com/dns.json, without credentials",
    ({ username, password }) => username + password === "",
  )
    .optional()
    .register(notes, {
      meaning: "URL of the RDAP bootstrap file (RFC 9224).",
      otherwise: "IANA's",
      readIn: "registry/expiry/service.ts",
      more: "operations/jobs.md#expiry-dates",
    }),
  WHOIS_SERVER: z
    .string()
    .refine(isHostAndPort, "WHOIS_SERVER must be a host such as whois.example.com or whois.example.com:4343")
    .optional()
    .register(notes, {
      meaning: "The first WHOIS server to query, `host` or `host:port`.",
      otherwise: "`whois.iana.org`",
      readIn: "registry/expiry/service.ts",
      more: "operations/jobs.md#expiry-dates",
    }),
  RESOLVER_ROOTS: z
    .string()
    .optional()
    .transform((text) => parseRoots(text ?? ""))
    .refine(
      (roots) => roots !== null,
      "RESOLVER_ROOTS must be addresses or hosts of root servers separated by commas, all with the same port if any, such as 192.0.2.1,192.0.2.2:53, or off",
    )
    .register(notes, {
      meaning:
        "Root name servers from which delegations are checked, `host` or `host:port`, comma-separated. A port holds for all name servers. Unset: the system's resolver. `off`: delegations are not checked.",
      otherwise: "the system's resolver",
      readIn: "registry/delegation/check-job.ts",
      more: "guide/delegation.md#where-it-looks-from",
    }),
  RESOLVER_TRUST_ANCHOR: z
    .string()
    .optional()
    .transform((text) => parseTrustAnchor(text ?? ""))
    .refine(
      (anchors) => anchors !== null,
      "RESOLVER_TRUST_ANCHOR must be DS records of the root separated by commas, such as 20326 8 2 e06d44b8…, each with a whole digest of type 1, 2 or 4",
    )
    .register(notes, {
      meaning:
        "DS records of the root zone that DNSSEC is validated from, comma-separated: key tag, algorithm, digest type and digest. Set it for a private root.",
      otherwise: "the public root's keys of 2017 and 2024",
      readIn: "registry/delegation/check-job.ts",
      more: "guide/dnssec.md#where-trust-begins",
    }),
  REVIEW_REQUIRED: z
    .enum(["off", "members", "everyone"], "REVIEW_REQUIRED must be off, members or everyone")
    .default("off")
    .register(notes, {
      meaning:
        "Whose changes of records need a review, in domains without a setting of their own: `off`, `members` (everyone but administrators) or `everyone`.",
      readIn: "composition/services.ts",
      more: "guide/change-requests.md#require-a-review",
    }),
  DRIFT_CHECK: z
    .enum(["hourly", "daily", "off"], "DRIFT_CHECK must be hourly, daily or off")
    .default("hourly")
    .register(notes, {
      meaning: "How often each active zone is compared with what its provider serves: `hourly`, `daily` or `off`.",
      readIn: "composition/job-list.ts",
      more: "operations/jobs.md#zones-changed-elsewhere",
    }),
  SNAPSHOT_RETENTION: z
    .string()
    .regex(/^(?:off|[1-9]\d{0,4})$/, "SNAPSHOT_RETENTION must be a number of days, such as 365, or off")
    .default("off")
    .transform((text) => (text === "off" ? null : Number(text)))
    .register(notes, {
      meaning: "Days for which automatic snapshots are kept, or `off` to keep them forever.",
      readIn: "composition/job-list.ts",
      more: "operations/jobs.md#old-snapshots",
    }),
});

/** An environment variable, for the documentation. */
export interface Variable {
  name: string;
  /** Its default; null if there is no literal one. */
  fallback: string | null;
  notes: VariableNotes;
}

/** Returns every variable. @throws Error for one without notes */
export function describedVariables(): Variable[] {
  return Object.entries(environmentSchema.shape).map(([name, schema]) => {
    const note = notes.get(schema);
    if (!note) throw new Error(`server/ops/config/environment.ts has no notes for ${name}; register them.`);
    return { name, fallback: fallbackOf(schema), notes: note };
  });
}

/** Returns the default of a schema, also inside a pipe, or null for none or the empty string. */
function fallbackOf(schema: z.core.$ZodType): string | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "pipe") return fallbackOf(def.in);
  if (def.type !== "default" || def.defaultValue === "") return null;
  return String(def.defaultValue);
}
