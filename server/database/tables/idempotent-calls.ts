import { defineEntity, p } from "@mikro-orm/core";

/** A call with an `Idempotency-Key`, and its response once completed. */
export const IdempotentCallSchema = defineEntity({
  name: "IdempotentCall",
  tableName: "idempotent_calls",
  properties: {
    /** SHA-256 of the credential and its key, so that keys of different credentials never collide. */
    id: p.text().primary(),
    /** SHA-256 of the procedure, its input and its precondition. */
    requestHash: p.text(),
    /** Until when the call counts as running; null once it has a response. */
    runsUntil: p.datetime().nullable(),
    /** The response as superjson; null while running, or if too large to store. */
    answer: p.text().nullable(),
    /** The record version in the response's ETag; null if it has none. */
    etag: p.text().nullable(),
    createdAt: p.datetime(),
  },
});
