import { z } from "zod";
import type { TypeName } from "../dns/record.ts";
import { canonicalType, isProviderType } from "../dns/zone-file/type-names.ts";

/** Control characters other than tab and line ends. */
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
/** Control characters and separators that end a line or a paragraph. */
const lineControls = /[\p{Cc}\u2028\u2029]/u;
/** Characters that change the text direction (UAX #9). A name that contains one can look like another name. */
const direction = /\p{Bidi_Control}/u;
/** Those that change the direction of other text. Multi-line text may contain the rest, which are only marks. */
const override = /[\u202a-\u202e\u2066-\u2069]/u;
/** Invisible characters and tags, which make names look alike. Joiners (U+200C, U+200D) are allowed: scripts and emoji need them. */
const invisible = /[\u00ad\u200b\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/u;
const directionRefused = "Remove characters that change the direction of text.";

function notText({ input }: { input?: unknown }): string {
  return input === undefined ? "This is required." : "This must be text.";
}

/** Returns a schema for a line of well-formed text: at most `max` UTF-16 units, no control, bidirectional or invisible characters. */
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

/** Returns a schema for multi-line text. */
export function text(max: number) {
  return z
    .string({ error: notText })
    .max(max, `This must have at most ${max} characters.`)
    .refine((value) => !controls.test(value), "Remove control characters.")
    .refine((value) => value.isWellFormed(), "This must be well-formed Unicode.");
}

/** Returns a schema for multi-line text that people read. It must not change the direction of the text around it. */
export function prose(max: number) {
  return text(max).refine((value) => !override.test(value), directionRefused);
}

/** Returns a schema for a UUID, which it converts to lower case (RFC 9562 §4). */
export function id(description: string) {
  return z
    .uuid("This must be an id, such as 01a1fb0f-6204-7000-abd4-276e976be8b7.")
    .toLowerCase()
    .meta({ description });
}

/** Returns a schema for a UUID in a response. Skips validation, which would slow down long lists. */
export function shownId(description: string) {
  return z.string().meta({ description, format: "uuid", example: "01a1fb0f-6204-7000-abd4-276e976be8b7" });
}

/** Returns a schema for a time in a response: a `Date` over tRPC, ISO 8601 UTC with milliseconds over REST. */
export function timestamp(description: string) {
  return z
    .date()
    .meta({ description, override: { type: "string", format: "date-time" }, example: "2027-03-01T00:00:00.000Z" });
}

const earliest = Date.UTC(1970, 0, 1);
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Returns a schema for a time in an input: a `Date`, or an ISO 8601 string with `Z` or an offset. */
export function timestampInput(description: string) {
  // For a string, the union reports the message of its only string option.
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

interface IntegerRange {
  min: number;
  max: number;
  sentence: string;
  description: string;
}

/**
 * Returns a schema for a whole number in a query: a number, or its decimal digits over REST. `z.coerce.number` would also accept true,
 * null, lists and dates.
 */
export function optionalInteger({ min, max, sentence, description }: IntegerRange) {
  const override = { type: "integer", minimum: min, maximum: max } as const;
  return wholeNumber(override, sentence).optional().meta({ description, override });
}

function queryInteger({ min, max, fallback, sentence, description }: IntegerRange & { fallback: number }) {
  const override = { type: "integer", minimum: min, maximum: max, default: fallback } as const;
  return wholeNumber(override, sentence).default(fallback).meta({ description, override });
}

function wholeNumber(override: { minimum: number; maximum: number; default?: number }, sentence: string) {
  return z
    .custom<number>(
      (given) => typeof given === "number" || (typeof given === "string" && /^\d{1,10}$/.test(given)),
      sentence,
    )
    .meta({ override })
    .transform(Number)
    .pipe(z.int(sentence).min(override.minimum, sentence).max(override.maximum, sentence));
}

const pageRange = { min: 1, max: 2_147_483_647, sentence: "This must be a whole number, at least 1." };

/** Fields of a list that returns everything unless it is asked for a page. */
export const pageIfAsked = {
  page: optionalInteger({
    ...pageRange,
    description: "Page number, from 1. Without `page` and `limit`, returns all items.",
  }),
  limit: optionalInteger({
    min: 1,
    max: 100,
    sentence: "This must be a whole number from 1 to 100.",
    description: "Items per page, at most 100. Default with `page`: 20.",
  }),
};

/** Input of such a list without other fields. Over tRPC it may be omitted. */
export const anyPage = z.strictObject(pageIfAsked).optional();

/** Returns one page of a short list, or all of it if no page is asked for. */
export function pageOfAll<Item>(
  items: readonly Item[],
  asked: { page?: number | undefined; limit?: number | undefined } | undefined,
): Item[] {
  const { page, limit } = asked ?? {};
  if (page === undefined && limit === undefined) return [...items];
  const size = limit ?? 20;
  const start = ((page ?? 1) - 1) * size;
  return items.slice(start, start + size);
}

/** Returns the fields `page` and `limit` of a list, which are text over REST. */
export function paging(defaultLimit: number, maxLimit: number) {
  return {
    page: queryInteger({
      ...pageRange,
      fallback: 1,
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

/** Returns a schema for a flag in a query: text over REST, also a boolean over tRPC. */
export function queryFlag(fallback: "true" | "false", description: string) {
  return z
    .preprocess(
      (given: boolean | "true" | "false" | undefined) => (typeof given === "boolean" ? String(given) : given),
      z.enum(["true", "false"], "This must be true or false.").default(fallback),
    )
    .meta({ description });
}

/** Fields of every paged response, in addition to its items. */
export const pageOf = {
  total: z.int().meta({ description: "Total number of items on all pages.", example: 1 }),
  page: z.int().meta({ description: "Page number.", example: 1 }),
  limit: z.int().meta({ description: "Items per page.", example: 20 }),
};

export const success = z
  .object({ success: z.literal(true).meta({ description: "Always true." }) })
  .meta({ id: "Success", description: "The call succeeded.", example: { success: true } });

/** Input of a call without parameters. Over tRPC it may be omitted. */
export const nothing = z.strictObject({}).optional();

/** Returns a schema for a filter with two sides: text over REST, also a boolean over tRPC. */
export function optionalFlag(description: string) {
  return z
    .preprocess(
      (given: boolean | "true" | "false" | undefined) => (typeof given === "boolean" ? String(given) : given),
      z.enum(["true", "false"], "This must be true or false.").optional(),
    )
    .meta({ description });
}

// The types of record types are open: editors complete those with a form, and any other text is allowed. So what an answer has fits an input.

/** A record type in canonical form: one that is known here, `TYPE` with a number (RFC 3597), or one of a provider's own. */
export const recordTypeInput = line(20, 1)
  .transform((given, context) => {
    const type = canonicalType(given) ?? (isProviderType(given) ? given.toUpperCase() : null);
    if (type !== null) return type;
    context.addIssue("This must be a record type, such as TXT or TYPE65280.");
    return z.NEVER;
  })
  .meta({ override: { type: "string", maxLength: 20, minLength: 1 } }) as unknown as z.ZodType<TypeName, TypeName>;

/** A record type in a list of an answer. */
export const listedRecordType = z.string() as unknown as z.ZodType<TypeName>;

/** A record type in an answer. */
export function shownRecordType(description: string, example = "A"): z.ZodType<TypeName> {
  return listedRecordType.meta({ description, example });
}
