import type { AnyTRPCRouter } from "@trpc/server";
import { createExpressMiddleware } from "@trpc/server/adapters/express";
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from "express";
import { consoleHttp, docsPage, documentPage } from "./api/http/built-pages.ts";
import {
  cors,
  bodyError,
  readableHead,
  securityHeaders,
  jsonBody,
  httpPort,
  requestIdOf,
  withConnectionToken,
  measured,
  metricsPage,
  procedureOf,
} from "./api/http/request.ts";
import { announceDeprecations } from "./api/deprecation.ts";
import { stopping, AppError } from "./platform/errors.ts";
import { logFailure, sendProblem } from "./api/failures.ts";
import { sendLargeOverTrpc } from "./api/large-answers.ts";
import { identityHttp } from "./accounts/identity/http.ts";
import { notificationsHttp } from "./notifications/http.ts";
import { passToTrpc } from "./api/trpc-input.ts";
import { restHandler, patternOf, restProcedures } from "./api/rest.ts";
import { createAppRouter } from "./router.ts";
import { dynamicAddressPage } from "./dns-service/update-clients/http.ts";
import { powerdnsApi, sendPowerdnsError } from "./dns-service/update-clients/powerdns-api/http.ts";
import { errorOf, rememberRequestId, type ServerContext } from "./api/trpc.ts";
import { version } from "./platform/version.ts";
import { loadUndici } from "./platform/net/http-agent.ts";
import { loadedLate } from "./platform/late-modules.ts";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import type { RouteMeta } from "./api/context.ts";

loadedLate(loadUndici);
const loadDocument = loadedLate(() => import("./api/openapi/document.ts"));

type Services = Parameters<typeof createAppRouter>[0];
type CreateContext = (req: Request, res: Response) => ServerContext;

/** Builds an application with what every request goes through. */
function baseApp(services: Services): { app: Express; createContext: CreateContext } {
  const { config } = services;
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.set(
    "trust proxy",
    config.trustProxy.length === 1 && /^\d+$/.test(config.trustProxy[0] ?? "")
      ? Number(config.trustProxy[0])
      : config.trustProxy,
  );

  const secureCookies = config.siteUrl.startsWith("https:");
  const createContext: CreateContext = (req, res) => ({
    requestId: requestIdOf(req, res),
    http: httpPort(req, res, secureCookies),
    gate: services,
  });

  app.use((req, res, next) => {
    requestIdOf(req, res);
    // Responses contain tokens and private records, which caches must not store.
    res.setHeader("Cache-Control", "no-store");
    next();
  });
  app.use(measured(services.metrics));
  app.use(securityHeaders(config.siteUrl));
  app.use(readableHead);
  return { app, createContext };
}

/** Ends connections and refuses requests during a shutdown. */
function refuseDraining({ health }: Services): RequestHandler {
  const { draining } = health;
  return (_req, res, next) => {
    if (!draining.aborted) {
      next();
      return;
    }
    res.setHeader("Connection", "close");
    next(stopping());
  };
}

/** Builds the application for PDNS_LISTEN: PowerDNS's API alone, at the paths that PowerDNS has. */
export function createPowerdnsApp(services: Services): Express {
  const { app, createContext } = baseApp(services);
  app.use(refuseDraining(services));
  app.use(powerdnsApi(createContext, services));
  const onError: ErrorRequestHandler = (error: unknown, req, res, _next) => {
    sendPowerdnsError(createContext(req, res), res, error);
  };
  app.use(onError);
  return app;
}

/**
 * Sets the JSON content type where tRPC's adapter omits it: an error before the procedure is known is sent as `text/plain`, the default of a
 * Fetch `Response`.
 */
function declareJson(res: Response): void {
  const setHeader = res.setHeader.bind(res);
  // The variable keeps the function out of the old generation, as in `compressWhen`.
  const setDeclared: typeof setHeader = (name, value) => {
    const plain = name.toLowerCase() === "content-type" && String(value).startsWith("text/plain");
    return setHeader(name, plain ? "application/json" : value);
  };
  res.setHeader = setDeclared;
}

/** Builds the HTTP application. Everything is mounted here, in order. @param router the procedures to serve */
export function createApp(services: Services, router: AnyTRPCRouter = createAppRouter(services)): Express {
  const { config, health } = services;
  const { app, createContext } = baseApp(services);
  app.use(compression(router));

  app.get("/healthz", (_req, res) => {
    res.json({ status: "ok" });
  });
  app.get("/readyz", async (_req, res) => {
    const state = await health.readiness();
    res.status(state.ready ? 200 : 503).json(state);
  });

  app.get("/version", (_req, res) => {
    res.json({ name: "zonewright", version });
  });

  app.get("/metrics", metricsPage(services.metrics));

  app.use(cors(config.corsOrigins));
  const announced = announceDeprecations(router, config.siteUrl);
  if (announced) app.use("/api", announced);
  app.use(refuseDraining(services));
  app.use("/pdns", powerdnsApi(createContext, services));
  app.use(jsonBody(router, createContext));

  // The document, and the library that makes it, take longer than the rest of the app: loaded when first requested.
  const document = documentPage(async () => {
    const { openApiDocument } = await loadDocument();
    return openApiDocument(router, { version, siteUrl: config.siteUrl });
  });
  app.get("/api/openapi.json", document);
  app.use("/api/docs", docsPage());
  const trpc = createExpressMiddleware({
    router,
    createContext: ({ req, res, info }) => {
      const context = withConnectionToken(createContext(req, res), info);
      res.locals["context"] = context;
      return context;
    },
    allowBatching: false,
    onError({ error, req, type }) {
      const res = req.res as Response;
      const requestId = requestIdOf(req, res);
      rememberRequestId(error, requestId);
      logFailure(services, errorOf(error), { requestId });
      if (error.code === "METHOD_NOT_SUPPORTED") res.setHeader("Allow", type === "mutation" ? "POST" : "GET");
    },
  });
  app.use("/trpc", (req, res, next) => {
    // tRPC's adapter would use only the part after the last slash.
    if (req.path.includes("/", 1)) {
      next();
      return;
    }
    if (req.body !== undefined) passToTrpc(req, res);
    declareJson(res);
    sendLargeOverTrpc(res, () => (res.locals["context"] as ServerContext | undefined)?.large);
    trpc(req, res, next);
  });
  app.use(identityHttp(createContext, services));
  app.use(notificationsHttp(createContext, services));
  app.get("/nic/update", dynamicAddressPage(createContext, services));
  app.get("/api/calendar/:token.ics", services.calendarPage(createContext));
  app.use("/api", restHandler(router, createContext));

  if (config.console) app.use(consoleHttp(config.canonical ? config.siteUrl : null));
  app.use(unmatchedRoute(app, router));
  const onError: ErrorRequestHandler = (error: unknown, req, res, _next) => {
    const appError = bodyError(error) ?? errorOf(error);
    const requestId = requestIdOf(req, res);
    logFailure(services, appError, { requestId });
    if (res.headersSent) res.destroy();
    else sendProblem(res, appError, requestId);
  };
  app.use(onError);
  return app;
}

/** The parts of Express's router used here. */
interface Layer {
  route?: { methods: Readonly<Record<string, boolean>> };
  handle: { stack?: Layer[] };
  match(path: string): false | { path: string };
}

const order = ["GET", "HEAD", "POST", "PUT", "DELETE"];

/**
 * Handles requests that no route matched: 405 with `Allow` if the path supports other methods (RFC 9110 §15.5.6), otherwise 404. OPTIONS
 * returns the supported methods.
 */
function unmatchedRoute(app: Express, router: AnyTRPCRouter): RequestHandler {
  const procedures = restProcedures(router).flatMap(({ meta: { openapi } }) =>
    openapi ? [{ method: openapi.method, pattern: patternOf(`/api${openapi.path}`) }] : [],
  );
  return (req, res) => {
    const { method, path } = req;
    const methods = methodsOf((app.router as unknown as { stack: Layer[] }).stack, path);
    for (const procedure of procedures) if (procedure.pattern.test(path)) methods.add(procedure.method);
    // A HEAD request that reaches this point belongs to a route that refuses it, because it would have side effects.
    if (methods.has("GET") && method !== "HEAD") methods.add("HEAD");
    const allowed = order.filter((known) => methods.has(known));
    const requestId = requestIdOf(req, res);
    if (allowed.length === 0 || allowed.includes(method)) {
      const message = `${method} ${path} does not exist. See /api/docs for the available calls.`;
      sendProblem(res, new AppError("NOT_FOUND", message), requestId);
      return;
    }
    res.setHeader("Allow", [...allowed, "OPTIONS"].join(", "));
    if (method === "OPTIONS") {
      res.status(204).end();
      return;
    }
    const message = `${path} does not support ${method}. Use ${allowed.join(", ")}.`;
    sendProblem(res, new AppError("METHOD_NOT_ALLOWED", message), requestId);
  };
}

function methodsOf(stack: readonly Layer[], path: string): Set<string> {
  const found = new Set<string>();
  for (const layer of stack) {
    const { stack: nested } = layer.handle;
    if (!layer.route && !nested) continue;
    const match = layer.match(path);
    if (!match) continue;
    const { methods = {} } = layer.route ?? {};
    for (const method of Object.keys(methods)) found.add(method.toUpperCase());
    if (nested) for (const method of methodsOf(nested, path.slice(match.path.length) || "/")) found.add(method);
  }
  return found;
}

/** Smaller responses are sent as they are. */
const leastOctets = 1_024;

/** Most of the best compression, at a fraction of its time. */
const brotliQuality = 4;

/**
 * Compresses JSON responses over 1 KiB with Brotli or gzip, in zlib's threads. Exempt are the responses that may contain tokens or other
 * secrets (see docs/decisions/0048), and those with an `ETag`, which names a version and not an encoding.
 */
function compression(router: AnyTRPCRouter): RequestHandler {
  const procedures = compressedProcedures(router);
  return (req, res, next) => {
    compressWhen(req, res, () => {
      const procedure = procedureOf(res);
      return procedure !== undefined && procedures.has(procedure);
    });
    next();
  };
}

/** Returns the queries, and the mutations that personal tokens may call: no way into an account is given to those. */
export function compressedProcedures(router: AnyTRPCRouter): Set<string> {
  const all = Object.entries(router._def.procedures as Record<string, { _def: { type: string; meta?: RouteMeta } }>);
  return new Set(
    all.flatMap(([name, { _def }]) =>
      _def.type === "query" || (_def.meta?.permission ?? null) !== null ? [name] : [],
    ),
  );
}

type Write = Response["write"];
type End = Response["end"];

/** Replaces a response's `write` and `end`. They collect the first KiB, then decide. */
function compressWhen(req: Request, res: Response, isAllowed: () => boolean): void {
  const [write, end] = [res.write.bind<Write>(res), res.end.bind<End>(res)];
  let first: Buffer[] | null = [];
  let compressor: ReturnType<typeof createGzip> | null = null;

  /** Sends what was collected, compressed or not. */
  const begin = (isLarge: boolean) => {
    const collected = first ?? [];
    first = null;
    const encoding = isLarge ? acceptedEncoding(req) : null;
    if (encoding !== null) compressor = startCompressor(res, encoding, write, end);
    for (const chunk of collected) (compressor ?? { write }).write(chunk);
  };
  const isCompressible = () => {
    if (res.headersSent || !isJson(res) || !isAllowed()) return false;
    res.vary("Accept-Encoding");
    return true;
  };

  // V8 allocates a function in the old generation if its literal is assigned to a property. All that it refers to, here the request and its
  // response, then stays until the next full collection. Hence the variables.
  const writeCompressed = ((...args: Parameters<Write>) => {
    if (first?.length === 0 && !isCompressible()) begin(false);
    if (!first) return compressor ? compressor.write(...args) : write(...args);
    const [chunk, encoding, done] = args;
    first.push(octetsOf(chunk, encoding));
    if (sizeOf(first) >= leastOctets) begin(true);
    (typeof encoding === "function" ? encoding : done)?.(null);
    return compressor ? !compressor.writableNeedDrain : true;
  }) as Write;

  const endCompressed = ((...args: Parameters<End>) => {
    if (first) {
      const [chunk, encoding] = args as [unknown, unknown];
      const last =
        chunk === undefined || chunk === null || typeof chunk === "function" ? [] : [octetsOf(chunk, encoding)];
      const isKnown = first.length > 0;
      begin((isKnown || isCompressible()) && sizeOf([...first, ...last]) >= leastOctets);
    }
    if (!compressor) return end(...args);
    compressor.end(...args);
    return res;
  }) as End;
  res.write = writeCompressed;
  res.end = endCompressed;
}

function isJson(res: Response): boolean {
  if (res.statusCode === 204 || res.statusCode === 304) return false;
  if (["content-encoding", "etag", "set-cookie"].some((header) => res.hasHeader(header))) return false;
  return /^application\/(?:problem\+)?json(?:;|$)/.test(String(res.getHeader("content-type")));
}

function acceptedEncoding(req: Request): "br" | "gzip" | null {
  if (req.acceptsEncodings("br") === "br") return "br";
  return req.acceptsEncodings("gzip") === "gzip" ? "gzip" : null;
}

/** Returns a stream that compresses into the response, respecting backpressure. */
function startCompressor(res: Response, encoding: "br" | "gzip", write: Write, end: End) {
  res.removeHeader("Content-Length");
  res.setHeader("Content-Encoding", encoding);
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
  };
  const stream = encoding === "br" ? createBrotliCompress({ params }) : createGzip();
  let isOurs = false;
  stream.on("data", (chunk: Buffer) => {
    if (!write(chunk)) stream.pause();
  });
  stream.on("end", () => end());
  stream.on("error", () => res.destroy());
  // The writer waits for the response to drain, which now means this stream.
  stream.on("drain", () => {
    isOurs = true;
    res.emit("drain");
    isOurs = false;
  });
  res.on("drain", () => {
    if (!isOurs) stream.resume();
  });
  res.on("close", () => stream.destroy());
  return stream;
}

function octetsOf(chunk: unknown, encoding: unknown): Buffer {
  if (typeof chunk === "string")
    return Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8");
  return Buffer.from(chunk as Uint8Array);
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
