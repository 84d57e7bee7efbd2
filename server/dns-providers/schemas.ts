import { z } from "zod";
import { id, line, text, timestamp, listedRecordType } from "../api/schemas.ts";
import type { NewProviderConfig, WithShownProviderConfig } from "./config-inputs.ts";

const configId = id("The provider configuration's id.");

export const providerCatalogue = z
  .object({
    providers: z
      .array(
        z
          .object({
            id: id("The kind's fixed id, as in `Domain.providerId`."),
            kind: z.string().meta({ description: "Short name of the kind.", example: "zonefile" }),
            name: z.string().meta({ description: "Display name.", example: "Zone files" }),
            recordTypes: z
              .array(listedRecordType)
              .nullable()
              .meta({ description: "Record types it can store; null for any.", example: null }),
            supportsProxied: z.boolean().meta({ description: "Whether records can be `proxied`.", example: false }),
            minTtl: z.int().meta({
              description: "Minimum TTL in seconds. A zone may have a higher minimum, which is checked as well.",
              example: 60,
            }),
            automaticTtl: z.int().nullable().meta({
              description: "The TTL that leaves the choice to the provider; null if there is none.",
              example: null,
            }),
            configFields: z
              .array(
                z.object({
                  name: z.string().meta({ description: "Key in `config`.", example: "folder" }),
                  label: z.string().meta({ description: "Label for forms.", example: "Folder" }),
                  secret: z
                    .boolean()
                    .meta({ description: "Whether the value is stored encrypted and shown masked.", example: false }),
                  required: z.boolean().meta({ description: "Whether the field is required." }),
                }),
              )
              .meta({ description: "The fields of a configuration of this kind." }),
          })
          .meta({ id: "Provider", description: "A kind of DNS provider." }),
      )
      .meta({ description: "All kinds of DNS providers." }),
  })
  .meta({ id: "ProviderCatalogue", description: "The kinds of DNS providers." });

const config = z
  .record(
    line(100, 1),
    z.union([text(10_000), z.number(), z.boolean(), z.null()], "This must be text, a number, true, false or null."),
  )
  .meta({ description: "Settings, by the names in the kind's `configFields`.", example: { folder: "customers" } });

/** What a test of a configuration found. */
const testOutcome = {
  success: z.boolean().meta({ description: "Whether the provider answered." }),
  error: z.string().nullable().meta({ description: "The provider's message; null on success.", example: null }),
  zones: z.int().nullable().meta({ description: "Number of zones; null if the provider did not answer.", example: 12 }),
};

const anyConfig = z
  .object({
    id: configId,
    kind: z.string().meta({ description: "Short name of the kind.", example: "zonefile" }),
    providerId: id("The kind's fixed id."),
    name: z.string().meta({ description: "Display name.", example: "Customer zones" }),
    config: config.meta({ description: "Settings, with secrets masked.", example: { folder: "customers" } }),
    membersMayUse: z.boolean().meta({ description: "Whether members may add domains with this configuration." }),
    lastTest: z
      .object({
        testedAt: timestamp("When it ended."),
        ...testOutcome,
      })
      .nullable()
      .meta({
        description:
          "The outcome of the last test or listing of zones; null if there was none since the settings changed, and for members.",
      }),
    calls: z
      .object({
        left: z.int().meta({ description: "Calls that may be made now.", example: 1180 }),
        limit: z
          .int()
          .nullable()
          .meta({ description: "The most calls in the period; null if unknown.", example: 1200 }),
        seconds: z
          .int()
          .nullable()
          .meta({ description: "The period of the limit in seconds; null if unknown.", example: 300 }),
        resetsAt: timestamp("When the whole limit is available again; null if unknown, or if it is now.").nullable(),
        source: z.enum(["provider", "service"]).meta({
          description:
            "`provider`: stated in the provider's last answer. `service`: this instance's own calls, counted against the part of the published limit that it may use.",
          example: "provider",
        }),
      })
      .nullable()
      .meta({
        description:
          "Calls left of the account's rate limit, shared by all configurations with its credentials. Null if unknown, as before the first call since the start, and for members.",
      }),
    createdAt: timestamp("When it was created."),
  })
  .meta({ id: "ProviderConfig", description: "Settings and credentials for a DNS provider." });

/** The fields of a configuration that are the same for all kinds. */
type Common<Config> = Omit<Config, "kind" | "config">;

/** A configuration, as a union like {@link createConfigInput}. */
export const providerConfig = anyConfig as unknown as z.ZodType<
  WithShownProviderConfig<Common<z.output<typeof anyConfig>>>
>;

export const providerConfigList = z
  .object({ configs: z.array(providerConfig).meta({ description: "Sorted by name." }) })
  .meta({ id: "ProviderConfigList", description: "All provider configurations." });

const name = line(100, 1).meta({ description: "Unique display name, 1 to 100 characters.", example: "Customer zones" });
const membersMayUse = z.boolean().meta({ description: "Whether members may add domains with this configuration." });

const anyNewConfig = z.strictObject({
  kind: line(50, 1).meta({ description: "Short name of the kind, from `GET /api/providers`.", example: "zonefile" }),
  name,
  config: config.default({}),
  membersMayUse: membersMayUse.default(false),
});

/** A new configuration. Clients see a union, in which `kind` determines the type of `config`. */
export const createConfigInput = anyNewConfig as unknown as z.ZodType<z.output<typeof anyNewConfig>, NewProviderConfig>;

/** The settings of any kind, so that those of an answer can be sent back. */
type AnySettings = Readonly<Record<string, string | number | boolean | null | undefined>>;

export const updateConfigInput = z.strictObject({
  id: configId,
  name: name.optional(),
  config: (config as unknown as z.ZodType<z.output<typeof config>, AnySettings>).optional().meta({
    description:
      "Replaces all settings. An empty, masked or omitted secret keeps its stored value; null removes it. If an API URL moves to another origin, send the secret again.",
  }),
  membersMayUse: membersMayUse.optional(),
});

export const configIdInput = z.strictObject({ id: configId });

export const configTest = z
  .object(testOutcome)
  .meta({ id: "ProviderTest", description: "The result of testing a configuration." });

const zoneName = line(1024, 1).meta({ description: "Zone name.", example: "example.com" });

export const providerZones = z
  .object({
    zones: z
      .array(
        z.object({
          name: z.string().meta({ description: "Zone name.", example: "example.com" }),
          managed: z.boolean().meta({ description: "Whether it is already managed here." }),
        }),
      )
      .meta({ description: "Sorted by name." }),
    unusable: z
      .array(
        z.object({
          name: z.string().meta({
            description: "Zone name at the provider, or the name of its file.",
            example: "Example.com.zone",
          }),
          reason: z.string().meta({
            description: "Why it cannot be managed, and what to do.",
            example: "Rename the file to example.com.zone.",
          }),
        }),
      )
      .meta({ description: "Zones with names that cannot be managed, sorted by name. Imports leave them out." }),
  })
  .meta({ id: "ProviderZones", description: "The zones at a provider." });

/** Requires exactly one of the two. The service checks this, because a refined schema is not described as strict. */
export const importInput = z.strictObject({
  id: configId,
  zones: z
    .array(zoneName)
    .min(1, "Name at least one zone.")
    .max(100, "Send at most 100 zones in one call, or all: true for every zone that is not managed yet.")
    .optional()
    .meta({ description: "The zones to import, 1 to 100. Send either these or `all`.", example: ["example.com"] }),
  all: z.literal(true, "This must be true, or omitted if zones are named.").optional().meta({
    description: "Imports every zone that is not managed yet, in the background. Send either this or `zones`.",
  }),
});

const importedDomain = id("The domain that manages the zone, new or existing; null if none does.").nullable();

export const importProgress = z
  .object({
    startedAt: timestamp("When the import began; null if there was none yet.").nullable(),
    finishedAt: timestamp("When it ended; null while in progress.").nullable().meta({ example: null }),
    total: z.int().meta({ description: "Number of zones to import.", example: 1200 }),
    done: z.int().meta({ description: "Zones finished, including failures.", example: 340 }),
    results: z
      .array(
        z.object({
          name: z.string().meta({ description: "Zone name.", example: "example.com" }),
          state: z
            .enum(["waiting", "running", "done", "failed"])
            .meta({ description: "`done`: the zone is managed now.", example: "done" }),
          domainId: importedDomain,
          records: z.int().nullable().meta({ description: "Records imported; null unless `done`.", example: 60 }),
          error: z
            .string()
            .nullable()
            .meta({ description: "Why the import failed; null if it did not.", example: null }),
        }),
      )
      .meta({ description: "One result per zone, in order of import." }),
  })
  .meta({ id: "ImportProgress", description: "The progress of a zone import." });

export const importResult = z
  .object({
    results: z
      .array(
        z.object({
          name: z.string().meta({ description: "Zone name, as sent.", example: "example.com" }),
          success: z.boolean().meta({ description: "Whether the zone is managed now." }),
          domainId: importedDomain,
          records: z.int().meta({ description: "Records imported.", example: 60 }),
          error: z.string().nullable().meta({ description: "Why the import failed; null on success.", example: null }),
        }),
      )
      .meta({ description: "One result per named zone, in the order sent; empty with `all`." }),
    progress: importProgress
      .nullable()
      .meta({ description: "With `all`, the import that was started; null otherwise.", example: null }),
  })
  .meta({ id: "ImportResult", description: "The result of an import." });
