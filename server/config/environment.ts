import { isIP } from "node:net";
import { z } from "zod";
import { passwordFault } from "../platform/password-rules.ts";
import { databaseUrlFault } from "../database/connection-url.ts";
import { isAllowEntry } from "../net/allow-list.ts";

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

/** What is wrong with the administrator's password; null: nothing, or there is none. */
export function adminPasswordFault(password: string | null, username = "admin"): string | null {
  return password === null ? null : passwordFault(password, { username });
}

/** What docs/reference/configuration.md tells of a variable beside its name and default. */
interface VariableNotes {
  meaning: string;
  /** The default in words, where it is not a plain value. */
  otherwise?: string;
  /** The file that reads it, below server/. */
  readIn: string;
  /** The page and heading that say more, below docs/. */
  more?: string;
}

const notes = z.registry<VariableNotes>();

/** The environment. Every message is the sentence that a failed start prints. */
export const environmentSchema = z.object({
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, "HOST must be an address or a host name such as 0.0.0.0")
    .default("127.0.0.1")
    .register(notes, { meaning: "The address to listen on; `0.0.0.0` or `::` for all.", readIn: "start.ts" }),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, "PORT must be a whole number from 0 to 65535")
    .transform(Number)
    .refine((port) => port <= 65_535, "PORT must be a whole number from 0 to 65535")
    .default(3000)
    .register(notes, { meaning: "The port to listen on; `0` for any that is free.", readIn: "start.ts" }),
  SITE_URL: z
    .string()
    .refine(isSite, "SITE_URL must be an address such as https://dns.example.com")
    .optional()
    .register(notes, {
      meaning:
        "Public address, without a path: links in mails lead there, and passkeys belong to it. `https:` makes cookies `Secure`.",
      otherwise: "`http://localhost:PORT`",
      readIn: "composition/services.ts",
      more: "operations/access.md#passkeys-and-site_url",
    }),
  DATA_DIR: z.string().default("./data").register(notes, {
    meaning: "Folder for keys, zone files and the embedded database; made where it is missing.",
    readIn: "start.ts",
    more: "operations/backup.md#what-there-is-to-back-up",
  }),
  DATABASE_URL: z
    .string()
    .refine((text) => databaseUrlFault(text) === null, { error: ({ input }) => databaseUrlFault(String(input)) ?? "" })
    .optional()
    .register(notes, {
      meaning:
        "PostgreSQL 15 or newer, `postgres://user:password@host:5432/database`, with libpq's parameters such as `sslmode=verify-full`. " +
        "Unset: the embedded database under `DATA_DIR`.",
      readIn: "start.ts",
      more: "operations/deployment.md#databases",
    }),
  REDIS_URL: url("REDIS_URL", ["redis:", "rediss:"], "redis://localhost:6379").optional().register(notes, {
    meaning:
      "Redis or Valkey (`redis://:password@host:6379`, `rediss://…`) in which instances count limits together and share notifications.",
    readIn: "composition/services.ts",
    more: "operations/deployment.md#more-than-one-instance",
  }),
  SECRET_KEYS: commaList(
    (part) => part.length >= 32,
    "SECRET_KEYS must be keys of at least 32 characters each, separated by commas, the newest first",
  ).register(notes, {
    meaning: "Comma-separated, at least 32 characters each. The first signs and encrypts, all verify and decrypt.",
    otherwise: "made once in `DATA_DIR/secret-key`",
    readIn: "composition/services.ts",
    more: "operations/access.md#rotating-the-keys",
  }),
  ADMIN_USERNAME: z
    .string()
    .regex(/^[\w.@-]{2,64}$/, "ADMIN_USERNAME must be 2 to 64 letters, digits or any of . _ @ -")
    .default("admin")
    .register(notes, {
      meaning: "The administrator, made at the first start; later changes of it have no effect.",
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
        "The administrator's password at the first start; later changes of it have no effect. 12 to 256 characters, and not a common one.",
      otherwise: "made and printed once",
      readIn: "start.ts",
      more: "operations/access.md#a-lost-password",
    }),
  TOKEN_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, "TOKEN_PREFIX must be 1 to 16 lower-case letters or digits, a letter first")
    .default("zw")
    .register(notes, {
      meaning:
        "What personal tokens begin with, so that scanners for leaked secrets know yours (`zw_pt_` and 36 letters and digits, the last six a checksum). Changing it ends all tokens that there are.",
      readIn: "composition/services.ts",
    }),
  SMTP_URL: url("SMTP_URL", ["smtp:", "smtps:"], "smtp://user:password@mail.example.com:587")
    .optional()
    .register(notes, {
      meaning:
        "Mail server (`smtp://user:password@mail.example.com:587`, `smtps://…`). Without it nothing is mailed, and what depends on mail is not offered.",
      readIn: "composition/services.ts",
    }),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*[^\s<>@]+@[^\s<>@]+>?$/, "MAIL_FROM must be an address such as Zonewright <dns@example.com>")
    .optional()
    .register(notes, {
      meaning: "Sender of mails, such as `Zonewright <dns@example.com>`.",
      otherwise: "`zonewright@` the site's host",
      readIn: "composition/services.ts",
    }),
  TRUST_PROXY: commaList(
    (part, { length }) => isProxy(part) || (length === 1 && /^\d{1,2}$/.test(part)),
    "TRUST_PROXY must be a number of proxies, or addresses and networks such as loopback,10.0.0.0/8",
  ).register(notes, {
    meaning: "Addresses of reverse proxies whose `X-Forwarded-For` counts, or how many there are.",
    readIn: "app.ts",
    more: "operations/deployment.md#behind-a-proxy",
  }),
  CORS_ORIGINS: commaList(
    (part) => URL.canParse(part) && /^https?:/.test(part) && new URL(part).origin === part,
    "CORS_ORIGINS must be origins separated by commas, such as https://app.example.com,https://admin.example.com",
  ).register(notes, {
    meaning: "Web front ends on other origins, separated by commas: `https://app.example.com`.",
    readIn: "app.ts",
  }),
  EGRESS_ALLOW: commaList(
    isAllowEntry,
    "EGRESS_ALLOW must be hosts and networks separated by commas, such as 10.0.0.0/8,dns.internal",
  ).register(notes, {
    meaning:
      "Hosts (`hook.internal`, `*.internal`) and networks (`10.0.0.0/8`) that calls to other servers may go to although they are not public.",
    readIn: "composition/services.ts",
    more: "operations/access.md#calls-to-other-servers",
  }),
  RATE_LIMIT: perMinute("RATE_LIMIT", 6_000).register(notes, {
    meaning: "Calls a minute of one user, personal token or address; or `off`.",
    readIn: "composition/services.ts",
    more: "operations/access.md#limits",
  }),
  RATE_LIMIT_COSTLY: perMinute("RATE_LIMIT_COSTLY", 120).register(notes, {
    meaning: "How many of the calls a minute may be costly; or `off`.",
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
        "`trace`, `debug`, `info`, `warn`, `error` or `silent`. The lines of the start and the stop are always printed.",
      readIn: "start.ts",
      more: "operations/monitoring.md#what-the-log-tells",
    }),
  LOG_FORMAT: z.enum(["json", "text"], "LOG_FORMAT must be json or text").optional().register(notes, {
    meaning: "`json`: every line that the service prints is one JSON object. `text`: lines for people.",
    otherwise: "`text` on a terminal, else `json`",
    readIn: "start.ts",
    more: "operations/monitoring.md#what-the-log-tells",
  }),
  JOBS: onOff("JOBS", "on").register(notes, {
    meaning: "`off` for instances that only answer requests.",
    readIn: "composition/jobs.ts",
    more: "operations/jobs.md#jobs",
  }),
  RDAP_BOOTSTRAP_URL: url("RDAP_BOOTSTRAP_URL", ["http:", "https:"], "https://rdap.example.com/dns.json")
    .optional()
    .register(notes, {
      meaning: "Where the list of RDAP servers is (RFC 9224).",
      otherwise: "IANA's list",
      readIn: "expiry/compose.ts",
      more: "operations/jobs.md#expiry-dates",
    }),
  WHOIS_SERVER: z
    .string()
    .regex(/^[\w.:[\]-]+$/, "WHOIS_SERVER must be a host such as whois.example.com or whois.example.com:4343")
    .optional()
    .register(notes, {
      meaning: "The WHOIS server that is asked first, `host` or `host:port`.",
      otherwise: "`whois.iana.org`",
      readIn: "expiry/compose.ts",
      more: "operations/jobs.md#expiry-dates",
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
      meaning: "Days for which snapshots made by themselves are kept, or `off`: for good.",
      readIn: "composition/job-list.ts",
      more: "operations/jobs.md#old-snapshots",
    }),
});

/** A variable of the environment, for readers. */
export interface Variable {
  name: string;
  /** Its value where none is given; null where there is no plain one. */
  fallback: string | null;
  notes: VariableNotes;
}

/** Every variable that is read. @throws Error for one without notes */
export function describedVariables(): Variable[] {
  return Object.entries(environmentSchema.shape).map(([name, schema]) => {
    const told = notes.get(schema);
    if (!told) throw new Error(`server/config/environment.ts says nothing of ${name}.`);
    return { name, fallback: fallbackOf(schema), notes: told };
  });
}

/** The default of a schema, also within a transformation; null for none and for nothing. */
function fallbackOf(schema: z.core.$ZodType): string | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "pipe") return fallbackOf(def.in);
  if (def.type !== "default" || def.defaultValue === "") return null;
  return String(def.defaultValue);
}
