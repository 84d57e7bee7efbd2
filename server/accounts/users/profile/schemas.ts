import { z } from "zod";
import { line } from "../../../api/schemas.ts";
import { revokeField } from "../access/kinds.ts";
import { emailField, newPasswordField, typedPassword } from "../schemas.ts";

/** Returns a schema for displayed text; an empty string removes the text. */
function removable(max: number) {
  return line(max)
    .nullable()
    .transform((text) => (text === "" ? null : text))
    .optional();
}

const longestPicture = 2_048;

/** Returns an address as URL parsers write it, so that the stored value is what browsers request; null if it cannot be used. */
function pictureAddress(text: string): string | null {
  const url = /^https:\/\//i.test(text) ? URL.parse(text) : null;
  if (!url || url.username !== "" || url.password !== "") return null;
  return url.href.length <= longestPicture ? url.href : null;
}

/** Not strict: clients may change one field of the current user and send back all of it. */
export const updateProfileInput = z.object({
  displayName: removable(100).meta({
    description: "Full name, at most 100 characters; null for none.",
    example: "Ada Lovelace",
  }),
  nickname: removable(50).meta({ description: "Short name, at most 50 characters; null for none.", example: "Ada" }),
  avatarUrl: line(longestPicture)
    .nullable()
    .transform((text, ctx) => {
      if (text === null || text === "") return null;
      const address = pictureAddress(text);
      if (address !== null) return address;
      const message = "This must be an https:// URL without a username or password.";
      ctx.addIssue({ code: "custom", message });
      return z.NEVER;
    })
    .optional()
    .meta({ description: "URL of a picture, https only; null for none.", example: "https://example.com/ada.png" }),
  notificationsEnabled: z
    .boolean()
    .optional()
    .meta({ description: "Whether in-app notifications and the live stream are on.", example: true }),
  emailNotificationsEnabled: z.boolean().optional().meta({
    description: "Whether notifications are also sent by email. Requires an address and a mail server.",
    example: false,
  }),
});

function currentPassword(alias: string, without = "") {
  return typedPassword.optional().meta({
    description: `Your current password. Required, as \`currentPassword\` or as \`${alias}\`${without}.`,
    example: "correct horse battery staple",
  });
}

const alias = typedPassword.optional().meta({
  description: "Alias of `currentPassword`.",
  example: "correct horse battery staple",
});

// The service checks that one of the two names is present: a refined schema would lose its details in the API document.

export const changePasswordInput = z.strictObject({
  currentPassword: currentPassword("oldPassword", ", unless your account has none"),
  oldPassword: alias,
  newPassword: newPasswordField,
  revoke: revokeField,
});

export const changeEmailInput = z.strictObject({
  currentPassword: currentPassword("password"),
  password: alias,
  email: emailField,
});
