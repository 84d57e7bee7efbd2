import { route } from "../route.ts";
import { nothing, success } from "../schemas.ts";
import { open, router, signedIn } from "../trpc.ts";
import { briefUser } from "../users/service.ts";
import { bearerOf } from "./authenticator.ts";
import { clientInfo } from "./client-info.ts";
import { clearRefreshCookie, presentedRefreshToken, setRefreshCookie } from "./refresh-cookie.ts";
import { currentUser, loginInput, refreshInput, signedInAnswer, tokenPair } from "./schemas.ts";

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
        description: "Starts a session. The refresh token also comes as the HttpOnly cookie `refresh_token`.",
        errors: [401, 503],
      }),
    )
    .input(loginInput)
    .output(signedInAnswer)
    .mutation(async ({ ctx, input }) => {
      const { accessToken, refresh, user } = await ctx.services.signIn.withPassword(
        ctx.em,
        ctx.actor,
        input,
        clientInfo(ctx.http),
      );
      setRefreshCookie(ctx.http, refresh);
      return { accessToken, refreshToken: refresh.refreshToken, user: briefUser(user) };
    }),

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
