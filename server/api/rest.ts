import type { AnyTRPCRouter } from "@trpc/server";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import type { RouteMeta } from "./context.ts";
import { sendLarge } from "./large-answers.ts";
import { AppError, type Issue } from "../platform/errors.ts";
import { logFailure, sendProblem } from "./failures.ts";
import { alsoInPath } from "./input-error.ts";
import { errorOf, type ServerContext } from "./trpc.ts";
import { loadedLate } from "../platform/late-modules.ts";

const loadLibrary = loadedLate(() => import("trpc-to-openapi"));

/** A call as passed to the generated handler, and what the handler reports back. */
interface Exchange {
  readonly method: string;
  url: string;
  /** Only the headers that the handler reads, because it copies all of them. */
  headers: { "content-type": string | undefined };
  body: unknown;
  query: unknown;
  context: ServerContext;
  once(): Exchange;
  meta: RouteMeta | undefined;
  error: AppError | undefined;
}

/** The parts of the handler's options and signature used here; its own types accept only real requests. */
interface GeneratedHandler {
  router: AnyTRPCRouter;
  createContext(call: { req: Exchange }): ServerContext;
  onError(failure: { error: unknown; req: Exchange }): void;
  responseMeta(answer: { ctx?: ServerContext; paths?: readonly string[] }): { headers?: Record<string, string> };
}
type Handle = (req: Exchange, res: object, next: () => void) => Promise<void>;

/**
 * Serves the REST API, generated from the procedures' metadata by trpc-to-openapi. Mount at /api.
 *
 * The library uses the first matching route, has its own error format and modifies schemas at run time. So it gets routes with literal
 * segments first, locked schemas, and substitutes for request and response from which the real statuses, problem documents and plain text
 * are written.
 */
export function restHandler(
  appRouter: AnyTRPCRouter,
  createContext: (req: Request, res: Response) => ServerContext,
): RequestHandler {
  lockCoercion(appRouter);
  const hasDeleteBody = bodiedDeletions(appRouter);
  const misplaced = misplacedFields(appRouter);

  return async (req: Request, res: Response, next: NextFunction) => {
    if (req.method === deletion || req.method === "OPTIONS") {
      next();
      return;
    }
    const method = libraryMethod(req.method, hasDeleteBody(req.path));
    let wasRead = false;
    const exchange: Exchange = {
      /** The real method on the first read, to find the route. On later reads the library would serialize the body just to create a signal. */
      get method() {
        if (wasRead) return "GET";
        wasRead = true;
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
          const text = exchange.meta?.textField === undefined ? null : large.text;
          res.status(exchange.meta?.status ?? 200).type(text ? "text/plain" : "application/json");
          void sendLarge(res, text ?? large.pieces);
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
    const handle = handlers.get(appRouter) ?? (await loadHandler(appRouter));
    await handle(exchange, answer, () => {
      passedOn = true;
    });
    if (passedOn) next();
  };
}

const handlers = new WeakMap<AnyTRPCRouter, Handle>();

/** Loads the library and builds its handler, which reads every schema. Apps with the same router share the handler. */
async function loadHandler(appRouter: AnyTRPCRouter): Promise<Handle> {
  const { createOpenApiNodeHttpHandler } = await loadLibrary();
  const built = handlers.get(appRouter);
  if (built) return built;
  const options: GeneratedHandler = {
    router: forLibrary(appRouter),
    createContext: ({ req }) => req.context,
    onError: ({ error, req }) => {
      req.error = errorOf(error);
      const { gate, requestId } = req.context;
      logFailure(gate, req.error, { requestId });
    },
    responseMeta: ({ paths: [procedure] = [] }) =>
      procedure === undefined ? {} : { headers: { [procedureHeader]: procedure } },
  };
  const handle = createOpenApiNodeHttpHandler(options as never) as unknown as Handle;
  handlers.set(appRouter, handle);
  return handle;
}

/**
 * Returns a function that finds input that the library silently drops: path fields repeated in the body or query, a query in addition to a
 * body, and `__proto__` in a query.
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
      ...inQuery.map((key) => ({ path: [key], message: "This query parameter is unknown. Remove it." })),
    ];
  };
}

/** Internal header that carries the name of the called procedure; never sent. */
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

/** Returns every procedure with a REST route, with its dotted name. */
export function restProcedures(appRouter: AnyTRPCRouter): { name: string; meta: RouteMeta }[] {
  return Object.entries(proceduresOf(appRouter)).flatMap(([name, { _def }]) =>
    _def.meta?.openapi ? [{ name, meta: _def.meta }] : [],
  );
}

/** Returns the metadata of a procedure by its dotted name. */
export function metaOf(appRouter: AnyTRPCRouter, name: string): RouteMeta | undefined {
  return proceduresOf(appRouter)[name]?._def.meta;
}

/** The part of a procedure that describes its route. */
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
 * Substitute method for a DELETE with a body, such as a password, because the library ignores bodies of DELETE. The API has no real PATCH.
 */
export const deletion = "PATCH";

function libraryMethod(method: string, bodied: boolean): string {
  // Node omits the body of a HEAD response (RFC 9110 §9.3.2).
  if (method === "HEAD") return "GET";
  return bodied && method === "DELETE" ? deletion : method;
}

/** Returns a function that tests whether a path has a DELETE with a body. */
function bodiedDeletions(appRouter: AnyTRPCRouter): (path: string) => boolean {
  const patterns = restProcedures(appRouter).flatMap(({ meta: { openapi, bodied } }) =>
    openapi && bodied ? [patternOf(openapi.path)] : [],
  );
  return (path) => patterns.some((pattern) => pattern.test(path));
}

/** Returns a pattern that matches the paths of a route, with a named group per parameter. */
export function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}/?$`, "i");
}

type Described = { _def: { meta?: { openapi?: { method: string } } } };

/**
 * Returns the router as the library needs it: literal segments before parameters (`/domains/tags` before `/domains/{id}`), and DELETEs with
 * a body under their substitute method.
 */
export function forLibrary<R extends AnyTRPCRouter>(appRouter: R): R {
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

interface SchemaDef {
  coerce?: boolean;
  shape?: Record<string, Schema>;
  innerType?: Schema;
  element?: Schema;
  in?: Schema;
  out?: Schema;
  options?: Schema[];
}

interface Schema {
  _zod?: { def: SchemaDef };
  _def?: SchemaDef;
}

/** Locked definitions. They outlive a server and are shared by schemas that differ only in their description. */
const locked = new WeakSet<SchemaDef>();

/**
 * Locks the `coerce` flag of every input schema at its declared value.
 *
 * trpc-to-openapi 3.3.0 sets it to true on all numbers and booleans of an input at each REST call, including bodies. Afterwards `"false"`
 * is true and null is 0, over tRPC as well.
 */
function lockCoercion(appRouter: AnyTRPCRouter): void {
  const lock = (schema: Schema | undefined): void => {
    const def = schema?._zod?.def;
    if (!def || locked.has(def)) return;
    locked.add(def);
    const { coerce: declared } = def;
    // A schema made of a locked one, such as by `extend` for another server, has the lock already.
    if (Object.getOwnPropertyDescriptor(def, "coerce")?.configurable !== false) {
      Object.defineProperty(def, "coerce", {
        get: () => declared,
        set() {
          // Ignored on purpose.
        },
        enumerable: true,
        configurable: false,
      });
    }
    for (const child of [
      ...Object.values(def.shape ?? {}),
      def.innerType,
      def.element,
      def.in,
      def.out,
      ...(def.options ?? []),
    ])
      lock(child);
  };
  const procedures = appRouter._def.procedures as Record<string, { _def: { inputs?: Schema[] } }>;
  for (const procedure of Object.values(procedures)) procedure._def.inputs?.forEach(lock);
}
