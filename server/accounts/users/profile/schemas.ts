import { z } from "zod";
import { line, text } from "../../../api/schemas.ts";
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

const filterCount = 20;

/** A zone is named as in the console's addresses, so that the list can be shown without reading the zones. */
const pinnedZone = line(300, 1);

const savedSearch = z.strictObject({
  name: line(100, 1).meta({
    description: "What the user calls it, at most 100 characters.",
    example: "Old web server",
  }),
  page: z
    .enum(["search", "domains"], "This must be search or domains.")
    .meta({ description: "`search`: a search of records. `domains`: filters of the list of domains." }),
  filters: z
    .record(line(50, 1), text(10_000))
    .refine((filters) => Object.keys(filters).length <= filterCount, `Send at most ${filterCount} filters.`)
    .meta({ description: "The filters in the page's address.", example: { value: "192.0.2.1" } }),
  pinned: z.boolean().meta({ description: "Whether it is always in sight.", example: true }),
});

const columnList = z.array(line(50, 1)).max(50, "Send at most 50 columns.");

const preferenceFields = {
  pinnedZones: z
    .array(pinnedZone)
    .max(200, "Pin at most 200 zones.")
    .meta({
      description: "Names of zones, in order, with their views: `example.com!internal`.",
      example: ["example.com"],
    }),
  savedSearches: z.array(savedSearch).max(100, "Save at most 100 searches.").meta({
    description: "In order. Names may repeat.",
  }),
  columns: z
    .strictObject({
      domains: columnList.optional().meta({ description: "Of the list of domains.", example: ["provider", "tags"] }),
      records: columnList.optional().meta({ description: "Of a zone's records.", example: ["ttl", "comment"] }),
    })
    .meta({ description: "Columns to show, in order. An absent list stands for the usual columns." }),
};

export const updatePreferencesInput = z.strictObject({
  pinnedZones: preferenceFields.pinnedZones.optional(),
  savedSearches: preferenceFields.savedSearches.optional(),
  columns: preferenceFields.columns.optional(),
});

export const preferences = z
  .object(preferenceFields)
  .meta({ id: "Preferences", description: "What a user chose for their own pages." });
