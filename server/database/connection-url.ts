import { readFileSync } from "node:fs";
import { defaults } from "pg";
import { issuedFor, type TlsOptions } from "../net/tls-options.ts";

/** A database address that cannot be used. The message ends a failed start; it never repeats a password. */
export class DatabaseUrlError extends Error {}

/** The modes of libpq (PostgreSQL documentation, table 34.1) that either encrypt or do not. */
const sslModes = ["disable", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof sslModes)[number];

/** The parts of DATABASE_URL, checked. No file has been read yet. */
export interface DatabaseAddress {
  /** A host name or an IP address; the folder of a Unix socket where it begins with a slash. */
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
  database: string;
  /** Null: not given, which means no TLS unless PGSSLMODE asks for it. */
  sslMode: SslMode | null;
  sslNegotiation: "postgres" | "direct";
  /** Paths of PEM files; `system` as root certificate stands for the authorities that Node trusts. */
  sslRootCert: string | undefined;
  sslCert: string | undefined;
  sslKey: string | undefined;
  sslPassword: string | undefined;
  channelBinding: boolean;
  applicationName: string | undefined;
  connectTimeoutSeconds: number;
  /** Command-line options for the server, such as `-c search_path=dns`. */
  options: string | undefined;
}

/** What both pools and `pg.Client` take. */
export interface ConnectionSettings {
  host: string;
  port: number;
  user?: string;
  password?: string;
  database: string;
  ssl?: TlsOptions | false;
  sslnegotiation?: "postgres" | "direct";
  enableChannelBinding: boolean;
  connectionTimeoutMillis: number;
}

const known = new Set(
  (
    "host port user password dbname application_name connect_timeout options " +
    "ssl sslmode sslrootcert sslcert sslkey sslpassword sslnegotiation channel_binding"
  ).split(" "),
);
const example = "postgres://user:password@host:5432/zonewright";
const unreadable = `must be an address such as ${example}; write special characters of the password as %40 for @, %2F for /, %23 for #, %3F for ?`;
/** User and password, host, port, database, parameters (PostgreSQL documentation §34.1.1.2). */
const form =
  /^postgres(?:ql)?:\/\/(?:([^:/?#]*?)(?::([^/?#]*))?@)?(\[[^\]/?#@]*\]|[^:/?#@]*)(?::(\d*))?(?:\/([^/?#@]*))?(?:\?([^#]*))?$/;

/** @throws DatabaseUrlError with a sentence that begins with DATABASE_URL and names what is wrong. */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const parts = form.exec(text);
  if (!parts) {
    throw refusal(unreadable);
  }
  const [user, password, host, port, database] = parts.slice(1, 6).map((part) => part && decoded(part, "it"));
  const given = parameters(parts[6] ?? "");
  const address = {
    host: given.get("host") ?? host?.replace(/^\[(.*)\]$/, "$1") ?? "",
    port: portIn(given.get("port") ?? port ?? ""),
    user: given.get("user") ?? (user === "" ? undefined : user),
    password: given.get("password") ?? password,
    database: given.get("dbname") ?? database ?? "",
    ...tlsIn(given),
    channelBinding: oneOf(given, "channel_binding", ["disable", "prefer"]) === "prefer",
    applicationName: given.get("application_name"),
    connectTimeoutSeconds: secondsIn(given.get("connect_timeout")),
    options: given.get("options"),
  };
  if (address.host === "") address.host = "localhost";
  if (address.host.includes(",")) throw refusal("names several hosts; name one");
  if (address.database === "") throw refusal(`names no database; add its name at the end, as in ${example}`);
  if (isSocket(address) && address.sslMode !== null && address.sslMode !== "disable") {
    throw refusal("has sslmode for a Unix socket, which TLS does not apply to; leave sslmode out");
  }
  return address;
}

/** What is wrong with an address, as a sentence without its full stop; null: nothing. */
export function databaseUrlFault(text: string): string | null {
  try {
    parseDatabaseUrl(text);
    return null;
  } catch (error) {
    if (error instanceof DatabaseUrlError) return error.message.replace(/\.$/, "");
    throw error;
  }
}

/** Reads the certificates that an address names. @throws DatabaseUrlError when one cannot be read. */
export function connectionSettings(address: DatabaseAddress): ConnectionSettings {
  const { user = defaults.user, password } = address;
  // TLS does not apply to a socket, whatever PGSSLMODE says.
  const sslMode = isSocket(address) ? "disable" : address.sslMode;
  return {
    host: address.host,
    port: address.port,
    database: address.database,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(sslMode === null ? {} : { ssl: sslMode === "disable" ? false : tlsOptions(address, sslMode) }),
    ...(address.sslNegotiation === "direct" ? { sslnegotiation: "direct" as const } : {}),
    enableChannelBinding: address.channelBinding,
    connectionTimeoutMillis: address.connectTimeoutSeconds * 1_000,
  };
}

/** Where the database is, for people: no user, no password. */
export function placeOf(address: DatabaseAddress): string {
  const { host, port, database } = address;
  if (isSocket(address)) return `${database} at ${host}`;
  return `${database} at ${host.includes(":") ? `[${host}]` : host}:${port}`;
}

export function isSocket({ host }: DatabaseAddress): boolean {
  return host.startsWith("/");
}

function tlsOptions(address: DatabaseAddress, mode: SslMode): TlsOptions {
  const { host, sslRootCert, sslCert, sslKey, sslPassword } = address;
  const rootFile = sslRootCert === "system" ? undefined : sslRootCert;
  const options: TlsOptions = {
    minVersion: "TLSv1.2",
    ...(rootFile === undefined ? {} : { ca: fileOf("sslrootcert", rootFile) }),
    ...(sslCert === undefined ? {} : { cert: fileOf("sslcert", sslCert) }),
    ...(sslKey === undefined ? {} : { key: fileOf("sslkey", sslKey) }),
    ...(sslPassword === undefined ? {} : { passphrase: sslPassword }),
  };
  // As libpq does: `require` with a root certificate verifies it.
  if (mode === "require" && sslRootCert === undefined) return { ...options, rejectUnauthorized: false };
  const checkIdentity = mode === "verify-full" ? issuedFor(host) : () => undefined;
  return { ...options, rejectUnauthorized: true, checkServerIdentity: checkIdentity };
}

function fileOf(parameter: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw refusal(`${parameter} names ${path}, which cannot be read (${code})`, error);
  }
}

/** The parameters after the question mark, each known and given once. */
function parameters(text: string): Map<string, string> {
  const given = new Map<string, string>();
  for (const pair of text.split("&").filter((part) => part !== "")) {
    const [, key = "", value] = /^([^=]*)(?:=(.*))?$/s.exec(pair) ?? [];
    const name = decoded(key, "a parameter");
    // What is not a name may be a piece of a password.
    if (!/^\w{1,40}$/.test(name))
      throw refusal("has a parameter without a name; parameters are name=value, joined by &");
    if (!known.has(name)) {
      // With an @ behind it, the question mark is likely one of the password's.
      if (text.includes("@")) throw refusal(unreadable);
      throw refusal(
        `has the parameter ${name}, which is not supported; leave it out, or put a server setting into options`,
      );
    }
    if (value === undefined || value === "") throw refusal(`has the parameter ${name} without a value`);
    if (given.has(name)) throw refusal(`has the parameter ${name} twice`);
    given.set(name, decoded(value, name));
  }
  return given;
}

type Tls = Pick<DatabaseAddress, "sslMode" | "sslNegotiation" | "sslRootCert" | "sslCert" | "sslKey" | "sslPassword">;

function tlsIn(given: ReadonlyMap<string, string>): Tls {
  const sslMode = sslModeIn(given);
  const sslRootCert = given.get("sslrootcert");
  const sslCert = given.get("sslcert");
  const sslKey = given.get("sslkey");
  const sslNegotiation = oneOf(given, "sslnegotiation", ["postgres", "direct"]) ?? "postgres";
  const isEncrypted = sslMode !== null && sslMode !== "disable";
  const idle = ["sslrootcert", "sslcert", "sslkey", "sslpassword"].find((name) => given.has(name));
  if (idle !== undefined && !isEncrypted) throw refusal(`has ${idle} without encryption; add sslmode=verify-full`);
  if (sslNegotiation === "direct" && !isEncrypted) {
    throw refusal("has sslnegotiation=direct without encryption; add sslmode=verify-full");
  }
  if (sslMode === "verify-ca" && (sslRootCert === undefined || sslRootCert === "system")) {
    throw refusal(
      "has sslmode=verify-ca, which needs the file of a certificate authority in sslrootcert; or use verify-full",
    );
  }
  if (sslRootCert === "system" && sslMode !== "verify-full") {
    throw refusal("has sslrootcert=system, which needs sslmode=verify-full");
  }
  if ((sslCert === undefined) !== (sslKey === undefined)) {
    throw refusal(`has ${sslCert === undefined ? "sslkey without sslcert" : "sslcert without sslkey"}; give both`);
  }
  return { sslMode, sslNegotiation, sslRootCert, sslCert, sslKey, sslPassword: given.get("sslpassword") };
}

function sslModeIn(given: ReadonlyMap<string, string>): SslMode | null {
  const mode = given.get("sslmode");
  // The form of JDBC, which libpq reads as well.
  if (mode === undefined) return oneOf(given, "ssl", ["true"]) === undefined ? null : "require";
  if (given.has("ssl")) throw refusal("has ssl beside sslmode; leave ssl out");
  if (mode === "prefer" || mode === "allow") {
    throw refusal(
      `has sslmode=${mode}, which may fall back to plain text; use disable, require, verify-ca or verify-full`,
    );
  }
  return oneOf(given, "sslmode", sslModes) ?? null;
}

function oneOf<const Choice extends string>(
  given: ReadonlyMap<string, string>,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = given.get(name);
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw refusal(`has an unsupported value of ${name}; use ${choices.join(", ")}`);
  return found;
}

function portIn(text: string): number {
  const port = text === "" ? 5432 : Number(text);
  if (!/^\d*$/.test(text) || port < 1 || port > 65_535)
    throw refusal("has a port that is not a number from 1 to 65535");
  return port;
}

function secondsIn(text = "5"): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) < 1) {
    throw refusal("has a connect_timeout that is not a number of seconds from 1 to 999");
  }
  return Number(text);
}

function decoded(text: string, where: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refusal(`has a % in ${where} that begins no escape; write it as %25`);
  }
}

function refusal(what: string, cause?: unknown): DatabaseUrlError {
  return new DatabaseUrlError(`DATABASE_URL ${what}.`, { cause });
}
