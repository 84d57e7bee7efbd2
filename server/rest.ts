import type { AnyTRPCRouter } from "@trpc/server";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { createOpenApiNodeHttpHandler } from "trpc-to-openapi";
import type { RouteMeta } from "./context.ts";
import type { AppError } from "./errors.ts";
import { lockCoercion } from "./coercion-lock.ts";
import { requestIdOf } from "./http-port.ts";
import { sendProblem } from "./problem.ts";
import { errorOf, type ServerContext } from "./trpc.ts";

/** What the generated handler is given instead of the response: it answers into this, and we answer the client. */
interface Answer {
  meta: RouteMeta | undefined;
  error: AppError | undefined;
}

/**
 * The REST interface, generated from the procedures' metadata by trpc-to-openapi and mounted at /api.
 *
 * The library matches the first route that fits, answers errors in a form of its own and changes schemas while it
 * runs. So it gets routes with literal segments first, locked schemas, and a stand-in for the response from which
 * we write statuses, problem documents and plain text.
 */
export function restHandler(
  appRouter: AnyTRPCRouter,
  createContext: (req: Request, res: Response) => ServerContext,
): RequestHandler {
  lockCoercion(appRouter);
  const sorted = literalsFirst(appRouter);
  const answers = new WeakMap<Request, Answer>();
  const handle = createOpenApiNodeHttpHandler({
    router: sorted,
    maxBodySize: 1_048_576,
    createContext: ({ req }: { req: unknown }) => contexts.get(req as Request),
    onError: ({ error, req, ctx }: { error: unknown; req: unknown; ctx?: unknown }) => {
      const answer = answers.get(req as Request);
      if (answer) answer.error = errorOf(error);
      return ctx;
    },
    responseMeta: ({ info, paths }: { info?: unknown; paths?: readonly string[] | undefined }) => {
      const [path] = paths ?? [];
      return path === undefined || !info ? {} : { headers: { "x-procedure": path } };
    },
  } as never) as unknown as (req: unknown, res: unknown, next: () => void) => Promise<void>;
  const contexts = new WeakMap<Request, ServerContext>();

  return async (req: Request, res: Response, next: NextFunction) => {
    const answer: Answer = { meta: undefined, error: undefined };
    answers.set(req, answer);
    contexts.set(req, createContext(req, res));
    let passedOn = false;
    const standIn = {
      once: () => standIn,
      on: () => standIn,
      off: () => standIn,
      setHeader(name: string, value: string) {
        if (name === "x-procedure") answer.meta = metaOf(appRouter, value);
      },
      end: (body: string | undefined) => send(res, answer, body, requestIdOf(req, res)),
    };
    await handle(req, standIn, () => {
      passedOn = true;
    });
    if (passedOn) next();
  };
}

function send(res: Response, { meta, error }: Answer, body: string | undefined, requestId: string): void {
  if (error) {
    sendProblem(res, error, requestId);
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
  const procedures = appRouter._def.procedures as Record<string, { _def: { meta?: RouteMeta } }>;
  return Object.entries(procedures).flatMap(([name, { _def }]) =>
    _def.meta?.openapi ? [{ name, meta: _def.meta }] : [],
  );
}

function metaOf(appRouter: AnyTRPCRouter, name: string): RouteMeta | undefined {
  const procedures = appRouter._def.procedures as Record<string, { _def: { meta?: RouteMeta } } | undefined>;
  return procedures[name]?._def.meta;
}

function pathOf([, { _def }]: [string, { _def: { meta?: RouteMeta } }]): string {
  return (_def.meta?.openapi?.path ?? "").replaceAll("{", "\uffff");
}

/** The same router with `/domains/tags` before `/domains/{id}`: a literal segment sorts before a parameter. */
export function literalsFirst<R extends AnyTRPCRouter>(appRouter: R): R {
  const procedures = appRouter._def.procedures as Record<string, { _def: { meta?: RouteMeta } }>;
  const sorted = Object.fromEntries(
    Object.entries(procedures).toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : pathOf(a) > pathOf(b) ? 1 : 0)),
  );
  return { ...appRouter, _def: { ...appRouter._def, procedures: sorted } };
}
