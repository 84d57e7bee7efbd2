import type { AnyTRPCRouter } from "@trpc/server";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { createOpenApiNodeHttpHandler } from "trpc-to-openapi";
import type { RouteMeta } from "./context.ts";
import { sendLarge } from "./large-answers.ts";
import { AppError, type Issue } from "../platform/errors.ts";
import { lockCoercion } from "./coercion-lock.ts";
import { logFailure } from "./failure-log.ts";
import { alsoInPath } from "./also-in-path.ts";
import { sendProblem } from "./problem.ts";
import { errorOf, type ServerContext } from "./trpc.ts";

/** One call as the generated handler sees it, and what it tells us meanwhile. */
interface Exchange {
  readonly method: string;
  url: string;
  /** Only what the handler reads: it would copy all of them. */
  headers: { "content-type": string | undefined };
  body: unknown;
  query: unknown;
  context: ServerContext;
  once(): Exchange;
  meta: RouteMeta | undefined;
  error: AppError | undefined;
}

/** The handler's options and signature, as far as we use them; its own types know real requests only. */
interface GeneratedHandler {
  router: AnyTRPCRouter;
  createContext(call: { req: Exchange }): ServerContext;
  onError(failure: { error: unknown; req: Exchange }): void;
  responseMeta(answer: { ctx?: ServerContext; paths?: readonly string[] }): { headers?: Record<string, string> };
}
type Handle = (req: Exchange, res: object, next: () => void) => Promise<void>;

/**
 * The REST interface, generated from the procedures' metadata by trpc-to-openapi and mounted at /api.
 *
 * The library matches the first route that fits, answers errors in a form of its own and changes schemas while it
 * runs. So it gets routes with literal segments first, locked schemas, and stand-ins for request and response from
 * which we write statuses, problem documents and plain text.
 */
export function restHandler(
  appRouter: AnyTRPCRouter,
  createContext: (req: Request, res: Response) => ServerContext,
): RequestHandler {
  lockCoercion(appRouter);
  const takesBody = bodiedDeletions(appRouter);
  const options: GeneratedHandler = {
    router: asLibraryReads(appRouter),
    createContext: ({ req }) => req.context,
    onError: ({ error, req }) => {
      req.error = errorOf(error);
      const { services, requestId } = req.context;
      logFailure(services, req.error, { requestId });
    },
    responseMeta: ({ paths: [procedure] = [] }) =>
      procedure === undefined ? {} : { headers: { [procedureHeader]: procedure } },
  };
  const misplaced = misplacedFields(appRouter);
  const handle = createOpenApiNodeHttpHandler(options as never) as unknown as Handle;

  return async (req: Request, res: Response, next: NextFunction) => {
    if (req.method === deletion || req.method === "OPTIONS") {
      next();
      return;
    }
    const method = libraryMethod(req.method, takesBody(req.path));
    let asked = false;
    const exchange: Exchange = {
      /** Told once, to find the route: asked again, the library would write the whole body as text, only to have a signal. */
      get method() {
        if (asked) return "GET";
        asked = true;
        return method;
      },
      url: req.url,
      headers: { "content-type": req.headers["content-type"] },
      body: req.body as unknown,
      query: req.query,
      context: createContext(req, res),
      once: () => exchange,
      meta: undefined,
      error: undefined,
    };
    const answer = {
      once: () => answer,
      setHeader(name: string, value: string) {
        if (name === procedureHeader) exchange.meta = metaOf(appRouter, value);
      },
      end: (body: string | undefined) => {
        const { large } = exchange.context;
        if (large && !exchange.error) {
          res.status(exchange.meta?.status ?? 200).setHeader("Content-Type", "application/json; charset=utf-8");
          void sendLarge(res, large);
        } else send(res, exchange, body);
      },
    };
    const issues = misplaced({ method, url: req.url, body: exchange.body, query: exchange.query });
    if (issues.length > 0) {
      next(
        new AppError("BAD_REQUEST", issues.map(({ path, message }) => `${path[0]}: ${message}`).join(" "), { issues }),
      );
      return;
    }
    let passedOn = false;
    await handle(exchange, answer, () => {
      passedOn = true;
    });
    if (passedOn) next();
  };
}

/**
 * Finds what the library drops without a word: fields of the path that stand in the body or the query as well, a query
 * beside a body, and `__proto__` in a query.
 */
function misplacedFields(
  appRouter: AnyTRPCRouter,
): (call: Pick<Exchange, "method" | "url" | "body" | "query">) => Issue[] {
  const routes = restProcedures(appRouter).flatMap(({ meta: { openapi, bodied = false } }) =>
    openapi
      ? [
          {
            method: libraryMethod(openapi.method, bodied),
            pattern: patternOf(openapi.path),
            parameters: [...openapi.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
          },
        ]
      : [],
  );
  const parameters = new Set(routes.flatMap((route) => route.parameters));
  return ({ method, url, body, query }) => {
    const queried = Object.keys(query as object);
    const inBody = method !== "GET" && method !== "DELETE";
    const suspects = (inBody ? Object.keys(body as object) : queried).filter((key) => parameters.has(key));
    if (suspects.length === 0 && queried.length === 0) return [];
    const [path = ""] = url.split("?");
    const route = routes.find((route) => route.method === method && route.pattern.test(path));
    if (!route) return [];
    const inPath = suspects.filter((key) => route.parameters.includes(key));
    const inQuery = inBody ? queried : queried.filter((key) => key === "__proto__");
    return [
      ...inPath.map((key) => ({ path: [key], message: alsoInPath })),
      ...inQuery.map((key) => ({ path: [key], message: "There is no such query parameter; remove it." })),
    ];
  };
}

/** Tells us, and only us, which procedure answered. */
const procedureHeader = "x-procedure";

function send(res: Response, { meta, error, context }: Exchange, body: string | undefined): void {
  if (error) {
    sendProblem(res, error, context.requestId);
    return;
  }
  res.status(meta?.status ?? 200);
  if (meta?.textField === undefined) {
    res.setHeader("Content-Type", "application/json; charset=utf-8");
    res.end(body ?? "null");
    return;
  }
  const output = JSON.parse(body ?? "{}") as Record<string, string>;
  res.type("text/plain").send(output[meta.textField]);
}

/** Every procedure that has a REST route, by its dotted name. */
export function restProcedures(appRouter: AnyTRPCRouter): { name: string; meta: RouteMeta }[] {
  return Object.entries(proceduresOf(appRouter)).flatMap(([name, { _def }]) =>
    _def.meta?.openapi ? [{ name, meta: _def.meta }] : [],
  );
}

/** What is known of a procedure, by its dotted name. */
export function metaOf(appRouter: AnyTRPCRouter, name: string): RouteMeta | undefined {
  return proceduresOf(appRouter)[name]?._def.meta;
}

/** A procedure as far as its route goes. */
interface Routed {
  _def: { meta?: RouteMeta };
}

function proceduresOf(appRouter: AnyTRPCRouter): Record<string, Routed> {
  return appRouter._def.procedures as Record<string, Routed>;
}

function pathOf([, { _def }]: [string, Routed]): string {
  return (_def.meta?.openapi?.path ?? "").replaceAll("{", "\uffff");
}

/**
 * What the library is told instead of DELETE where that has a body, which it never reads: some of ours carry a password. We have no PATCH
 * of our own.
 */
export const deletion = "PATCH";

function libraryMethod(method: string, bodied: boolean): string {
  // Node leaves out the body of an answer to HEAD (RFC 9110 §9.3.2).
  if (method === "HEAD") return "GET";
  return bodied && method === "DELETE" ? deletion : method;
}

/** Which addresses take a DELETE with a body. */
function bodiedDeletions(appRouter: AnyTRPCRouter): (path: string) => boolean {
  const patterns = restProcedures(appRouter).flatMap(({ meta: { openapi, bodied } }) =>
    openapi && bodied ? [patternOf(openapi.path)] : [],
  );
  return (path) => patterns.some((pattern) => pattern.test(path));
}

/** What the addresses of a route look like, with a group for each parameter. */
export function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}/?$`, "i");
}

type Described = { _def: { meta?: { openapi?: { method: string } } } };

/**
 * The same router with `/domains/tags` before `/domains/{id}`, as a literal segment sorts before a parameter, and with those DELETEs
 * under their other name.
 */
export function asLibraryReads<R extends AnyTRPCRouter>(appRouter: R): R {
  const sorted = Object.entries(proceduresOf(appRouter)).toSorted((a, b) =>
    pathOf(a) < pathOf(b) ? -1 : pathOf(a) > pathOf(b) ? 1 : 0,
  );
  const readable = sorted.map(([name, procedure]): [string, Described] => {
    const { meta } = procedure._def;
    if (!meta?.openapi) return [name, procedure];
    const openapi = { ...meta.openapi, method: libraryMethod(meta.openapi.method, meta.bodied ?? false) };
    return [name, { _def: { ...procedure._def, meta: { ...meta, openapi } } }];
  });
  return { ...appRouter, _def: { ...appRouter._def, procedures: Object.fromEntries(readable) } };
}
