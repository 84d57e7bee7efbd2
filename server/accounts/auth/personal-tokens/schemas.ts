import { z } from "zod";
import { permissions } from "../../../access/permissions.ts";
import { id, line, shownId, timestamp, timestampInput } from "../../../api/schemas.ts";

const permission = z.enum(permissions, `This must be one of ${permissions.join(", ")}.`);

const shown = {
  id: shownId("The token's id."),
  name: z.string().meta({ description: "What the token is for.", example: "Backup script" }),
  permissions: z.array(permission).meta({ description: "Permissions of the token.", example: ["records:read"] }),
  createdAt: timestamp("When it was created."),
  expiresAt: timestamp("When it expires; null for never.").nullable(),
  lastUsedAt: timestamp("When it was last used, accurate to a few minutes; null if never.").nullable(),
};

export const personalToken = z.object(shown).meta({ id: "PersonalToken", description: "A personal token." });

export const personalTokens = z
  .object({ tokens: z.array(personalToken).meta({ description: "Newest first." }) })
  .meta({ id: "PersonalTokens", description: "The caller's personal tokens." });

export const newPersonalToken = z
  .object({
    token: z.string().meta({
      description: "The token, for `Authorization: Bearer`. Shown only once.",
      example: "zw_pt_3kTMd8JfXqLzVb1n0pWc9sRyGa7hEu0GvK2x",
    }),
    ...shown,
  })
  .meta({ id: "NewPersonalToken", description: "A new personal token, with its secret." });

export const createTokenInput = z.strictObject({
  name: line(100, 1).meta({ description: "What the token is for.", example: "Backup script" }),
  permissions: z
    .array(permission, "This must be a list of permissions.")
    .max(permissions.length, `There are only ${permissions.length} permissions.`)
    .meta({
      description:
        "Permissions of the token. It never allows more than you may do yourself; an empty list allows nothing.",
      example: ["domains:read", "records:read"],
    }),
  expiresAt: timestampInput("When it expires; null for never.").nullable().default(null),
});

export const tokenIdInput = z.strictObject({ id: id("The token's id.") });
