import type { DestinationStream } from "pino";
import { createLog } from "./log.ts";
import type { LogFormat } from "./log-output.ts";

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
