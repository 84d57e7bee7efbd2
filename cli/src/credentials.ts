import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createClient, type Client } from "@zonewright/client";
import { callsGoTo, Failure, serverVersion } from "./failure.ts";
import { interactive, note } from "./terminal.ts";
import { Redirected, send } from "./transport.ts";

/** A server and a token for it, as `zonewright login` stores them. */
export interface Credentials {
  /** The server's address, without a trailing slash. */
  url: string;
  token: string;
  /** When the token expires, in ISO 8601; null: never, or not known. */
  expiresAt: string | null;
}

/** The credentials of this run, and where each part comes from, in words that begin a sentence. */
export interface ActiveCredentials extends Credentials {
  urlFrom: string;
  tokenFrom: string;
}

/** Returns the file of the stored credentials, in the configuration folder of the operating system. */
export function credentialsFile(): string {
  const { env, platform } = process;
  const folder =
    env["XDG_CONFIG_HOME"] ||
    (platform === "win32"
      ? env["APPDATA"]
      : platform === "darwin"
        ? join(homedir(), "Library/Application Support")
        : null) ||
    join(homedir(), ".config");
  return join(folder, "zonewright", "credentials.json");
}

/** Reads the stored credentials; null if there are none. @throws Failure if others may read the file, or it is broken */
export async function storedCredentials(): Promise<Credentials | null> {
  const file = credentialsFile();
  let text: string;
  try {
    const { mode } = await stat(file);
    // Windows has no such modes: the folder is the user's own.
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      const shown = (mode & 0o777).toString(8).padStart(4, "0");
      throw new Failure(`${file} has mode ${shown}, so others can use your token. Run: chmod 600 '${file}'`);
    }
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const { url, token, expiresAt } = parsed(text);
  if (typeof url !== "string" || typeof token !== "string") {
    throw new Failure(
      `${file} is damaged. Name the server to sign in again: \`zonewright login --url https://dns.example.com\`.`,
    );
  }
  return { url, token, expiresAt: typeof expiresAt === "string" ? expiresAt : null };
}

function parsed(text: string): { url?: unknown; token?: unknown; expiresAt?: unknown } {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

/** Stores credentials so that only the user can read them, replacing others. @returns the file */
export async function storeCredentials(credentials: Credentials): Promise<string> {
  const file = credentialsFile();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // A new file, because writing to an existing one would keep its mode.
  await rm(file, { force: true });
  await writeFile(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  await chmod(file, 0o600);
  return file;
}

/** Deletes the stored credentials. @returns whether there were any */
export async function deleteCredentials(): Promise<boolean> {
  try {
    await rm(credentialsFile());
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** Returns the credentials of this run. Variables win over stored ones. @throws Failure if one is missing */
export async function activeCredentials(): Promise<ActiveCredentials> {
  const url = process.env["ZONEWRIGHT_URL"] ? validUrl(process.env["ZONEWRIGHT_URL"], "ZONEWRIGHT_URL") : null;
  // A login has warned of the address that it stored.
  if (url !== null && !isPrivate(url)) warnIfClear(url);
  const token = process.env["ZONEWRIGHT_TOKEN"]?.trim() || null;
  if (token !== null && !isToken(token)) {
    throw new Failure("ZONEWRIGHT_TOKEN contains characters that no token has. Check where it comes from.");
  }
  const fromVariables = { urlFrom: "ZONEWRIGHT_URL", tokenFrom: "ZONEWRIGHT_TOKEN" };
  if (url !== null && token !== null) return { url, token, expiresAt: null, ...fromVariables };
  const stored = await storedCredentials();
  const file = credentialsFile();
  if (token === null) {
    if (stored === null) throw new Failure(signIn);
    if (url !== null && url !== stored.url) {
      throw new Failure(
        `ZONEWRIGHT_URL is ${url}, but the stored token is for ${stored.url}. Set ZONEWRIGHT_TOKEN too, or run \`zonewright login --url ${url}\`.`,
      );
    }
    return { ...stored, urlFrom: url === null ? file : "ZONEWRIGHT_URL", tokenFrom: `The token in ${file}` };
  }
  if (stored === null)
    throw new Failure("ZONEWRIGHT_TOKEN is set, but not ZONEWRIGHT_URL. Set it to the server's address.");
  return { url: stored.url, token, expiresAt: null, urlFrom: file, tokenFrom: "ZONEWRIGHT_TOKEN" };
}

const signIn =
  "You are not signed in. Run `zonewright login --url https://dns.example.com`, or set ZONEWRIGHT_URL and ZONEWRIGHT_TOKEN.";

/** Returns whether a text can be a token at all. */
export function isToken(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

/** Returns an address as credentials store it. @param name what it is called where the user wrote it @throws Failure if it is none */
export function validUrl(text: string, name: string): string {
  try {
    const { protocol, username, password, search, hash, origin, pathname } = new URL(text);
    if (/^https?:$/.test(protocol) && username + password + search + hash === "") {
      return origin + pathname.replace(/(?<!\/)\/+$/, "");
    }
  } catch {
    // Told below.
  }
  throw new Failure(`${name} must be the server's address, such as https://dns.example.com.`);
}

/** Returns whether what is sent to an address can be read on its way: plain HTTP to another computer. */
function isClear(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Returns whether an address can only be one of a private network, such as a service of a container's network. */
function isPrivate(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.[\d.]+$|^\[f(?:[cd]|e80:)/.test(hostname) ||
    /^[^.:[\]]+$|\.(?:home\.arpa|internal|lan|local|svc|test)$/.test(hostname)
  );
}

/** Warns of an address to which a token would be sent in clear. */
export function warnIfClear(url: string): void {
  if (isClear(url))
    note(`Warning: ${url} is not encrypted, so anyone on the network path can read the token. Use https.`);
}

/** A week: long enough to renew a token before a script fails. */
const warningTime = 7 * 86_400_000;

/** Returns a client for the active credentials. @throws Failure if there are none */
export async function connect(): Promise<Client> {
  const credentials = await activeCredentials();
  const { url, token, expiresAt, tokenFrom } = credentials;
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) {
    throw new Failure(`${tokenFrom} expired on ${expiresAt.slice(0, 10)}. Run \`zonewright login\`.`);
  }
  if (expiresAt !== null && interactive && Date.parse(expiresAt) - Date.now() < warningTime) {
    note(`Your token expires on ${expiresAt.slice(0, 10)}. \`zonewright login\` gets a new one.`);
  }
  return clientOf(url, token, tokenFrom);
}

/** Returns a client, and has failures name its server and token. */
export function clientOf(url: string, token: string | null, tokenFrom: string): Client {
  callsGoTo({ url, tokenFrom });
  return createClient({ url, token, fetch: isClear(url) ? asking(url) : send });
}

/** Returns what sends calls to an address without TLS. It asks first, without a token, so that a redirect to TLS ends the command before. */
function asking(url: string): typeof send {
  let asked: Promise<unknown> | null = null;
  return async (address, init) => {
    asked ??= serverVersion(url).catch((error: unknown) => {
      // The call itself finds other faults.
      if (error instanceof Redirected) throw error;
    });
    await asked;
    return await send(address, init);
  };
}
