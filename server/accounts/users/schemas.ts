import { z } from "zod";
import { id, line, pageOf, paging, timestamp } from "../../api/schemas.ts";
import { rescueField } from "./access/fields.ts";
import { roles } from "../../database/tables/roles.ts";

const role = z.enum(roles).meta({ description: "What the user may do.", example: "member" });

/** The name to sign in with. */
export const usernameField = line(64, 2)
  .regex(/^[\w.@-]*$/, "This may hold letters, digits and . _ @ - only.")
  .meta({
    description: "The name to sign in with: letters, digits and any of . _ @ -. Case does not matter.",
    example: "ada",
  });

export const emailField = line(254)
  .pipe(z.email("This must be an e-mail address, such as ada@example.com."))
  .meta({ description: "E-mail address.", example: "ada@example.com" });

/** A password that somebody has, as they type it: whatever it is, the service compares it. */
export const typedPassword = z
  .string()
  .min(1, "This must not be empty.")
  .max(1_024, "This must have at most 1024 characters.");

/** A password to set. What is common is refused by the service. */
export const newPasswordField = z
  .string()
  .min(12, "A password must have at least 12 characters.")
  .refine((password) => Array.from(password).length <= 256, "A password must have at most 256 characters.")
  .meta({
    description: "12 to 256 characters, and no common password.",
    maxLength: 256,
    example: "correct horse battery staple",
  });

const nameField = line(100).meta({ description: "Full name to show; null: none.", example: "Ada Lovelace" });

export const listUsersInput = z.strictObject({
  ...paging(20, 100),
  search: line(256)
    .optional()
    .meta({ description: "Part of the username, the e-mail address or the name.", example: "ada" }),
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
    description: "Whether you vouch for the address. A new `email` counts as verified unless this is false.",
    example: true,
  }),
  role: role.optional(),
  displayName: nameField.nullable().optional(),
  disabled: z
    .boolean()
    .optional()
    .meta({ description: "True: the user's sessions and tokens end at once, and nobody signs in.", example: false }),
  password: newPasswordField.optional().meta({
    description:
      "A new password, for a user who has forgotten theirs or whose account was taken over. Every other way into the account ends, unless " +
      "`revoke` names fewer. Your own is changed at `PUT /api/auth/me/password` (403).",
  }),
  revoke: rescueField,
  removeSecondFactors: z
    .boolean()
    .optional()
    .meta({ description: "True: takes all second factors away, for who has lost theirs.", example: false }),
});

export const deleteUserInput = z.strictObject({
  id: id("The user's id."),
  reassignTo: id("").optional().meta({ description: "Who takes over the user's domains; needed while there are any." }),
});

export const managedUser = z
  .object({
    id: id("The user's id."),
    username: z.string().meta({ description: "The name to sign in with.", example: "ada" }),
    email: z.string().nullable().meta({ description: "E-mail address, if any.", example: "ada@example.com" }),
    emailVerified: z.boolean().meta({
      description:
        "Whether the address is known to be the user's. Until then it gets no mail but the link that verifies it.",
      example: true,
    }),
    role,
    displayName: z.string().nullable().meta({ description: "Full name to show.", example: "Ada Lovelace" }),
    disabled: z.boolean().meta({ description: "Whether the user is shut out." }),
    hasPassword: z.boolean().meta({ description: "Whether the user can sign in with a password." }),
    domainCount: z.int().meta({ description: "Domains that the user owns.", example: 0 }),
    createdAt: timestamp("When the account was made."),
    lastLoginAt: timestamp("The last sign-in.").nullable(),
  })
  .meta({ id: "ManagedUser", description: "A user, as administrators see it." });

export const userPage = z
  .object({ users: z.array(managedUser).meta({ description: "By username." }), ...pageOf })
  .meta({ id: "UserPage", description: "A page of users." });
