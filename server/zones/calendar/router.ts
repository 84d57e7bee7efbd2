import type { Request, RequestHandler, Response } from "express";
import { visitor } from "../../access/caller.ts";
import { countCall } from "../../api/limits/requests.ts";
import type { Confirmation } from "../../accounts/auth/confirmation/service.ts";
import { confirmedAfterInput, signedIn } from "../../api/procedures.ts";
import { anyPage, pageOfAll, success } from "../../api/schemas.ts";
import { errorOf, router, type ServerContext } from "../../api/trpc.ts";
import type { CalendarFeeds } from "./feeds.ts";
import { calendarFeeds as calendarFeedsSchema, createFeedInput, feedIdInput, newCalendarFeed } from "./schemas.ts";

const tag = "Sign-in and account";

export function createFeedsRouter({
  confirmation,
  calendarFeeds,
}: {
  confirmation: Confirmation;
  calendarFeeds: CalendarFeeds;
}) {
  return router({
    list: signedIn({
      method: "GET",
      path: "/auth/me/feeds",
      operationId: "listFeeds",
      tag,
      summary: "List your calendar feeds",
    })
      .input(anyPage)
      .output(calendarFeedsSchema)
      .query(async ({ ctx, input }) => {
        const { feeds } = await calendarFeeds.list(ctx.em, ctx.caller);
        return { feeds: pageOfAll(feeds, input) };
      }),

    create: confirmedAfterInput({
      method: "POST",
      path: "/auth/me/feeds",
      operationId: "createFeed",
      tag,
      summary: "Create a calendar feed",
      description:
        "Returns an address to which calendar programs subscribe, `GET /api/calendar/{token}.ics` (iCalendar, RFC 5545). The calendar has " +
        "the expiry dates of the domains that you may see and the ends of watched certificates, as all-day events, and the scheduled change requests that you may see. " +
        "Whoever knows the address can read it. It ends with your account. At most 20 per user (409).\n\n" +
        "`domainIds` narrows it to some domains. The feed ends when the last domain that it names is deleted.",
      status: 201,
      errors: [409],
    })
      .input(createFeedInput)
      .output(newCalendarFeed)
      .mutation(async ({ ctx, input }) => {
        await confirmation.require(ctx.em, ctx.caller);
        return await calendarFeeds.create(ctx.em, ctx.caller, input);
      }),

    delete: signedIn({
      method: "DELETE",
      path: "/auth/me/feeds/{id}",
      operationId: "deleteFeed",
      tag,
      summary: "Revoke a calendar feed",
      description: "Its address returns 404 from now on.",
    })
      .input(feedIdInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await calendarFeeds.delete(ctx.em, ctx.caller, input.id);
        return { success: true as const };
      }),
  });
}

/** Answers `GET /api/calendar/:token.ics`. Its only credential is the token in the path, so no log and no metric has the path. */
export function calendarPage(calendarFeeds: CalendarFeeds) {
  return (createContext: (req: Request, res: Response) => ServerContext): RequestHandler<{ token: string }> =>
    async (req, res) => {
      const { gate, http, requestId } = createContext(req as Request, res);
      http.noteProcedure("feeds.calendar");
      const em = gate.database.fork();
      const { caller, name } = await calendarFeeds
        .open(em, req.params.token, { ip: http.ip, requestId })
        .catch(async (error: unknown) => {
          if (errorOf(error).code === "NOT_FOUND") await countCall(gate.requestLimits, http, visitor(http, requestId));
          throw error;
        });
      await countCall(gate.requestLimits, http, caller);
      const text = await calendarFeeds.calendar(em, caller, name);
      res.type("text/calendar; charset=utf-8").send(text);
    };
}
