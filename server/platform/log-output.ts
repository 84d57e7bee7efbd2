import type { DestinationStream } from "pino";

/** `json`: one object a line, for programs. `text`: for people. */
export type LogFormat = "json" | "text";

/** What fits a stream when nobody chose: text for a terminal. */
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

/** Where the log's JSON lines go: as they are, or made readable. */
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

/** A line of the log for people: time, level, message, fields, and errors below it. */
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
  const told = Object.entries(fields).map(([name, value]) => ` ${name}=${valueText(value)}`);
  const head = `${clock} ${(levels[level] ?? String(level)).padEnd(5)} ${oneLine(msg ?? "")}${told.join("")}\n`;
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

/** What a caller sent must not make lines of its own, or move the cursor. */
function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, " ");
}
