import { narrowedMay } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { line, shownId } from "../../api/schemas.ts";
import { z } from "zod";
import type { AcmeChallenges } from "./acme-challenges.ts";

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
const challengeInput = z.strictObject({
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

const challengeOutcome = z
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

const tag = "Update clients";
const forms =
  "Takes what lego, Traefik and others call `httpreq`: `fqdn` and `value`, or in their raw mode `domain`, `token` and `keyAuth`. " +
  "The record belongs to the longest domain in which the token may write TXT records of that name.";

/** DNS-01 challenges of ACME clients (RFC 8555 §8.4). */
export function createAcmeRouter({ acmeChallenges }: { acmeChallenges: AcmeChallenges }) {
  return router({
    present: narrowedMay("records:write", {
      method: "POST",
      path: "/acme/present",
      operationId: "presentAcmeChallenge",
      tag,
      summary: "Publish an ACME challenge",
      description: `${forms} A name can have several values at once. A challenge that is not cleaned up is deleted after a day. Where the provider says when its name servers have a change (Route 53), the call waits for it, up to 20 seconds.`,
      errors: [404, 409, 502],
      example: { fqdn: "_acme-challenge.www.example.com.", value: "LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0" },
    })
      .input(challengeInput)
      .output(challengeOutcome)
      .mutation(({ ctx, input }) => acmeChallenges.present(ctx.em, ctx.caller, input)),

    cleanup: narrowedMay("records:write", {
      method: "POST",
      path: "/acme/cleanup",
      operationId: "cleanUpAcmeChallenge",
      tag,
      summary: "Delete an ACME challenge",
      description: `${forms} Deletes only this value. If it is gone already, nothing changes.`,
      errors: [404, 409, 502],
      example: { fqdn: "_acme-challenge.www.example.com.", value: "LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0" },
    })
      .input(challengeInput)
      .output(challengeOutcome)
      .mutation(({ ctx, input }) => acmeChallenges.cleanUp(ctx.em, ctx.caller, input)),
  });
}
