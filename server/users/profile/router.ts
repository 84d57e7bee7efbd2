import { currentUser } from "../../auth/schemas.ts";
import { route } from "../../route.ts";
import { success } from "../../schemas.ts";
import { confirmedOrPassword, router, signedIn } from "../../trpc.ts";
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
          "Your other sessions end at once; this one and your personal tokens stay. A wrong current password is 403, and five of " +
          "them in 15 minutes 429.",
        example: { currentPassword: "correct horse battery staple", newPassword: "another long enough password" },
        errors: [409, 429],
      }),
    )
    .input(changePasswordInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.profile.changePassword(ctx.em, ctx.caller, input);
      return { success: true as const };
    }),

  changeEmail: confirmedOrPassword
    .meta(
      route.confirmedOrPassword({
        method: "PUT",
        path: "/auth/me/email",
        operationId: "changeEmail",
        tag,
        summary: "Change your e-mail address",
        description: "The old address is told. A wrong current password is 403, and five of them in 15 minutes 429.",
        example: { currentPassword: "correct horse battery staple", email: "ada@example.com" },
        errors: [409, 429],
      }),
    )
    .input(changeEmailInput)
    .output(currentUser)
    .mutation(({ ctx, input }) => ctx.services.profile.changeEmail(ctx.em, ctx.caller, input)),
});
