import { route } from "../../../api/route.ts";
import { nothing, success } from "../../../api/schemas.ts";
import { router, signedIn } from "../../../api/trpc.ts";
import { clearRefreshCookie } from "../refresh-cookie.ts";
import { sessionIdInput, sessionList } from "./schemas.ts";

const tag = "Sign-in and account";

export const sessionsRouter = router({
  list: signedIn
    .meta(
      route.signedIn({
        method: "GET",
        path: "/auth/me/sessions",
        operationId: "listSessions",
        tag,
        summary: "List where you are signed in",
      }),
    )
    .input(nothing)
    .output(sessionList)
    .query(({ ctx }) => ctx.services.ownSessions.list(ctx.em, ctx.caller)),

  delete: signedIn
    .meta(
      route.signedIn({
        method: "DELETE",
        path: "/auth/me/sessions/{id}",
        operationId: "deleteSession",
        tag,
        summary: "End a session of yours",
        description: "Its access tokens stop working at once. Ending the current one signs out.",
      }),
    )
    .input(sessionIdInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.ownSessions.revoke(ctx.em, ctx.caller, input.id);
      if (input.id === ctx.caller.sessionId) clearRefreshCookie(ctx.http);
      return { success: true as const };
    }),
});
