import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import express, { type Request, type Response, type RequestHandler, type Router } from "express";
import { brotliCompressSync, gzipSync, brotliCompress, gzip } from "node:zlib";
import { promisify } from "node:util";

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
const unbuiltPage =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Zonewright</title>' +
  "<p>The pages of this service are not built. Run <code>npm ci</code> without <code>--omit=dev</code>, then restart the service.</p>" +
  '<p>The API works without them: see <a href="/api/openapi.json">its document</a>.</p></html>\n';

/** A file of a built page, with its compressed forms. */
interface BuiltFile {
  type: string;
  identity: Buffer;
  br: Buffer | null;
  gzip: Buffer | null;
}

/** A built page: its `index.html`, and its other files by their path, such as `/assets/index-abc.js`. */
interface BuiltPage {
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
function builtPage(folder: "dist" | "dist-reference"): BuiltPage | null {
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
function sendIndex(req: Request, res: Response, index: BuiltFile): void {
  res.setHeader("Content-Security-Policy", pagePolicy);
  send(req, res, index, "no-cache");
}

/** Sends a file of a page. @param path within the page: what lies in `/assets/` has its content in its name, so it never changes */
function sendFile(req: Request, res: Response, path: string, file: BuiltFile): void {
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

/** Paths of the server, which never return the console's page. */
const serverPaths = /^\/(?:api|trpc|oauth|nic|pdns|assets|healthz|readyz|metrics|version|\.well-known)(?:\/|$)/;

/**
 * Serves the web console: its hashed assets, and its page for every other path, unless the caller prefers JSON. The server's own paths go on
 * to the next handler, so API errors stay problem documents whatever the Accept header says.
 * @param siteUrl the public URL if SITE_URL is set, else null: the page then moves there, because passkeys are bound to it
 */
export function consoleHttp(siteUrl: string | null, page: BuiltPage | null = builtPage("dist")): RequestHandler {
  const index = page && withSite(page.index, siteUrl);
  return (req, res, next) => {
    if (req.method !== "GET" && req.method !== "HEAD") {
      next();
      return;
    }
    const file = page?.files.get(req.path);
    if (file) {
      sendFile(req, res, req.path, file);
    } else if (serverPaths.test(req.path) || req.accepts(["html", "json"]) !== "html") {
      next();
    } else if (index) {
      sendIndex(req, res, index);
    } else {
      res.status(503).type("html").send(unbuiltPage);
    }
  };
}

/** Writes SITE_URL into the page, where the console reads it. */
function withSite(index: BuiltFile, siteUrl: string | null): BuiltFile {
  if (siteUrl === null) return index;
  const escaped = siteUrl.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const text = index.identity
    .toString()
    .replace('name="zonewright-site" content=""', () => `name="zonewright-site" content="${escaped}"`);
  const identity = Buffer.from(text);
  return { ...index, identity, br: brotliCompressSync(identity), gzip: gzipSync(identity) };
}

/**
 * Serves the API document, which anyone may request. It is printed and compressed once: doing so for each request would take longer than most calls.
 * @param make called at the first request
 */
export function documentPage(make: () => Promise<object>): RequestHandler {
  const print = async () => {
    const identity = Buffer.from(JSON.stringify(await make()));
    const [br, zipped] = await Promise.all([promisify(brotliCompress)(identity), promisify(gzip)(identity)]);
    // Of the content, whatever its encoding.
    const etag = `W/"${createHash("sha256").update(identity).digest("base64url").slice(0, 22)}"`;
    return { etag, identity, br, gzip: zipped };
  };
  let printed: ReturnType<typeof print> | undefined;
  return async (req, res) => {
    const bodies = await (printed ??= print());
    const accepted = req.acceptsEncodings(["br", "gzip", "identity"]);
    const encoding = accepted === "br" || accepted === "gzip" ? accepted : "identity";
    res.type("json").vary("Accept-Encoding");
    // Readers ask whether it has changed: half a megabyte is not sent again until the service is updated.
    res.setHeader("Cache-Control", "no-cache");
    res.setHeader("ETag", bodies.etag);
    // Not `req.fresh`: programs that keep it themselves also send `Cache-Control: no-cache`.
    const known = req.get("If-None-Match")?.split(",") ?? [];
    if (known.some((etag) => etag.trim() === bodies.etag)) {
      res.status(304).end();
      return;
    }
    if (encoding !== "identity") res.setHeader("Content-Encoding", encoding);
    res.setHeader("Content-Length", bodies[encoding].length);
    res.end(bodies[encoding]);
  };
}

/** Serves the API reference: a page that shows the document, and makes calls with the session or the token that its reader has. */
export function docsPage(): Router {
  const router = express.Router();
  const page = builtPage("dist-reference");
  router.get("/", (req, res) => {
    if (page) sendIndex(req, res, page.index);
    else res.status(503).type("html").send(unbuiltPage);
  });
  router.get("/*path", (req, res, next) => {
    const file = page?.files.get(req.path);
    if (file) sendFile(req, res, req.path, file);
    else next();
  });
  return router;
}
