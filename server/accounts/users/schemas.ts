import { z } from "zod";
import { id, line, pageOf, paging, timestamp } from "../../api/schemas.ts";
import { rescueField } from "./access/kinds.ts";
import { roles } from "../../database/tables/users.ts";

const role = z.enum(roles).meta({ description: "The user's role.", example: "member" });

/** The username for signing in. */
export const usernameField = line(64, 2)
  .regex(/^[\w.@-]*$/, "This may only contain letters, digits and . _ @ -")
  .meta({
    description: "Sign-in name, 2 to 64 characters: letters, digits and . _ @ - (case-insensitive).",
    example: "ada",
  });

export const emailField = line(254)
  .pipe(z.email("This must be an email address, such as ada@example.com."))
  .meta({ description: "Email address.", example: "ada@example.com" });

/** An existing password as typed. Accepts any text: the service compares it. */
export const typedPassword = z
  .string()
  .min(1, "This must not be empty.")
  .max(1_024, "This must have at most 1024 characters.");

/** A new password. The service rejects common ones. */
export const newPasswordField = z
  .string()
  .min(12, "A password must have at least 12 characters.")
  .refine((password) => Array.from(password).length <= 256, "A password must have at most 256 characters.")
  .meta({
    description: "12 to 256 characters, not a common password.",
    maxLength: 256,
    example: "correct horse battery staple",
  });

const nameField = line(100).meta({
  description: "Full name, at most 100 characters; null for none.",
  example: "Ada Lovelace",
});

export const listUsersInput = z.strictObject({
  ...paging(20, 100),
  search: line(256)
    .optional()
    .meta({ description: "Only users whose username, email address or name contains this text.", example: "ada" }),
  role: role.optional().meta({ description: "Only users with this role." }),
});

export const userIdInput = z.strictObject({ id: id("The user's id.") });

export const createUserInput = z.strictObject({
  username: usernameField,
  password: newPasswordField,
  email: emailField.nullable().default(null),
  role,
  displayName: nameField.nullable().default(null),
});

export const updateUserInput = z.strictObject({
  id: id("The user's id."),
  username: usernameField.optional(),
  email: emailField.nullable().optional(),
  emailVerified: z.boolean().optional().meta({
    description: "Whether the address counts as verified. Default for a new `email`: true.",
    example: true,
  }),
  role: role.optional(),
  displayName: nameField.nullable().optional(),
  disabled: z
    .boolean()
    .optional()
    .meta({
      description:
        "True: ends the user's sessions immediately and prevents sign-in. Personal tokens, TSIG keys and calendar feeds stop working until the " +
        "account is enabled again; revoke those that somebody else may have.",
      example: false,
    }),
  password: newPasswordField.optional().meta({
    description:
      "New password. Revokes every other way into the account, unless " +
      "`revoke` names fewer. Change your own with `PUT /api/auth/me/password` (403 here).",
  }),
  revoke: rescueField,
  removeSecondFactors: z.boolean().optional().meta({
    description: "True: removes all second factors, passkeys as well, for a user who has lost theirs.",
    example: false,
  }),
});

export const deleteUserInput = z.strictObject({
  id: id("The user's id."),
  reassignTo: id("New owner of the user's domains. Required if the user owns any.").optional(),
});

export const managedUser = z
  .object({
    id: id("The user's id."),
    username: z.string().meta({ description: "Sign-in name.", example: "ada" }),
    email: z.string().nullable().meta({ description: "Email address; null for none.", example: "ada@example.com" }),
    emailVerified: z.boolean().meta({
      description: "Whether the address is verified. Until then it receives only verification links.",
      example: true,
    }),
    role,
    displayName: z.string().nullable().meta({ description: "Full name; null for none.", example: "Ada Lovelace" }),
    disabled: z.boolean().meta({ description: "Whether sign-in is disabled." }),
    hasPassword: z.boolean().meta({ description: "Whether the user can sign in with a password." }),
    domainCount: z.int().meta({ description: "Number of domains the user owns.", example: 0 }),
    createdAt: timestamp("When the account was created."),
    lastLoginAt: timestamp("When the user last signed in; null if never.").nullable(),
  })
  .meta({ id: "ManagedUser", description: "A user, as shown to administrators." });

export const userPage = z
  .object({ users: z.array(managedUser).meta({ description: "Sorted by username." }), ...pageOf })
  .meta({ id: "UserPage", description: "A page of users." });
