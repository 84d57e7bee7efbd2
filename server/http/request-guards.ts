import type { Request, Response } from "express";
import { AppError } from "../platform/errors.ts";
import { notUtf8 } from "./bodies/read-bytes.ts";

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
