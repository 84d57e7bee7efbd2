import { createServer, IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { rawProblem } from "../failures.ts";
import { addressKey } from "../limits/address.ts";
import { AppError } from "../../platform/errors.ts";
import { mayShare, shortenTurn, takeShare } from "../../platform/slices.ts";

/** Time limits for receiving a request, in milliseconds. Node checks them only once per interval. */
const slownessLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
};

/** Requests that may wait on a connection for the answers to those before them. One more closes it. */
const mostWaiting = 100;
/**
 * Requests that wait on all connections, beyond which a connection may have only `fewWaiting`: Node aborts each with an exception when its connection
 * ends, and thousands of connections may end at the same moment.
 */
const mostWaitingInAll = 1_000;
const fewWaiting = 4;
/** Requests that arrive in one turn of the event loop behind others of their connection, after which no connection is read until the next. */
const mostBehindInTurn = 200;

interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
}

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
 * Creates an HTTP server. Answers the requests of a connection one after another, and shares each turn of the event loop among connections.
 * Sends nothing on a connection on which nothing was asked: browsers open connections ahead of need, and would take it as the answer to their
 * next request.
 */
export function createHttpServer(app: RequestListener): Server {
  const connections = new WeakMap<Duplex, Connection>();
  const reading = new Reading();
  let waitingInAll = 0;
  const isFull = ({ waiting }: Connection) =>
    waiting.length >= (waitingInAll < mostWaitingInAll ? mostWaiting : fewWaiting);

  const forget = (connection: Connection, isForgotten: (one: Exchange) => boolean = () => true) => {
    const left = connection.waiting.filter((one) => !isForgotten(one));
    waitingInAll -= connection.waiting.length - left.length;
    connection.waiting = left;
  };

  const receive: RequestListener = (req, res) => {
    const { socket } = req;
    if (socket.destroyed) return;
    const exchange = { req, res };
    const connection = connections.get(socket);
    if (!connection) {
      const first = { answering: exchange, waiting: [], latest: exchange, refusal: null };
      connections.set(socket, first);
      socket.once("close", () => forget(first));
      begin(socket, first, exchange);
      return;
    }
    connection.latest = exchange;
    if (!connection.answering) {
      begin(socket, connection, exchange);
      return;
    }
    reading.arrivedBehind();
    connection.waiting.push(exchange);
    waitingInAll++;
  };

  /**
   * Ends the parsing of a part that has more requests than may wait. Node offers a way only for protocols that follow an upgrade: as nothing
   * listens for those, it closes the connection. Otherwise it would parse thousands, and abort each of them with an exception.
   */
  class Message extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      const connection = connections.get(socket);
      if (!connection || !isFull(connection)) return;
      Object.defineProperty(this, "upgrade", {
        get: () => true,
        set() {
          // Node knows of no upgrade, and says so next.
        },
      });
    }
  }
  const isOneTooMany = ({ socket }: IncomingMessage) => {
    const connection = connections.get(socket);
    return connection !== undefined && isFull(connection);
  };

  const begin = (socket: Socket, connection: Connection, exchange: Exchange) => {
    connection.answering = exchange;
    exchange.res.once("close", () => {
      connection.answering = null;
      if (connection.latest === exchange && exchange.req.complete) connection.latest = null;
      if (!socket.writable) {
        forget(connection);
        return;
      }
      const next = connection.waiting.shift();
      if (next) waitingInAll--;
      if (next) begin(socket, connection, next);
      else if (connection.refusal !== null) socket.end(connection.refusal);
    });
    if (mayShare()) app(exchange.req, exchange.res);
    else void takeShare(`HTTP ${addressKey(socket.remoteAddress ?? "")}`).then(() => answerLate(socket, exchange));
  };

  const answerLate = (socket: Socket, { req, res }: Exchange) => {
    if (!socket.destroyed) app(req, res);
  };

  const options = { ...slownessLimits, requireHostHeader: false, IncomingMessage: Message };
  const server = createServer({ ...options, shouldUpgradeCallback: isOneTooMany }, receive);
  server.on("connection", (socket) => {
    reading.add(socket);
    shortenTurn();
  });
  // Node would answer both with a bare status line.
  server.on("checkExpectation", receive);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    refuse(error, socket as Socket, connections.get(socket), forget);
  });
  return server;
}

/**
 * Which connections are read. Node parses all requests of a part that arrived, up to 64 KiB, before it gives up the turn, and does so for each
 * connection on which something arrived. Where many send requests faster than they are answered, each waits for another turn.
 */
class Reading {
  readonly #open = new Set<Socket>();
  #behind = 0;

  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
  }

  /** Counts a request that has to wait for others of its connection. */
  arrivedBehind(): void {
    if (this.#behind === 0) setImmediate(() => (this.#behind = 0));
    if (++this.#behind !== mostBehindInTurn) return;
    const held = [...this.#open].filter((socket) => !socket.isPaused());
    for (const socket of held) socket.pause();
    setImmediate(() => {
      for (const socket of held) socket.resume();
    });
  }
}

/** Octets of `GET / HTTP/1.1` and its end of line. With fewer nothing was asked: empty lines before a request are ignored (RFC 9112 §2.2). */
const shortestRequestLine = 16;

function isTimeout({ code }: NodeJS.ErrnoException): boolean {
  return code === "ERR_HTTP_REQUEST_TIMEOUT";
}

/** Sends a problem document for a request that the HTTP parser refuses, after the answers to those before it. */
function refuse(
  error: NodeJS.ErrnoException,
  socket: Socket,
  connection: Connection | undefined,
  forget: (connection: Connection, isForgotten: (one: Exchange) => boolean) => void,
): void {
  const { latest } = connection ?? {};
  // The rest of a request that is being answered, or was: whatever is sent would seem to be part of that answer, or the next one.
  const isAnswered = latest?.req.complete === false && latest.res.headersSent;
  const isUnasked = socket.bytesRead === 0 || (isTimeout(error) && socket.bytesRead < shortestRequestLine);
  if (error.code === "ECONNRESET" || !socket.writable || isUnasked || isAnswered) {
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
  if (latest?.req.complete === false) forget(connection, (one) => one === latest);
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
