import { route } from "../route.ts";
import { nothing, success } from "../schemas.ts";
import { open, router, signedIn } from "../trpc.ts";
import { bearerOf } from "./authenticator.ts";
import { clientInfo } from "./client-info.ts";
import { clearRefreshCookie, presentedRefreshToken, setRefreshCookie } from "./refresh-cookie.ts";
import { currentUser, loginAnswer, loginInput, refreshInput, signedInAnswer, tokenPair } from "./schemas.ts";
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
          "with `requires2FA`, a `tempToken` and the `methods` instead; the session starts at `/2fa/verify`.",
        errors: [401, 503],
      }),
    )
    .input(loginInput)
    .output(loginAnswer)
    .mutation(async ({ ctx, input }) => {
      const outcome = await ctx.services.signIn.withPassword(ctx.em, input, clientInfo(ctx.http));
      return outcome.kind === "halfSignedIn" ? outcome.needed : signedInAnswerOf(ctx.http, outcome.signedIn);
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
      const { accessToken, refresh } = await ctx.services.signIn.refresh(ctx.em, token);
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
      await ctx.services.signIn.signOut(ctx.em, token, bearerOf(ctx.http));
      clearRefreshCookie(ctx.http);
      return { success: true as const };
    }),

  me: signedIn
    .meta(
      route.signedIn({
        method: "GET",
        path: "/auth/me",
        operationId: "getCurrentUser",
        tag,
        summary: "The signed-in user",
      }),
    )
    .input(nothing)
    .output(currentUser)
    .query(({ ctx }) => ctx.services.users.current(ctx.em, ctx.caller)),
});
