import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { ZonewrightError } from "@zonewright/client";
import { Redirected, send } from "./transport.ts";

/** How the program ends. `pending`: there are changes that nobody has applied. `refused`: a safety threshold needs `--force`. */
export const exitCodes = { done: 0, error: 1, pending: 2, refused: 3, interrupted: 130 } as const;

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A failure that the user can do something about. The message is one or two sentences that say what. */
export class Failure extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.error) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** It is unknown whether a call was carried out. The message also says where to look. */
export class OutcomeUnknown extends Failure {
  override readonly cause: ZonewrightError;

  constructor(message: string, cause: ZonewrightError) {
    super(message);
    this.cause = cause;
  }
}

/** The server that was called and the token that was sent, which a message about a failure names. */
export interface Target {
  url: string;
  /** Where the token comes from, in words. */
  tokenFrom: string;
}

let target: Target | null = null;

/** Names the server and token that later failures are about. */
export function callsGoTo(given: Target): void {
  target = given;
}

/** Returns the sentences for a caught value, and the exit code. */
export async function explain(error: unknown): Promise<{ text: string; exitCode: ExitCode }> {
  if (error instanceof Failure) return { text: error.message, exitCode: error.exitCode };
  // Help and mistyped options need no client.
  const { isZonewrightError } = await import("@zonewright/client");
  if (!isZonewrightError(error)) {
    if (isSystemError(error)) return { text: systemError(error), exitCode: exitCodes.error };
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { text: `This is a defect of the command line. Please report it.\n${trace}`, exitCode: exitCodes.error };
  }
  return {
    text: asOptions(await callError(error)),
    exitCode: error.code === "CONFIRMATION_REQUIRED" ? exitCodes.refused : exitCodes.error,
  };
}

/** How the server ends messages about changes whose outcome it does not know either. */
const readBackLater = /The outcome is not known yet; .+\.$/;

/**
 * How messages of UNAVAILABLE begin that refuse a change before it is made. They come after the look at the `Idempotency-Key`, so no earlier
 * attempt of the call has succeeded either. A service that stops or has too much to do does not look at it.
 */
const notBegun =
  /^(Another change to this zone is in progress\.|The zone is being moved |Planning took too long, and nothing was changed\.|The provider did not answer an earlier change |The mirror's provider may not show |The move took too long )/;

/** Returns whether a call may have been carried out although it failed. */
export function isOutcomeUnknown({ code, status, message, cause }: ZonewrightError): boolean {
  if (isRedirect(cause)) return false;
  if (code === "NETWORK_ERROR" || code === "TIMEOUT") return true;
  if (code === "UNAVAILABLE") return !notBegun.test(message);
  // A proxy that gave up waiting. What answers 4xx did not pass the call on.
  if (code === "UNEXPECTED_ANSWER") return status === null || status < 400 || status >= 500;
  // The call was repeated: the first one is still in progress, or its answer was too large to be stored.
  return message.includes("`Idempotency-Key`") || readBackLater.test(message);
}

function isRedirect(cause: unknown): boolean {
  return cause instanceof Redirected || (cause instanceof Error && isRedirect(cause.cause));
}

/** Returns why it is unknown whether a call was carried out, in a sentence; null for an error that says that it was not. */
export async function unknownOutcome(error: unknown): Promise<{ why: string; cause: ZonewrightError } | null> {
  const { isZonewrightError } = await import("@zonewright/client");
  if (!isZonewrightError(error) || !isOutcomeUnknown(error)) return null;
  // The server answered to the plan: what else is at its address is not the question.
  const why = error.code === "UNEXPECTED_ANSWER" ? error.message : (await explain(error)).text;
  return { why, cause: error };
}

async function callError(error: ZonewrightError): Promise<string> {
  const { code, message, retryAfterSeconds, requestId } = error;
  switch (code) {
    case "UNAUTHORIZED":
      return `${target?.tokenFrom ?? "The token"} is invalid or has expired. Run \`zonewright login\`, or set ZONEWRIGHT_TOKEN to a valid one.`;
    case "NETWORK_ERROR":
      return unreachable(error, target?.url ?? "the server");
    case "TIMEOUT":
      return message.replace(", or raise timeoutSeconds", "");
    case "UNEXPECTED_ANSWER":
      return `${message} Check that ${target?.url ?? "the address"} is a Zonewright server.`;
    case "NOT_FOUND":
      return message.startsWith("No procedure found") ? await tooOld() : message;
    case "REVIEW_REQUIRED":
      return message.replace(/Request one with POST \S+\./, "Ask for one with --request 'what it is for'.");
    case "TOO_MANY_REQUESTS":
      return retryAfterSeconds === undefined ? message : `${message} Try again in ${retryAfterSeconds} s.`;
    case "INTERNAL_SERVER_ERROR":
      return `${message} Its log has more under request ${requestId ?? "(unknown)"}.`;
    default:
      return problemsOf(error).join("\n");
  }
}

/** Names of the API's fields for those who type commands. Others are options of that name, or shown as they are. */
const words: Readonly<Record<string, string>> = {
  csv: "The table",
  jobId: "The job",
  recordType: "The type",
  text: "The text",
  title: "The title",
  type: "The type",
  zonefile: "The file",
  ...Object.fromEntries(["at", "before", "limit", "state"].map((option) => [option, `--${option}`])),
};

/** Returns the problems of an input, a line each. Paths of the API mean nothing here, unless the message needs its field's name. */
function problemsOf({ message, issues }: Pick<ZonewrightError, "message" | "issues">): string[] {
  const problems = (issues ?? []).map(({ message: text, path }) => {
    // The index in a list says nothing here either.
    const field = path.findLast((part) => typeof part === "string") ?? "input";
    const named = words[field] ?? `\`${field}\``;
    if (/^This (?:must|is|may|differs|belongs) /.test(text)) return text.replace("This", named);
    if (text.startsWith(`\`${field}\` `)) return text.replace(`\`${field}\``, named);
    return /[.!?]"?$/.test(text) && !/^This (?:field|parameter) /.test(text) ? text : `${named}: ${text}`;
  });
  return problems.length === 0 ? [message] : [...new Set(problems)];
}

/** Sentences of the API name fields of its calls; here they are options. */
export function asOptions(message: string): string {
  return message
    .replaceAll("repeat the call", "repeat the command")
    .replaceAll(/`?\b(force|unlock|override): true`?/g, "`--$1`")
    .replaceAll("`message`", "`--message`");
}

/** Returns why there is no response from an address, and what to do. */
export function unreachable({ cause }: { cause?: unknown }, url: string): string {
  if (cause instanceof Redirected) return cause.message;
  const { code = "", cause: deeper } = Object(cause) as { code?: string; cause?: unknown };
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ISSUER/.test(code)) {
    return `The certificate of ${url} is not trusted (${code}). If your own authority issued it, set NODE_EXTRA_CA_CERTS to its file.`;
  }
  if (url.startsWith("https:") && /^(?:EPROTO|ERR_SSL_)/.test(code))
    return `${url} does not answer with TLS (${code}). Check the port: without a proxy, the service speaks plain HTTP.`;
  if (deeper !== undefined) return unreachable({ cause: deeper }, url);
  return `No response from ${url}. Check the address and the connection.`;
}

/** Returns what to do about a server that lacks what a command needs. */
export async function tooOld(): Promise<string> {
  const url = target?.url ?? "";
  const version = await serverVersion(url).catch(() => null);
  return version === null
    ? `${url} does not offer this call, so it is too old for this command. Upgrade the server.`
    : `${url} runs Zonewright ${version}, which does not offer this call. Upgrade the server, or use the command line of its version.`;
}

/** Returns the version of a server; null if something else answers. @throws Error if nothing does */
export async function serverVersion(url: string): Promise<string | null> {
  const response = await send(`${url}/version`, { signal: AbortSignal.timeout(15_000) });
  const body = (await response.json().catch(() => null)) as { name?: unknown; version?: unknown } | null;
  return body?.name === "zonewright" && typeof body.version === "string" ? body.version : null;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";
}

function systemError({ code, path, message }: NodeJS.ErrnoException): string {
  const file = path || "The path";
  switch (code) {
    case "ENOENT":
      // A file that is written need not exist, but its folder must.
      return `${file} does not exist. Check the path${existsSync(dirname(file)) ? "" : `: there is no folder ${dirname(file)}`}.`;
    case "ENOTDIR":
      return `${file} is not in a folder. Check the path.`;
    case "EACCES":
    case "EPERM":
      return `${file} is not accessible to you. Check its permissions.`;
    case "EISDIR":
      return `${file} is a folder. Name a file in it.`;
    default:
      return message;
  }
}
