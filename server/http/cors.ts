import type { RequestHandler } from "express";

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
