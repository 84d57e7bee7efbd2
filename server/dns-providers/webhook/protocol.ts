import { z } from "zod";
import { maxTtl } from "../../dns/record.ts";

// The protocol of webhook adapters. Answers are read by these schemas, and docs/providers/webhook.openapi.json is generated from
// them (`npm run docs`). Unknown fields of answers are ignored.

const next = z.string().nullish().meta({
  description:
    "The cursor of the next page; null or left out on the last page. It names the last entry of this page, such as `www A`, and not a position: lists change while they are read.",
  example: null,
});

const ttl = z.int().min(0).max(maxTtl).meta({ description: "Seconds.", example: 3600 });

const content = z
  .object({
    ttl,
    values: z.array(z.string()).meta({
      description:
        "The records of the RRset, in master-file form (RFC 1035, section 5.1). Zonewright writes host names in full, with a trailing dot. A name without one is relative to the zone.",
      example: ["192.0.2.1", "192.0.2.2"],
    }),
  })
  .meta({ id: "RrsetContent", description: "The TTL and the records of an RRset." });

const owner = {
  name: z.string().meta({
    description:
      "Relative to the zone; `@` for its apex. Compared without regard to case. An RRset that is there is changed under the name by which it was listed; new names are in lower case.",
    example: "www",
  }),
  type: z
    .string()
    .meta({ description: "A mnemonic such as `A`; `TYPE` and a number for types without one.", example: "A" }),
};

export const capabilities = z
  .object({
    protocol: z.literal(1).meta({ description: "The version of this protocol." }),
    recordTypes: z.union([z.literal("any"), z.array(z.string())]).meta({
      description:
        "The types that the adapter stores; `any` for all but ALIAS, ANAME and LUA, which are types of single vendors.",
      example: ["A", "AAAA", "CNAME", "MX", "NS", "TXT"],
    }),
    minTtl: ttl.meta({ description: "The smallest TTL, in seconds.", example: 60 }),
    maxTtl: ttl.meta({ description: "The largest TTL, in seconds.", example: 86_400 }),
    atomic: z.boolean().meta({
      description:
        "Whether several changes can be made in one call, all of them or none. Without it, every call has one change.",
    }),
    granularity: z.enum(["record", "rrset", "zone"]).meta({
      description:
        "The smallest unit that the adapter writes at once. `record`: without `atomic`, a refused change may have been made in part, so its RRset is read again. `rrset`: a refused change changed nothing. `zone`: the adapter stores whole zones, so Zonewright reads whole zones, too, and sends one call at a time.",
      example: "rrset",
    }),
  })
  .meta({ id: "Capabilities", description: "What the adapter can do." });

export type Capabilities = z.infer<typeof capabilities>;

export const zoneList = z
  .object({
    zones: z.array(z.string()).meta({
      description: "Zone names: A-labels without a trailing dot.",
      example: ["example.com", "2.0.192.in-addr.arpa"],
    }),
    next,
  })
  .meta({ id: "ZoneList", description: "A page of the list of zones." });

export const newZone = z
  .object({ name: z.string().meta({ description: "The zone's name.", example: "example.com" }) })
  .meta({ id: "NewZone", description: "A zone to create." });

export const rrsetList = z
  .object({
    rrsets: z
      .array(
        z.object({ ...owner, ...content.shape }).meta({ id: "Rrset", description: "All records of a name and type." }),
      )
      .meta({ description: "The RRsets, each once in the whole list. The SOA may be left out; it is ignored." }),
    next,
  })
  .meta({ id: "RrsetList", description: "A page of a zone's RRsets." });

export const changeSet = z
  .object({
    atomic: z.boolean().meta({
      description: "True if all changes must be made or none. False only with a single change.",
    }),
    changes: z
      .array(
        z
          .object({
            ...owner,
            before: content.nullable().meta({
              description: "The RRset as the adapter listed it; null if it is created.",
            }),
            after: content.nullable().meta({ description: "What it becomes; null if it is deleted." }),
          })
          .meta({ id: "RrsetChange", description: "One RRset that is created, replaced or deleted." }),
      )
      .meta({ description: "At least 1 and at most 500, in order. No RRset is named twice." }),
  })
  .meta({ id: "ChangeSet", description: "Changes of a zone." });

export type ChangeSet = z.infer<typeof changeSet>;

export const outcomes = z
  .object({
    outcomes: z
      .array(
        z
          .object({
            ok: z.boolean().meta({ description: "Whether the change was made." }),
            message: z.string().nullish().meta({
              description:
                "Why it was refused, as a sentence for people. With `atomic`, only the changes at fault have one.",
              example: "The value is not an IPv4 address.",
            }),
          })
          .meta({ id: "Outcome", description: "The outcome of one change." }),
      )
      .meta({ description: "One for each change, in the same order. With `atomic`, all are `ok` or none is." }),
  })
  .meta({ id: "Outcomes", description: "The outcomes of a call." });

export const refusal = z
  .object({
    message: z.string().meta({
      description: "What is wrong, as a sentence for people.",
      example: "The token is wrong.",
    }),
  })
  .meta({ id: "Refusal", description: "Why a call was refused. It changed nothing." });

export const staleRefusal = refusal
  .extend({
    stale: z
      .array(z.int())
      .nullish()
      .meta({
        description:
          "Which changes have a `before` that no longer holds: their positions in `changes`, counted from 0.",
        example: [0],
      }),
  })
  .meta({
    id: "StaleRefusal",
    description: "An RRset has changed since `before` was listed. The call changed nothing.",
  });
