import { currentUser } from "../../auth/schemas.ts";
import { route } from "../../../api/route.ts";
import { nothing, success } from "../../../api/schemas.ts";
import { confirmedOrPassword, router, signedIn } from "../../../api/trpc.ts";
import { passwordChanged } from "../access/schemas.ts";
import { changeEmailInput, changePasswordInput, updateProfileInput } from "./schemas.ts";

const tag = "Sign-in and account";

export const profileRouter = router({
  update: signedIn
    .meta(
      route.signedIn({
        method: "PUT",
        path: "/auth/me/profile",
        operationId: "updateProfile",
        tag,
        summary: "Change your profile",
        description:
          "Fields that are left out stay as they are. Others, such as `role`, are ignored: the current user can be sent back as a whole.",
      }),
    )
    .input(updateProfileInput)
    .output(currentUser)
    .mutation(({ ctx, input }) => ctx.services.profile.update(ctx.em, ctx.caller, input)),

  changePassword: signedIn
    .meta(
      route.signedIn({
        method: "PUT",
        path: "/auth/me/password",
        operationId: "changePassword",
        tag,
        summary: "Change your password",
        description:
          "`revoke` says what ends with the old password: your other sessions if left out. This session stays. The answer counts what " +
          "else still opens the account. Mailed links and sign-ins under way always end. A wrong current password is 403, and five of them " +
          "in 15 minutes 429.",
        example: { currentPassword: "correct horse battery staple", newPassword: "another long enough password" },
        errors: [409, 429],
      }),
    )
    .input(changePasswordInput)
    .output(passwordChanged)
    .mutation(async ({ ctx, input }) => ({
      success: true as const,
      remaining: await ctx.services.profile.changePassword(ctx.em, ctx.caller, input),
    })),

  changeEmail: confirmedOrPassword
    .meta(
      route.confirmedOrPassword({
        method: "PUT",
        path: "/auth/me/email",
        operationId: "changeEmail",
        tag,
        summary: "Change your e-mail address",
        description:
          "The address changes at once, with `emailVerified: false` until the link that is mailed to it is opened. Until then it gets no " +
          "other mail, resets no password and is no second factor. The old address is notified. Another account's verified address is 409. " +
          "A wrong current password is 403, and five of them in 15 minutes 429; so is a sixth link within an hour, and a fourth to one address " +
          "within a day.",
        example: { currentPassword: "correct horse battery staple", email: "ada@example.com" },
        errors: [409, 429],
      }),
    )
    .input(changeEmailInput)
    .output(currentUser)
    .mutation(({ ctx, input }) => ctx.services.profile.changeEmail(ctx.em, ctx.caller, input)),

  resendVerification: signedIn
    .meta(
      route.signedIn({
        method: "POST",
        path: "/auth/me/email/resend",
        operationId: "resendEmailVerification",
        tag,
        summary: "Send the link that verifies your address again",
        description:
          "Earlier links stop working. At most five links an hour for an account, and three a day to an address (429).",
        errors: [409, 429],
      }),
    )
    .input(nothing)
    .output(success)
    .mutation(async ({ ctx }) => {
      await ctx.services.emailVerifications.resend(ctx.em, ctx.caller);
      return { success: true as const };
    }),
});
