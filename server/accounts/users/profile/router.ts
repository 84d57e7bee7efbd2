import { currentUser } from "../../auth/schemas.ts";
import { nothing, success } from "../../../api/schemas.ts";
import { confirmedOrPassword, signedIn } from "../../../api/procedures.ts";
import { router } from "../../../api/trpc.ts";
import { passwordChanged } from "../access/schemas.ts";
import {
  changeEmailInput,
  changePasswordInput,
  preferences,
  updatePreferencesInput,
  updateProfileInput,
} from "./schemas.ts";
import type { EmailVerifications } from "../email/service.ts";
import { type Profile, readPreferences, writePreferences } from "./service.ts";

const tag = "Sign-in and account";

export function createProfileRouter({
  emailVerifications,
  profile,
}: {
  emailVerifications: EmailVerifications;
  profile: Profile;
}) {
  return router({
    update: signedIn({
      method: "PUT",
      path: "/auth/me/profile",
      operationId: "updateProfile",
      tag,
      summary: "Change your profile",
      description:
        "Omitted fields keep their values. Other fields, such as `role`, are ignored, so you can send the whole current user back.",
    })
      .input(updateProfileInput)
      .output(currentUser)
      .mutation(({ ctx, input }) => profile.update(ctx.em, ctx.caller, input)),

    preferences: signedIn({
      method: "GET",
      path: "/auth/me/preferences",
      operationId: "getPreferences",
      tag,
      summary: "Get your preferences",
      description: "Your pinned zones, saved searches and columns, the same in every browser.",
    })
      .input(nothing)
      .output(preferences)
      .query(({ ctx }) => readPreferences(ctx.em, ctx.caller.userId)),

    updatePreferences: signedIn({
      method: "PUT",
      path: "/auth/me/preferences",
      operationId: "updatePreferences",
      tag,
      summary: "Change your preferences",
      description:
        "Omitted fields keep their values; a list replaces the stored one. All of it may take 64 KiB as JSON. Zones are not looked up: a " +
        "name may outlive its zone. Returns the stored preferences.",
      example: { pinnedZones: ["example.com"] },
    })
      .input(updatePreferencesInput)
      .output(preferences)
      .mutation(({ ctx, input }) => writePreferences(ctx.em, ctx.caller, input)),

    changePassword: signedIn({
      method: "PUT",
      path: "/auth/me/password",
      operationId: "changePassword",
      tag,
      summary: "Change your password",
      description:
        "`revoke` selects what else to revoke. Default: your other sessions. This session continues. Mailed links and sign-ins in progress " +
        "always end. Returns how many other ways into the account remain. A wrong current password returns 403; after five within 15 " +
        "minutes, 429. An account without a password sets its first one without `currentPassword`, in a session confirmed within the " +
        "last ten minutes: 403 otherwise.",
      example: { currentPassword: "correct horse battery staple", newPassword: "another long enough password" },
      errors: [409, 429],
    })
      .input(changePasswordInput)
      .output(passwordChanged)
      .mutation(async ({ ctx, input }) => ({
        success: true as const,
        remaining: await profile.changePassword(ctx.em, ctx.caller, input),
      })),

    changeEmail: confirmedOrPassword({
      method: "PUT",
      path: "/auth/me/email",
      operationId: "changeEmail",
      tag,
      summary: "Change your email address",
      description:
        "The address changes immediately, but stays unverified until the link mailed to it is opened. Until then it receives no other mail, " +
        "cannot reset the password and is not a second factor. The old address is notified. Returns 409 if another account has verified " +
        "the address, and 403 for a wrong current password. Returns 429 after five wrong passwords in 15 minutes, five links in an hour, " +
        "or three links to one address in a day.",
      example: { currentPassword: "correct horse battery staple", email: "ada@example.com" },
      errors: [409, 429],
    })
      .input(changeEmailInput)
      .output(currentUser)
      .mutation(({ ctx, input }) => profile.changeEmail(ctx.em, ctx.caller, input)),

    resendVerification: signedIn({
      method: "POST",
      path: "/auth/me/email/resend",
      operationId: "resendEmailVerification",
      tag,
      summary: "Resend the address verification link",
      description:
        "Earlier links stop working. Limited to five links an hour per account and three a day per address (429).",
      errors: [409, 429],
    })
      .input(nothing)
      .output(success)
      .mutation(async ({ ctx }) => {
        await emailVerifications.resend(ctx.em, ctx.caller);
        return { success: true as const };
      }),
  });
}
