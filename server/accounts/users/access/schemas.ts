import { z } from "zod";
import { session } from "../../auth/own-sessions/schemas.ts";
import { personalToken } from "../../auth/personal-tokens/schemas.ts";
import { passkey, recoveryCodesLeft } from "../../auth/second-factors/schemas.ts";
import { id, shownId, timestamp } from "../../../api/schemas.ts";
import { accessKind } from "./fields.ts";
import { accessKinds } from "./kinds.ts";

export const passwordChanged = z
  .object({
    success: z.literal(true).meta({ description: "Always true." }),
    remaining: z
      .object({
        sessions: z.int().meta({ description: "Other sessions.", example: 0 }),
        tokens: z.int().meta({ description: "Personal tokens that have not expired.", example: 2 }),
        passkeys: z.int().meta({ description: "Passkeys.", example: 1 }),
        identities: z.int().meta({ description: "Identities at providers.", example: 0 }),
      })
      .meta({
        description: "How many other ways still open the account, beside the new password and this session.",
        example: { sessions: 0, tokens: 2, passkeys: 1, identities: 0 },
      }),
  })
  .meta({ id: "PasswordChanged", description: "The password is changed." });

const identity = z
  .object({
    id: shownId("The binding's id."),
    providerId: z.string().meta({ description: "The identity provider.", example: "github" }),
    subject: z.string().meta({ description: "What the provider calls the user, for good.", example: "583231" }),
    email: z.string().nullable().meta({ description: "As the provider told it.", example: "ada@example.com" }),
    displayName: z.string().nullable().meta({ description: "As the provider told it.", example: "Ada Lovelace" }),
    createdAt: timestamp("When it was bound."),
  })
  .meta({ id: "BoundIdentity", description: "An identity at a provider that signs the user in." });

export const userAccess = z
  .object({
    hasPassword: z.boolean().meta({ description: "Whether a password is set.", example: true }),
    sessions: z.array(session).meta({ description: "Where the user is signed in, by last use; at most 200." }),
    tokens: z.array(personalToken).meta({ description: "Personal tokens, newest first." }),
    passkeys: z.array(passkey).meta({ description: "Passkeys, oldest first." }),
    identities: z.array(identity).meta({ description: "Identities at providers, oldest first." }),
    totp: z.boolean().meta({ description: "Whether an authenticator app is set up.", example: false }),
    email: z.boolean().meta({ description: "Whether codes by e-mail are set up.", example: false }),
    recoveryCodesLeft,
  })
  .meta({ id: "UserAccess", description: "Every way into an account. Secrets are not shown." });

export const userAccessInput = z.strictObject({ id: id("The user's id.") });

export const revokeAccessInput = z
  .strictObject({
    id: id("The user's id."),
    revoke: z
      .array(accessKind, "This must be a list.")
      .min(1, "Name at least one kind, or leave this out.")
      .max(accessKinds.length, `There are only ${accessKinds.length} kinds.`)
      .optional()
      .meta({ description: "Only these kinds, all of each.", example: ["tokens"] }),
    ids: z
      .array(id("Of a session, a personal token, a passkey or an identity."))
      .min(1, "Name at least one id, or leave this out.")
      .max(100, "At most 100.")
      .optional()
      .meta({ description: "Only these sessions, personal tokens, passkeys and identities." }),
  })
  .refine(({ revoke, ids }) => revoke === undefined || ids === undefined, {
    path: ["ids"],
    message: "Send `revoke` or `ids`, not both.",
  });
