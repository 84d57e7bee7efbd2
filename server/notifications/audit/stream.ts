import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/log.ts";
import type { Socket } from "node:net";
import { hostname } from "node:os";
import type { AuditTarget } from "../../ops/config/variable-forms.ts";
import type { Egress } from "../../platform/net/egress.ts";
import { secured } from "../../platform/net/tls.ts";

const pollMilliseconds = 1_000;
const longestPauseMilliseconds = 60_000;
/** Longer than sending takes: another instance goes on after this time. */
const holdMilliseconds = 30_000;
/** How often an instance that waits for its receiver renews its hold. */
const renewMilliseconds = 10_000;
const batchSize = 200;
/** Octets of text in a batch, if it has more than one entry. */
const batchOctets = 1_048_576;

interface Parts {
  database: Database;
  /** Null without AUDIT_STREAM. */
  send: Send | null;
  log: Logger;
  now: () => Date;
  /** Waits until the milliseconds have passed or the signal is aborted. Default: in real time. */
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/**
 * Sends the audit trail to AUDIT_STREAM, at least once and in order, from one instance at a time. What could not be sent stays queued in the
 * database, through outages of the receiver and restarts of the service.
 */
export class AuditStream {
  readonly #parts: Parts;
  readonly #holder = newId();
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Turns the queue on or off. Call before the first request. */
  async prepare(): Promise<void> {
    if (this.#parts.send) await enable(this.#fork());
    else await disable(this.#fork(), this.#parts.now());
  }

  /** Starts sending. */
  start(): void {
    if (this.#parts.send) this.#running = this.#run(this.#parts.send);
  }

  /** Ends sending. A batch on its way is sent again later. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#stopping.abort();
    await this.#running;
    // If the database is away, the lease ends by itself.
    await letGo(this.#fork(), this.#holder).catch(() => undefined);
  }

  async #run(send: Send): Promise<void> {
    const { signal } = this.#stopping;
    let pause = pollMilliseconds;
    while (!signal.aborted) {
      try {
        while (!signal.aborted && (await this.#sendBatch(send))) pause = pollMilliseconds;
        pause = pollMilliseconds;
      } catch (error) {
        if (signal.aborted) return;
        pause = Math.min(pause * 2, longestPauseMilliseconds);
        this.#parts.log.warn(
          { err: error, retryInSeconds: pause / 1_000 },
          "the audit trail could not be sent to AUDIT_STREAM; its entries wait in the database",
        );
      }
      await this.#wait(pause);
    }
  }

  /** Waits before the next attempt. A hold that ended meanwhile would let an instance without AUDIT_STREAM end the queue. */
  async #wait(milliseconds: number): Promise<void> {
    const { pause = realPause } = this.#parts;
    const { signal } = this.#stopping;
    for (let left = milliseconds; left > 0 && !signal.aborted; left -= renewMilliseconds) {
      await pause(Math.min(left, renewMilliseconds), signal);
      // If the database is away, the next attempt says so.
      if (left > renewMilliseconds) await this.#hold().catch(() => undefined);
    }
  }

  /** Becomes or stays the instance that sends. @returns whether it is */
  async #hold(): Promise<boolean> {
    const { now, log } = this.#parts;
    const take = async () =>
      await hold(this.#fork(), this.#holder, now(), new Date(now().getTime() + holdMilliseconds));
    if (await take()) return true;
    if (!(await enable(this.#fork()))) return false;
    log.error(
      "an instance without AUDIT_STREAM ended the queue of the audit trail; entries that waited were dropped, and new ones are sent again",
    );
    return await take();
  }

  /** @returns whether anything was sent */
  async #sendBatch(send: Send): Promise<boolean> {
    if (!(await this.#hold())) return false;
    const batch = await nextBatch(this.#fork());
    if (batch.entries.length === 0) return false;
    await send(batch.entries, this.#stopping.signal);
    await sent(this.#fork(), batch);
    return true;
  }

  #fork(): EntityManager {
    return this.#parts.database.fork();
  }
}

async function realPause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}

/** Entries from now on are queued. @returns false if they were before */
async function enable(em: EntityManager): Promise<boolean> {
  const { rows } = await sql`update audit_stream set enabled = true where not enabled returning only_row`.execute(
    queries(em),
  );
  return rows.length > 0;
}

/** Ends the queue, unless an instance is sending. */
async function disable(em: EntityManager, now: Date): Promise<void> {
  const { rows } = await sql`update audit_stream set enabled = false
    where enabled and (held_until is null or held_until < ${now}) returning only_row`.execute(queries(em));
  if (rows.length > 0) await sql`delete from audit_stream_queue`.execute(queries(em));
}

/** Becomes or stays the one instance that sends. Returns whether it is. */
async function hold(em: EntityManager, holder: string, now: Date, until: Date): Promise<boolean> {
  const { rows } = await sql`update audit_stream set holder = ${holder}::uuid, held_until = ${until}
    where enabled and (holder = ${holder}::uuid or held_until is null or held_until < ${now})
    returning only_row`.execute(queries(em));
  return rows.length > 0;
}

/** Lets another instance send. */
async function letGo(em: EntityManager, holder: string): Promise<void> {
  await sql`update audit_stream set held_until = null where holder = ${holder}::uuid`.execute(queries(em));
}

/** The next entries to send. */
interface Batch {
  entries: StreamedEntry[];
  /** Their places in the queue. */
  positions: string[];
}

/** Returns the next entries to send. */
export async function nextBatch(em: EntityManager): Promise<Batch> {
  const { rows } = await sql<
    StreamedEntry & { position: string }
  >`select q.position::text as position, e.id, e.at, e.actor_id as "actorId",
      e.token_id as "tokenId", e.tsig_key as "tsigKey", e.action, e.target_type as "targetType", e.target_id as "targetId", e.ip,
      e.request_id as "requestId", e.before, e.after
    from (
      select q.position, q.entry_id, sum(octet_length(concat(before, after))) over (order by q.position) as octets
      from (select position, entry_id from audit_stream_queue order by position limit ${batchSize}) q
      join audit_entries on audit_entries.id = q.entry_id
    ) q join audit_entries e on e.id = q.entry_id
    where q.octets <= ${batchOctets} or q.position = (select min(position) from audit_stream_queue)
    order by q.position`.execute(queries(em));
  const entries = rows.map(({ position: _position, at, ...entry }) => Object.assign(entry, { at: new Date(at) }));
  return { entries, positions: rows.map(({ position }) => position) };
}

/** Removes entries that were sent. */
export async function sent(em: EntityManager, { positions }: Batch): Promise<void> {
  await sql`delete from audit_stream_queue where position = any(${positions}::bigint[])`.execute(queries(em));
}

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
type Send = (entries: readonly StreamedEntry[], signal: AbortSignal) => Promise<void>;

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
