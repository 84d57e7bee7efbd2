import { z } from "zod";
import { id, line, pageOf, paging, prose, shownId, timestamp, shownRecordType } from "../../api/schemas.ts";
import { domainId } from "../../zones/changes/schemas.ts";
import {
  applied as appliedChanges,
  applyInput,
  forceLoss,
  plan as recordsPlan,
  plannedChanges,
} from "../../zones/records/change-schemas.ts";

const templateId = id("The template's id.");
const most = { records: 500, text: 4_096, description: 10_000, variables: 200 } as const;

const longText = (description: string, example?: string) =>
  z
    .string("This must be text.")
    .max(most.text, `This must have at most ${most.text} characters.`)
    .nullish()
    .meta({ description, ...(example === undefined ? {} : { example }) });
const figure = (description: string, example?: number) =>
  z
    .union(
      [z.string().max(most.text, `This must have at most ${most.text} characters.`), z.number()],
      "This must be a number, or text that holds a number or a variable.",
    )
    .nullish()
    .meta({ description, ...(example === undefined ? {} : { example }) });
const flag = (description: string) =>
  z.boolean("This must be true or false.").nullish().meta({ description, example: false });

const templateRecord = z
  .looseObject(
    {
      type: line(100, 1).meta({
        description:
          "Record type, or `SPFM`, `APEXCNAME`, `REDIR301` … Any type can be stored; not every type can be applied.",
        example: "CNAME",
      }),
      groupId: z
        .union([line(most.text), z.number()], "This must be one line of text, or a number.")
        .nullish()
        .meta({ description: "The group that the record belongs to; without one it is always applied." }),
      essential: longText(
        "`Always`, the default, or `OnApply`: the record may be removed after the template was applied.",
        "Always",
      ),
      host: longText(
        "Relative to the domain and host; `@` for that host itself. Ends in a dot if it is a full name.",
        "www",
      ),
      name: longText("SRV: as `host`, without service and protocol."),
      pointsTo: longText("A, AAAA, CNAME, NS, MX: the target. `@` is the domain and host.", "%target%"),
      target: longText("SRV: the target. Redirects: the address."),
      data: figure("TXT and types without fields of their own: the value."),
      rdata: figure("Another name of `data`."),
      ttl: figure("Time to live in seconds, or one variable.", 3600),
      priority: figure("MX and SRV: the priority."),
      weight: figure("SRV: the weight."),
      port: figure("SRV: the port."),
      protocol: longText("SRV: the protocol, such as `_tcp`."),
      service: longText("SRV: the service, such as `_sip`."),
      spfRules: longText("SPFM: rules to merge into the SPF record of the host."),
      txtConflictMatchingMode: longText(
        "TXT: which texts of the host it replaces: `None`, the default, `All` or `Prefix`.",
      ),
      txtConflictMatchingPrefix: longText("TXT with `Prefix`: how those texts begin."),
    },
    "This must be an object with the fields of a record.",
  )
  .meta({ id: "TemplateRecord", description: "A record of a template. Unknown fields are stored as they are." });

const templateFields = {
  providerId: line(255, 1).meta({ description: "Who offers the service, as a domain name.", example: "example.net" }),
  providerName: line(255).meta({ description: "The provider's name.", example: "Example" }),
  serviceId: line(255, 1).meta({ description: "The service; unique for the provider.", example: "website" }),
  serviceName: line(255).meta({ description: "The service's name.", example: "Website" }),
  version: figure("The template's own version; informational.", 1),
  description: prose(most.description).nullish().meta({ description: "What the template does." }),
  variableDescription: prose(most.description).nullish().meta({
    description:
      "What its variables are. The console shows the parts of `name: what it is; other: what that is` beside each value.",
    example: "target: the name of the shop's server",
  }),
  hostRequired: flag("Whether it can only be applied at a host below the domain."),
  multiInstance: flag("Whether it can be applied several times at one host."),
  warnPhishing: flag("Whether its variables can be abused; plans then warn."),
  logoUrl: longText("Address of a logo. Stored, never fetched."),
  records: z
    .array(templateRecord, "This must be a list of records.")
    .min(1, "A template needs at least one record.")
    .max(most.records, `A template can have at most ${most.records} records.`)
    .meta({
      description: `1 to ${most.records} records. A text such as \`%target%\` holds a variable; \`%domain%\`, \`%host%\` and \`%fqdn%\` are given.`,
      example: [{ type: "CNAME", host: "www", pointsTo: "%target%", ttl: 3600 }],
    }),
};

export const createTemplateInput = z.looseObject(templateFields);
export const updateTemplateInput = z.looseObject({
  id: templateId,
  revision: z.int("This must be a whole number.").min(1, "This must be 1 or more.").optional().meta({
    description:
      "The `revision` that the new version was made from. If another one was stored since, the call returns 409. Not part of the template.",
    example: 1,
  }),
  ...templateFields,
});
export const templateIdInput = z.strictObject({ id: templateId });

export const listTemplatesInput = z.strictObject({
  search: line(255).optional().meta({
    description: "Only templates whose provider or service contains this text.",
    example: "mail",
  }),
  ...paging(20, 100),
});

const summaryFields = {
  id: templateId,
  builtIn: z
    .boolean()
    .meta({ description: "Whether it comes with Zonewright; such a template cannot be changed.", example: false }),
  providerId: z.string().meta({ description: "Who offers the service.", example: "example.net" }),
  providerName: z.string().meta({ description: "The provider's name.", example: "Example" }),
  serviceId: z.string().meta({ description: "The service.", example: "website" }),
  serviceName: z.string().meta({ description: "The service's name.", example: "Website" }),
  version: z.number().nullable().meta({ description: "The template's own version.", example: 1 }),
  revision: z.int().meta({ description: "How often it was stored here, from 1.", example: 1 }),
  description: z.string().nullable().meta({ description: "What it does.", example: null }),
  variableDescription: z.string().nullable().meta({ description: "What its variables are.", example: null }),
  variables: z.array(z.string()).meta({ description: "The variables that need a value.", example: ["target"] }),
  groups: z.array(z.string()).meta({ description: "Its groups.", example: [] }),
  hostRequired: z.boolean().meta({ description: "Whether it needs a `host`.", example: false }),
  multiInstance: z
    .boolean()
    .meta({ description: "Whether it can be applied several times at one host.", example: false }),
  recordCount: z.int().meta({ description: "Number of its records.", example: 1 }),
  unsupported: z
    .array(
      z.object({
        index: z.int().meta({ description: "Index in `records`.", example: 2 }),
        type: z.string().meta({ description: "The record's type.", example: "REDIR301" }),
        reason: z.string().meta({ description: "Why it cannot be applied." }),
      }),
    )
    .meta({ description: "Records that cannot be applied. A plan that includes one is refused.", example: [] }),
  createdBy: id("The administrator who added it; null if it is built in.").nullable(),
  createdAt: timestamp("When it was added; null if it is built in.").nullable(),
  updatedAt: timestamp("When it was last changed; null if it is built in.").nullable(),
};

export const templatePage = z
  .object({
    templates: z
      .array(z.object(summaryFields).meta({ id: "TemplateSummary", description: "A template without its records." }))
      .meta({ description: "Built-in templates first, then by provider and service." }),
    ...pageOf,
  })
  .meta({ id: "TemplatePage", description: "A page of templates." });

export const templateDetail = z
  .object({
    ...summaryFields,
    template: z
      .record(z.string(), z.unknown())
      .meta({ description: "The template as it was given, in the JSON form of Domain Connect." }),
  })
  .meta({ id: "Template", description: "A template." });

const application = {
  id: domainId,
  templateId,
  host: line(1_024)
    .default("@")
    .meta({ description: "The host to apply it at: `@` for the apex, relative, or fully qualified.", example: "www" }),
  variables: z
    .record(line(100, 1), line(most.text), "This must be an object of texts.")
    .refine((given) => Object.keys(given).length <= most.variables, `Send at most ${most.variables} variables.`)
    .default({})
    .meta({
      description: "A value for each variable of the template. A value is data: variables in it are not replaced.",
      example: { target: "shop.example.net" },
    }),
  groups: z
    .array(line(most.text, 1))
    .max(most.records, `Send at most ${most.records} groups.`)
    .nullable()
    .default(null)
    .meta({ description: "The groups to apply. Default: all." }),
  reverse: applyInput.shape.reverse,
};

export const planTemplateInput = z.strictObject(application);

export const applyTemplateInput = z.strictObject({
  ...application,
  linked: z.boolean("This must be true or false.").default(false).meta({
    description:
      "Whether the domain follows the template: a changed template can then be planned over all linked domains.",
  }),
  planHash: applyInput.shape.planHash,
  force: applyInput.shape.force,
  message: applyInput.shape.message,
  override: applyInput.shape.override,
  unlock: applyInput.shape.unlock,
});

export const templatePlan = z
  .object({
    ...recordsPlan.shape,
    conflicts: z
      .array(
        z.object({
          id: id("The id of the record that is deleted."),
          recordType: shownRecordType("Its type."),
          name: z.string().meta({ description: "Its name; `@` for the apex.", example: "www" }),
          value: z.string().meta({ description: "Its value.", example: "192.0.2.1" }),
          record: z.int().nullable().meta({
            description: "Index of the template's record that replaces it; null if the template no longer asks for it.",
            example: 0,
          }),
        }),
      )
      .meta({
        description: "Why the plan deletes records: those that conflict with the template. Also among `deletes`.",
      }),
    linked: z.boolean().meta({
      description:
        "Whether the domain is linked to the template at this host. Applying the plan without `linked` ends the link.",
    }),
  })
  .meta({ id: "TemplatePlan", description: "The effect of a template, and the hash to apply it." });

const domainTemplate = z
  .object({
    id: id("The id of this application of the template."),
    templateId,
    providerId: z.string().meta({ description: "The template's provider.", example: "example.net" }),
    serviceId: z.string().meta({ description: "The template's service.", example: "website" }),
    serviceName: z.string().meta({ description: "The service's name.", example: "Website" }),
    templateRevision: z.int().meta({ description: "The template's `revision` when it was applied.", example: 1 }),
    host: z.string().meta({ description: "Where it was applied; `@` for the apex.", example: "@" }),
    variables: z.record(z.string(), z.string()).meta({
      description:
        "The values of its variables; if you see only a part of the zone, those that the records shown have.",
      example: { target: "shop.example.net" },
    }),
    groups: z
      .array(z.string())
      .nullable()
      .meta({ description: "The groups that were applied; null: all.", example: null }),
    linked: z.boolean().meta({ description: "Whether the domain follows changes of the template.", example: true }),
    records: z
      .array(
        z.object({
          recordType: shownRecordType("Record type; `SPFM`: rules merged into an SPF record.", "CNAME"),
          name: z.string().meta({ description: "Name relative to the domain.", example: "www" }),
          value: z.string().meta({ description: "Value.", example: "shop.example.net" }),
          essential: z
            .enum(["Always", "OnApply"])
            .meta({ description: "`OnApply`: may be removed.", example: "Always" }),
        }),
      )
      .meta({ description: "What it wrote, of the records that you may see." }),
    revision: z.int().meta({ description: "The domain's revision afterwards.", example: 4 }),
    appliedBy: id("Who applied it.").nullable(),
    appliedAt: timestamp("When it was last applied."),
  })
  .meta({ id: "DomainTemplate", description: "A template that was applied to a domain." });

export const templateApplied = z
  .object({
    ...appliedChanges.shape,
    applied: domainTemplate.nullable().meta({
      description: "What is remembered; null if your assignments do not cover the host that it was applied at.",
    }),
  })
  .meta({ id: "TemplateApplied", description: "The result of an applied template." });

export const listAppliedInput = z.strictObject({ id: domainId, ...paging(20, 100) });
export const appliedPage = z
  .object({
    templates: z.array(domainTemplate).meta({ description: "Newest first." }),
    ...pageOf,
  })
  .meta({ id: "DomainTemplatePage", description: "A page of the templates that were applied to a domain." });
export const appliedIdInput = z.strictObject({ id: domainId, appliedId: id("The id of the application.") });

export const applyLinkedInput = z.strictObject({
  id: templateId,
  planHash: line(100, 1).meta({ description: "`planHash` of the plan.", example: "Qm9yaW5n…" }),
  force: forceLoss,
  message: applyInput.shape.message,
  override: applyInput.shape.override,
  unlock: applyInput.shape.unlock,
});

export const linkedPlan = z
  .object({
    domains: z
      .array(
        z
          .object({
            domainId,
            domainName: z.string().meta({ description: "The domain's name, with its view.", example: "example.com" }),
            providerId: shownId("The kind of its provider, as in `Domain.providerId`."),
            ...plannedChanges.shape,
            error: z.string().nullable().meta({
              description: "Why the template cannot be applied to this domain; null if it can.",
              example: null,
            }),
          })
          .meta({ id: "LinkedDomainPlan", description: "What a changed template would change in one domain." }),
      )
      .meta({ description: "The linked domains that would change, and those with an error, by name." }),
    warnings: z.array(z.string()).meta({ description: "Warnings about the template itself.", example: [] }),
    unchanged: z.int().meta({ description: "Linked domains that already match the template.", example: 0 }),
    behind: z.int().meta({
      description:
        "How many of these still remember an earlier version. Applying the plan has them remember the present one, even if it changes nothing else.",
      example: 0,
    }),
    planHash: z.string().meta({
      description: "Send it to `POST …/linked/apply`. It covers the template and its changes in all domains.",
      example: "Qm9yaW5n…",
    }),
  })
  .meta({ id: "LinkedPlan", description: "What a changed template would change in all linked domains." });
