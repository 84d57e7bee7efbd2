import type { Request, RequestHandler, Response } from "express";
import { visitor } from "../../access/actor.ts";
import { countCall } from "../../api/limits/requests.ts";
import { errorOf, type ServerContext } from "../../api/trpc.ts";
import type { CalendarFeeds } from "./feeds.ts";

/** Answers `GET /api/calendar/:token.ics`. Its only credential is the token in the path, so no log and no metric has the path. */
export function calendarPage(
  createContext: (req: Request, res: Response) => ServerContext,
  { calendarFeeds }: { calendarFeeds: CalendarFeeds },
): RequestHandler<{ token: string }> {
  return async (req, res) => {
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
