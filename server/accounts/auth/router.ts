import { route } from "../../api/route.ts";
import { nothing, success } from "../../api/schemas.ts";
import { open, router, signedIn } from "../../api/trpc.ts";
import { bearerOf } from "../../access/authenticator.ts";
import { confirmation, confirmInput } from "./confirmation/schemas.ts";
import { clientInfo } from "./client-info.ts";
import { clearRefreshCookie, presentedRefreshToken, setRefreshCookie } from "./refresh-cookie.ts";
import {
  currentUser,
  forgotPasswordInput,
  loginAnswer,
  loginInput,
  refreshInput,
  registerInput,
  resetPasswordInput,
  signedInAnswer,
  tokenPair,
  verifyEmailInput,
} from "./schemas.ts";
import { passkeyRequestOptions, passkeySignInInput } from "./second-factors/schemas.ts";
import { signedInAnswerOf } from "./signed-in-answer.ts";

const tag = "Sign-in and account";

export const authRouter = router({
  login: open
    .meta(
      route.open({
        method: "POST",
        path: "/auth/login",
        operationId: "login",
        tag,
        summary: "Sign in with a username and password",
        description:
          "Starts a session. The refresh token also comes as the HttpOnly cookie `refresh_token`. For users with a second factor it answers " +
          "with `requires2FA`, a `tempToken` and the `methods` instead; the session starts at `POST /api/2fa/verify`.",
        errors: [401, 503],
      }),
    )
    .input(loginInput)
    .output(loginAnswer)
    .mutation(async ({ ctx, input }) => {
      const outcome = await ctx.services.signIn.withPassword(ctx.em, ctx.actor, input, clientInfo(ctx.http));
      return outcome.kind === "awaitingSecondFactor" ? outcome.needed : signedInAnswerOf(ctx.http, outcome.signedIn);
    }),

  passkeyOptions: open
    .meta(
      route.open({
        method: "POST",
        path: "/auth/passkey/options",
        operationId: "getPasskeyOptions",
        tag,
        summary: "Start to sign in with a passkey alone",
      }),
    )
    .input(nothing)
    .output(passkeyRequestOptions)
    .mutation(({ ctx }) => ctx.services.secondFactorChecks.passkeySignInOptions(ctx.em)),

  passkey: open
    .meta(
      route.open({
        method: "POST",
        path: "/auth/passkey",
        operationId: "signInWithPasskey",
        tag,
        summary: "Sign in with a passkey alone",
        description:
          "Needs no password and no further factor: the passkey is one thing that its owner has, and unlocking it another.",
        errors: [401],
      }),
    )
    .input(passkeySignInInput)
    .output(signedInAnswer)
    .mutation(async ({ ctx, input }) =>
      signedInAnswerOf(
        ctx.http,
        await ctx.services.secondFactorSignIn.withPasskey(ctx.em, ctx.actor, input, clientInfo(ctx.http)),
      ),
    ),

  refresh: open
    .meta(
      route.open({
        method: "POST",
        path: "/auth/refresh",
        operationId: "refresh",
        tag,
        summary: "Renew the tokens of a session",
        description:
          "Takes the cookie, or `refreshToken` in the body, and rotates it. A rotated token that is used again ends the whole session, " +
          "but for ten seconds after its rotation, when it answers with the same successor.",
        errors: [401, 403],
      }),
    )
    .input(refreshInput)
    .output(tokenPair)
    .mutation(async ({ ctx, input }) => {
      const token = presentedRefreshToken(ctx.http, input, ctx.services.trustedOrigins);
      const { accessToken, refresh } = await ctx.services.signIn.refresh(ctx.em, ctx.actor, token);
      setRefreshCookie(ctx.http, refresh);
      return { accessToken, refreshToken: refresh.refreshToken };
    }),

  logout: open
    .meta(
      route.open({
        method: "POST",
        path: "/auth/logout",
        operationId: "logout",
        tag,
        summary: "Sign out",
        description:
          "Revokes the session's refresh token and its access tokens at once, and clears the cookie. Repeating it is no error.",
        errors: [403],
      }),
    )
    .input(refreshInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      const token = presentedRefreshToken(ctx.http, input, ctx.services.trustedOrigins);
      await ctx.services.signIn.signOut(ctx.em, ctx.actor, token, bearerOf(ctx.http));
      clearRefreshCookie(ctx.http);
      return { success: true as const };
    }),

  register: open
    .meta(
      route.open({
        method: "POST",
        path: "/auth/register",
        operationId: "register",
        tag,
        summary: "Make an account with an invitation",
        description: "Signs in at once. A code that does not hold, or not any more, is 400.",
        status: 201,
        errors: [409, 503],
      }),
    )
    .input(registerInput)
    .output(signedInAnswer)
    .mutation(async ({ ctx, input }) => {
      const { registration } = ctx.services;
      return signedInAnswerOf(ctx.http, await registration.register(ctx.em, ctx.actor, input, clientInfo(ctx.http)));
    }),

  forgotPassword: open
    .meta(
      route.open({
        method: "POST",
        path: "/auth/password/forgot",
        operationId: "forgotPassword",
        tag,
        summary: "Ask for a link to set a new password",
        description:
          "Mails a link to the account that has verified this address, if there is one with a password, and if a mail server is configured. " +
          "The answer is the same in every case.",
      }),
    )
    .input(forgotPasswordInput)
    .output(success)
    .mutation(({ ctx, input }) => {
      ctx.services.passwordResets.request(input.email, ctx.actor);
      return { success: true as const };
    }),

  resetPassword: open
    .meta(
      route.open({
        method: "POST",
        path: "/auth/password/reset",
        operationId: "resetPassword",
        tag,
        summary: "Set a new password by a link",
        description: "A link works once, for one hour. All sessions of the account end.",
        errors: [503],
      }),
    )
    .input(resetPasswordInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.passwordResets.reset(ctx.em, ctx.actor, input);
      return { success: true as const };
    }),

  verifyEmail: open
    .meta(
      route.open({
        method: "POST",
        path: "/auth/email/verify",
        operationId: "verifyEmail",
        tag,
        summary: "Verify an e-mail address by a link",
        description:
          "Takes the token of the link that was mailed to the address. A link works once, for 24 hours, and only while the address is the " +
          "account's. Where several accounts name one address, the first to verify it has it; the others get 409.",
        errors: [409],
      }),
    )
    .input(verifyEmailInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.emailVerifications.verify(ctx.em, ctx.actor, input.token);
      return { success: true as const };
    }),

  me: signedIn
    .meta(
      route.signedIn({
        method: "GET",
        path: "/auth/me",
        operationId: "getCurrentUser",
        tag,
        summary: "Get the signed-in user",
      }),
    )
    .input(nothing)
    .output(currentUser)
    .query(({ ctx }) => ctx.services.users.current(ctx.em, ctx.caller)),

  confirmOptions: signedIn
    .meta(
      route.signedIn({
        method: "POST",
        path: "/auth/me/confirm/options",
        operationId: "getConfirmationOptions",
        tag,
        summary: "Start to confirm the session with a passkey",
        description: "The answer of the browser's navigator.credentials.get goes to `POST /api/auth/me/confirm`.",
        errors: [409],
      }),
    )
    .input(nothing)
    .output(passkeyRequestOptions)
    .mutation(({ ctx }) => ctx.services.confirmation.passkeyOptions(ctx.em, ctx.caller)),

  confirm: signedIn
    .meta(
      route.signedIn({
        method: "POST",
        path: "/auth/me/confirm",
        operationId: "confirmSession",
        tag,
        summary: "Confirm that it is still you",
        description:
          "Opens the calls that change a way into the account for ten minutes, in this session only. Takes the `password`; for accounts with a second " +
          "factor the `password` with `method` and `code`, or a passkey alone. Accounts without a password use a passkey, or sign in again. A wrong " +
          "proof is 403, and five wrong passwords or codes in 15 minutes are 429.",
        example: { password: "correct horse battery staple" },
        errors: [409, 503],
      }),
    )
    .input(confirmInput)
    .output(confirmation)
    .mutation(({ ctx, input }) => ctx.services.confirmation.confirm(ctx.em, ctx.caller, input)),
});
