import { z } from "zod";
import { id, line, prose, text, timestamp } from "../../api/schemas.ts";
import { registrationFindings } from "./plan.ts";
import { changeableFields } from "./registrar.ts";

const configId = id("The registrar configuration's id.");
const kind = z.string().meta({ description: "Short name of the kind.", example: "gandi" });
const changes = z.array(z.enum(changeableFields)).meta({
  description: "What can be changed through this kind's API.",
  example: ["nameServers", "ds", "locked", "autoRenew"],
});
const settings = z.record(line(100, 1), text(10_000)).meta({
  description: "Settings, by the names in the kind's `configFields`.",
  example: { token: "pat-0123456789abcdef" },
});

export const registrarConfig = z
  .object({
    id: configId,
    kind,
    name: z.string().meta({ description: "Display name.", example: "Company account" }),
    config: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .meta({ description: "Settings, with secrets masked.", example: { token: "********" } }),
    changes,
    createdAt: timestamp("When it was created."),
  })
  .meta({ id: "RegistrarConfig", description: "Settings and credentials for an account at a registrar." });

export const registrarConfigList = z
  .object({
    configs: z.array(registrarConfig).meta({ description: "Sorted by name." }),
    kinds: z
      .array(
        z.object({
          kind,
          name: z.string().meta({ description: "Display name.", example: "Gandi" }),
          configFields: z
            .array(
              z.object({
                name: z.string().meta({ description: "Key in `config`.", example: "token" }),
                label: z.string().meta({ description: "Label for forms.", example: "Personal access token" }),
                secret: z.boolean().meta({ description: "Whether the value is stored encrypted and shown masked." }),
                required: z.boolean().meta({ description: "Whether the field is required." }),
              }),
            )
            .meta({ description: "The fields of a configuration of this kind." }),
          changes,
        }),
      )
      .meta({ description: "The kinds of registrars." }),
  })
  .meta({ id: "RegistrarConfigList", description: "All registrar configurations, and the kinds that there are." });

const name = line(100, 1).meta({
  description: "Unique display name, 1 to 100 characters.",
  example: "Company account",
});

export const createRegistrarConfigInput = z.strictObject({
  kind: line(50, 1).meta({ description: "Short name of the kind, such as `porkbun` or `gandi`.", example: "gandi" }),
  name,
  config: settings,
});

export const updateRegistrarConfigInput = z.strictObject({
  id: configId,
  name: name.optional(),
  config: z
    .record(line(100, 1), z.union([text(10_000), z.null()], "This must be text or null."))
    .optional()
    .meta({
      description:
        "Replaces all settings. An empty, masked or omitted secret keeps its stored value. If an API address moves to another origin, send the secret again.",
      example: { token: "" },
    }),
});

export const registrarConfigIdInput = z.strictObject({ id: configId });

export const registrarTest = z
  .object({
    success: z.boolean().meta({ description: "Whether the registrar answered." }),
    error: z.string().nullable().meta({ description: "The registrar's message; null on success.", example: null }),
    domains: z.int().nullable().meta({ description: "Names in the account; null without an answer.", example: 12 }),
  })
  .meta({ id: "RegistrarTest", description: "The result of testing a registrar configuration." });

export const registrarDomains = z
  .object({
    domains: z
      .array(
        z.object({
          name: z.string().meta({ description: "Registered name, in A-labels.", example: "example.com" }),
          domainId: id("The domain of this name here, in the default view; null: there is none.").nullable(),
          connected: z.boolean().meta({ description: "Whether that domain names this configuration." }),
        }),
      )
      .meta({ description: "Sorted by name." }),
  })
  .meta({ id: "RegistrarDomains", description: "The names in an account at a registrar." });

const domainId = id("The domain's id.");
const at = { description: "When the registration expires; null if not known." };
const hostNames = z
  .array(z.string())
  .nullable()
  .meta({
    description: "Name servers, in lower-case A-labels; null if not known.",
    example: ["ns1.example.net", "ns2.example.net"],
  });
const dsRecords = z
  .array(z.string())
  .nullable()
  .meta({ description: "DS records as in zone files; null if not known.", example: [] });

export const registrationInput = z.strictObject({ id: domainId });

export const domainRegistration = z
  .object({
    domainId,
    name: z.string().meta({ description: "The registered name at or above the domain.", example: "example.com" }),
    expiresAt: timestamp(at.description).nullable(),
    expirySource: z
      .enum(["rdap", "whois", "registrar", "manual"])
      .nullable()
      .meta({ description: "Source of `expiresAt`; null if there is none.", example: "registrar" }),
    registrar: z
      .object({
        configId,
        account: z.string().meta({ description: "The configuration's name.", example: "Company account" }),
        kind,
        changes,
        seenAt: timestamp("When the registrar last answered; null: not yet.").nullable(),
        error: z
          .string()
          .nullable()
          .meta({ description: "Why the last attempt failed; null if it did not.", example: null }),
        expiresAt: timestamp(at.description).nullable(),
        autoRenew: z
          .boolean()
          .nullable()
          .meta({ description: "Whether it renews itself; null if not known.", example: true }),
        locked: z
          .boolean()
          .nullable()
          .meta({ description: "Whether transfers are refused; null if not known.", example: true }),
        nameServers: hostNames,
        ds: dsRecords,
      })
      .nullable()
      .meta({ description: "What the registrar says; null if the domain names none." }),
    registry: z
      .object({
        source: z
          .enum(["rdap", "whois"])
          .meta({ description: "Protocol the registry answered over.", example: "rdap" }),
        registrar: z
          .string()
          .nullable()
          .meta({ description: "Registrar; null if not reported.", example: "Example Inc." }),
        statuses: z
          .array(z.string())
          .nullable()
          .meta({ description: "Statuses in the registry's words; null if not reported.", example: ["client hold"] }),
        nameServers: hostNames,
        ds: dsRecords,
        expiresAt: timestamp(at.description).nullable(),
        checkedAt: timestamp("When it was last asked; null if never.").nullable(),
      })
      .nullable()
      .meta({ description: "What the registry says; null if it was not asked yet." }),
    parent: z
      .object({
        zone: z.string().meta({ description: "The parent zone.", example: "com" }),
        seenAt: timestamp("When it was last seen to say this."),
        nameServers: z.array(z.string()).meta({ description: "NS records.", example: ["ns1.example.net"] }),
        ds: dsRecords,
      })
      .nullable()
      .meta({ description: "What the parent zone says; null if not known. See `GET …/delegation`." }),
    findings: z
      .array(
        z.object({
          code: z.enum(registrationFindings).meta({ description: "What is wrong.", example: "unlocked" }),
          severity: z.enum(["error", "warning", "info"]).meta({ description: "How bad it is.", example: "warning" }),
          message: z.string().meta({
            description: "What is wrong and what to do.",
            example: "example.com can be transferred to another registrar. Turn its transfer lock on.",
          }),
        }),
      )
      .meta({ description: "What to do, worst first." }),
  })
  .meta({ id: "DomainRegistration", description: "What registrar, registry and the parent zone say of a domain." });

const flag = z.boolean("This must be true or false.");

/** What a registration is to become; what is left out stays. */
const wanted = {
  nameServers: z
    .array(line(300, 1))
    .min(1, "Name at least one name server. Without one, nobody can resolve the domain.")
    .max(13, "A domain can have at most 13 name servers.")
    .optional()
    .meta({ description: "Replaces the name servers, 1 to 13.", example: ["ns1.example.net", "ns2.example.net"] }),
  ds: z
    .array(line(500, 1))
    .max(12, "A domain can have at most 12 DS records.")
    .optional()
    .meta({ description: "Replaces the DS records, as in zone files; empty for none.", example: [] }),
  locked: flag.optional().meta({ description: "The transfer lock. False needs a confirmed session." }),
  autoRenew: flag.optional().meta({ description: "Whether the registrar renews it. Never renews at once." }),
};

export const requestedRegistration = z
  .strictObject(wanted)
  .refine((fields) => Object.keys(fields).length > 0, "Name at least one field to change.")
  .meta({ example: { nameServers: ["ns1.example.net", "ns2.example.net"] } });

export const changeRegistrationInput = z.strictObject({
  id: domainId,
  ...wanted,
  planHash: line(1_000, 1)
    .optional()
    .meta({ description: "`planHash` of the plan that you were shown. Required unless `dryRun`.", example: "q3xVnF…" }),
  message: prose(500)
    .optional()
    .meta({ description: "Why, at most 500 characters. The audit trail keeps it.", example: "CHG-1042" }),
  dryRun: flag.default(false).meta({ description: "Only plans. Default: false." }),
  force: flag.default(false).meta({
    description:
      "Confirms what the plan warned of, such as a name server that does not answer. A risk that came up since returns 409. Default: false.",
  }),
  override: flag.optional().meta({
    description: "Administrators only: changes a domain that requires reviews. `message` must say why.",
    example: false,
  }),
});

const fieldValue = z.union([z.array(z.string()), z.boolean()]);

/** What a change of a registration would do. */
export const registrationPlan = {
  changes: z
    .array(
      z.object({
        field: z.enum(changeableFields).meta({ description: "The field.", example: "autoRenew" }),
        before: fieldValue.nullable().meta({ description: "What it is; null if not known.", example: false }),
        after: fieldValue.meta({ description: "What it becomes.", example: true }),
      }),
    )
    .meta({
      description:
        "What differs from what the registrar says now, or accepted within the last day and does not show yet.",
    }),
  warnings: z.array(z.string()).meta({ description: "What the change means, and what needs `force`.", example: [] }),
};

export const registrationChange = z
  .object({
    ...registrationPlan,
    planHash: z.string().meta({ description: "Identifies the plan.", example: "q3xVnF…" }),
    applied: z.boolean().meta({
      description:
        "Whether the registrar accepted the change. False for a plan, and if nothing differs. Some registrars show a change only minutes or hours later.",
    }),
    undo: z
      .object({
        nameServers: z.array(z.string()).optional().meta({ description: "Name servers before." }),
        ds: z.array(z.string()).optional().meta({ description: "DS records before." }),
        locked: z.boolean().optional().meta({ description: "Transfer lock before." }),
        autoRenew: z.boolean().optional().meta({ description: "Automatic renewal before." }),
      })
      .nullable()
      .meta({ description: "What to send to take the change back; null for a plan.", example: null }),
  })
  .meta({ id: "RegistrationChange", description: "A plan of a change of a registration, or its outcome." });
