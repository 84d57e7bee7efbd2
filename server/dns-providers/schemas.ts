import { z } from "zod";
import { id, line, text, timestamp } from "../api/schemas.ts";
import type { NewProviderConfig } from "./config-inputs.ts";

const configId = id("The provider configuration's id.");

export const providerCatalogue = z
  .object({
    providers: z
      .array(
        z
          .object({
            id: id("The kind's fixed id: `Domain.providerId`."),
            kind: z.string().meta({ description: "Short name of the kind.", example: "zonefile" }),
            name: z.string().meta({ description: "Name to show.", example: "Zone files" }),
            recordTypes: z
              .array(z.string())
              .nullable()
              .meta({ description: "Types that it can store; null: any.", example: null }),
            supportsProxied: z.boolean().meta({ description: "Whether `proxied` can be true.", example: false }),
            minTtl: z.int().meta({
              description:
                "Smallest TTL in seconds. Some of an account's zones may have a higher one, which changes are checked against too.",
              example: 60,
            }),
            configFields: z
              .array(
                z.object({
                  name: z.string().meta({ description: "Key within `config`.", example: "folder" }),
                  label: z.string().meta({ description: "Label for a form.", example: "Folder" }),
                  secret: z
                    .boolean()
                    .meta({ description: "Whether it is stored encrypted and shown masked.", example: false }),
                  required: z.boolean().meta({ description: "Whether it must be given." }),
                }),
              )
              .meta({ description: "What a configuration of this kind needs." }),
          })
          .meta({ id: "Provider", description: "A kind of DNS back end." }),
      )
      .meta({ description: "All kinds." }),
  })
  .meta({ id: "ProviderCatalogue", description: "The kinds of DNS back ends." });

const config = z
  .record(
    line(100, 1),
    z.union([text(10_000), z.number(), z.boolean(), z.null()], "This must be text, a number, true, false or null."),
  )
  .meta({ description: "Fields by the kind's `configFields`.", example: { folder: "customers" } });

export const providerConfig = z
  .object({
    id: configId,
    kind: z.string().meta({ description: "Short name of the kind.", example: "zonefile" }),
    providerId: id("The kind's fixed id."),
    name: z.string().meta({ description: "Name to show.", example: "Customer zones" }),
    config: config.meta({ description: "Secret fields are masked.", example: { folder: "customers" } }),
    membersMayUse: z.boolean().meta({ description: "Whether members may add domains with it." }),
    createdAt: timestamp("When it was made."),
  })
  .meta({ id: "ProviderConfig", description: "One set of credentials for a kind of provider." });

export const providerConfigList = z
  .object({ configs: z.array(providerConfig).meta({ description: "By name." }) })
  .meta({ id: "ProviderConfigList", description: "All provider configurations." });

const name = line(100, 1).meta({ description: "Name to show; unique.", example: "Customer zones" });
const membersMayUse = z.boolean().meta({ description: "Whether members may add domains with it." });

const anyNewConfig = z.strictObject({
  kind: line(50, 1).meta({ description: "Short name of the kind, from `GET /api/providers`.", example: "zonefile" }),
  name,
  config: config.default({}),
  membersMayUse: membersMayUse.default(false),
});

/** A new configuration: clients see a union, in which `kind` tells what `config` takes. */
export const createConfigInput = anyNewConfig as unknown as z.ZodType<z.output<typeof anyNewConfig>, NewProviderConfig>;

export const updateConfigInput = z.strictObject({
  id: configId,
  name: name.optional(),
  config: config.optional().meta({
    description:
      "Replaces the fields. An empty, masked or absent secret keeps the stored one; null removes it. Where an API's address leads to another origin, the secret must be sent again.",
  }),
  membersMayUse: membersMayUse.optional(),
});

export const configIdInput = z.strictObject({ id: configId });

export const configTest = z
  .object({
    success: z.boolean().meta({ description: "Whether the provider answered." }),
    error: z.string().nullable().meta({ description: "What it said, if it refused.", example: null }),
    zones: z.int().nullable().meta({ description: "How many zones it has.", example: 12 }),
  })
  .meta({ id: "ProviderTest", description: "Outcome of trying a configuration." });

const zoneName = line(1024, 1).meta({ description: "Zone name.", example: "example.com" });

export const providerZones = z
  .object({
    zones: z
      .array(
        z.object({
          name: z.string().meta({ description: "Zone name.", example: "example.com" }),
          managed: z.boolean().meta({ description: "Whether it is a domain here already." }),
        }),
      )
      .meta({ description: "By name." }),
  })
  .meta({ id: "ProviderZones", description: "The zones at a provider." });

/** One of the two, which the service checks: a refined schema is not described as strict. */
export const importInput = z.strictObject({
  id: configId,
  zones: z
    .array(zoneName)
    .min(1, "Name at least one zone.")
    .max(100, "At most 100 zones in one call; all: true imports every zone that is not managed yet.")
    .optional()
    .meta({ description: "Which zones. Either these or `all`.", example: ["example.com"] }),
  all: z
    .literal(true, "This must be true, or left out where zones are named.")
    .optional()
    .meta({ description: "All zones that are not managed yet, in the background." }),
});

const importedDomain = id("The domain that manages the zone, new or not; null: none does.").nullable();

export const importProgress = z
  .object({
    startedAt: timestamp("When it began; null where nothing was imported yet.").nullable(),
    finishedAt: timestamp("When it ended; null while it goes on.").nullable().meta({ example: null }),
    total: z.int().meta({ description: "How many zones it brings in.", example: 1200 }),
    done: z.int().meta({ description: "Zones that had their turn, well or badly.", example: 340 }),
    results: z
      .array(
        z.object({
          name: z.string().meta({ description: "The zone.", example: "example.com" }),
          state: z
            .enum(["waiting", "running", "done", "failed"])
            .meta({ description: "`done`: it is managed now.", example: "done" }),
          domainId: importedDomain,
          records: z.int().nullable().meta({ description: "Records read in; null unless done.", example: 60 }),
          error: z.string().nullable().meta({ description: "Why it failed.", example: null }),
        }),
      )
      .meta({ description: "One for each zone, in the order of their turns." }),
  })
  .meta({ id: "ImportProgress", description: "How far an import is." });

export const importResult = z
  .object({
    results: z
      .array(
        z.object({
          name: z.string().meta({ description: "The zone, as named in the call.", example: "example.com" }),
          success: z.boolean().meta({ description: "Whether it is managed now." }),
          domainId: importedDomain,
          records: z.int().meta({ description: "Records read in.", example: 60 }),
          error: z.string().nullable().meta({ description: "Why not.", example: null }),
        }),
      )
      .meta({ description: "One for each named zone, in order; empty with `all`." }),
    progress: importProgress
      .nullable()
      .meta({ description: "With `all`: the import that has begun. Else null.", example: null }),
  })
  .meta({ id: "ImportResult", description: "What became of each zone." });
