import { z } from "zod";
import { id, shownId, timestamp } from "../../api/schemas.ts";
import { chainResults } from "../../dns/dnssec/chain.ts";
import { dnssecCodes, dnssecStates } from "./findings.ts";

export const dnssecInput = z.strictObject({ id: id("The domain's id.") });

const ds = z.string().meta({
  description: "A DS record as in a zone file: key tag, algorithm, digest type and digest.",
  example: "12345 13 2 49fd46e6c4b45c55d4ac69cbd3cd34ac1afe51de5e2f1a6d7a3c1c8a9d9b4a10",
});
const severity = z.enum(["error", "warning", "info"]);

const key = z
  .object({
    keyTag: z.int().meta({ description: "Key tag.", example: 12345 }),
    algorithm: z.int().meta({ description: "Algorithm number (IANA).", example: 13 }),
    role: z.enum(["ksk", "zsk", "csk"]).meta({
      description: "`ksk`: signs the keys. `zsk`: signs the records. `csk`: signs both.",
      example: "csk",
    }),
    published: z.boolean().meta({ description: "Whether the zone has its DNSKEY record.", example: true }),
    active: z.boolean().meta({ description: "Whether valid signatures were made with it.", example: true }),
  })
  .meta({ id: "DnssecKey", description: "A key of a domain." });

export const dnssec = z
  .object({
    domainId: shownId("The domain."),
    notCheckedBecause: z.string().nullable().meta({
      description: "Why the domain is not checked, such as a view that is not public; null if it is.",
      example: null,
    }),
    checkedAt: timestamp("When it was last checked; null: not yet.").nullable(),
    canSet: z.boolean().meta({
      description: "Whether `POST …/dnssec` turns signing on and off at its provider.",
      example: true,
    }),
    signedBy: z
      .enum(["provider", "file"])
      .nullable()
      .meta({
        description:
          "`provider`: the provider signs the zone. `file`: signed elsewhere, so edits here invalidate signatures. Null: not signed, as far as " +
          "its records here say.",
        example: "provider",
      }),
    state: z
      .enum(dnssecStates)
      .nullable()
      .meta({
        description:
          "`unsigned`: it has no keys. `signed`: it has keys, and the parent zone has DS records. `pending`: the parent zone has no DS records yet. " +
          "`broken`: validating resolvers refuse its names. Null: not known.",
        example: "signed",
      }),
    keys: z.array(key).nullable().meta({ description: "Its keys; null: not known." }),
    dsToPublish: z.array(ds).meta({ description: "DS records that the parent zone should have." }),
    parentDs: z.array(ds).nullable().meta({ description: "DS records that the parent zone has; null: not known." }),
    cds: z.array(ds).nullable().meta({
      description: "DS records that the zone asks the parent zone to have, by CDS records (RFC 7344); null: not known.",
    }),
    chain: z.enum(chainResults).meta({
      description:
        "`secure`: signatures lead from the root to the domain. `insecure`: proven unsigned. `bogus`: validation fails. " +
        "`unknown`: not known, or not checked.",
      example: "secure",
    }),
    chainReason: z.string().nullable().meta({
      description: "Why; null if it was not checked.",
      example: "Signatures lead from the root to example.com.",
    }),
    signaturesExpireAt: timestamp(
      "When the first of the signatures over its keys, SOA and NS records expires; null: not known, or one is not valid.",
    ).nullable(),
    findings: z
      .array(
        z
          .object({
            code: z.enum(dnssecCodes).meta({
              description:
                "`ds_mismatch`: no DS record matches a key. `broken`: the chain is bogus for another reason. `signatures_invalid`: signatures are not valid, " +
                "which nobody checks yet. `signatures_expiring`: signatures were not renewed in time. `ds_missing`: it is signed, without DS records. " +
                "`ds_extra`: a DS record matches no key. `cds_differs`: its CDS records ask for other DS records.",
              example: "ds_missing",
            }),
            severity: severity.meta({ description: "How bad it is.", example: "warning" }),
            message: z.string().meta({
              description: "What is wrong and what to do.",
              example:
                "example.com is signed, but the parent zone has no DS record for it, so no resolver validates it. Enter this DS record at the registrar: 12345 13 2 49fd….",
            }),
          })
          .meta({ id: "DnssecFinding", description: "A problem in a domain's DNSSEC." }),
      )
      .meta({ description: "What is wrong, worst first." }),
  })
  .meta({ id: "DomainDnssec", description: "A domain's DNSSEC, as of the last check." });
