import { z } from "zod";
import { permissions } from "../../../access/permissions.ts";
import { id, line, shownId, timestamp, timestampInput } from "../../../api/schemas.ts";

const permission = z.enum(permissions, `This must be one of ${permissions.join(", ")}.`);

const shown = {
  id: shownId("The token's id."),
  name: z.string().meta({ description: "What it is for.", example: "Backup script" }),
  permissions: z.array(permission).meta({ description: "What it may do.", example: ["records:read"] }),
  createdAt: timestamp("When it was made."),
  expiresAt: timestamp("From when on it does not work; null: never.").nullable(),
  lastUsedAt: timestamp("The last use, to within a few minutes; null: none.").nullable(),
};

export const personalToken = z.object(shown).meta({ id: "PersonalToken", description: "A personal token." });

export const personalTokens = z
  .object({ tokens: z.array(personalToken).meta({ description: "Your personal tokens, newest first." }) })
  .meta({ id: "PersonalTokens", description: "The caller's personal tokens." });

export const newPersonalToken = z
  .object({
    token: z.string().meta({
      description: "The token itself, for `Authorization: Bearer`. It is shown this once.",
      example: "zw_pt_3kTMd8JfXqLzVb1n0pWc9sRyGa7hEu0GvK2x",
    }),
    ...shown,
  })
  .meta({ id: "NewPersonalToken", description: "A new personal token, with what to call with." });

export const createTokenInput = z.strictObject({
  name: line(100, 1).meta({ description: "What it is for.", example: "Backup script" }),
  permissions: z
    .array(permission, "This must be a list of permissions.")
    .max(permissions.length, `There are only ${permissions.length} permissions.`)
    .meta({
      description: "What it may do, within what you may do. With none it opens nothing.",
      example: ["domains:read", "records:read"],
    }),
  expiresAt: timestampInput("From when on it shall not work; null: never.").nullable().default(null),
});

export const tokenIdInput = z.strictObject({ id: id("The token's id.") });
