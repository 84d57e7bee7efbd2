import type { EndListener, Identified } from "../access/authenticator.ts";
import type { Database, EntityManager } from "../database/database.ts";
import { AppError, stopping } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import type { Logger } from "../platform/log.ts";
import type { Hub } from "./hub.ts";
import type { Elsewhere } from "./in-app-notifications.ts";
import type { InAppNotification } from "./notification-log.ts";
import { standings, type StreamEligibility } from "./stream-eligibility.ts";

export const streamsPerUser = 5;
const heartbeatMilliseconds = 15_000;
const tickMilliseconds = 1_000;
/** How often it is asked whether streams may go on: what ends in other instances is seen then. */
const ticksBetweenChecks = 5;
const retryAfterSeconds = 15;

/**
 * Why the service ends a stream. `expired`: its token's time is over; another token opens another stream. `refused`: the session or
 * token has ended. `off`: the user wants no notifications. `stopping`: the service stops.
 */
export type EndReason = "expired" | "refused" | "off" | "stopping";

/** Where a stream's messages go. */
export interface Outlet {
  connected(cursor: string, gap: boolean): void;
  send(notification: InAppNotification): void;
  /** Nothing was sent for a while. */
  beat(): void;
  end(reason: EndReason): void;
}

/** StreamSlots for streams that all instances share. */
export interface StreamSlots {
  /** Takes one. @returns false when the user has no further one */
  take(userId: string, streamId: string): Promise<boolean>;
  leave(userId: string, streamId: string): void;
  /** Says that these are still taken. */
  keep(taken: readonly { userId: string; id: string }[]): void;
}

/** An open stream, or one that is being opened. */
export class Stream {
  readonly id: string = newId();
  readonly identified: Identified;
  outlet: Outlet | null = null;
  ended: EndReason | "closed" | null = null;
  sentAt = 0;
  stopListening: () => void = () => undefined;

  constructor(identified: Identified) {
    this.identified = identified;
  }

  get userId(): string {
    return this.identified.caller.userId;
  }
}

/** Every open stream of this instance: how many a user may have, what keeps them alive and what ends them. */
export class Streams implements EndListener {
  readonly #hub: Hub;
  readonly #database: Database;
  readonly #log: Logger;
  readonly #now: () => Date;
  readonly #slots: StreamSlots | null;
  #elsewhere: Pick<Elsewhere, "learn"> | null = null;
  readonly #streams = new Map<string, Set<Stream>>();
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #checking = false;
  #open = 0;
  #stopped = false;

  constructor(parts: { hub: Hub; database: Database; log: Logger; now: () => Date; slots?: StreamSlots | null }) {
    this.#hub = parts.hub;
    this.#database = parts.database;
    this.#log = parts.log;
    this.#now = parts.now;
    this.#slots = parts.slots ?? null;
  }

  /** Lets each stream begin with what other instances know. */
  learnFrom(elsewhere: Pick<Elsewhere, "learn">): void {
    this.#elsewhere = elsewhere;
  }

  /** Says which slots are taken, to whoever may have forgotten it. */
  keepSlots(): void {
    this.#slots?.keep([...this.#all()]);
  }

  ended(credential: string): void {
    this.#end("refused", (stream) => stream.identified.credential === credential);
  }

  changed(userId: string): void {
    const own = [...(this.#streams.get(userId) ?? [])];
    if (own.length > 0) void this.#endUnwelcome(own);
  }

  /** How many are open in this instance. */
  get openStreams(): number {
    return this.#open;
  }

  /** Users with streams here. */
  users(): string[] {
    return [...this.#streams.keys()];
  }

  /**
   * Gives somebody a place for a stream, which `close` takes back.
   * @throws AppError TOO_MANY_REQUESTS for a sixth, FORBIDDEN for who has turned notifications off, UNAUTHORIZED, UNAVAILABLE
   */
  async open(em: EntityManager, identified: Identified): Promise<Stream> {
    if (this.#stopped) throw stopping();
    const stream = new Stream(identified);
    const own = this.#streams.get(stream.userId) ?? new Set();
    // Before the first pause, so that what opens at the same moment counts as well.
    if (own.size >= streamsPerUser) throw tooMany();
    this.#streams.set(stream.userId, own.add(stream));
    this.#open += 1;
    try {
      const [standing] = await standings(em, this.#now(), [stream]);
      if (standing !== "welcome") throw refusal(standing);
      if (this.#slots && !(await this.#slots.take(stream.userId, stream.id))) throw tooMany();
      await this.#elsewhere?.learn(stream.userId);
      if (stream.ended) throw stream.ended === "stopping" ? stopping() : refusal(stream.ended === "off" ? "off" : null);
      return stream;
    } catch (error) {
      this.close(stream);
      throw error;
    }
  }

  /** Lets messages flow: what was missed since the cursor, then whatever comes. */
  begin(stream: Stream, cursor: string | null, outlet: Outlet): void {
    if (stream.ended) {
      if (stream.ended !== "closed") outlet.end(stream.ended);
      return;
    }
    stream.outlet = outlet;
    const { stop, ...position } = this.#hub.listen(stream.userId, cursor, (notification) => {
      stream.sentAt = this.#now().getTime();
      outlet.send(notification);
    });
    stream.stopListening = stop;
    stream.sentAt = this.#now().getTime();
    outlet.connected(position.cursor, position.gap);
    for (const notification of position.missed) outlet.send(notification);
    this.#timer ??= setInterval(() => this.#tick(), tickMilliseconds).unref();
  }

  /** Gives the place back; may be repeated. */
  close(stream: Stream): void {
    const own = this.#streams.get(stream.userId);
    if (!own?.delete(stream)) return;
    this.#open -= 1;
    if (own.size === 0) this.#streams.delete(stream.userId);
    stream.ended ??= "closed";
    stream.stopListening();
    stream.outlet = null;
    this.#slots?.leave(stream.userId, stream.id);
    if (this.#open > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Ends the streams of a user who has turned notifications off. */
  endUser(userId: string): void {
    for (const stream of this.#streams.get(userId) ?? []) this.#endOne(stream, "off");
  }

  /** Ends all streams, and takes no more. */
  stop(): void {
    this.#stopped = true;
    this.#end("stopping", () => true);
  }

  #end(reason: EndReason, which: (stream: Stream) => boolean): void {
    for (const stream of this.#all()) if (which(stream)) this.#endOne(stream, reason);
  }

  #endOne(stream: Stream, reason: EndReason): void {
    const { outlet } = stream;
    stream.ended ??= reason;
    this.close(stream);
    outlet?.end(reason);
  }

  *#all(): Generator<Stream> {
    for (const own of this.#streams.values()) yield* own;
  }

  #tick(): void {
    const now = this.#now().getTime();
    for (const stream of this.#all()) {
      const { outlet, identified } = stream;
      if (identified.endsAt && identified.endsAt.getTime() <= now) this.#endOne(stream, "expired");
      else if (outlet && now - stream.sentAt >= heartbeatMilliseconds) {
        stream.sentAt = now;
        outlet.beat();
      }
    }
    this.#ticks = (this.#ticks + 1) % ticksBetweenChecks;
    if (this.#ticks > 0) return;
    this.keepSlots();
    // A database that is slow to answer is not asked the same again meanwhile.
    if (this.#checking) return;
    this.#checking = true;
    void this.#endUnwelcome([...this.#all()]).finally(() => {
      this.#checking = false;
    });
  }

  /** While the database is away, streams go on. */
  async #endUnwelcome(streams: readonly Stream[]): Promise<void> {
    try {
      const found = await standings(this.#database.fork(), this.#now(), streams);
      for (const [index, stream] of streams.entries()) {
        const standing = found[index] ?? null;
        if (standing !== "welcome") this.#endOne(stream, standing ?? "refused");
      }
    } catch (error) {
      this.#log.debug({ err: error }, "could not ask whether streams may go on");
    }
  }
}

function tooMany(): AppError {
  const message = `You have ${streamsPerUser} streams open already; close one of them first.`;
  return new AppError("TOO_MANY_REQUESTS", message, { retryAfterSeconds });
}

function refusal(standing: StreamEligibility | undefined): AppError {
  return standing === "off"
    ? new AppError("FORBIDDEN", "Your notifications are turned off; set notificationsEnabled in your profile first.")
    : new AppError("UNAUTHORIZED", "The token is not valid any more; refresh the session or sign in again.");
}
