import { hostname } from "node:os";

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

/** Facility 13 (log audit), severity 6 (informational): RFC 5424 section 6.2.1. */
const priority = 13 * 8 + 6;

/** Returns the entry as one line of JSON, without the line's end. `type` tells it from other lines of the same output. */
export function jsonLine(entry: StreamedEntry): string {
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
