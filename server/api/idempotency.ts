import { createHash, type Hash } from "node:crypto";
import { parse, stringify } from "superjson";
import { zoneFor } from "../access/zone-access.ts";
import type { Caller } from "../access/caller.ts";
import type { RouteMeta } from "./context.ts";
import type { HttpPort } from "../platform/http-port.ts";
import { queries, type Database, type EntityManager } from "../database/database.ts";
import { AppError } from "../platform/errors.ts";
import { LargeAnswer } from "./large-answers.ts";
import { inSlices, type Steps } from "../platform/slices.ts";

/** For how long an answer is kept. */
const keptMilliseconds = 24 * 3_600_000;
/** A process that died in the middle of a call holds its key no longer than this. */
const longestCallMilliseconds = 10 * 60_000;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** A larger answer is not stored: the call still takes place once. */
const largestAnswer = 256 * 1024;

interface IdempotentCall {
  caller: Caller;
  procedure: string;
  key: string;
  input: unknown;
  http: HttpPort;
}

/** Whether a call is one that an `Idempotency-Key` makes repeatable: a change to domains, records or snapshots. */
export function takesIdempotencyKey({ permission }: RouteMeta): boolean {
  return permission?.endsWith(":write") === true;
}

/** The call's `Idempotency-Key`; null where it has none. @throws AppError BAD_REQUEST */
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
 * Carries out each keyed call once. A repeated call gets the stored answer; a call that failed changed nothing or says what it changed,
 * and is carried out anew.
 */
export class Idempotency {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  /**
   * @param carryOut makes the call. @returns its answer, now or then.
   * @throws AppError CONFLICT when the key came with another request, UNAVAILABLE while the first call runs
   */
  async once(call: IdempotentCall, carryOut: (http: HttpPort) => Promise<unknown>): Promise<unknown> {
    const id = hash([call.caller.tokenId ?? call.caller.userId, call.key]);
    const requestHash = hash([
      call.procedure,
      await inSlices(inputHash(call.input)),
      call.http.header("if-match") ?? "",
    ]);
    const known = await this.#begin(id, requestHash);
    if (known) return await this.#repeat(known, requestHash, call);
    let etag: string | null = null;
    const { http } = call;
    const noting: HttpPort = Object.create(http, {
      setHeader: {
        value(name: string, value: string) {
          if (name === "ETag") etag = value;
          http.setHeader(name, value);
        },
      },
    }) as HttpPort;
    let data: unknown;
    try {
      data = await carryOut(noting);
    } catch (error) {
      // What the call failed with is told, whether or not its key can be freed now: it frees itself in time.
      const freed = queries(this.#database.fork()).deleteFrom("idempotent_calls").where("id", "=", id).execute();
      await freed.catch(() => undefined);
      throw error;
    }
    const answer = data instanceof LargeAnswer ? null : stringify(data);
    await queries(this.#database.fork())
      .updateTable("idempotent_calls")
      .set({ runs_until: null, answer: answer !== null && answer.length > largestAnswer ? null : answer, etag })
      .where("id", "=", id)
      .execute();
    return data;
  }

  /** Takes the key. @returns null where the call is to be carried out, else what is stored of it */
  async #begin(id: string, requestHash: string) {
    const now = this.#now();
    const row = {
      request_hash: requestHash,
      runs_until: new Date(now.getTime() + longestCallMilliseconds),
      answer: null,
      etag: null,
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
              eb("idempotent_calls.created_at", "<=", new Date(now.getTime() - keptMilliseconds)),
            ]),
          ),
      )
      .returning("id")
      .executeTakeFirst();
    if (taken) return null;
    const known = await db.selectFrom("idempotent_calls").selectAll().where("id", "=", id).executeTakeFirst();
    // The first call failed between the two statements: its key is free again.
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
        "This `Idempotency-Key` came with another request before; use a new key for each request.",
      );
    }
    if (known.runs_until !== null) {
      throw new AppError("UNAVAILABLE", "The first call with this `Idempotency-Key` still runs; try again shortly.", {
        retryAfterSeconds: 2,
      });
    }
    if (known.answer === null) {
      throw new AppError(
        "CONFLICT",
        "The call with this `Idempotency-Key` was carried out; its answer was too large to store. Read what you need anew.",
      );
    }
    await refuseUnseen(this.#database.fork(), caller, input);
    if (known.etag !== null) http.setHeader("ETag", known.etag);
    http.setHeader("Idempotency-Replayed", "true");
    return parse(known.answer);
  }
}

/** @throws AppError NOT_FOUND when the call's domain still exists and the caller no longer sees it */
async function refuseUnseen(em: EntityManager, caller: Caller, input: unknown): Promise<void> {
  const { id } = (input ?? {}) as { id?: unknown };
  if (typeof id !== "string" || !uuid.test(id)) return;
  const domain = await queries(em).selectFrom("domains").select("id").where("id", "=", id).executeTakeFirst();
  if (domain) await zoneFor(em, caller, domain.id, "read");
}

/** Deletes answers that are kept long enough. */
export async function deleteOldAnswers(em: EntityManager, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptMilliseconds);
  await queries(em).deleteFrom("idempotent_calls").where("created_at", "<", before).execute();
}

const pieceCharacters = 65_536;

/** A hash of an input, in steps: it may have 16 MiB. */
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
    // The order of fields means nothing.
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
