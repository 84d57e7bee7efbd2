import type { Request, RequestHandler, Response } from "express";
import type { Metrics } from "./metrics.ts";

const procedureLocal = "procedure";

/** Notes which procedure a request calls: addresses hold ids, and so are no label. */
export function noteProcedure(res: Response, procedure: string): void {
  res.locals[procedureLocal] ??= procedure;
}

/** Measures every request from here to the end of its answer. */
export function measured(metrics: Metrics): RequestHandler {
  return (_req, res, next) => {
    const began = performance.now();
    res.once("finish", () => {
      // A stream takes as long as its reader likes.
      if (String(res.getHeader("content-type")).startsWith("text/event-stream")) return;
      const procedure: unknown = res.locals[procedureLocal];
      metrics.request(
        typeof procedure === "string" ? procedure : "none",
        res.statusCode,
        (performance.now() - began) / 1_000,
      );
    });
    next();
  };
}

/** GET /metrics. Open like the other signs of life: it tells loads and times, and no one's data. */
export function metricsPage(metrics: Metrics): RequestHandler {
  return async (_req: Request, res: Response) => {
    res.type("text/plain; version=0.0.4; charset=utf-8").send(await metrics.text());
  };
}
