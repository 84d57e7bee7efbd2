import type { DestinationStream } from "pino";

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
