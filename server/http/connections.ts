import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { rawProblem } from "../api/problem.ts";
import { AppError } from "../platform/errors.ts";

/** Time limits for receiving a request, in milliseconds. Node checks them only once per interval. */
const slownessLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
};

interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
}

/** What a connection is at. */
interface Connection {
  answering: Exchange | null;
  /** Requests that arrived before the answer to an earlier one was sent (RFC 9112 §9.3.2). */
  waiting: Exchange[];
  /** The last request, until all of it arrived and was answered. */
  latest: Exchange | null;
  /** What to send once the requests before it are answered. */
  refusal: string | null;
}

/**
 * Creates an HTTP server. Answers the requests of a connection one after another, and sends nothing on a connection on which nothing was
 * asked: browsers open connections ahead of need, and would take it as the answer to their next request.
 */
export function createHttpServer(app: RequestListener): Server {
  const connections = new WeakMap<Duplex, Connection>();

  const receive: RequestListener = (req, res) => {
    const { socket } = req;
    const exchange = { req, res };
    const connection = connections.get(socket);
    if (!connection) {
      connections.set(socket, { answering: null, waiting: [], latest: exchange, refusal: null });
      answer(socket, exchange);
      return;
    }
    connection.latest = exchange;
    if (connection.answering) connection.waiting.push(exchange);
    else answer(socket, exchange);
  };

  const answer = (socket: Socket, exchange: Exchange) => {
    const connection = connections.get(socket);
    if (!connection) return;
    connection.answering = exchange;
    exchange.res.once("close", () => {
      connection.answering = null;
      if (connection.latest === exchange && exchange.req.complete) connection.latest = null;
      const next = connection.waiting.shift();
      if (!socket.writable) connection.waiting = [];
      else if (next) answer(socket, next);
      else if (connection.refusal !== null) socket.end(connection.refusal);
    });
    app(exchange.req, exchange.res);
  };

  const server = createServer({ ...slownessLimits, requireHostHeader: false }, receive);
  // Node would answer both with a bare status line.
  server.on("checkExpectation", receive);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    refuse(error, socket as Socket, connections.get(socket));
  });
  return server;
}

/** Sends a problem document for a request that the HTTP parser refuses, after the answers to those before it. */
function refuse(error: NodeJS.ErrnoException, socket: Socket, connection: Connection | undefined): void {
  const { latest } = connection ?? {};
  // The rest of a request that is being answered, or was: whatever is sent would seem to be part of that answer, or the next one.
  const isAnswered = latest?.req.complete === false && latest.res.headersSent;
  if (error.code === "ECONNRESET" || !socket.writable || socket.bytesRead === 0 || isAnswered) {
    socket.destroy();
    return;
  }
  const refusal = rawProblem(reasonOf(error));
  if (!connection) {
    socket.end(refusal);
    return;
  }
  // The parser repeats its complaint with every octet that follows.
  if (connection.refusal !== null) return;
  connection.refusal = refusal;
  if (latest?.req.complete === false) connection.waiting = connection.waiting.filter((one) => one !== latest);
  const isFirst = connection.answering === null || !connection.answering.req.complete;
  if (isFirst) socket.end(refusal);
}

function reasonOf(error: NodeJS.ErrnoException): AppError {
  switch (error.code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new AppError("REQUEST_TIMEOUT", "The request did not arrive in time. Try again.");
    case "HPE_HEADER_OVERFLOW":
      return new AppError("BAD_REQUEST", "The request line and headers exceed 16 KiB in total. Send less.");
    default:
      return new AppError("BAD_REQUEST", "The request is not valid HTTP.");
  }
}
