import express, { type Request, type Response, type RequestHandler, type NextFunction } from "express";
import { AppError, type ErrorCode } from "../../platform/errors.ts";
import helmet from "helmet";
import type { AnyTRPCRouter } from "@trpc/server";
import { visitor } from "../../access/caller.ts";
import type { Permission } from "../../access/permissions.ts";
import { countCall } from "../limits/requests.ts";
import type { ServerContext } from "../trpc.ts";
import { readJsonObject, mostValues, type JsonObject } from "../json-object.ts";
import { permitted, looksPersonal } from "../../access/authenticator.ts";
import { patternOf, restProcedures } from "../rest.ts";
import { randomUUID } from "node:crypto";
import { parseCookie, stringifySetCookie } from "cookie";
import type { Context } from "../context.ts";
import type { CookieToSet, HttpPort } from "../../platform/http-port.ts";
import { claimedAddress } from "../limits/address.ts";
import type { Metrics } from "../metrics.ts";

const requestIdForm = /^[\w.-]{8,64}$/;

/** Returns the caller's request id if it is valid, otherwise a new one, and sets it as `X-Request-Id`. */
export function requestIdOf(req: Request, res: Response): string {
  const known: unknown = res.locals["requestId"];
  if (typeof known === "string") return known;
  const given = req.header("x-request-id");
  const requestId = given !== undefined && requestIdForm.test(given) ? given : randomUUID();
  res.locals["requestId"] = requestId;
  res.setHeader("X-Request-Id", requestId);
  return requestId;
}

/** Adapts Express to the interface that procedures use. */
export function httpPort(req: Request, res: Response, secureCookies: boolean): HttpPort {
  return {
    header: (name) => {
      const value = req.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    cookie: (name) => parseCookie(req.headers.cookie ?? "")[name],
    setHeader: (name, value) => {
      res.setHeader(name, value);
    },
    setCookie: (cookie: CookieToSet) => {
      const { name, value, path, maxAgeSeconds: maxAge } = cookie;
      const options = { path, httpOnly: true, sameSite: "lax" as const, secure: secureCookies };
      res.appendHeader(
        "Set-Cookie",
        stringifySetCookie({ name, value, ...options, ...(maxAge === undefined ? {} : { maxAge }) }),
      );
    },
    noteProcedure: (procedure) => {
      noteProcedure(res, procedure);
    },
    get ip() {
      return req.ip ?? null;
    },
    get claimedIp() {
      return claimedAddress(req.ip ?? "", req.header("x-forwarded-for"), req.ips.length);
    },
    cut: () => {
      res.destroy();
    },
  };
}

/**
 * Adds the access token from tRPC's connection parameters to a subscription's context. They are part of the URL, because a browser's
 * `EventSource` cannot send headers. Personal tokens are ignored there: they live too long for URLs, which are logged in many places.
 */
export function withConnectionToken<C extends Context>(
  context: C,
  { type, connectionParams }: { type: string; connectionParams: Readonly<Record<string, string | undefined>> | null },
): C {
  const token = type === "subscription" ? connectionParams?.["token"] : undefined;
  if (token === undefined || looksPersonal(token)) return context;
  const { http } = context;
  const authorization = () => http.header("authorization") ?? `Bearer ${token}`;
  const header = (name: string) => (name === "authorization" ? authorization() : http.header(name));
  return { ...context, http: { ...http, ip: http.ip, claimedIp: http.claimedIp, header } };
}

/**
 * Refuses malformed request heads before libraries parse them. A target may have the absolute form (RFC 9112 §3.2.2). Node would answer a
 * missing Host or an unknown expectation with a bare status line, so its own checks are disabled.
 */
export function readableHead(req: Request, _res: Response, next: (error?: AppError) => void): void {
  const { host, expect } = req.headers;
  if (host === undefined && req.httpVersion === "1.1") {
    next(new AppError("BAD_REQUEST", "The Host header is missing (RFC 9112 §3.2). Add it."));
  } else if (namesHostTwice(req.rawHeaders)) {
    next(new AppError("BAD_REQUEST", "The Host header is given more than once (RFC 9112 §3.2). Send it once."));
  } else if (expect !== undefined && expect.toLowerCase() !== "100-continue") {
    next(new AppError("BAD_REQUEST", "The Expect header must be 100-continue (RFC 9110 §10.1.1)."));
  } else if (host !== undefined && !URL.canParse(`http://${host}`)) {
    next(new AppError("BAD_REQUEST", "The Host header is malformed. Send a host name and an optional port."));
  } else if (!req.url.startsWith("/") && !URL.canParse(req.url)) {
    next(new AppError("BAD_REQUEST", "The URL is malformed. Check its percent-encoding."));
  } else {
    next();
  }
}

/** Checks raw headers, because Node keeps only the first Host, and `headersDistinct` would parse all headers on every call. */
function namesHostTwice(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

const requestHeaders =
  "Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID, X-Confirm-Delete, X-Request-Id, trpc-accept";
const responseHeaders =
  "Deprecation, ETag, Idempotency-Replayed, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, X-Request-Id";
const preflightSeconds = "600";

/** Lets pages of the listed origins call the API with credentials (Fetch standard, "CORS protocol"). */
export function cors(origins: readonly string[]): RequestHandler {
  return (req, res, next) => {
    const { origin } = req.headers;
    if (origins.length > 0) res.vary("Origin");
    if (origin === undefined || !origins.includes(origin)) {
      next();
      return;
    }
    res.setHeader("Access-Control-Allow-Origin", origin);
    res.setHeader("Access-Control-Allow-Credentials", "true");
    res.setHeader("Access-Control-Expose-Headers", responseHeaders);
    if (req.method !== "OPTIONS" || req.headers["access-control-request-method"] === undefined) {
      next();
      return;
    }
    res.setHeader("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE");
    res.setHeader("Access-Control-Allow-Headers", requestHeaders);
    res.setHeader("Access-Control-Max-Age", preflightSeconds);
    res.status(204).end();
  };
}

const hstsSeconds = 31_536_000;

/**
 * Sets security headers on every response: no resources, no framing. The documentation page has its own policy. HSTS is sent only if
 * SITE_URL is https, because otherwise the site would become unreachable.
 */
export function securityHeaders(siteUrl: string): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "frame-ancestors": ["'none'"],
      },
    },
    strictTransportSecurity: siteUrl.startsWith("https:") && { maxAge: hstsSeconds, includeSubDomains: false },
    xFrameOptions: { action: "deny" },
    // Obsolete headers, which would only add to every response.
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
}

const procedureLocal = "procedure";

/** Records the procedure of a request. Paths contain ids and so cannot be a label. */
function noteProcedure(res: Response, procedure: string): void {
  res.locals[procedureLocal] ??= procedure;
}

/** Returns the procedure of a request; undefined if it reached none. */
export function procedureOf(res: Response): string | undefined {
  const procedure: unknown = res.locals[procedureLocal];
  return typeof procedure === "string" ? procedure : undefined;
}

/** Measures every request until the end of its response. */
export function measured(metrics: Metrics): RequestHandler {
  return (_req, res, next) => {
    const began = performance.now();
    res.once("finish", () => {
      // The duration of a stream says nothing about performance.
      if (String(res.getHeader("content-type")).startsWith("text/event-stream")) return;
      metrics.request(procedureOf(res) ?? "none", res.statusCode, (performance.now() - began) / 1_000);
    });
    next();
  };
}

/** Serves GET /metrics without authentication, like the health checks: it contains load and timings, but no user data. */
export function metricsPage(metrics: Metrics): RequestHandler {
  return async (_req: Request, res: Response) => {
    res.type("text/plain; version=0.0.4; charset=utf-8").send(await metrics.text());
  };
}

const kibibyte = 1_024;
const mebibyte = 1_048_576;

/** Maximum size of a decompressed body in bytes. */
export const bodyLimits = { anonymous: 64 * kibibyte, ordinary: mebibyte, large: 16 * mebibyte } as const;

/** Larger bodies of large calls are parsed in a worker thread. */
const inThreadBeyond = bodyLimits.anonymous;

/** Parses a JSON body within the limits of its caller and call, and refuses other bodies. */
export function jsonBody(
  router: AnyTRPCRouter,
  createContext: (req: Request, res: Response) => ServerContext,
): RequestHandler {
  const largeCall = largeCalls(router);
  return async (req: Request, res: Response, next: NextFunction) => {
    // Content of these methods has no defined meaning (RFC 9110 §9.3.1) and is not read.
    if (!["GET", "HEAD", "OPTIONS"].includes(req.method)) {
      req.body = hasBody(req) ? await readCounted(req, res, createContext(req, res), largeCall(req)) : {};
      req.headers["content-type"] = "application/json";
    }
    next();
  };
}

function hasBody(req: Request): boolean {
  return req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
}

const unreadable: ReadonlySet<ErrorCode> = new Set(["BAD_REQUEST", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"]);

/** Reads a body and counts a refused one as a call of its address, because no procedure will. @throws LimitReached, or as `readBody` */
async function readCounted(
  req: Request,
  res: Response,
  context: ServerContext,
  large: LargeCall | null,
): Promise<JsonObject> {
  try {
    return await readBody(req, res, context, large);
  } catch (error) {
    const refusal = error instanceof AppError ? error : bodyError(error);
    const { gate, http, requestId } = context;
    if (refusal && unreadable.has(refusal.code)) await countCall(gate.requestLimits, http, visitor(http, requestId));
    throw error;
  }
}

async function readBody(
  req: Request,
  res: Response,
  context: ServerContext,
  large: LargeCall | null,
): Promise<JsonObject> {
  requireJson(req);
  if (isSmall(req)) return await readOrdinary(req, res, bodyLimits.anonymous);
  const admission = await admit(context, large);
  if (Number(req.headers["content-length"] ?? 0) > admission.limit) throw await admission.refuse();
  try {
    if (!large || admission.userId === null || admission.limit !== bodyLimits.large) {
      return await readOrdinary(req, res, admission.limit);
    }
    const { largeBodies } = context.gate;
    await largeBodies.acquireSlot(admission.userId, res);
    const bytes = await readBytes(req, res, admission.limit);
    if (bytes.length <= inThreadBeyond) return parsed(bytes);
    const { procedure, inPath } = large;
    return await largeBodies.read({ procedure, inPath, bytes: Uint8Array.from(bytes) });
  } catch (error) {
    throw isTooLarge(error) ? await admission.refuse() : error;
  }
}

async function readOrdinary(req: Request, res: Response, limit: number): Promise<JsonObject> {
  return parsed(await readBytes(req, res, limit));
}

function parsed(bytes: Buffer): JsonObject {
  return bytes.length === 0 ? {} : readJsonObject(bytes, mostValues.ordinary);
}

function requireJson(req: Request): void {
  if (req.is("application/json") === false) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send the body as JSON, with `Content-Type: application/json`.");
  }
  const [, charset = "utf-8"] = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(req.headers["content-type"] ?? "") ?? [];
  if (charset.toLowerCase() !== "utf-8") throw new AppError("UNSUPPORTED_MEDIA_TYPE", notUtf8);
}

/** Converts client errors thrown by Express and its body parser. Returns null for other errors. */
export function bodyError(error: unknown): AppError | null {
  if (!(error instanceof Error) || error instanceof AppError) return null;
  if (error instanceof URIError)
    return new AppError("BAD_REQUEST", "The URL is malformed. Check its percent-encoding.");
  const type = "type" in error ? error.type : undefined;
  switch (type) {
    case "encoding.unsupported":
      return new AppError("UNSUPPORTED_MEDIA_TYPE", notUtf8);
    default: {
      const status = "status" in error ? error.status : undefined;
      const client = typeof status === "number" && status >= 400 && status < 500;
      return client
        ? new AppError("BAD_REQUEST", "The request could not be read. Check its length and encoding.")
        : null;
    }
  }
}

/** Error message for other encodings. */
const notUtf8 = "Send the body as UTF-8, plain or compressed with gzip, deflate or br.";

const readers = new Map<number, RequestHandler>();

/**
 * Reads the bytes of a body, decompressed if necessary. The limit applies to the decompressed size.
 * @throws errors of Express's body parser, see `bodyError` and `isTooLarge`
 */
export async function readBytes(req: Request, res: Response, limit: number): Promise<Buffer> {
  let reader = readers.get(limit);
  if (!reader) {
    reader = express.raw({ limit, type: () => true });
    readers.set(limit, reader);
  }
  const read = reader;
  await new Promise<void>((resolve, reject) => {
    void read(req, res, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(error);
    });
  });
  const body: unknown = req.body;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/** Returns whether a body exceeded its limit. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "type" in error && error.type === "entity.too.large";
}

/** The size limit of a body, and the error if it is exceeded. */
interface Admission {
  limit: number;
  /** The sender; null if unauthenticated. */
  userId: string | null;
  refuse(): Promise<AppError>;
}

const tooLarge = (message: string) => () => Promise.resolve(new AppError("PAYLOAD_TOO_LARGE", message));

const beforeSignIn: Admission = {
  limit: bodyLimits.anonymous,
  userId: null,
  refuse: tooLarge("The body exceeds 64 KiB, the limit for unauthenticated calls. Sign in first, or send less."),
};

/** Returns whether the headers declare a body small enough for unauthenticated calls. */
export function isSmall({ headers }: Request): boolean {
  const plain = (headers["content-encoding"] ?? "identity").toLowerCase() === "identity";
  return plain && Number(headers["content-length"] ?? Number.NaN) <= bodyLimits.anonymous;
}

/**
 * Determines the size limit of a body before reading it. Up to 64 KiB need no authentication, so credentials are checked, and rejected,
 * only for larger bodies.
 */
async function admit(context: ServerContext, large: LargeCall | null): Promise<Admission> {
  const { gate, http, requestId } = context;
  if (http.header("authorization") === undefined) return beforeSignIn;
  try {
    const { caller } = await gate.authenticator.authenticate(gate.database.fork(), http);
    const { userId } = caller;
    if (!large) {
      const refuse = tooLarge("The body exceeds 1 MiB. Send it in parts.");
      return { limit: bodyLimits.ordinary, userId, refuse };
    }
    const forbidden = permissionFault(caller, large);
    if (forbidden) return { limit: bodyLimits.ordinary, userId, refuse: () => Promise.resolve(forbidden) };
    const refuse = tooLarge("The body exceeds 16 MiB. Send it in parts, and import larger zones from their provider.");
    return { limit: bodyLimits.large, userId, refuse };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "UNAUTHORIZED") throw error;
    const refuse = async () => {
      await countCall(gate.requestLimits, http, visitor(http, requestId));
      return error;
    };
    return { ...beforeSignIn, refuse };
  }
}

function permissionFault(caller: Parameters<typeof permitted>[0], { permission }: LargeCall): AppError | null {
  try {
    if (permission !== null) permitted(caller, permission);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** A call that accepts a large body. */
interface LargeCall {
  procedure: string;
  permission: Permission | null;
  /** Input fields from the path; null for tRPC, where the body contains all input. */
  inPath: Readonly<Record<string, string>> | null;
}

/** Returns a function that matches requests to calls with large bodies by method and path, before the body is read. */
function largeCalls(router: AnyTRPCRouter): (req: Request) => LargeCall | null {
  const routes = restProcedures(router).flatMap(({ name, meta: { openapi, largeBody = false, permission = null } }) =>
    openapi && largeBody
      ? [{ procedure: name, permission, method: openapi.method, pattern: patternOf(`/api${openapi.path}`) }]
      : [],
  );
  return ({ method, path }) => {
    for (const { procedure, permission, ...route } of routes) {
      if (method === "POST" && path === `/trpc/${procedure}`) return { procedure, permission, inPath: null };
      const inPath = method === route.method ? route.pattern.exec(path) : null;
      if (inPath) return { procedure, permission, inPath: { ...inPath.groups } };
    }
    return null;
  };
}
