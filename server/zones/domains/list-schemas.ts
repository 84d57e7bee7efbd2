import { z } from "zod";
import { id, line, paging } from "../../api/schemas.ts";

/** The sort fields of the domain list. */
export const sorts = ["name", "expiresAt", "recordCount", "updatedAt", "drift", "provider"] as const;

export const tagCounts = z
  .object({
    tags: z
      .array(
        z.object({
          name: z.string().meta({ description: "Tag.", example: "production" }),
          count: z.int().meta({ description: "Number of domains with this tag.", example: 4 }),
        }),
      )
      .meta({ description: "Sorted by name." }),
    groups: z
      .array(
        z.object({
          name: z.string().meta({ description: "Group label.", example: "Customers" }),
          count: z.int().meta({ description: "Number of domains in this group.", example: 4 }),
        }),
      )
      .meta({ description: "The groups in use, sorted by name." }),
    views: z
      .array(
        z.object({
          name: z.string().meta({ description: "View; empty: the default view.", example: "internal" }),
          count: z.int().meta({ description: "Number of domains in this view.", example: 4 }),
        }),
      )
      .meta({ description: "The views in use, sorted by name." }),
  })
  .meta({ id: "TagCounts", description: "The tags, groups and views in use." });

/** Returns a schema for a filter with two sides: text over REST, also a boolean over tRPC. */
function optionalFlag(description: string) {
  return z
    .preprocess(
      (given: boolean | "true" | "false" | undefined) => (typeof given === "boolean" ? String(given) : given),
      z.enum(["true", "false"], "This must be true or false.").optional(),
    )
    .meta({ description });
}

export const listDomainsInput = z
  .strictObject({
    ...paging(20, 100),
    status: z
      .enum(["active", "expiring", "expired", "disabled"], "This must be active, expiring, expired or disabled.")
      .optional()
      .meta({ description: "Only domains with this status." }),
    group: line(100).optional().meta({ description: "Only domains in this group." }),
    ungrouped: optionalFlag("`true`: only domains without a group. `false`: only the others."),
    tag: line(50).optional().meta({ description: "Only domains with this tag." }),
    search: line(253).optional().meta({
      description:
        "Only domains whose name contains this text, in Unicode or A-labels. After `!`, the view begins with it.",
    }),
    name: line(1024, 1)
      .optional()
      .meta({
        description:
          "Only the domain with exactly this name, in Unicode or A-labels. A view may follow: `example.com!internal`. Without one, returns " +
          "the default view, or the only one. Returns 409 if there is no default view and several others.",
        example: "example.com",
      }),
    view: line(63)
      .optional()
      .meta({ description: "Only domains in this view; `default`: in the default view.", example: "internal" }),
    providerConfigId: id("Only domains with this provider configuration.").optional(),
    drift: optionalFlag(
      "`true`: only domains that differ from their provider or cannot be read there. `false`: only the others.",
    ),
    sort: z
      .enum(sorts.flatMap((field) => [field, `-${field}` as const]))
      .optional()
      .meta({
        description:
          "Sort order, then by name; a leading `-` reverses it. Unknown dates come last. `drift`: oldest difference " +
          "first. `provider`: by the name of the provider configuration. Default: `name`.",
        example: "-expiresAt",
      }),
  })
  .prefault({});
