import { z } from "zod";
import { id, line, paging, shownId } from "../../api/schemas.ts";
import { ofReverseZone } from "../records/change-schemas.ts";

export const reportInput = z
  .strictObject({
    after: line(100, 1).optional().meta({
      description: "Continues after this position: `next` of the page before.",
      example: "01a1fb0f-6204-7000-abd4-276e976be8b7",
    }),
    limit: paging(50, 100).limit,
    domainId: id("Only the addresses and PTR records of this domain.").optional(),
  })
  .prefault({});

const recordId = shownId("The PTR record's id.");

const mend = z
  .union([
    z
      .object({
        action: z.literal("create").meta({ description: "Creates a PTR record, or a CNAME record that leads to one." }),
        record: z
          .object({
            recordType: z.enum(["PTR", "CNAME"]).meta({
              description: "Record type. `CNAME`: leads to the classless zone that has the PTR record (RFC 2317).",
              example: "PTR",
            }),
            name: z.string().meta({ description: "Name relative to the reverse zone.", example: "1" }),
            value: z.string().meta({ description: "The name it points to.", example: "www.example.com" }),
          })
          .meta({ description: "The record to create." }),
      })
      .meta({ id: "MissingPointer", description: "A PTR or CNAME record to create." }),
    z
      .object({
        action: z.literal("update").meta({ description: "Changes a PTR record." }),
        recordId,
        record: z
          .object({ value: z.string().meta({ description: "The name it points to.", example: "www.example.com" }) })
          .meta({ description: "The field to change." }),
      })
      .meta({ id: "MismatchedPointer", description: "A PTR record to change." }),
    z
      .object({ action: z.literal("delete").meta({ description: "Deletes a PTR record." }), recordId })
      .meta({ id: "StalePointer", description: "A PTR record to delete." }),
  ])
  .meta({ description: "A change in the form of `POST /api/domains/{id}/records/plan`." });

export const report = z
  .object({
    findings: z
      .array(
        z
          .object({
            problem: z.enum(["missing", "stale", "mismatched", "unreachable"]).meta({
              description:
                "`missing`: an address of yours has no PTR record in its managed reverse zone. `stale`: a PTR record points to a managed name " +
                "that lacks the address. `mismatched`: it points to another name than one that has the address. `unreachable`: it is in a " +
                "classless zone (RFC 2317), but the managed zone above has no CNAME that leads there, so nobody finds it.",
              example: "missing",
            }),
            address: z.string().meta({ description: "The address.", example: "192.0.2.1" }),
            domainId: shownId("The reverse zone."),
            domainName: z.string().meta({
              description: "The reverse zone's name, with its view.",
              example: "2.0.192.in-addr.arpa",
            }),
            name: z.string().meta({
              description: "The PTR record's name relative to the reverse zone.",
              example: "1",
            }),
            recordId: recordId.nullable().meta({ description: "The PTR record's id; null if it is missing." }),
            value: z.string().nullable().meta({
              description: "What the PTR record points to; null if it is missing.",
              example: null,
            }),
            expected: z.string().nullable().meta({
              description: "A name you see that has the address; null if there is none.",
              example: "www.example.com",
            }),
            sourceId: shownId("The domain of `expected`; null if there is none.").nullable(),
          })
          .meta({ id: "ReverseFinding", description: "A PTR record that is missing or wrong." }),
      )
      .meta({ description: "In no particular order, but the same on every call." }),
    plan: z
      .array(
        z
          .object({
            ...ofReverseZone,
            changes: z.array(mend).meta({ description: "The changes, as `records/plan` of that zone takes them." }),
          })
          .meta({ id: "ReverseMending", description: "The changes that fix the findings of a reverse zone." }),
      )
      .meta({
        description:
          "The changes that fix these findings, by reverse zone, as far as you may make them. PTR records that point to names managed " +
          "elsewhere are left alone.",
      }),
    next: z.string().nullable().meta({
      description:
        "Send it as `after` for the next page, also if this one has fewer findings than `limit`; null: this is the last.",
      example: null,
    }),
  })
  .meta({ id: "ReverseReport", description: "A page of the report on PTR records." });
