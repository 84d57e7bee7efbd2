import type { DestinationStream } from "pino";
import { createLog } from "./log.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Writable } from "node:stream";

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
