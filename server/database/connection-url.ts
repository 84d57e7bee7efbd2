import { readFileSync } from "node:fs";
import { defaults } from "pg";
import { issuedFor, type TlsOptions } from "../platform/net/tls.ts";

/** An invalid DATABASE_URL. The message is printed when the start fails; it never contains a password. */
export class DatabaseUrlError extends Error {}

/** The modes of libpq (PostgreSQL documentation, table 34.1) that either encrypt or do not. */
const sslModes = ["disable", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof sslModes)[number];

/** The validated parts of DATABASE_URL. Files are not read yet. */
export interface DatabaseAddress {
  /** A host name, an IP address, or the directory of a Unix socket if it begins with a slash. */
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
  database: string;
  /** Null if not given: no TLS unless PGSSLMODE requests it. */
  sslMode: SslMode | null;
  sslNegotiation: "postgres" | "direct";
  /** Paths of PEM files. As root certificate, `system` means the authorities that Node trusts. */
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

/** Connection options accepted by both pools and `pg.Client`. */
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

/** Parses DATABASE_URL. @throws DatabaseUrlError with a sentence that begins with DATABASE_URL and names the fault */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const parts = form.exec(text);
  if (!parts) {
    throw refusal(unreadable);
  }
  const [user, password, host, port, database] = parts.slice(1, 6).map((part) => part && decoded(part, "the address"));
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
  if (address.host.includes(",")) throw refusal("names several hosts; keep one");
  if (address.database === "") throw refusal(`names no database; add its name at the end, as in ${example}`);
  if (isSocket(address) && address.sslMode !== null && address.sslMode !== "disable") {
    throw refusal("has sslmode for a Unix socket, which does not use TLS; remove sslmode");
  }
  return address;
}

/** Returns what is wrong with a DATABASE_URL, as a sentence without its full stop, or null. */
export function databaseUrlFault(text: string): string | null {
  try {
    parseDatabaseUrl(text);
    return null;
  } catch (error) {
    if (error instanceof DatabaseUrlError) return error.message.replace(/\.$/, "");
    throw error;
  }
}

/** Returns the connection options, with certificates read from their files. @throws DatabaseUrlError if one cannot be read */
export function connectionSettings(address: DatabaseAddress): ConnectionSettings {
  const { user = defaults.user, password } = address;
  // A socket never uses TLS, even if PGSSLMODE requests it.
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

/** Describes the database's location for display, without user and password. */
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
  // As in libpq, `require` with a root certificate verifies the server's.
  if (mode === "require" && sslRootCert === undefined) return { ...options, rejectUnauthorized: false };
  const checkIdentity = mode === "verify-full" ? issuedFor(host) : () => undefined;
  return { ...options, rejectUnauthorized: true, checkServerIdentity: checkIdentity };
}

function fileOf(parameter: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw refusal(`has ${parameter}=${path}, which cannot be read (${code})`, error);
  }
}

/** Parses the query parameters. Each must be supported and given once. */
function parameters(text: string): Map<string, string> {
  const given = new Map<string, string>();
  for (const pair of text.split("&").filter((part) => part !== "")) {
    const [, key = "", value] = /^([^=]*)(?:=(.*))?$/s.exec(pair) ?? [];
    const name = decoded(key, "a parameter");
    // Not repeated in the message, because it may be part of a password.
    if (!/^\w{1,40}$/.test(name))
      throw refusal("has a parameter without a name; write parameters as name=value, joined by &");
    if (!known.has(name)) {
      // If an @ follows, the question mark is probably part of the password.
      if (text.includes("@")) throw refusal(unreadable);
      throw refusal(`has the unsupported parameter ${name}; remove it, or pass server settings in options`);
    }
    if (value === undefined || value === "")
      throw refusal(`has the parameter ${name} without a value; add one or remove it`);
    if (given.has(name)) throw refusal(`has the parameter ${name} twice; keep one`);
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
      "has sslmode=verify-ca, which needs a certificate authority's file in sslrootcert; add it, or use verify-full",
    );
  }
  if (sslRootCert === "system" && sslMode !== "verify-full") {
    throw refusal("has sslrootcert=system without sslmode=verify-full; add it");
  }
  if ((sslCert === undefined) !== (sslKey === undefined)) {
    throw refusal(`has ${sslCert === undefined ? "sslkey without sslcert" : "sslcert without sslkey"}; give both`);
  }
  return { sslMode, sslNegotiation, sslRootCert, sslCert, sslKey, sslPassword: given.get("sslpassword") };
}

function sslModeIn(given: ReadonlyMap<string, string>): SslMode | null {
  const mode = given.get("sslmode");
  // JDBC's form, which libpq also accepts.
  if (mode === undefined) return oneOf(given, "ssl", ["true"]) === undefined ? null : "require";
  if (given.has("ssl")) throw refusal("has both ssl and sslmode; remove ssl");
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
  if (found === undefined) throw refusal(`has an unsupported value for ${name}; use one of ${choices.join(", ")}`);
  return found;
}

function portIn(text: string): number {
  const port = text === "" ? 5432 : Number(text);
  if (!/^\d*$/.test(text) || port < 1 || port > 65_535)
    throw refusal("has an invalid port; use a number from 1 to 65535");
  return port;
}

function secondsIn(text = "5"): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) < 1) {
    throw refusal("has an invalid connect_timeout; use 1 to 999 seconds");
  }
  return Number(text);
}

function decoded(text: string, where: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refusal(`has an invalid percent escape in ${where}; write a literal % as %25`);
  }
}

function refusal(fault: string, cause?: unknown): DatabaseUrlError {
  return new DatabaseUrlError(`DATABASE_URL ${fault}.`, { cause });
}

const tlsCode = /^(?:ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO)|CERT|UNABLE_TO_/;

/** Returns why the PostgreSQL server made the start fail, as a sentence for the operator, or null for other causes. */
export function databaseStartFailure(error: Error): string | null {
  const { message, syscall, code = "" } = error as NodeJS.ErrnoException;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return `DATABASE_URL: the server's certificate is for another host (${message}). Correct the host, or use sslmode=verify-ca.`;
  }
  if (tlsCode.test(code)) {
    return `DATABASE_URL: the TLS connection or the server's certificate was rejected (${message}). Check sslrootcert, sslcert and sslmode.`;
  }
  if (/does not support SSL/.test(message)) {
    return "DATABASE_URL: the server does not support TLS. Enable it there, or set sslmode=disable.";
  }
  if (code === "28000" && message.includes("no encryption")) {
    return `DATABASE_URL: the server requires encryption (${message}). Add sslmode=verify-full.`;
  }
  if (syscall === "connect" || syscall === "getaddrinfo" || /^(?:08|53|57P)|^(?:ECONN|ETIMEDOUT)/.test(code)) {
    return `DATABASE_URL: the database server cannot be reached (${reasonOf(error) || code}). Check host and port, and that it is running.`;
  }
  if (code.startsWith("28"))
    return `DATABASE_URL: the server rejected the user name or password (${message}). Correct them.`;
  if (code === "3D000") return "DATABASE_URL: the database does not exist on that server. Create it first.";
  if (code === "42501")
    return `DATABASE_URL: this user may not create tables (${message}). Grant it CREATE on the database and its schema.`;
  if (code === "25006") return "DATABASE_URL: the database is read-only. Use the primary server.";
  return null;
}

/** A host with several addresses fails with an AggregateError that has no message of its own. */
function reasonOf(error: Error): string {
  if (error.message !== "" || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((each: unknown) => (each instanceof Error ? each.message : "")).join(", ");
}
