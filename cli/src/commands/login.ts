import type { Command } from "commander";
import { isZonewrightError, type Client, type RouterOutputs } from "@zonewright/client";
import { command, wholeNumber, withJson } from "../command.ts";
import {
  activeCredentials,
  clientOf,
  credentialsFile,
  deleteCredentials,
  isToken,
  storeCredentials,
  storedCredentials,
  validUrl,
  warnIfClear,
} from "../credentials.ts";
import { Failure, serverVersion, unreachable } from "../failure.ts";
import { everyPermission, heldPermissions } from "../held-permissions.ts";
import { signInByBrowser, signInByCode, permissionsOf } from "../sign-in.ts";
import { counted, note, printFields, printJson, readInput } from "../terminal.ts";
import manifest from "../../package.json" with { type: "json" };

interface LoginOptions {
  url?: string;
  token?: string;
  device?: true;
  permissions?: string;
  wait: string;
  json?: true;
}

export function login(): Command {
  return withJson(
    command("login", "Sign in to a server", {
      more: "Opens the console, where you approve it, and stores the server's address and a token of 90 days, readable only by you, for all later commands.",
      examples: [
        ["login --url https://dns.example.com", "Approve the command line in the browser of this computer."],
        ["login --device", "Type a code into the console on another device, for a computer without a browser."],
        ["login --permissions domains:read,records:read", "Get a token that can only read."],
        ["login --url https://dns.example.com --token - < token.txt", "Store a personal token that a file holds."],
      ],
    }),
  )
    .option("--url <address>", "the server's address (default: the stored one, or ZONEWRIGHT_URL)")
    .option("--device", "show a code to type into the console, instead of opening it here")
    .option("--wait <seconds>", "how long to wait for your approval in the browser", "300")
    .option("--permissions <list>", "permissions of the token, separated by commas (default: what the commands need)")
    .option("--token <token>", "a personal token; - reads it from the standard input")
    .action(async ({ url: given, token, device, permissions, wait, json }: LoginOptions) => {
      const waitSeconds = wholeNumber(wait, "--wait");
      if (waitSeconds > 86_400) throw new Failure("--wait must be at most 86400 seconds (a day).");
      const url = await addressOf(given);
      warnIfClear(url);
      if (token !== undefined) {
        if (device || permissions !== undefined)
          throw new Failure("--token already supplies a token. Leave out --device and --permissions.");
        const held = token === "-" ? (await readInput()).trim() : token;
        report(await storeToken(url, { token: held, expiresAt: null }), json === true);
        return;
      }
      const wanted = permissionsOf(permissions);
      await mustBeZonewright(url);
      const client = clientOf(url, null, "The token");
      const made = device
        ? await signInByCode({ client, permissions: wanted })
        : await signInByBrowser({ client, url, permissions: wanted, waitSeconds });
      report(await storeToken(url, made), json === true);
    });
}

async function addressOf(given: string | undefined): Promise<string> {
  if (given !== undefined) return validUrl(given, "--url");
  const variable = process.env["ZONEWRIGHT_URL"];
  if (variable) return validUrl(variable, "ZONEWRIGHT_URL");
  const stored = await storedCredentials();
  if (stored === null) throw new Failure("Name the server: `zonewright login --url https://dns.example.com`.");
  return stored.url;
}

/** A stored sign-in. */
interface SignedIn {
  url: string;
  /** Where the token is. */
  file: string;
  expiresAt: Date | null;
}

async function storeToken(
  url: string,
  { token, expiresAt }: { token: string; expiresAt: Date | null },
): Promise<SignedIn> {
  if (!isToken(token)) throw new Failure("The token is empty or contains spaces. Check where it comes from.");
  await mustBeZonewright(url);
  await mustBeValid(url, token);
  const file = await storeCredentials({ url, token, expiresAt: expiresAt?.toISOString() ?? null });
  return { url, file, expiresAt };
}

function report({ url, file, expiresAt }: SignedIn, json: boolean): void {
  if (json) {
    printJson({ url, file, expiresAt });
    return;
  }
  const until = expiresAt === null ? "" : `, and works until ${expiresAt.toISOString().slice(0, 10)}`;
  note(`Signed in to ${url}. The token is in ${file}${until}.`);
}

/** @throws Failure if nothing answers there, or something else */
export async function mustBeZonewright(url: string): Promise<string> {
  const version = await serverVersion(url).catch((cause: unknown) => {
    throw new Failure(unreachable({ cause }, url));
  });
  if (version === null) throw new Failure(`${url} is not a Zonewright server. Check the address.`);
  return version;
}

/** A token that lacks the permission for this call is valid, too. */
async function mustBeValid(url: string, token: string): Promise<void> {
  try {
    await clientOf(url, token, "The token").domains.list.query({ limit: 1 });
  } catch (error) {
    if (!isZonewrightError(error) || error.code !== "FORBIDDEN") throw error;
  }
}

export function logout(): Command {
  return withJson(
    command("logout", "Forget the stored token", {
      more: "The token itself stays valid: delete it in the console, under Account.",
      examples: [["logout", "Delete the file with the token."]],
    }),
  ).action(async ({ json }: { json?: true }) => {
    const file = credentialsFile();
    const deleted = await deleteCredentials();
    if (json) printJson({ file, deleted });
    else note(deleted ? `Deleted ${file}.` : "There is no stored token.");
  });
}

export function whoami(): Command {
  return withJson(
    command("whoami", "Show the server, user and token in use", {
      more: "Says where each of them comes from, what the token may do, and when it expires.",
      examples: [
        ["whoami", "See which server the next command talks to, as whom, and with which token."],
        ["whoami --json", "Let a job check its token's permissions first."],
      ],
    }),
  ).action(async ({ json }: { json?: true }) => {
    const { url, token, expiresAt: storedExpiry, urlFrom, tokenFrom } = await activeCredentials();
    const serverVersion = await mustBeZonewright(url);
    const { user, permissions, token: about } = await credentialOf(clientOf(url, token, tokenFrom));
    const fromVariable = tokenFrom === "ZONEWRIGHT_TOKEN";
    const expiresAt = about?.expiresAt?.toISOString() ?? storedExpiry;
    if (json) {
      printJson({
        url,
        serverVersion,
        version: manifest.version,
        username: user?.username ?? null,
        role: user?.role ?? null,
        token: about === null ? null : { name: about.name, ...narrowingOf(about) },
        expiresAt,
        tokenFrom: fromVariable ? "environment" : "file",
        permissions,
      });
      return;
    }
    const place = `(${tokenFrom.replace(/^The token in /, "")})`;
    const name = about === null ? "" : `${about.name}, `;
    printFields([
      ["server", `${url} (${urlFrom})`],
      ["server version", serverVersion],
      ...(user === null ? [] : [["user", `${user.username} (${roleNames[user.role]})`] as const]),
      ["token", `${name}${token.slice(0, 8)}… ${place}`],
      ...(about === null ? [] : narrowingText(about)),
      ...(expiresAt === null
        ? about === null
          ? []
          : [["token expires", "never"] as const]
        : [["token expires", expiresAt.slice(0, 10)] as const]),
      ["permissions", permissions.length === 0 ? "none" : permissions.join(" ")],
    ]);
    if (fromVariable && (await storedCredentials()) !== null)
      note(`The stored token in ${credentialsFile()} is not used: ZONEWRIGHT_TOKEN wins over it.`);
  });
}

type Credential = RouterOutputs["tokens"]["current"];

const roleNames: Readonly<Record<Credential["user"]["role"], string>> = {
  admin: "administrator",
  auditor: "auditor",
  member: "member",
};

type Narrowing = Pick<NonNullable<Credential["token"]>, "domainIds" | "hostPattern" | "recordTypes">;

function narrowingOf({ domainIds, hostPattern, recordTypes }: Narrowing): Narrowing {
  return { domainIds, hostPattern, recordTypes };
}

function narrowingText({ domainIds, hostPattern, recordTypes }: Narrowing): (readonly [string, string])[] {
  const parts = [
    ...(domainIds === null ? [] : [counted(domainIds.length, "domain")]),
    ...(hostPattern === null ? [] : [`hosts ${hostPattern}`]),
    ...(recordTypes === null ? [] : [recordTypes.join(" ")]),
  ];
  return parts.length === 0 ? [] : [["narrowed to", parts.join(", ")]];
}

/** Returns whom a client acts for, and what it may do. Older servers tell that only to sessions: what a token may do is found by trying. */
async function credentialOf(client: Client): Promise<Omit<Credential, "user"> & { user: Credential["user"] | null }> {
  try {
    return await client.tokens.current.query();
  } catch (error) {
    if (!isZonewrightError(error) || error.code !== "NOT_FOUND") throw error;
  }
  const user = await client.auth.me.query().catch((error: unknown) => {
    if (isZonewrightError(error) && error.code === "FORBIDDEN") return null;
    throw error;
  });
  const permissions = user === null ? await heldPermissions(client, everyPermission) : [...everyPermission];
  return { user, permissions, token: null };
}
