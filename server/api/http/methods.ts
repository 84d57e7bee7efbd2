import type { AnyTRPCRouter } from "@trpc/server";
import type { Express, RequestHandler } from "express";
import { AppError } from "../../platform/errors.ts";
import { patternOf, restProcedures } from "../rest.ts";
import { requestIdOf } from "./request.ts";
import { sendProblem } from "../failures.ts";

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
export function unmatchedRoute(app: Express, router: AnyTRPCRouter): RequestHandler {
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
