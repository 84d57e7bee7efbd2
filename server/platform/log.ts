import { pino, type DestinationStream, type Logger } from "pino";
import { setTimeout as sleep } from "node:timers/promises";
import type { Writable } from "node:stream";

export type { Logger };

/** Returns a logger that writes one JSON line per event, to standard output by default. Do not log secrets; known secret fields are redacted as a safeguard. */
export function createLog(level: string, destination: DestinationStream = pino.destination(1)): Logger {
  return pino(
    {
      level,
      redact: {
        paths: ["*.password", "*.token", "*.refreshToken", "*.accessToken", "*.authorization", "*.cookie", "*.secret"],
        censor: "[removed]",
      },
      serializers: { err: serializeError },
    },
    destination,
  );
}

/** Lines a minute that anybody may cause. */
const mostLines = 20;
const windowMilliseconds = 60_000;

/**
 * Writes lines that anybody may cause without an account, a few each minute: a flood must not fill a disk. The next line has the number of those
 * left out, as `leftOut`.
 */
export class FewLines {
  readonly #now: () => number;
  #since = -Infinity;
  #written = 0;
  #leftOut = 0;

  /** @param now milliseconds, as `performance.now` counts */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @param write writes the line, with further fields */
  write(write: (fields: { leftOut?: number }) => void): void {
    const now = this.#now();
    if (now - this.#since >= windowMilliseconds) {
      this.#since = now;
      this.#written = 0;
    }
    if (this.#written >= mostLines) {
      this.#leftOut++;
      return;
    }
    this.#written++;
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    write(leftOut > 0 ? { leftOut } : {});
  }
}

interface SerializedError {
  type: string;
  code?: string;
  message: string;
  stack: string;
  cause?: SerializedError;
}

/**
 * Serializes an error without the values of database statements. Database errors carry them in properties, in the detail appended to the
 * message, and in quotes within it (`invalid input syntax for type integer: "…"`).
 */
function serializeError(thrown: unknown): SerializedError {
  const error = errorLike(thrown);
  const code = typeof error.code === "string" ? error.code : undefined;
  const [message = ""] = messageOf(error).split("\n - detail:");
  const frames = (error.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    message: code?.startsWith("22") ? message.replaceAll(/"[^]*"/g, '"…"') : message,
    stack: frames.join("\n"),
    ...(error.cause === undefined || error.cause === null ? {} : { cause: serializeError(error.cause) }),
  };
}

interface ErrorLike {
  name: string;
  message: string;
  stack?: string | undefined;
  code?: unknown;
  cause?: unknown;
  errors?: unknown;
}

/** Normalizes a thrown value, because libraries also throw plain objects and strings. Ignores other properties. */
function errorLike(thrown: unknown): ErrorLike {
  if (thrown instanceof Error) return thrown;
  if (typeof thrown !== "object" || thrown === null) {
    return { name: typeof thrown, message: typeof thrown === "string" ? thrown : `Thrown: ${String(thrown)}` };
  }
  const { name, message, stack, code, cause, errors } = thrown as Partial<ErrorLike>;
  return {
    name: typeof name === "string" ? name : "object",
    message: typeof message === "string" ? message : "Thrown value without a message",
    stack: typeof stack === "string" ? stack : undefined,
    code,
    cause,
    errors,
  };
}

/** A host with several addresses fails with an AggregateError that has no message of its own. */
function messageOf({ message, errors }: ErrorLike): string {
  if (message !== "" || !Array.isArray(errors)) return message;
  return errors.map((error) => errorLike(error).message).join("; ");
}

/** `json`: one object per line. `text`: human-readable. */
export type LogFormat = "json" | "text";

/** Returns the default format for a stream: text for a terminal, otherwise JSON. */
export function logFormatFor(stream: { isTTY?: boolean }): LogFormat {
  return stream.isTTY === true ? "text" : "json";
}

const levels: Readonly<Record<number, string>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};

/** Returns a destination for JSON log lines that writes them unchanged or as readable text. */
export function logOutput(format: LogFormat, destination: DestinationStream): DestinationStream {
  if (format === "json") return destination;
  return { write: (line) => destination.write(readable(line)) };
}

interface LoggedError {
  type?: string;
  code?: string;
  message?: string;
  stack?: string;
  cause?: LoggedError;
}

/** Formats a log line as text: time, level, message and fields, with errors below. */
function readable(line: string): string {
  const {
    level,
    time,
    msg,
    err,
    pid: _pid,
    hostname: _hostname,
    ...fields
  } = JSON.parse(line) as {
    level: number;
    time: number;
    msg?: string;
    err?: LoggedError;
    [field: string]: unknown;
  };
  const clock = new Date(time).toTimeString().slice(0, 8);
  const details = Object.entries(fields).map(([name, value]) => ` ${name}=${valueText(value)}`);
  const head = `${clock} ${(levels[level] ?? String(level)).padEnd(5)} ${oneLine(msg ?? "")}${details.join("")}\n`;
  return head + (err ? errorText(err, "  ") : "");
}

function valueText(value: unknown): string {
  return typeof value === "string" && /^[\w.:/@-]+$/.test(value) ? value : JSON.stringify(value);
}

function errorText({ type = "Error", code, message = "", stack = "", cause }: LoggedError, indent: string): string {
  const first = `${indent}${type}${code === undefined ? "" : ` (${code})`}: ${oneLine(message)}\n`;
  const frames = stack === "" ? "" : `${stack.replaceAll(/^ */gm, `${indent}  `)}\n`;
  return first + frames + (cause ? errorText(cause, `${indent}caused by `) : "");
}

/** Removes control characters, so that text from callers cannot forge lines or move the cursor. */
function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, " ");
}

/** Prints a message to the operator regardless of the log level, with named details. */
export type Announce = (message: string, details?: Readonly<Record<string, string>>) => void;

const labels: Readonly<Record<string, string>> = { api: "API", powerdnsApi: "PowerDNS API", zoneFiles: "zone files" };

/** Returns a function that prints announcements as log lines or as blocks of text. */
export function announcer(format: LogFormat, destination: DestinationStream): Announce {
  if (format === "json") {
    const log = createLog("info", destination);
    return (message, details = {}) => log.info(details, message);
  }
  return (message, details = {}) => {
    const lines = Object.entries(details).map(([name, value]) => `  ${(labels[name] ?? name).padEnd(13)}  ${value}\n`);
    destination.write(`${message}\n${lines.join("")}`);
  };
}

/** Prints why the process exits: a sentence for the operator, or an unexpected error. */
export function announceEnd(format: LogFormat, destination: DestinationStream, message: string, reason: unknown): void {
  const isSentence = typeof reason === "string";
  if (format === "json") {
    createLog("info", destination).fatal(isSentence ? { reason } : { err: reason }, message);
    return;
  }
  const text = isSentence ? reason : reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  destination.write(`${message}\n${text}\n`);
}

/** Octets that wait for a reader which takes nothing. Lines beyond them are dropped. */
const mostWaiting = 4 * 1_048_576;

/**
 * Returns a destination for lines on standard output or standard error. A reader that takes nothing must not hold up the service, as a write
 * that waits would. Everything written to the same stream stays whole: a pipe takes long texts in parts, and another writer's line could come
 * between them.
 */
export function programOutput(stream: Writable): DestinationStream {
  return {
    write(line) {
      if (stream.writableLength < mostWaiting) stream.write(line);
    },
  };
}

/** Waits until a stream's reader has taken everything, for a second at most. Ending the process drops what waits. */
export async function taken(stream: Writable): Promise<void> {
  if (stream.writableLength === 0) return;
  const done = new Promise<void>((resolve) => {
    stream.write("", () => resolve());
  });
  await Promise.race([done, sleep(1_000)]);
}
