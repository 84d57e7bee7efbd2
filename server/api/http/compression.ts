import { constants, createBrotliCompress, createGzip } from "node:zlib";
import type { AnyTRPCRouter } from "@trpc/server";
import type { Request, RequestHandler, Response } from "express";
import type { RouteMeta } from "../context.ts";
import { procedureOf } from "./request.ts";

/** Smaller responses are sent as they are. */
const leastOctets = 1_024;

/** Most of the best compression, at a fraction of its time. */
const brotliQuality = 4;

/**
 * Compresses JSON responses over 1 KiB with Brotli or gzip, in zlib's threads. Exempt are the responses that may contain tokens or other
 * secrets (see docs/decisions/0048), and those with an `ETag`, which names a version and not an encoding.
 */
export function compression(router: AnyTRPCRouter): RequestHandler {
  const procedures = compressedProcedures(router);
  return (req, res, next) => {
    compressWhen(req, res, () => {
      const procedure = procedureOf(res);
      return procedure !== undefined && procedures.has(procedure);
    });
    next();
  };
}

/** Returns the queries, and the mutations that personal tokens may call: no way into an account is given to those. */
export function compressedProcedures(router: AnyTRPCRouter): Set<string> {
  const all = Object.entries(router._def.procedures as Record<string, { _def: { type: string; meta?: RouteMeta } }>);
  return new Set(
    all.flatMap(([name, { _def }]) =>
      _def.type === "query" || (_def.meta?.permission ?? null) !== null ? [name] : [],
    ),
  );
}

type Write = Response["write"];
type End = Response["end"];

/** Replaces a response's `write` and `end`. They collect the first KiB, then decide. */
function compressWhen(req: Request, res: Response, isAllowed: () => boolean): void {
  const [write, end] = [res.write.bind<Write>(res), res.end.bind<End>(res)];
  let first: Buffer[] | null = [];
  let compressor: ReturnType<typeof createGzip> | null = null;

  /** Sends what was collected, compressed or not. */
  const begin = (isLarge: boolean) => {
    const collected = first ?? [];
    first = null;
    const encoding = isLarge ? acceptedEncoding(req) : null;
    if (encoding !== null) compressor = startCompressor(res, encoding, write, end);
    for (const chunk of collected) (compressor ?? { write }).write(chunk);
  };
  const isCompressible = () => {
    if (res.headersSent || !isJson(res) || !isAllowed()) return false;
    res.vary("Accept-Encoding");
    return true;
  };

  res.write = ((...args: Parameters<Write>) => {
    if (first?.length === 0 && !isCompressible()) begin(false);
    if (!first) return compressor ? compressor.write(...args) : write(...args);
    const [chunk, encoding, done] = args;
    first.push(octetsOf(chunk, encoding));
    if (sizeOf(first) >= leastOctets) begin(true);
    (typeof encoding === "function" ? encoding : done)?.(null);
    return compressor ? !compressor.writableNeedDrain : true;
  }) as Write;

  res.end = ((...args: Parameters<End>) => {
    if (first) {
      const [chunk, encoding] = args as [unknown, unknown];
      const last =
        chunk === undefined || chunk === null || typeof chunk === "function" ? [] : [octetsOf(chunk, encoding)];
      const isKnown = first.length > 0;
      begin((isKnown || isCompressible()) && sizeOf([...first, ...last]) >= leastOctets);
    }
    if (!compressor) return end(...args);
    compressor.end(...args);
    return res;
  }) as End;
}

function isJson(res: Response): boolean {
  if (res.statusCode === 204 || res.statusCode === 304) return false;
  if (["content-encoding", "etag", "set-cookie"].some((header) => res.hasHeader(header))) return false;
  return /^application\/(?:problem\+)?json(?:;|$)/.test(String(res.getHeader("content-type")));
}

function acceptedEncoding(req: Request): "br" | "gzip" | null {
  if (req.acceptsEncodings("br") === "br") return "br";
  return req.acceptsEncodings("gzip") === "gzip" ? "gzip" : null;
}

/** Returns a stream that compresses into the response, respecting backpressure. */
function startCompressor(res: Response, encoding: "br" | "gzip", write: Write, end: End) {
  res.removeHeader("Content-Length");
  res.setHeader("Content-Encoding", encoding);
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
  };
  const stream = encoding === "br" ? createBrotliCompress({ params }) : createGzip();
  let isOurs = false;
  stream.on("data", (chunk: Buffer) => {
    if (!write(chunk)) stream.pause();
  });
  stream.on("end", () => end());
  stream.on("error", () => res.destroy());
  // The writer waits for the response to drain, which now means this stream.
  stream.on("drain", () => {
    isOurs = true;
    res.emit("drain");
    isOurs = false;
  });
  res.on("drain", () => {
    if (!isOurs) stream.resume();
  });
  res.on("close", () => stream.destroy());
  return stream;
}

function octetsOf(chunk: unknown, encoding: unknown): Buffer {
  if (typeof chunk === "string")
    return Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8");
  return Buffer.from(chunk as Uint8Array);
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
