import { anyPage, pageOfAll, success } from "../../../api/schemas.ts";
import { signedIn } from "../../../api/procedures.ts";
import { router } from "../../../api/trpc.ts";
import { clearRefreshCookie } from "../session-http.ts";
import { sessionIdInput, sessionList } from "./schemas.ts";
import type { OwnSessions } from "../sessions.ts";

const tag = "Sign-in and account";

export function createSessionsRouter({ ownSessions }: { ownSessions: OwnSessions }) {
  return router({
    list: signedIn({
      method: "GET",
      path: "/auth/me/sessions",
      operationId: "listSessions",
      tag,
      summary: "List your sessions",
    })
      .input(anyPage)
      .output(sessionList)
      .query(async ({ ctx, input }) => {
        const all = await ownSessions.list(ctx.em, ctx.caller);
        return { ...all, sessions: pageOfAll(all.sessions, input) };
      }),

    delete: signedIn({
      method: "DELETE",
      path: "/auth/me/sessions/{id}",
      operationId: "deleteSession",
      tag,
      summary: "End one of your sessions",
      description: "Its tokens stop working immediately. Ending the current session signs you out.",
    })
      .input(sessionIdInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await ownSessions.revoke(ctx.em, ctx.caller, input.id);
        if (input.id === ctx.caller.sessionId) clearRefreshCookie(ctx.http);
        return { success: true as const };
      }),
  });
}
