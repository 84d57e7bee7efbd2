import express, { type Request, type Response, type RequestHandler } from "express";
import { AppError } from "../../platform/errors.ts";
import helmet from "helmet";

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
export const notUtf8 = "Send the body as UTF-8, plain or compressed with gzip, deflate or br.";

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
