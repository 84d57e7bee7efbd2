import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isZonewrightError, type Client, type RouterOutputs } from "@zonewright/client";
import { Failure } from "./failure.ts";
import { everyPermission, type Permission } from "./held-permissions.ts";
import { note } from "./terminal.ts";

/** A token, and when it expires. */
type NewToken = RouterOutputs["auth"]["cliToken"];

/** What most commands need. Others are granted only if they are asked for. */
const usualPermissions: readonly Permission[] = [
  "domains:read",
  "domains:write",
  "records:read",
  "records:write",
  "snapshots:read",
  "snapshots:write",
  "requests:read",
  "requests:write",
  "assignments:read",
  "assignments:write",
  "notifications:read",
  "notifications:write",
  "providers:read",
  "registrations:read",
];

/** Returns the permissions that a user names, separated by commas. @throws Failure for an unknown one */
export function permissionsOf(list: string | undefined): readonly Permission[] {
  if (list === undefined) return usualPermissions;
  const known: readonly string[] = everyPermission;
  const given = list.split(",").map((each) => each.trim());
  const unknown = given.find((each) => !known.includes(each));
  if (unknown === undefined) return given as Permission[];
  throw new Failure(`--permissions has "${unknown}". Choose from ${known.join(", ")}, separated by commas.`);
}

interface BrowserSignIn {
  /** A client without a token. */
  client: Client;
  /** The server's address. */
  url: string;
  permissions: readonly Permission[];
  /** How long to wait for the user. */
  waitSeconds: number;
}

/**
 * Gets a token by the console in a browser on this computer (RFC 8252): listens on 127.0.0.1 until the console sends the browser there with
 * a code, and exchanges it (RFC 7636).
 * @throws Failure if the user refuses, or does nothing
 */
export async function signInByBrowser(wish: BrowserSignIn): Promise<NewToken> {
  const { client, url, permissions, waitSeconds } = wish;
  const codeVerifier = randomBytes(32).toString("base64url");
  const state = randomBytes(16).toString("base64url");
  const { createServer } = await import("node:http");
  const server = createServer();
  try {
    const port = await listening(server);
    const first = firstAnswer(server, { port, state, waitSeconds });
    const page = new URL(`${url}/authorize`);
    page.search = new URLSearchParams({
      client: "cli",
      port: String(port),
      state,
      code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
      permissions: permissions.join(","),
    }).toString();
    note(`Approve the sign-in in a browser on this computer:\n\n  ${page.href}\n`);
    openBrowser(page.href);
    const { answer, res } = await first;
    try {
      const token = await exchanged(client, answer, codeVerifier);
      respond(res, 200, "Signed in. Close this page and return to the command line.");
      return token;
    } catch (error) {
      respond(res, 400, "Not signed in. Return to the command line to see why.");
      throw error;
    }
  } finally {
    server.close();
    server.closeIdleConnections();
  }
}

async function listening(server: Server): Promise<number> {
  return await new Promise((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

interface Awaited {
  port: number;
  state: string;
  waitSeconds: number;
}

/** Waits for the browser with the console's answer. Whoever comes after it finds nobody. @throws Failure if it does not come */
async function firstAnswer(
  server: Server,
  awaited: Awaited,
): Promise<{ answer: URLSearchParams; res: ServerResponse }> {
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Failure(nobodyCame)), awaited.waitSeconds * 1_000);
    server.on("request", (req, res) => {
      const answer = answerOf(req, awaited);
      if (answer === null) {
        respond(res, 404, "This is not the answer that the command line waits for.");
        return;
      }
      clearTimeout(timer);
      server.close();
      resolve({ answer, res });
    });
  });
}

const nobodyCame =
  "Nobody approved the sign-in. Run `zonewright login` again, or `zonewright login --device` if this computer has no browser.";

/** Returns the answer that the browser brings; null if it is not the console's to this program. */
function answerOf(req: IncomingMessage, { port, state }: Awaited): URLSearchParams | null {
  // Another name for this computer may belong to a page that wants to get in (DNS rebinding).
  const host = `127.0.0.1:${port}`;
  if (req.method !== "GET" || req.headers.host !== host) return null;
  const { pathname, searchParams } = new URL(req.url ?? "/", `http://${host}`);
  return pathname === "/callback" && searchParams.get("state") === state ? searchParams : null;
}

async function exchanged(client: Client, answer: URLSearchParams, codeVerifier: string): Promise<NewToken> {
  const code = answer.get("code");
  if (code === null) throw new Failure("You refused the sign-in. Nothing was stored.");
  return await client.auth.cliToken.mutate({ code, codeVerifier });
}

function respond(res: ServerResponse, status: number, text: string): void {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Zonewright</title><p>${text}</p></html>\n`;
  res
    .writeHead(status, {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": "default-src 'none'",
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
      Connection: "close",
    })
    .end(page);
}

/** Opens the address in a browser, if there is one. The user can always open it themselves. */
function openBrowser(address: string): void {
  const { platform, env } = process;
  const chosen = env["BROWSER"];
  const [program, ...before] = chosen
    ? [chosen]
    : platform === "darwin"
      ? ["open"]
      : platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler"]
        : env["DISPLAY"] || env["WAYLAND_DISPLAY"]
          ? ["xdg-open"]
          : [];
  if (program === undefined) return;
  spawn(program, [...before, address], { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref();
}

const answerLost =
  "The code expired, or was approved and the answer was lost. Delete the token `zonewright login --device` in the console if it is there, and run `zonewright login --device` again.";

interface DeviceSignIn {
  /** A client without a token. */
  client: Client;
  permissions: readonly Permission[];
}

/**
 * Gets a token by a code that the user types into the console on any device (RFC 8628).
 * @throws Failure if the user refuses, or does nothing for ten minutes
 */
export async function signInByCode({ client, permissions }: DeviceSignIn): Promise<NewToken> {
  const started = await client.auth.startDevice.mutate({ permissions: [...permissions] });
  const { deviceCode, userCode, verificationUrl } = started;
  note(`Open ${verificationUrl} on any device and type this code:\n\n  ${userCode}\n`);
  let seconds = started.interval;
  const ends = Date.now() + started.expiresIn * 1_000;
  let wasLost = false;
  for (;;) {
    await sleep(seconds * 1_000);
    try {
      return await client.auth.deviceToken.mutate({ deviceCode });
    } catch (error) {
      if (!isZonewrightError(error)) throw error;
      // That says nothing about the sign-in, and the next attempt comes anyway. A lost answer may have had the token, which is sent once.
      if (error.code === "UNAVAILABLE") continue;
      if (["NETWORK_ERROR", "TIMEOUT", "UNEXPECTED_ANSWER"].includes(error.code)) {
        wasLost = true;
        if (Date.now() > ends) throw new Failure(answerLost);
        continue;
      }
      if (error.message === "access_denied")
        throw new Failure("The sign-in was refused in the console. Nothing was stored.");
      if (error.message === "expired_token")
        throw new Failure(
          wasLost ? answerLost : "The code expired before anybody approved it. Run `zonewright login --device` again.",
        );
      if (error.message !== "authorization_pending" && error.message !== "slow_down") throw error;
      seconds = error.retryAfterSeconds ?? seconds + (error.message === "slow_down" ? 5 : 0);
    }
  }
}
