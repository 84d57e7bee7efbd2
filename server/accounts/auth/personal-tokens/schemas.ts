import { z } from "zod";
import { narrowablePermissions } from "../../../access/caller.ts";
import { permissions } from "../../../access/permissions.ts";
import { signedInUser } from "../schemas.ts";
import {
  id,
  line,
  shownId,
  timestamp,
  timestampInput,
  listedRecordType,
  recordTypeInput,
} from "../../../api/schemas.ts";

const permission = z.enum(permissions, `This must be one of ${permissions.join(", ")}.`);

const narrowable = `Narrowed tokens can have ${narrowablePermissions.join(", ")}.`;

const shown = {
  id: shownId("The token's id."),
  name: z.string().meta({ description: "What the token is for.", example: "Backup script" }),
  permissions: z.array(permission).meta({ description: "Permissions of the token.", example: ["records:read"] }),
  domainIds: z
    .array(z.string())
    .nullable()
    .meta({ description: "The domains it is narrowed to; null: every domain that you may access.", example: null }),
  hostPattern: z.string().nullable().meta({
    description: "The host pattern it is narrowed to, in each domain; null: every host.",
    example: "_acme-challenge.*",
  }),
  recordTypes: z
    .array(listedRecordType)
    .nullable()
    .meta({ description: "The record types it is narrowed to; null: every type.", example: ["TXT"] }),
  createdAt: timestamp("When it was created."),
  expiresAt: timestamp("When it expires; null for never.").nullable(),
  lastUsedAt: timestamp("When it was last used, accurate to a few minutes; null if never.").nullable(),
};

export const personalToken = z.object(shown).meta({ id: "PersonalToken", description: "A personal token." });

export const personalTokens = z
  .object({ tokens: z.array(personalToken).meta({ description: "Newest first." }) })
  .meta({ id: "PersonalTokens", description: "The caller's personal tokens." });

export const credential = z
  .object({
    user: z
      .object({
        id: signedInUser.shape.id,
        username: signedInUser.shape.username,
        role: signedInUser.shape.role,
      })
      .meta({ description: "Whom the call is made for." }),
    permissions: z.array(permission).meta({
      description:
        "What the call may do: the permissions of the token, or of a session all, that the user's role can use.",
      example: ["records:read"],
    }),
    token: personalToken.nullable().meta({ description: "The personal token; null for a session." }),
  })
  .meta({ id: "Credential", description: "What a call was authenticated by." });

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
  domainIds: z
    .array(id("A domain that you may access."))
    .min(1, "Name at least one domain, or send null for every domain.")
    .max(100, "A token can name at most 100 domains.")
    .transform((ids) => [...new Set(ids)])
    .nullable()
    .optional()
    .meta({
      description: `Narrows the token to these domains; null or absent: every domain that you may access. ${narrowable}`,
      example: null,
    }),
  hostPattern: line(512, 1)
    .nullable()
    .optional()
    .meta({
      description:
        "Narrows the token to these hosts of each domain, relative to it: `*` matches any characters, including dots; `@` is the apex. " +
        "Null or absent: every host.",
      example: "_acme-challenge*",
    }),
  recordTypes: z
    .array(recordTypeInput)
    .min(1, "Name at least one record type, or send null for every type.")
    .max(100, "A token can name at most 100 record types.")
    .transform((types) => [...new Set(types)].toSorted())
    .nullable()
    .optional()
    .meta({
      description: "Narrows the token to records of these types; null or absent: every type.",
      example: ["TXT"],
    }),
});

export const tokenIdInput = z.strictObject({ id: id("The token's id.") });
