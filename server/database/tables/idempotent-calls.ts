import { defineEntity, p } from "@mikro-orm/core";

/** A call that came with an `Idempotency-Key`, and its answer once it was carried out. */
export const IdempotentCallSchema = defineEntity({
  name: "IdempotentCall",
  tableName: "idempotent_calls",
  properties: {
    /** SHA-256 of the credential and its key: keys of two credentials never meet. */
    id: p.text().primary(),
    /** SHA-256 of the procedure, its input and its precondition. */
    requestHash: p.text(),
    /** Until when the call counts as running; null once it has an answer. */
    runsUntil: p.datetime().nullable(),
    /** The answer as superjson writes it; null while it runs, and where it is too large to store. */
    answer: p.text().nullable(),
    /** The record version in the answer's ETag; null where it has none. */
    etag: p.text().nullable(),
    createdAt: p.datetime(),
  },
});
