import { z } from "zod";
import { id, line, shownId, text, timestamp, timestampInput, shownRecordType } from "../../api/schemas.ts";
import { editableTypes } from "../../dns/record.ts";
import { findingCodes, severities } from "./findings.ts";
import { servedStates } from "./served.ts";

export const delegationInput = z.strictObject({ id: id("The domain's id.") });

export const snoozeInput = z.strictObject({
  id: id("The domain's id."),
  code: z.enum(findingCodes).meta({ description: "The finding's code.", example: "dangling" }),
  name: line(1024, 1).meta({ description: "The finding's name, as listed.", example: "shop" }),
  until: timestampInput("When the snooze ends, at most a year ahead; null ends it now.").nullable(),
});

/** ALIAS is not a DNS type: name servers answer with addresses. */
const askedTypes = editableTypes.filter((type) => type !== "ALIAS");

export const servedInput = z.strictObject({
  id: id("The domain's id."),
  name: line(1024).meta({
    description: "Host name: relative to the domain or fully qualified; `@` or empty for the apex.",
    example: "www",
  }),
  recordType: z.enum(askedTypes, `This must be one of ${askedTypes.join(", ")}.`).meta({
    description: "Record type.",
    example: "A",
  }),
  values: z
    .array(text(10_000), "This must be a list of values.")
    .min(1, "Name at least one value, or leave `values` out.")
    .max(100, "A call can name at most 100 values.")
    .optional()
    .meta({
      description: "Values, each as in a record. Other values may stand beside them. Default: any value.",
      example: ["192.0.2.1"],
    }),
  absent: z.boolean("This must be true or false.").optional().meta({
    description: "Whether these values, or all records of the type, should be gone. Default: false.",
    example: false,
  }),
});

const address = z.string().meta({ description: "Address.", example: "192.0.2.53" });
const server = z.string().meta({ description: "Name server.", example: "ns1.example.com" });
const serverNames = z.array(server);

const parent = z
  .object({
    zone: z.string().meta({ description: "The parent zone; `.` for the root.", example: "com" }),
    seenAt: timestamp("When it was last seen to say this."),
    nameServers: serverNames.meta({ description: "NS records; none if the domain is not delegated." }),
    glue: z
      .array(z.object({ name: server, address }).meta({ description: "An address of a name server." }))
      .meta({ description: "Addresses of name servers within the domain." }),
    ds: z
      .array(z.string().meta({ description: "A DS record.", example: "12345 13 2 49fd46e6c4b45c55d4ac" }))
      .nullable()
      .meta({ description: "DS records as in a zone file; null: not known." }),
  })
  .meta({ id: "DelegationParent", description: "What the parent zone says." });

const apex = z
  .object({
    nameServers: serverNames.nullable().meta({ description: "NS records; null: no name server answered." }),
    keys: z
      .array(
        z
          .object({
            tag: z.int().meta({ description: "Key tag.", example: 12345 }),
            algorithm: z.int().meta({ description: "Algorithm number.", example: 13 }),
            entryPoint: z.boolean().meta({ description: "Whether it is a key-signing key." }),
          })
          .meta({ description: "A DNSKEY record." }),
      )
      .nullable()
      .meta({ description: "DNSKEY records; null: no name server answered." }),
  })
  .meta({ id: "DelegationApex", description: "What the domain's name servers say." });

const servedBy = z
  .object({
    name: server,
    address: address.nullable().meta({ description: "Null: it has none, or none is known." }),
    state: z.enum(["authoritative", "lame", "unreachable", "no_address", "not_checked"]).meta({
      description:
        "`lame`: it answers, but does not serve the domain. `not_checked`: the address must not be reached (`EGRESS_ALLOW`), there is no route to it, or time ran out.",
      example: "authoritative",
    }),
    serial: z.int().nullable().meta({ description: "SOA serial; null: not known.", example: 2027030101 }),
    detail: z.string().nullable().meta({ description: "What went wrong; null if nothing did.", example: null }),
  })
  .meta({ id: "DelegationServer", description: "A name server, as it answers." });

const askedServer = z
  .object({
    name: server,
    address: address.nullable().meta({ description: "Null: it has none, or none is known." }),
    state: z.enum(servedStates).meta({
      description:
        "`current`: it answers as asked for. `behind`: it does not yet. `lame`: it does not serve the domain, or fails. `unreachable`: it does not answer. " +
        "`not_checked`: it was not asked. `detail` says why.",
      example: "current",
    }),
    detail: z.string().nullable().meta({ description: "What is missing or wrong; null if nothing is.", example: null }),
    counts: z.boolean().meta({
      description:
        "Whether `served` needs it to be `current`. False: it has no address, the address must not be reached (`EGRESS_ALLOW`), or there is no route to it.",
      example: true,
    }),
  })
  .meta({ id: "ServedByServer", description: "How a name server answers for records." });

export const servedAnswer = z
  .object({
    domainId: shownId("The domain."),
    domainName: z.string().meta({ description: "Its name.", example: "example.com" }),
    name: z.string().meta({ description: "The host, relative to the domain.", example: "www" }),
    recordType: z.enum(askedTypes).meta({ description: "The record type.", example: "A" }),
    served: z.boolean().meta({
      description:
        "Whether every name server that `counts` answers as asked for, and there is one. A server that could not be asked in time, or whose addresses could not be looked up, counts.",
      example: true,
    }),
    notCheckedBecause: z.string().nullable().meta({
      description: "Why no server was asked, such as a view that is not public; null if they are.",
      example: null,
    }),
    error: z.string().nullable().meta({
      description: "Why the domain's name servers could not be found; null if they were.",
      example: null,
    }),
    servers: z.array(askedServer).meta({ description: "Each name server at each address." }),
  })
  .meta({ id: "ServedRecords", description: "Whether the domain's name servers serve records, as of now." });

const finding = z
  .object({
    code: z.enum(findingCodes).meta({
      description:
        "`not_delegated`: the parent zone does not have the domain. `ns_missing_at_parent`, `ns_extra_at_parent`: the NS records differ. " +
        "`glue_missing`, `glue_wrong`: addresses of name servers within the domain. `lame`: a server does not serve the domain. " +
        "`unreachable`: a server does not answer or has no address. `serial_differs`: a server has another version. " +
        "`ds_without_dnskey`: validating resolvers refuse the domain. `dnskey_without_ds`: the signatures are not validated. " +
        "`dangling`: a record points to a name that does not exist or has no address.",
      example: "dangling",
    }),
    severity: z.enum(severities).meta({ description: "How bad it is.", example: "error" }),
    name: z.string().meta({ description: "Name relative to the domain; `@` for the domain itself.", example: "shop" }),
    recordType: shownRecordType("Type of the dangling record; otherwise null.", "CNAME").nullable(),
    server: z.string().nullable().meta({ description: "The name server; null if none.", example: null }),
    target: z
      .string()
      .nullable()
      .meta({ description: "What the dangling record points to; otherwise null.", example: "shop.hosting.example" }),
    message: z.string().meta({
      description: "What is wrong and what to do.",
      example: "ns2.example.com (192.0.2.54) does not answer. Check the server and its firewall.",
    }),
    firstSeenAt: timestamp("When a check first saw it."),
    lastSeenAt: timestamp("When a check last saw it."),
    snoozedUntil: timestamp("Until when it sends no notification; null: it is not snoozed.").nullable(),
  })
  .meta({ id: "DelegationFinding", description: "A problem in a domain's public delegation." });

export const delegation = z
  .object({
    domainId: shownId("The domain."),
    notCheckedBecause: z.string().nullable().meta({
      description: "Why the domain is not checked, such as a view that is not public; null if it is.",
      example: null,
    }),
    checkedAt: timestamp("When it was last checked; null: not yet.").nullable(),
    nextCheckAt: timestamp("When it is checked next; null: not planned.").nullable(),
    changedAt: timestamp("When the parent zone last changed; null: not since the first check.").nullable(),
    parent: parent.nullable().meta({ description: "What the parent zone says; null: not known." }),
    parentError: z.string().nullable().meta({
      description: "Why the last check could not see the parent zone; null if it could.",
      example: null,
    }),
    apex: apex.nullable().meta({ description: "What the domain's name servers say; null: not yet checked." }),
    servers: z.array(servedBy).meta({ description: "Each name server at each address." }),
    targets: z
      .object({
        checked: z.int().meta({ description: "Names that were looked up.", example: 12 }),
        unknown: z.int().meta({ description: "Names whose lookup failed. They are not reported.", example: 0 }),
        skipped: z.int().meta({ description: "Names beyond 500, which are checked on other days.", example: 0 }),
      })
      .nullable()
      .meta({ description: "The names that records point to; null: not yet checked." }),
    findings: z.array(finding).meta({ description: "What is wrong, worst first. Only names that you may see." }),
  })
  .meta({ id: "DomainDelegation", description: "A domain's public delegation status, as of the last check." });
