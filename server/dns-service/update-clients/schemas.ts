import { z } from "zod";
import { line, shownId } from "../../api/schemas.ts";

const fqdn = line(512, 1).meta({
  description:
    "The name of the TXT record: `_acme-challenge.` and the name to validate, with or without a trailing dot.",
  example: "_acme-challenge.www.example.com.",
});
const value = z
  .string("This must be a text.")
  .min(1, "This must not be empty.")
  .max(255, "A challenge has at most 255 characters.")
  .regex(/^[\w.+/=~-]+$/, "A challenge has only letters, digits and `-_.+/=~`.")
  .meta({
    description: "The text of the record: the challenge's digest (RFC 8555 §8.4).",
    example: "LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0",
  });

/** A challenge as lego's `httpreq` sends it, in its default and its raw mode. */
export const challengeInput = z.strictObject({
  fqdn: fqdn.optional(),
  value: value.optional(),
  domain: line(512, 1).optional().meta({
    description: "Instead of `fqdn` and `value`: the name to validate.",
    example: "www.example.com",
  }),
  token: line(512)
    .optional()
    .meta({ description: "With `domain`: the challenge's token. Not used.", example: "evaGxfADs6pSRb2LAv9IZf" }),
  keyAuth: line(1_024, 1).optional().meta({
    description: "With `domain`: the key authorization (RFC 8555 §8.1), whose digest becomes the text of the record.",
    example: "evaGxfADs6pSRb2LAv9IZf.9jg46WB3rR",
  }),
});

export const challengeOutcome = z
  .object({
    success: z.literal(true).meta({ description: "Always true." }),
    domainId: shownId("The domain that holds the record."),
    domainName: z.string().meta({ description: "Its name.", example: "example.com" }),
    name: z
      .string()
      .meta({ description: "The record's host, relative to the domain.", example: "_acme-challenge.www" }),
    value: z
      .string()
      .meta({ description: "The record's text.", example: "LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0" }),
    changed: z
      .boolean()
      .meta({ description: "Whether the call changed something. Repeated calls change nothing.", example: true }),
    settled: z
      .boolean()
      .nullable()
      .meta({
        description:
          "Whether the DNS provider says that all of its name servers have the published challenge. False: not within 20 seconds; they will. " +
          "Null: it does not say so, or nothing was published.",
        example: true,
      }),
  })
  .meta({ id: "AcmeChallengeOutcome", description: "Where a challenge is, or was." });
