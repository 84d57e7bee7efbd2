import { z } from "zod";
import { line } from "../../../api/schemas.ts";
import { revokeField } from "../access/fields.ts";
import { emailField, newPasswordField, typedPassword } from "../schemas.ts";

/** Shown text that an empty one removes. */
function removable(max: number) {
  return line(max)
    .nullable()
    .transform((text) => (text === "" ? null : text))
    .optional();
}

const longestPicture = 2_048;

/** An address as URL parsers write it, so that what is stored is what browsers ask for; null for what is none that we show. */
function pictureAddress(text: string): string | null {
  const url = /^https:\/\//i.test(text) ? URL.parse(text) : null;
  if (!url || url.username !== "" || url.password !== "") return null;
  return url.href.length <= longestPicture ? url.href : null;
}

/** Not strict: who changes a field of the current user and sends all of it back means that field. */
export const updateProfileInput = z.object({
  displayName: removable(100).meta({ description: "Full name to show; null: none.", example: "Ada Lovelace" }),
  nickname: removable(50).meta({ description: "Short name to show; null: none.", example: "Ada" }),
  avatarUrl: line(longestPicture)
    .nullable()
    .transform((text, ctx) => {
      if (text === null || text === "") return null;
      const address = pictureAddress(text);
      if (address !== null) return address;
      const message = "This must be an address that begins with https://, without a username or a password in it.";
      ctx.addIssue({ code: "custom", message });
      return z.NEVER;
    })
    .optional()
    .meta({ description: "Address of a picture, https only; null: none.", example: "https://example.com/ada.png" }),
  notificationsEnabled: z
    .boolean()
    .optional()
    .meta({ description: "Whether in-app messages and the live stream are on.", example: true }),
  emailNotificationsEnabled: z.boolean().optional().meta({
    description: "Whether messages also go out by e-mail, which needs an address and a mail server.",
    example: false,
  }),
});

function currentPassword(alias: string) {
  return typedPassword.optional().meta({
    description: `Your password as it is. Required, under this name or as \`${alias}\`.`,
    example: "correct horse battery staple",
  });
}

const alias = typedPassword.optional().meta({
  description: "Another name for `currentPassword`.",
  example: "correct horse battery staple",
});

// That one of the two names is there is for the service to see: the API document loses what a refined object says.

export const changePasswordInput = z.strictObject({
  currentPassword: currentPassword("oldPassword"),
  oldPassword: alias,
  newPassword: newPasswordField,
  revoke: revokeField,
});

export const changeEmailInput = z.strictObject({
  currentPassword: currentPassword("password"),
  password: alias,
  email: emailField,
});
