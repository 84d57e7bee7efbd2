import type { Request, RequestHandler, Response } from "express";
import type { Metrics } from "../../ops/metrics/metrics.ts";

const procedureLocal = "procedure";

/** Records the procedure of a request. Paths contain ids and so cannot be a label. */
export function noteProcedure(res: Response, procedure: string): void {
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
