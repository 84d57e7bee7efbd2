import { sql } from "kysely";
import { liveSessions, type EndListener, type Identified } from "../access/authenticator.ts";
import { jsonTexts, queries, type Database, type EntityManager } from "../database/database.ts";
import { AppError, stopping } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import type { Logger } from "../platform/log.ts";
import { inParts } from "../platform/slices.ts";
import { sentInTurn, type SharedLogs, type Hub } from "./in-app-notifications.ts";
import type { InAppNotification } from "./notification-log.ts";

export const streamsPerUser = 5;
const heartbeatMilliseconds = 15_000;
const tickMilliseconds = 1_000;
/** Ticks between eligibility checks, which also detect sessions and tokens ended by other instances. */
const ticksBetweenChecks = 5;
const retryAfterSeconds = 15;

/**
 * Why the service ends a stream. `expired`: its token has expired; a new token opens a new stream. `refused`: the session or
 * token has ended. `off`: the user turned notifications off. `stopping`: the service is shutting down.
 */
export type EndReason = "expired" | "refused" | "off" | "stopping";

/** Whether a stream may receive notifications. `off`: the user turned them off; null: the session or token has ended. */
type StreamEligibility = "welcome" | "off" | null;

/** What every stream needs, whatever it sends. */
export interface StreamSink {
  /** Sends a heartbeat after an idle period. */
  beat(): void;
  end(reason: EndReason): void;
}

/** Receives a notification stream's messages. */
export interface NotificationSink extends StreamSink {
  connected(cursor: string, gap: boolean): void;
  send(notification: InAppNotification): void;
}

/** What a stream sends. Changes of zones do not depend on the user's switch for notifications. */
export type StreamSubject = "notifications" | "zones";

/** Limits the streams per user across all instances. */
export interface StreamSlots {
  /** Takes a slot. @returns false if the user has none left */
  acquire(userId: string, streamId: string): Promise<boolean>;
  release(userId: string, streamId: string): void;
  /** Renews slots that are still in use. */
  renew(taken: readonly { userId: string; id: string }[]): void;
}

/** A stream that is open or being opened. */
export class Stream {
  readonly id: string = newId();
  readonly identified: Identified;
  readonly subject: StreamSubject;
  sink: StreamSink | null = null;
  ended: EndReason | "closed" | null = null;
  sentAt = 0;
  stopListening: () => void = () => undefined;

  constructor(identified: Identified, subject: StreamSubject) {
    this.identified = identified;
    this.subject = subject;
  }

  get userId(): string {
    return this.identified.caller.userId;
  }
}

interface Parts {
  hub: Hub;
  database: Database;
  log: Logger;
  now: () => Date;
  slots?: StreamSlots | null;
}

/** Manages this instance's open streams: limits them per user, sends heartbeats and ends them. */
export class Streams implements EndListener {
  readonly #parts: Parts;
  readonly #slots: StreamSlots | null;
  #shared: Pick<SharedLogs, "load"> | null = null;
  readonly #streams = new Map<string, Set<Stream>>();
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #checking = false;
  #open = 0;
  #stopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#slots = parts.slots ?? null;
  }

  /** Sets the source of other instances' log entries, which is read before each stream opens. */
  useSharedLogs(shared: Pick<SharedLogs, "load">): void {
    this.#shared = shared;
  }

  /** Renews the slots of all open streams, in case the shared store has lost them. */
  renewSlots(): void {
    this.#slots?.renew([...this.#all()]);
  }

  ended(credential: string): void {
    this.#end("refused", (stream) => stream.identified.credential === credential);
  }

  changed(userId: string): void {
    const own = [...(this.#streams.get(userId) ?? [])];
    if (own.length > 0) void this.#endUnwelcome(own);
  }

  /** Number of streams open in this instance. */
  get openStreams(): number {
    return this.#open;
  }

  /** Returns the ids of users with streams in this instance. */
  users(): string[] {
    return [...this.#streams.keys()];
  }

  /**
   * Reserves a stream for the caller; `close` releases it.
   * @throws AppError TOO_MANY_REQUESTS for a sixth stream, FORBIDDEN if the user turned notifications off, UNAUTHORIZED, UNAVAILABLE
   */
  async open(em: EntityManager, identified: Identified, subject: StreamSubject = "notifications"): Promise<Stream> {
    if (this.#stopped) throw stopping();
    const stream = new Stream(identified, subject);
    const own = this.#streams.get(stream.userId) ?? new Set();
    // Count before the first await, so that streams opened concurrently count too.
    if (own.size >= streamsPerUser) throw tooMany();
    this.#streams.set(stream.userId, own.add(stream));
    this.#open += 1;
    try {
      const [standing] = await standings(em, this.#parts.now(), [stream]);
      if (!isWelcome(standing, subject)) throw refusal(standing);
      if (this.#slots && !(await this.#slots.acquire(stream.userId, stream.id))) throw tooMany();
      if (subject === "notifications") await this.#shared?.load(stream.userId);
      if (stream.ended) throw stream.ended === "stopping" ? stopping() : refusal(stream.ended === "off" ? "off" : null);
      return stream;
    } catch (error) {
      this.close(stream);
      throw error;
    }
  }

  /** Starts delivery: first the notifications missed since the cursor, then new ones. */
  begin(stream: Stream, cursor: string | null, sink: NotificationSink): void {
    if (!this.attach(stream, sink)) return;
    const { stop, ...position } = this.#parts.hub.listen(stream.userId, cursor, (notification) => {
      stream.sentAt = this.#parts.now().getTime();
      sink.send(notification);
    });
    stream.stopListening = stop;
    sink.connected(position.cursor, position.gap);
    for (const notification of position.missed) sink.send(notification);
  }

  /** Connects a stream to its reader. Returns whether it is still open; if not, the reader has been informed. */
  attach(stream: Stream, sink: StreamSink): boolean {
    if (stream.ended) {
      if (stream.ended !== "closed") sink.end(stream.ended);
      return false;
    }
    stream.sink = sink;
    stream.sentAt = this.#parts.now().getTime();
    this.#timer ??= setInterval(() => this.#tick(), tickMilliseconds).unref();
    return true;
  }

  /** Closes the stream and releases its slot. Idempotent. */
  close(stream: Stream): void {
    const own = this.#streams.get(stream.userId);
    if (!own?.delete(stream)) return;
    this.#open -= 1;
    if (own.size === 0) this.#streams.delete(stream.userId);
    stream.ended ??= "closed";
    stream.stopListening();
    stream.sink = null;
    this.#slots?.release(stream.userId, stream.id);
    if (this.#open > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Ends all notification streams of a user who turned notifications off. */
  endUser(userId: string): void {
    for (const stream of this.#streams.get(userId) ?? []) {
      if (stream.subject === "notifications") this.#endOne(stream, "off");
    }
  }

  /** Ends all streams and accepts no new ones. */
  stop(): void {
    this.#stopped = true;
    this.#end("stopping", () => true);
  }

  #end(reason: EndReason, which: (stream: Stream) => boolean): void {
    for (const stream of this.#all()) if (which(stream)) this.#endOne(stream, reason);
  }

  #endOne(stream: Stream, reason: EndReason): void {
    const { sink } = stream;
    stream.ended ??= reason;
    this.close(stream);
    sink?.end(reason);
  }

  *#all(): Generator<Stream> {
    for (const own of this.#streams.values()) yield* own;
  }

  #tick(): void {
    const now = this.#parts.now().getTime();
    const idle: Stream[] = [];
    for (const stream of this.#all()) {
      const { sink, identified } = stream;
      if (identified.endsAt && identified.endsAt.getTime() <= now) this.#endOne(stream, "expired");
      else if (sink && now - stream.sentAt >= heartbeatMilliseconds) {
        stream.sentAt = now;
        idle.push(stream);
      }
    }
    void beatAll(idle);
    this.#ticks = (this.#ticks + 1) % ticksBetweenChecks;
    if (this.#ticks > 0) return;
    this.renewSlots();
    // Do not start another check while a slow database is still answering the previous one.
    if (this.#checking) return;
    this.#checking = true;
    void this.#endUnwelcome([...this.#all()]).finally(() => {
      this.#checking = false;
    });
  }

  /** Ends streams that are no longer eligible. While the database is unavailable, streams stay open. */
  async #endUnwelcome(streams: readonly Stream[]): Promise<void> {
    try {
      const found = await standings(this.#parts.database.fork(), this.#parts.now(), streams);
      for (const [index, stream] of streams.entries()) {
        const standing = found[index];
        if (!isWelcome(standing, stream.subject)) this.#endOne(stream, standing === "off" ? "off" : "refused");
      }
    } catch (error) {
      this.#parts.log.debug({ err: error }, "stream eligibility could not be checked");
    }
  }
}

/** Sends heartbeats, a part of them in each turn: streams that were opened together are idle together. */
async function beatAll(streams: readonly Stream[]): Promise<void> {
  for await (const { sink } of inParts(streams, sentInTurn)) sink?.beat();
}

function isWelcome(standing: StreamEligibility | undefined, subject: StreamSubject): boolean {
  return standing === "welcome" || (standing === "off" && subject === "zones");
}

function tooMany(): AppError {
  const message = `You already have ${streamsPerUser} open streams. Close one first.`;
  return new AppError("TOO_MANY_REQUESTS", message, { retryAfterSeconds });
}

function refusal(standing: StreamEligibility | undefined): AppError {
  return standing === "off"
    ? new AppError("FORBIDDEN", "Your notifications are turned off. Set `notificationsEnabled` in your profile first.")
    : new AppError("UNAUTHORIZED", "The token is no longer valid. Refresh the session or sign in again.");
}

/** Returns the eligibility for each credential, in the same order. Runs at most one query for sessions and one for personal tokens. */
async function standings(
  em: EntityManager,
  now: Date,
  holders: readonly { identified: Identified }[],
): Promise<StreamEligibility[]> {
  const callers = holders.map(({ identified }) => identified.caller);
  const sessionIds = callers.flatMap(({ sessionId }) => sessionId ?? []);
  const tokenIds = callers.flatMap(({ tokenId }) => tokenId ?? []);
  const enabled = new Map<string, boolean>();
  if (sessionIds.length > 0) {
    const rows = await liveSessions(em, now)
      .select(["sessions.id", "users.notifications_enabled"])
      .where("sessions.id", "in", sql<string>`(select value::uuid from ${jsonTexts(sessionIds)})`)
      .execute();
    for (const row of rows) enabled.set(row.id, row.notifications_enabled);
  }
  if (tokenIds.length > 0) {
    const rows = await queries(em)
      .selectFrom("personal_tokens")
      .innerJoin("users", "users.id", "personal_tokens.user_id")
      .select(["personal_tokens.id", "users.notifications_enabled"])
      .where("personal_tokens.id", "in", sql<string>`(select value::uuid from ${jsonTexts(tokenIds)})`)
      .where("users.disabled_at", "is", null)
      .execute();
    for (const row of rows) enabled.set(row.id, row.notifications_enabled);
  }
  return callers.map(({ sessionId, tokenId }) => {
    const wished = enabled.get(sessionId ?? tokenId ?? "");
    return wished === undefined ? null : wished ? "welcome" : "off";
  });
}
