import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Request, Response } from "express";

/**
 * The policy of our own pages: only their own scripts, styles, fonts and calls, and no HTML from strings. Styles that scripts set go
 * through the CSSOM, which the policy allows.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** What is served in place of a page that was not built. */
export const unbuiltPage =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Zonewright</title>' +
  "<p>The pages of this service are not built. Run <code>npm ci</code> without <code>--omit=dev</code>, then restart the service.</p>" +
  '<p>The API works without them: see <a href="/api/openapi.json">its document</a>.</p></html>\n';

/** A file of a built page, with its compressed forms. */
export interface BuiltFile {
  type: string;
  identity: Buffer;
  br: Buffer | null;
  gzip: Buffer | null;
}

/** A built page: its `index.html`, and its other files by their path, such as `/assets/index-abc.js`. */
export interface BuiltPage {
  index: BuiltFile;
  files: ReadonlyMap<string, BuiltFile>;
}

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

const read = new Map<string, BuiltPage>();

/** Reads a page of this installation into memory, once. Returns null while it is not built. @param folder in `web/` */
export function builtPage(folder: "dist" | "dist-reference"): BuiltPage | null {
  const known = read.get(folder) ?? readPage(join(import.meta.dirname, "../../../web", folder));
  if (known) read.set(folder, known);
  return known;
}

function readPage(folder: string): BuiltPage | null {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return null;
  }
  const present = new Set(names);
  const files = new Map<string, BuiltFile>();
  for (const name of names) {
    const type = types[name.slice(name.lastIndexOf(".") + 1)];
    if (type === undefined) continue;
    const form = (suffix: string) => (present.has(name + suffix) ? readFileSync(join(folder, name + suffix)) : null);
    const identity = readFileSync(join(folder, name));
    files.set(`/${name.replaceAll("\\", "/")}`, { type, identity, br: form(".br"), gzip: form(".gz") });
  }
  const index = files.get("/index.html");
  if (!index) return null;
  files.delete("/index.html");
  return { index, files };
}

/** Sends a page itself. */
export function sendIndex(req: Request, res: Response, index: BuiltFile): void {
  res.setHeader("Content-Security-Policy", pagePolicy);
  send(req, res, index, "no-cache");
}

/** Sends a file of a page. @param path within the page: what lies in `/assets/` has its content in its name, so it never changes */
export function sendFile(req: Request, res: Response, path: string, file: BuiltFile): void {
  const immutable = path.startsWith("/assets/");
  send(req, res, file, immutable ? "public, max-age=31536000, immutable" : "public, max-age=3600");
}

function send(req: Request, res: Response, file: BuiltFile, cacheControl: string): void {
  res.setHeader("Cache-Control", cacheControl);
  res.setHeader("Content-Type", file.type);
  res.vary("Accept-Encoding");
  const encoding = req.acceptsEncodings(["br", "gzip", "identity"]);
  const body = encoding === "br" ? file.br : encoding === "gzip" ? file.gzip : null;
  if (body) res.setHeader("Content-Encoding", String(encoding));
  // Not `send`, which would compute an ETag of the whole body for each request.
  res.setHeader("Content-Length", (body ?? file.identity).length);
  res.end(req.method === "HEAD" ? undefined : (body ?? file.identity));
}
