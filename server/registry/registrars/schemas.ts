import { z } from "zod";
import { id, line, text, timestamp } from "../../api/schemas.ts";
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
