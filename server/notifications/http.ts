import { Router, type NextFunction, type Request, type Response } from "express";
import { visitor } from "../access/caller.ts";
import { bearerOf, type Identified, looksPersonal, permitted } from "../access/authenticator.ts";
import { AppError, badField } from "../platform/errors.ts";
import { countCall } from "../api/limits/requests.ts";
import type { ServerContext } from "../api/trpc.ts";
import { beat, connectedMessage, notificationMessage, patienceBytes } from "./message-queue.ts";
import type { NotificationSink, Stream, Streams } from "./streams.ts";

/** Serves the live notification stream (server-sent events, WHATWG HTML §9.2). */
export function notificationsHttp(
  createContext: (req: Request, res: Response) => ServerContext,
  { streams }: { streams: Streams },
): Router {
  const router = Router();
  router.get("/api/notifications/stream", opensStream(createContext, streams));
  return router;
}

function opensStream(createContext: (req: Request, res: Response) => ServerContext, streams: Streams) {
  return async (req: Request, res: Response, next: NextFunction) => {
    // A HEAD request must not take a stream slot.
    if (req.method === "HEAD") {
      next();
      return;
    }
    const context = createContext(req, res);
    const { gate, http, requestId } = context;
    http.noteProcedure("notifications.stream");
    const identified = await identify(req, context);
    await countCall(gate.requestLimits, http, { ...identified.caller, ip: http.ip, requestId });
    const stream = await streams.open(gate.database.fork(), identified);
    begin(streams, stream, res, http.header("last-event-id"));
  };
}

/** Starts the stream. Retains nothing of the request except the response, because thousands of streams may be open. */
function begin(streams: Streams, stream: Stream, res: Response, lastEventId: string | undefined): void {
  res.once("close", () => streams.close(stream));
  // These properties would keep Express's whole routing chain in memory.
  Object.assign(res.req, { next: undefined, route: undefined });
  // The client may have disconnected while the stream was being opened.
  if (res.closed || res.destroyed) {
    streams.close(stream);
    return;
  }
  res.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
  });
  streams.begin(
    stream,
    lastEventId === undefined || lastEventId === "" ? null : lastEventId,
    sinkTo(res, () => streams.close(stream)),
  );
}

/** Returns a sink that writes to a response and closes it if the client does not read. */
function sinkTo(res: Response, onCut: () => void): NotificationSink {
  const write = (message: string) => {
    if (res.destroyed) return;
    res.write(message);
    if (res.writableLength <= patienceBytes) return;
    res.destroy();
    onCut();
  };
  return {
    connected: (cursor, gap) => write(connectedMessage(cursor, gap)),
    send: (notification) => write(notificationMessage(notification)),
    beat: () => write(beat),
    end: () => res.end(),
  };
}

/** @throws AppError BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, LimitReached */
async function identify(req: Request, { gate, http, requestId }: ServerContext): Promise<Identified> {
  const em = gate.database.fork();
  try {
    const token = tokenOf(req, http.header("authorization") === undefined ? null : bearerOf(http));
    const { authenticator } = gate;
    const identified = await (token === null
      ? authenticator.authenticate(em, http)
      : authenticator.identify(em, token));
    permitted(identified.caller, "notifications:read");
    return identified;
  } catch (error) {
    // Rejected requests count against their IP address.
    await countCall(gate.requestLimits, http, visitor(http, requestId));
    throw error;
  }
}

/**
 * Returns the token from the header, or else from the query. Personal tokens are not accepted in the query: URLs are logged in many
 * places, and these tokens are long-lived.
 * @throws AppError BAD_REQUEST, UNAUTHORIZED
 */
function tokenOf({ query }: Request, bearer: string | null): string | null {
  const unknown = Object.keys(query).find((name) => name !== "token");
  if (unknown !== undefined) throw badField([unknown], "This query parameter is unknown. Remove it.");
  const { token } = query;
  if (token === undefined || token === "") return bearer;
  if (typeof token !== "string") throw badField(["token"], "Send this once.");
  if (bearer !== null) throw badField(["token"], "The header also has a token. Send only one of them.");
  if (looksPersonal(token)) {
    throw new AppError("UNAUTHORIZED", "Send a personal token in the header, as `Authorization: Bearer …`.");
  }
  return token;
}
