import { isUtf8 } from "node:buffer";
import express, { type Request, type RequestHandler, type Response } from "express";
import { AppError, badField, type Issue } from "../errors.ts";

const bodyLimit = 1_048_576;
/** Levels of lists and objects within a field; what we take has five at the most. */
const depthLimit = 64;
const notUtf8 = "Send the body as UTF-8, plain or compressed with gzip, deflate or br.";

/**
 * Refuses what is no address before a library takes it apart. A target may have the absolute form (RFC 9112 §3.2.2). Node
 * would answer requests without a Host and with an expectation that we do not know by a bare status line, so that it is told to leave them to us.
 */
export function readableHead(req: Request, _res: Response, next: (error?: AppError) => void): void {
  const { host, expect } = req.headers;
  if (host === undefined && req.httpVersion === "1.1") {
    next(new AppError("BAD_REQUEST", "The Host header is missing (RFC 9112 §3.2)."));
  } else if (namesHostTwice(req.rawHeaders)) {
    next(new AppError("BAD_REQUEST", "The Host header is given more than once (RFC 9112 §3.2)."));
  } else if (expect !== undefined && expect.toLowerCase() !== "100-continue") {
    next(new AppError("BAD_REQUEST", "The Expect header may only say 100-continue (RFC 9110 §10.1.1)."));
  } else if (host !== undefined && !URL.canParse(`http://${host}`)) {
    next(new AppError("BAD_REQUEST", "The Host header is not well-formed."));
  } else if (!req.url.startsWith("/") && !URL.canParse(req.url)) {
    next(new AppError("BAD_REQUEST", "The address is not well-formed."));
  } else {
    next();
  }
}

/** Node keeps the first of several. Its view of all of them is made anew of every header, which each call would pay for. */
function namesHostTwice(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

function hasBody(req: Request): boolean {
  return req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
}

/** A call whose request is "none" works with no body and no content type. */
function bodylessIsEmptyJson(req: Request, _res: Response, next: () => void): void {
  if (!hasBody(req) && req.method !== "GET" && req.method !== "HEAD") {
    req.headers["content-type"] = "application/json";
    req.body = {};
  }
  next();
}

function requireJson(req: Request, _res: Response, next: (error?: AppError) => void): void {
  if (!hasBody(req) || req.method === "GET" || req.is("application/json") !== false) next();
  else next(new AppError("UNSUPPORTED_MEDIA_TYPE", "Send the body as JSON, with `Content-Type: application/json`."));
}

/** JSON between systems is UTF-8 (RFC 8259 §8.1). Broken bytes would be stored as replacement characters otherwise. */
function requireUtf8(_req: unknown, _res: unknown, bytes: Buffer, charset: string): void {
  if (charset !== "utf-8") throw new AppError("UNSUPPORTED_MEDIA_TYPE", notUtf8);
  if (!isUtf8(bytes)) throw new AppError("BAD_REQUEST", "The body is not well-formed UTF-8.");
}

/** What the body parser has read is an object of sensible depth; its content type is from here on written in one way. */
function requireObject(req: Request, _res: Response, next: (error?: AppError) => void): void {
  const body: unknown = req.body;
  if (body === undefined) {
    next();
    return;
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    next(new AppError("BAD_REQUEST", "The body must be a JSON object."));
    return;
  }
  const fault = faultIn(body, depthLimit);
  if (fault) {
    next(badField(fault.path, fault.message));
    return;
  }
  req.headers["content-type"] = "application/json";
  next();
}

/**
 * What libraries behind us do not survive or pass over in silence: a nesting that ends their recursion, and fields called
 * `__proto__`.
 */
function faultIn(value: unknown, levels: number): Issue | null {
  if (typeof value !== "object" || value === null) return null;
  if (levels === 0) return { path: [], message: `This is nested more than ${depthLimit} levels deep.` };
  if (Object.hasOwn(value, "__proto__")) return { path: ["__proto__"], message: "There is no such field; remove it." };
  for (const [key, child] of Object.entries(value)) {
    const fault = faultIn(child, levels - 1);
    if (fault) return { ...fault, path: [Array.isArray(value) ? Number(key) : key, ...fault.path] };
  }
  return null;
}

/** What Express and its body parser throw, in our words. */
export function bodyError(error: unknown): AppError | null {
  if (!(error instanceof Error) || error instanceof AppError) return null;
  if (error instanceof URIError) return new AppError("BAD_REQUEST", "The address is not well-formed.");
  const type = "type" in error ? error.type : undefined;
  switch (type) {
    case "entity.too.large":
      return new AppError(
        "PAYLOAD_TOO_LARGE",
        "The body is larger than 1 MiB; send it in parts, or import larger zones from the zones folder.",
      );
    case "entity.parse.failed":
      return new AppError("BAD_REQUEST", "The body is not well-formed JSON.");
    case "encoding.unsupported":
    case "charset.unsupported":
      return new AppError("UNSUPPORTED_MEDIA_TYPE", notUtf8);
    default: {
      const status = "status" in error ? error.status : undefined;
      const client = typeof status === "number" && status >= 400 && status < 500;
      return client
        ? new AppError("BAD_REQUEST", "The request could not be read; check its length and encoding.")
        : null;
    }
  }
}

/** Reads a JSON body, and refuses what is none. */
export const jsonBody: readonly RequestHandler[] = [
  bodylessIsEmptyJson,
  requireJson,
  express.json({ limit: bodyLimit, strict: false, verify: requireUtf8 }),
  requireObject,
];
