import { z } from "zod";

/** Control characters other than tab and line ends. */
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
/** Control characters and separators that end a line or a paragraph. */
const lineControls = /[\p{Cc}\u2028\u2029]/u;
/** Characters that turn the direction of other text (UAX #9): names that hold one can look like other names. */
const direction = /\p{Bidi_Control}/u;
/** Those of them that reach over more than themselves. Marks have their place in texts of several lines. */
const override = /[\u202a-\u202e\u2066-\u2069]/u;
/**
 * Characters without a glyph, and tags: names that hold one look like other names. Joiners (U+200C, U+200D) stay, which scripts and emoji need.
 */
const invisible = /[\u00ad\u200b\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/u;
const directionRefused = "Remove characters that change the direction of text.";

function notText({ input }: { input?: unknown }): string {
  return input === undefined ? "This is required." : "This must be text.";
}

/** One line of text: no control, bidirectional or invisible characters, well-formed Unicode, `max` UTF-16 units at the most. */
export function line(max: number, min = 0) {
  return z
    .string({ error: notText })
    .min(min, min === 1 ? "This must not be empty." : `This must have at least ${min} characters.`)
    .max(max, `This must have at most ${max} characters.`)
    .refine((text) => !lineControls.test(text), "Remove line breaks and control characters.")
    .refine((text) => !direction.test(text), directionRefused)
    .refine((text) => !invisible.test(text), "Remove invisible characters.")
    .refine((text) => text.isWellFormed(), "This must be well-formed Unicode.");
}

/** Text of several lines. */
export function text(max: number) {
  return z
    .string({ error: notText })
    .max(max, `This must have at most ${max} characters.`)
    .refine((value) => !controls.test(value), "Remove control characters.")
    .refine((value) => value.isWellFormed(), "This must be well-formed Unicode.");
}

/** Text of several lines that people read. Unlike data it must not make what follows it read in the other direction. */
export function prose(max: number) {
  return text(max).refine((value) => !override.test(value), directionRefused);
}

/** A UUID, in lower case from here on: capitals mean the same (RFC 9562 §4). */
export function id(description: string) {
  return z
    .uuid("This must be an id, such as 01a1fb0f-6204-7000-abd4-276e976be8b7.")
    .toLowerCase()
    .meta({ description });
}

/** A UUID in an answer: it comes from us, so long lists need not check it again. */
export function shownId(description: string) {
  return z.string().meta({ description, format: "uuid", example: "01a1fb0f-6204-7000-abd4-276e976be8b7" });
}

/** A moment in an answer: a `Date` over tRPC, ISO 8601 UTC with milliseconds over REST. */
export function timestamp(description: string) {
  return z
    .date()
    .meta({ description, override: { type: "string", format: "date-time" }, example: "2027-03-01T00:00:00.000Z" });
}

const earliest = Date.UTC(1970, 0, 1);
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A moment in an input: a `Date`, or an ISO 8601 string with `Z` or an offset. */
export function timestampInput(description: string) {
  // For a text the union tells what the one option that takes texts says of it.
  const sentence = "This must be a date and time such as 2027-03-01T00:00:00Z.";
  return z
    .union([z.date(), z.iso.datetime({ offset: true, error: sentence })], sentence)
    .transform((value) => new Date(value))
    .refine(
      (date) => date.getTime() >= earliest && date.getTime() <= latest,
      "This must be between the years 1970 and 9999.",
    )
    .meta({ description, override: { type: "string", format: "date-time" }, example: "2027-03-01T00:00:00Z" });
}

/**
 * A whole number of a query: a number, or over REST its decimal digits. Not `z.coerce.number`, for which true, null, lists
 * and dates are numbers, too.
 */
function queryInteger(range: { min: number; max: number; fallback: number; sentence: string; description: string }) {
  const { min, max, fallback, sentence, description } = range;
  const override = { type: "integer", minimum: min, maximum: max, default: fallback } as const;
  return z
    .custom<number>(
      (given) => typeof given === "number" || (typeof given === "string" && /^\d{1,10}$/.test(given)),
      sentence,
    )
    .meta({ override })
    .transform(Number)
    .pipe(z.int(sentence).min(min, sentence).max(max, sentence))
    .default(fallback)
    .meta({ description, override });
}

/** `page` and `limit` of a list, which come as text over REST. */
export function paging(defaultLimit: number, maxLimit: number) {
  return {
    page: queryInteger({
      min: 1,
      max: 2_147_483_647,
      fallback: 1,
      sentence: "This must be a whole number, at least 1.",
      description: "Page number, from 1.",
    }),
    limit: queryInteger({
      min: 1,
      max: maxLimit,
      fallback: defaultLimit,
      sentence: `This must be a whole number from 1 to ${maxLimit}.`,
      description: `Items per page, at most ${maxLimit}.`,
    }),
  };
}

/** A yes or no of a query: over REST its text, over tRPC a boolean too. */
export function queryFlag(fallback: "true" | "false", description: string) {
  return z
    .preprocess(
      (given: boolean | "true" | "false" | undefined) => (typeof given === "boolean" ? String(given) : given),
      z.enum(["true", "false"], "This must be true or false.").default(fallback),
    )
    .meta({ description });
}

/** What every paged answer carries beside its items. */
export const pageOf = {
  total: z.int().meta({ description: "Total number of items on all pages.", example: 1 }),
  page: z.int().meta({ description: "Page number.", example: 1 }),
  limit: z.int().meta({ description: "Items per page.", example: 20 }),
};

export const success = z
  .object({ success: z.literal(true).meta({ description: "Always true." }) })
  .meta({ id: "Success", description: "The call succeeded.", example: { success: true } });

/** Input of a call that takes nothing: over tRPC it may be left out. */
export const nothing = z.strictObject({}).optional();
