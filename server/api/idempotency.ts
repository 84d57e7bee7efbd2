import { createHash, randomUUID, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { createDeflateRaw, inflateRaw } from "node:zlib";
import { parse, stringify } from "superjson";
import { zoneFor } from "../access/zone-access.ts";
import type { Caller } from "../access/caller.ts";
import type { RouteMeta } from "./context.ts";
import type { HttpPort } from "../platform/http-port.ts";
import { queries, type Database, type EntityManager } from "../database/database.ts";
import { AppError } from "../platform/errors.ts";
import type { Logger } from "../platform/log.ts";
import { LargeAnswer } from "./large-answers.ts";
import { inSlices, type Steps } from "../platform/slices.ts";

/** How long a response is stored. */
const retentionMilliseconds = 24 * 3_600_000;
/** How long a crashed call holds its key, also by clocks of other instances that are minutes off. One that runs renews this every 20 seconds. */
const leaseMilliseconds = 10 * 60_000;
const renewMilliseconds = 20_000;
/** Delays before a response that could not be stored is stored again; the last one repeats. */
const storeDelays = [200, 1_000, 5_000];
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/**
 * Maximum characters of a response that is stored: as sent, and as stored. The largest plan, which creates 10,000 records, has 5 million and
 * 0.8 million. Calls with larger responses are still executed only once.
 */
const most = { sent: 16 * 1024 * 1024, stored: 1024 * 1024 };
/** Shorter responses are stored as they are, as by earlier versions, which may run beside this one during an upgrade. */
const shortAnswer = 256 * 1024;

interface IdempotentCall {
  caller: Caller;
  procedure: string;
  key: string;
  input: unknown;
  http: HttpPort;
}

/** A call that runs, or that was made and whose response is not stored yet. */
interface HeldCall {
  /** Its key's row. */
  id: string;
  /** Proves that it still holds its key. The row has it in the column of the later ETag. */
  token: string;
  requestHash: string;
  /** When it claimed the key. */
  begun: Date;
  procedure: string;
}

/** What is stored of a response: itself, or null if it is too large, and its ETag. */
interface StoredResponse {
  answer: string | null;
  etag: string | null;
}

/** Returns whether a call accepts an `Idempotency-Key`: those that need a permission `…:write` do, such as changes to domains, records and registrations. */
export function takesIdempotencyKey({ permission }: RouteMeta): boolean {
  return permission?.endsWith(":write") === true;
}

/** Returns the call's `Idempotency-Key`, or null. @throws AppError BAD_REQUEST if it is malformed */
export function idempotencyKeyOf(http: HttpPort): string | null {
  const key = http.header("idempotency-key");
  if (key === undefined) return null;
  if (/^[!-~]{8,255}$/.test(key)) return key;
  throw new AppError(
    "BAD_REQUEST",
    "`Idempotency-Key` must have 8 to 255 printable ASCII characters without spaces, such as a random UUID.",
  );
}

/**
 * Executes each keyed call once. A retry gets the stored response. A failed call frees its key and is executed again, because it changed
 * nothing or reported what it changed.
 */
export class Idempotency {
  readonly #database: Database;
  readonly #now: () => Date;
  readonly #log: Logger;

  constructor(database: Database, now: () => Date, log: Logger) {
    this.#database = database;
    this.#now = now;
    this.#log = log;
  }

  /**
   * Executes a call, or returns its stored result.
   * @param execute makes the call
   * @throws AppError CONFLICT if the key was used for a different request, UNAVAILABLE while the first call is in progress
   */
  async once(call: IdempotentCall, execute: (http: HttpPort) => Promise<unknown>): Promise<unknown> {
    const id = hash([call.caller.tokenId ?? call.caller.userId, call.key]);
    const requestHash = hash([
      call.procedure,
      await inSlices(inputHash(call.input)),
      call.http.header("if-match") ?? "",
    ]);
    const held = { id, token: randomUUID(), requestHash, begun: this.#now(), procedure: call.procedure };
    const known = await this.#begin(held);
    if (known) return await this.#repeat(known, requestHash, call);
    const renewing = setInterval(() => void this.#renew(held), renewMilliseconds);
    renewing.unref();
    const { http } = call;
    let etag: string | null = null;
    const recording: HttpPort = Object.create(http, {
      setHeader: {
        value(name: string, value: string) {
          if (name === "ETag") etag = value;
          http.setHeader(name, value);
        },
      },
    }) as HttpPort;
    let data: unknown;
    try {
      data = await execute(recording);
    } catch (error) {
      clearInterval(renewing);
      // Report the call's own error even if its key cannot be freed now; the key expires.
      const freed = queries(this.#database.fork())
        .deleteFrom("idempotent_calls")
        .where("id", "=", id)
        .where("etag", "=", held.token)
        .execute();
      await freed.catch(() => undefined);
      throw error;
    }
    const { procedure } = held;
    const answer = await storedForm(data).catch((error: unknown) => {
      this.#log.warn({ err: error, procedure }, "the response of a call cannot be stored");
      return null;
    });
    await this.#store(held, { answer, etag }, renewing);
    return data;
  }

  /**
   * Stores the response of a call. The call was made, so a failure is not the caller's: it is tried again in the background.
   * @param renewing holds the key until the response is stored
   */
  async #store(held: HeldCall, response: StoredResponse, renewing: NodeJS.Timeout): Promise<void> {
    try {
      await this.#write(held, response);
      clearInterval(renewing);
    } catch (error) {
      this.#log.warn({ err: error, procedure: held.procedure }, "the response of a call could not be stored yet");
      void this.#storeLater(held, response).finally(() => clearInterval(renewing));
    }
  }

  async #storeLater(held: HeldCall, response: StoredResponse): Promise<void> {
    for (let attempt = 0; this.#now().getTime() - held.begun.getTime() < retentionMilliseconds; attempt++) {
      await sleep(storeDelays[attempt] ?? storeDelays.at(-1), undefined, { ref: false });
      try {
        await this.#write(held, response);
        return;
      } catch (error) {
        this.#log.debug({ err: error, procedure: held.procedure }, "the response of a call still cannot be stored");
      }
    }
  }

  async #write({ id, token, requestHash }: HeldCall, response: StoredResponse): Promise<void> {
    await queries(this.#database.fork())
      .insertInto("idempotent_calls")
      // If the key was lost, and a repetition has freed it.
      .values({ id, request_hash: requestHash, created_at: this.#now(), runs_until: null, ...response })
      .onConflict((conflict) =>
        conflict
          .column("id")
          .doUpdateSet((eb) => ({ runs_until: null, answer: eb.ref("excluded.answer"), etag: eb.ref("excluded.etag") }))
          // The key may be another call's by now.
          .where("idempotent_calls.etag", "=", token),
      )
      .execute();
  }

  /** Holds the key for ten more minutes. If that fails, the next renewals try again. */
  async #renew({ id, token }: HeldCall): Promise<void> {
    const renewed = queries(this.#database.fork())
      .updateTable("idempotent_calls")
      .set({ runs_until: new Date(this.#now().getTime() + leaseMilliseconds) })
      .where("id", "=", id)
      .where("etag", "=", token)
      .execute();
    await renewed.catch(() => undefined);
  }

  /** Claims the key. @returns null if the call is to be executed, otherwise the stored call */
  async #begin({ id, token, requestHash, begun: now }: HeldCall) {
    const row = {
      request_hash: requestHash,
      runs_until: new Date(now.getTime() + leaseMilliseconds),
      answer: null,
      etag: token,
      created_at: now,
    };
    const db = queries(this.#database.fork());
    const taken = await db
      .insertInto("idempotent_calls")
      .values({ id, ...row })
      .onConflict((conflict) =>
        conflict
          .column("id")
          .doUpdateSet(row)
          .where((eb) =>
            eb.or([
              eb("idempotent_calls.runs_until", "<=", now),
              eb("idempotent_calls.created_at", "<=", new Date(now.getTime() - retentionMilliseconds)),
            ]),
          ),
      )
      .returning("id")
      .executeTakeFirst();
    if (taken) return null;
    const known = await db.selectFrom("idempotent_calls").selectAll().where("id", "=", id).executeTakeFirst();
    // The first call failed between the two statements, so its key is free again.
    return known ?? { request_hash: requestHash, runs_until: now, answer: null, etag: null };
  }

  async #repeat(
    known: { request_hash: string; runs_until: Date | null; answer: string | null; etag: string | null },
    requestHash: string,
    { caller, input, http }: IdempotentCall,
  ): Promise<unknown> {
    if (known.request_hash !== requestHash) {
      throw new AppError(
        "CONFLICT",
        "This `Idempotency-Key` was already used for a different request. Use a new key for each request.",
      );
    }
    if (known.runs_until !== null) {
      throw new AppError(
        "UNAVAILABLE",
        "The first call with this `Idempotency-Key` is still in progress. Try again shortly.",
        {
          retryAfterSeconds: 2,
        },
      );
    }
    if (known.answer === null) {
      const message =
        "The call with this `Idempotency-Key` succeeded, but its response was too large to store. Read the current state instead.";
      // The issue tells it from conflicts of calls that changed nothing.
      throw new AppError("CONFLICT", message, { issues: [{ path: ["Idempotency-Key"], message }] });
    }
    await refuseUnseen(this.#database.fork(), caller, input);
    if (known.etag !== null) http.setHeader("ETag", known.etag);
    http.setHeader("Idempotency-Replayed", "true");
    return await answerIn(known.answer);
  }
}

/** A compressed response begins with one of these: superjson, or a large answer. Others are superjson, which begins with a brace. */
const forms = { json: "json:", large: "large:" };

/** Returns a response as it is stored, or null if it is too large. Long ones are compressed, in zlib's threads. */
async function storedForm(data: unknown): Promise<string | null> {
  if (data instanceof LargeAnswer) {
    const { pieces, text } = data;
    // Pieces that are made while they are sent can be read only once.
    if (!Array.isArray(pieces) || text !== null) return null;
    return await compressed(forms.large, [...dateLines(data.datePaths), ...(pieces as string[])]);
  }
  const json = stringify(data);
  return json.length <= shortAnswer ? json : await compressed(forms.json, [json]);
}

/** Returns the paths of dates in lines of JSON, which has no line break itself. The answer follows in the last line. */
function* dateLines(paths: readonly string[]): Iterable<string> {
  for (let at = 0; at < paths.length; at += 1000) yield `${JSON.stringify(paths.slice(at, at + 1000))}\n`;
}

async function compressed(form: string, pieces: readonly string[]): Promise<string | null> {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  if (length > most.sent) return null;
  const deflated = await buffer(Readable.from(pieces).pipe(createDeflateRaw({ level: 3 })));
  const stored = `${form}${deflated.toString("base64")}`;
  return stored.length > most.stored ? null : stored;
}

const inflate = promisify(inflateRaw);

/** Returns a stored response. */
async function answerIn(stored: string): Promise<unknown> {
  const form = Object.values(forms).find((start) => stored.startsWith(start));
  if (form === undefined) return parse(stored);
  const text = (await inflate(Buffer.from(stored.slice(form.length), "base64"))).toString();
  if (form === forms.json) return parse(text);
  const start = text.lastIndexOf("\n") + 1;
  const lines = text.slice(0, start).split("\n").slice(0, -1);
  return new LargeAnswer(
    piecesOf(text.slice(start)),
    lines.flatMap((line) => JSON.parse(line) as string[]),
  );
}

const isFirstHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

function* piecesOf(text: string): Iterable<string> {
  for (let at = 0; at < text.length;) {
    const end = at + pieceCharacters;
    // Each piece is encoded by itself: a character of two units stays in one.
    const next = isFirstHalf(text.charCodeAt(end - 1)) ? end + 1 : end;
    yield text.slice(at, next);
    at = next;
  }
}

/** Refuses a replay if the caller may no longer see the call's domain. @throws AppError NOT_FOUND */
async function refuseUnseen(em: EntityManager, caller: Caller, input: unknown): Promise<void> {
  const { id } = (input ?? {}) as { id?: unknown };
  if (typeof id !== "string" || !uuid.test(id)) return;
  const domain = await queries(em).selectFrom("domains").select("id").where("id", "=", id).executeTakeFirst();
  if (domain) await zoneFor(em, caller, domain.id, "read");
}

/** Deletes responses past their retention. */
export async function deleteOldAnswers(em: EntityManager, now: Date): Promise<void> {
  const before = new Date(now.getTime() - retentionMilliseconds);
  await queries(em).deleteFrom("idempotent_calls").where("created_at", "<", before).execute();
}

const pieceCharacters = 65_536;

/** Hashes an input, in steps because it may have 16 MiB. */
function* inputHash(input: unknown): Steps<string> {
  const digest = createHash("sha256");
  yield* addTo(digest, input);
  return digest.digest("hex");
}

function* addTo(digest: Hash, value: unknown): Steps<void> {
  yield;
  if (typeof value === "string" && value.length > pieceCharacters) {
    digest.update(`text ${value.length}:`);
    for (let at = 0; at < value.length; at += pieceCharacters) {
      digest.update(value.slice(at, at + pieceCharacters), "utf16le");
      for (let step = 0; step < 32; step++) yield;
    }
  } else if (typeof value === "object" && value !== null && !(value instanceof Date)) {
    // The order of fields is insignificant.
    const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
    digest.update(`${Array.isArray(value) ? "list" : "object"} ${entries.length}:`);
    for (const [key, child] of entries) {
      digest.update(`${JSON.stringify(key)}:`);
      yield* addTo(digest, child);
    }
  } else {
    digest.update(`${JSON.stringify(value) ?? "undefined"};`);
  }
}

function hash(parts: readonly string[]): string {
  const digest = createHash("sha256");
  for (const part of parts) digest.update(`${Buffer.byteLength(part)}:`).update(part);
  return digest.digest("hex");
}
