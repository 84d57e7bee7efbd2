import { z } from "zod";
import { session } from "../../auth/own-sessions/schemas.ts";
import { personalToken } from "../../auth/personal-tokens/schemas.ts";
import { tsigKey } from "../../auth/tsig-keys/schemas.ts";
import { passkey, recoveryCodesLeft } from "../../auth/second-factors/schemas.ts";
import { id, shownId, timestamp } from "../../../api/schemas.ts";
import { accessKind, accessKinds } from "./kinds.ts";

export const passwordChanged = z
  .object({
    success: z.literal(true).meta({ description: "Always true." }),
    remaining: z
      .object({
        sessions: z.int().meta({ description: "Your other sessions.", example: 0 }),
        tokens: z.int().meta({ description: "Personal tokens that have not expired.", example: 2 }),
        keys: z.int().meta({ description: "TSIG keys that have not expired.", example: 0 }),
        passkeys: z.int().meta({ description: "Passkeys.", example: 1 }),
        identities: z.int().meta({ description: "Identities at identity providers.", example: 0 }),
      })
      .meta({
        description: "Other ways into the account that remain, besides the new password and this session.",
        example: { sessions: 0, tokens: 2, keys: 0, passkeys: 1, identities: 0 },
      }),
  })
  .meta({ id: "PasswordChanged", description: "The result of a password change." });

const identity = z
  .object({
    id: shownId("The binding's id."),
    providerId: z.string().meta({ description: "The identity provider.", example: "github" }),
    subject: z.string().meta({ description: "The provider's permanent id of the user.", example: "583231" }),
    email: z.string().nullable().meta({ description: "As reported by the provider.", example: "ada@example.com" }),
    displayName: z.string().nullable().meta({ description: "As reported by the provider.", example: "Ada Lovelace" }),
    createdAt: timestamp("When the identity was bound."),
  })
  .meta({ id: "BoundIdentity", description: "An identity at a provider that the user signs in with." });

const feed = z
  .object({
    id: shownId("The feed's id."),
    name: z.string().meta({ description: "The calendar's name.", example: "Renewals" }),
    createdAt: timestamp("When it was created."),
    lastUsedAt: timestamp("When it was last fetched, accurate to a few minutes; null if never.").nullable(),
  })
  .meta({ id: "UserCalendarFeed", description: "A calendar that programs read as the user." });

export const userAccess = z
  .object({
    hasPassword: z.boolean().meta({ description: "Whether a password is set.", example: true }),
    sessions: z.array(session).meta({ description: "Sessions by last use, at most 200." }),
    tokens: z.array(personalToken).meta({ description: "Personal tokens, newest first." }),
    feeds: z.array(feed).meta({ description: "Calendar feeds, newest first." }),
    keys: z.array(tsigKey).meta({ description: "TSIG keys, newest first." }),
    passkeys: z.array(passkey).meta({ description: "Passkeys, oldest first." }),
    identities: z.array(identity).meta({ description: "Identities at identity providers, oldest first." }),
    totp: z.boolean().meta({ description: "Whether an authenticator app is set up.", example: false }),
    email: z.boolean().meta({ description: "Whether sign-in codes by email are enabled.", example: false }),
    recoveryCodesLeft,
  })
  .meta({ id: "UserAccess", description: "Every way into an account. Secrets are never shown." });

export const userAccessInput = z.strictObject({ id: id("The user's id.") });

export const revokeAccessInput = z
  .strictObject({
    id: id("The user's id."),
    revoke: z
      .array(accessKind, "This must be a list.")
      .min(1, "Name at least one kind, or omit this.")
      .max(accessKinds.length, `There are only ${accessKinds.length} kinds.`)
      .optional()
      .meta({ description: "Revokes only these kinds. Default: all.", example: ["tokens"] }),
    ids: z
      .array(id("Id of a session, personal token, calendar feed, TSIG key, passkey or identity."))
      .min(1, "Name at least one id, or omit this.")
      .max(100, "Name at most 100 ids.")
      .optional()
      .meta({
        description:
          "Revokes only these sessions, personal tokens, calendar feeds, TSIG keys, passkeys and identities; at most 100.",
      }),
  })
  .refine(({ revoke, ids }) => revoke === undefined || ids === undefined, {
    path: ["ids"],
    message: "Send `revoke` or `ids`, not both.",
  });
