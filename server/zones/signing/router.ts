import { z } from "zod";
import { may } from "../../api/procedures.ts";
import { id, line, prose, shownId } from "../../api/schemas.ts";
import { router } from "../../api/trpc.ts";
import { dnssec as dnssecSchema } from "../../registry/dnssec/schemas.ts";
import { unlock } from "../changes/schemas.ts";
import type { Signing } from "./service.ts";

const flag = z.boolean("This must be true or false.");
const domainId = id("The domain's id.");

const setDnssecInput = z.strictObject({
  id: domainId,
  enabled: flag.meta({ description: "Whether the provider signs the zone.", example: true }),
  force: flag.default(false).meta({
    description:
      "Turns signing off although the parent zone cannot be asked for DS records. Never turns it off while it has some, as far as is known. Default: false.",
  }),
  message: prose(500).optional().meta({
    description: "Why, at most 500 characters. The audit trail keeps it.",
    example: "CHG-1042",
  }),
  override: flag.optional().meta({
    description: "Administrators only: turns signing off without the review that is required. `message` must say why.",
    example: false,
  }),
});

const publishDsInput = z.strictObject({
  id: domainId,
  dryRun: flag.default(false).meta({ description: "Only plans. Default: false." }),
  planHash: line(1_000, 1).optional().meta({
    description:
      "`planHash` of the plan that you were shown. Required unless `dryRun`: for a registrar, and where DS records are removed.",
    example: "q3xVnF…",
  }),
  message: prose(500).optional().meta({
    description: "Why, at most 500 characters. The history or the audit trail keeps it.",
    example: "CHG-1042",
  }),
  force: flag.default(false).meta({
    description:
      "Confirms what the plan warned of, such as a name server that does not serve the keys. A risk that came up since returns 409. Default: false.",
  }),
  override: flag.optional().meta({
    description: "Administrators only: publishes without the review that is required. `message` must say why.",
    example: false,
  }),
  unlock,
});

const ds = z.string().meta({
  description: "A DS record as in a zone file.",
  example: "12345 13 2 49fd46e6c4b45c55d4ac69cbd3cd34ac1afe51de5e2f1a6d7a3c1c8a9d9b4a10",
});

const publishedDs = z
  .object({
    domainId: shownId("The domain."),
    dsToPublish: z.array(ds).meta({ description: "DS records of the zone's keys." }),
    through: z.enum(["registrar", "parent_zone"]).nullable().meta({
      description:
        "`registrar`: the domain's registrar. `parent_zone`: a domain here that delegates this one. Null: neither, so enter them by hand.",
      example: "registrar",
    }),
    parentZone: z
      .object({
        id: shownId("Its id."),
        name: z.string().meta({ description: "Its name.", example: "example.com" }),
      })
      .nullable()
      .meta({ description: "The domain here that gets the DS records; null if none does.", example: null }),
    before: z.array(ds).nullable().meta({ description: "DS records now; null if not known.", example: [] }),
    after: z.array(ds).meta({ description: "DS records afterwards: those of the keys, and others that match a key." }),
    warnings: z.array(z.string()).meta({ description: "What the change means, and what needs `force`.", example: [] }),
    planHash: z.string().nullable().meta({
      description: "Identifies the plan; null if there is nothing to change, or nothing that can be changed here.",
      example: "q3xVnF…",
    }),
    applied: z.boolean().meta({ description: "Whether DS records were changed." }),
    instructions: z.string().nullable().meta({
      description: "What to enter where, if it cannot be done here; otherwise null.",
      example: null,
    }),
  })
  .meta({ id: "PublishedDs", description: "A plan to publish DS records, or its outcome." });

const tag = "Registrations";

export function createSigningRouter({ signing }: { signing: Signing }) {
  return router({
    set: may("registrations:write", {
      method: "POST",
      path: "/domains/{id}/dnssec",
      operationId: "setDnssec",
      costly: true,
      tag,
      summary: "Turn DNSSEC on or off",
      description:
        "For the owner and administrators. Has the provider sign the zone, or delete its keys, and returns the status with the DS records to publish. " +
        "Turning it off is refused (409) while the parent zone or the registrar has DS records, and until their TTL has passed; where the domain requires " +
        "reviews, only an administrator can, with `override`. Providers without such a call " +
        "answer 409, with where to do it. Takes some minutes at most.",
      errors: [409, 502],
      example: { enabled: true },
    })
      .input(setDnssecInput)
      .output(dnssecSchema)
      .mutation(({ ctx, input }) => signing.set(ctx.em, ctx.caller, input)),

    publishDs: may("registrations:write", {
      method: "POST",
      path: "/domains/{id}/dnssec/publish-ds",
      operationId: "publishDs",
      costly: true,
      tag,
      summary: "Publish a domain's DS records",
      description:
        "For the owner and administrators. Sets the DS records of the zone's keys at its registrar, or in the domain here that delegates it, which also " +
        "needs `records:write`. Keeps other DS records that match a key, and removes those that match none. `dryRun: true` plans; a registrar, and the removal " +
        "of DS records, need the plan's `planHash`. Where neither is set up, returns what to enter by hand.",
      errors: [409, 502],
      example: { dryRun: true },
    })
      .input(publishDsInput)
      .output(publishedDs)
      .mutation(({ ctx, input }) => signing.publish(ctx.em, ctx.caller, input)),
  });
}
