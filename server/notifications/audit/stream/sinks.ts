import type { Socket } from "node:net";
import { hostname } from "node:os";
import type { AuditTarget } from "../../../ops/config/audit-target.ts";
import type { Egress } from "../../../platform/net/egress.ts";
import { secured } from "../../../platform/net/tls.ts";

/** An entry as `GET /api/audit` shows it. */
export interface StreamedEntry {
  id: string;
  at: Date;
  actorId: string | null;
  tokenId: string | null;
  tsigKey: string | null;
  action: string;
  targetType: string;
  targetId: string | null;
  ip: string | null;
  requestId: string | null;
  before: Readonly<Record<string, unknown>> | null;
  after: Readonly<Record<string, unknown>> | null;
}

/** Sends entries in their order. @throws Error unless the receiver has all of them */
export type Send = (entries: readonly StreamedEntry[], signal: AbortSignal) => Promise<void>;

const sendMilliseconds = 15_000;

/** Returns what sends to a target. The operator chose it, so it may be in the internal network. */
export function sinkFor(target: AuditTarget, egress: Egress, output: NodeJS.WritableStream = process.stdout): Send {
  if (target.kind === "stdout") {
    return async (entries, signal) =>
      await write(output, entries.map((entry) => `${jsonLine(entry)}\n`).join(""), signal);
  }
  if (target.kind === "https") return async (entries, signal) => await post(target, egress, entries, signal);
  return async (entries, signal) => {
    const frames = entries.map((entry) => syslogFrame(entry)).join("");
    await deliver(target, egress, frames, signal);
  };
}

async function post(
  { url, authorization }: Extract<AuditTarget, { kind: "https" }>,
  egress: Egress,
  entries: readonly StreamedEntry[],
  signal: AbortSignal,
): Promise<void> {
  const response = await egress.guardedFetch(url, {
    reach: "inside",
    method: "POST",
    headers: {
      "content-type": "application/x-ndjson",
      ...(authorization === null ? {} : { authorization }),
    },
    body: entries.map((entry) => `${jsonLine(entry)}\n`).join(""),
    deadlineMilliseconds: sendMilliseconds,
    signal,
  });
  if (!response.ok) throw new Error(`The receiver answered ${response.status}.`);
}

/**
 * Syslog has no acknowledgments. So a connection carries one batch and is half-closed: when the receiver closes its side without an error, it
 * has read everything before the end.
 */
async function deliver(
  { host, port, tls }: Extract<AuditTarget, { kind: "syslog" }>,
  egress: Egress,
  frames: string,
  signal: AbortSignal,
): Promise<void> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(sendMilliseconds)]);
  const plain = await egress.guardedConnect({ host, port, reach: "inside", ports: [port], signal: deadline });
  const socket = tls ? secured(plain, host) : plain;
  try {
    await untilClosed(socket, frames, deadline);
  } finally {
    socket.destroy();
    plain.destroy();
  }
}

async function untilClosed(socket: Socket, frames: string, signal: AbortSignal): Promise<void> {
  const done = Promise.withResolvers<undefined>();
  const abort = () => done.reject(new Error("The receiver did not take the entries in time."));
  signal.addEventListener("abort", abort, { once: true });
  socket.once("error", done.reject);
  socket.once("end", () => done.resolve(undefined));
  socket.once("close", () => done.reject(new Error("The receiver closed the connection too early.")));
  socket.resume();
  socket.end(frames);
  try {
    await done.promise;
    if (!socket.writableFinished) throw new Error("The receiver closed the connection too early.");
  } finally {
    signal.removeEventListener("abort", abort);
    socket.on("error", () => undefined);
  }
}

/** A reader that takes nothing must not hold up the end of the service: what it did not take is written again after the next start. */
async function write(output: NodeJS.WritableStream, text: string, signal: AbortSignal): Promise<void> {
  const done = Promise.withResolvers<undefined>();
  const abort = () => done.reject(new Error("Standard output did not take the entries in time."));
  signal.addEventListener("abort", abort, { once: true });
  output.write(text, (error) => (error ? done.reject(error) : done.resolve(undefined)));
  try {
    await done.promise;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Facility 13 (log audit), severity 6 (informational): RFC 5424 section 6.2.1. */
const priority = 13 * 8 + 6;

/** Returns the entry as one line of JSON, without the line's end. `type` tells it from other lines of the same output. */
function jsonLine(entry: StreamedEntry): string {
  return JSON.stringify({ type: "audit", ...entry });
}

/** Returns the entry as a syslog message (RFC 5424) with its length before it (RFC 6587 section 3.4.1, RFC 5425 section 4.3). */
export function syslogFrame(entry: StreamedEntry, host = hostname()): string {
  const header = `<${priority}>1 ${entry.at.toISOString()} ${headerField(host, 255)} zonewright ${process.pid} ${headerField(entry.action, 32)} -`;
  const message = `${header} ${jsonLine(entry)}`;
  return `${Buffer.byteLength(message)} ${message}`;
}

/** Header fields are printable ASCII without spaces (RFC 5424 section 6). */
function headerField(text: string, most: number): string {
  return text.replace(/[^\x21-\x7e]/g, "_").slice(0, most) || "-";
}
