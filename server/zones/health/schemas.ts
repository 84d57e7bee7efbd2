import { z } from "zod";
import { shownId, shownRecordType } from "../../api/schemas.ts";
import { domainId } from "../changes/schemas.ts";
import { healthCodes } from "./rules.ts";

export const healthInput = z.strictObject({ id: domainId });

const name = z.string().meta({ description: "Name relative to the domain; `@` for the apex.", example: "@" });

const record = z
  .object({
    id: shownId("The record's id."),
    name,
    recordType: shownRecordType("Record type.", "TXT"),
    value: z.string().meta({ description: "Value.", example: "v=spf1 +all" }),
    ttl: z.int().meta({ description: "TTL in seconds.", example: 3600 }),
  })
  .meta({ id: "HealthRecord", description: "A record that a fault is about." });

const mend = z
  .union([
    z
      .object({
        action: z.literal("update").meta({ description: "Changes a record." }),
        recordId: shownId("The record's id."),
        record: z
          .object({
            value: z.string().optional().meta({ description: "New value.", example: "v=spf1 ~all" }),
            ttl: z.int().optional().meta({ description: "New TTL in seconds.", example: 300 }),
          })
          .meta({ description: "The fields to change." }),
      })
      .meta({ id: "MendedRecord", description: "A record to change." }),
    z
      .object({
        action: z.literal("delete").meta({ description: "Deletes a record." }),
        recordId: shownId("The record's id."),
      })
      .meta({ id: "NeedlessRecord", description: "A record to delete." }),
  ])
  .meta({ description: "A change in the form of `POST /api/domains/{id}/records/plan`." });

export const health = z
  .object({
    domainId: shownId("The domain."),
    revision: z.int().meta({ description: "The revision that was looked at.", example: 42 }),
    checked: z.int().meta({ description: "How many active records were checked.", example: 120 }),
    isPart: z.boolean().meta({
      description: "Whether only the hosts that you may see were looked at. Then nothing is reported as missing.",
      example: false,
    }),
    total: z.int().meta({ description: "How many faults there are.", example: 1 }),
    faults: z
      .array(
        z
          .object({
            code: z.enum(healthCodes).meta({
              description:
                "`zone_rule`: records of a name that do not go together. `ns_without_address`: a name server within the domain has no address. " +
                "`alias_target`: MX, NS or SRV point to a CNAME. `dangling`: a record points to a name of the domain that does not exist, is " +
                "disabled, has no address, or is in a loop of CNAME records. `spf_duplicate`, `spf_lookups` (more than 10, as far as they are known here), `spf_allows_all`, `spf_missing`. " +
                "`dmarc_duplicate`, `dmarc_missing`, `dmarc_without_mailbox`. `private_address`: in a domain that is public. `ttl_short`: under " +
                "60 seconds. `ttl_long`: over a week.",
              example: "spf_allows_all",
            }),
            severity: z.enum(["error", "warning", "info"]).meta({ description: "How bad it is.", example: "error" }),
            name,
            message: z.string().meta({
              description: "What is wrong.",
              example: "The SPF record of @ ends in +all.",
            }),
            why: z.string().meta({
              description: "Why it matters.",
              example: "Anybody can send mail in your name, and it passes SPF.",
            }),
            recordCount: z.int().meta({ description: "How many records it is about.", example: 1 }),
            records: z.array(record).meta({ description: "The first 10 of these records." }),
            mend: z.array(mend).meta({
              description:
                "Changes that mend it, at most 100; none if a person has to decide, a record is locked, or you may not change it. Plan them, compare the `revision` of " +
                "the plan with the one here, and apply the plan.",
            }),
          })
          .meta({ id: "ZoneFault", description: "Something wrong in a domain's records." }),
      )
      .meta({ description: "Worst first; at most 50 of each code." }),
  })
  .meta({ id: "ZoneHealth", description: "What is wrong in a domain's records." });
