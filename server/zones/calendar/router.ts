import type { Request, RequestHandler, Response } from "express";
import { z } from "zod";
import { visitor } from "../../access/caller.ts";
import { countCall } from "../../api/limits/requests.ts";
import type { Confirmation } from "../../accounts/auth/confirmation/service.ts";
import { confirmedAfterInput, signedIn } from "../../api/procedures.ts";
import { anyPage, id, line, pageOfAll, shownId, success, timestamp } from "../../api/schemas.ts";
import { errorOf, router, type ServerContext } from "../../api/trpc.ts";
import type { CalendarFeeds } from "./feeds.ts";

const tag = "Sign-in and account";

const shown = {
  id: shownId("The feed's id."),
  name: z.string().meta({ description: "The calendar's name.", example: "Renewals" }),
  domainIds: z
    .array(z.string())
    .nullable()
    .meta({ description: "The domains it is narrowed to; null: every domain that you may access.", example: null }),
  createdAt: timestamp("When it was created."),
  lastUsedAt: timestamp("When it was last fetched, accurate to a few minutes; null if never.").nullable(),
};

const calendarFeed = z.object(shown).meta({ id: "CalendarFeed", description: "A calendar feed." });

const calendarFeedList = z
  .object({ feeds: z.array(calendarFeed).meta({ description: "Newest first." }) })
  .meta({ id: "CalendarFeeds", description: "The caller's calendar feeds." });

const newCalendarFeed = z
  .object({
    token: z.string().meta({
      description: "The secret part of the address. Shown only once.",
      example: "9n3VY0lUq2rS7mXwEoB5tKcJdZpHf6gAiLuQxT1yR4M",
    }),
    url: z.string().meta({
      description: "The address to subscribe to. Shown only once.",
      example: "https://dns.example.com/api/calendar/9n3VY0lUq2rS7mXwEoB5tKcJdZpHf6gAiLuQxT1yR4M.ics",
    }),
    ...shown,
  })
  .meta({ id: "NewCalendarFeed", description: "A new calendar feed, with its secret address." });

const createFeedInput = z.strictObject({
  name: line(100, 1).meta({ description: "The calendar's name, which calendar programs show.", example: "Renewals" }),
  domainIds: z
    .array(id("A domain that you may access."))
    .min(1, "Name at least one domain, or send null for every domain.")
    .max(100, "A feed can name at most 100 domains.")
    .transform((ids) => [...new Set(ids)])
    .nullable()
    .optional()
    .meta({
      description: "Narrows the feed to these domains; null or absent: every domain that you may access.",
      example: null,
    }),
});

const feedIdInput = z.strictObject({ id: id("The feed's id.") });

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
      .output(calendarFeedList)
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
