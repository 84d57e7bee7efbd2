import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Request, RequestHandler, Response } from "express";

/**
 * The policy of the console's page: only its own scripts, styles, fonts and calls, and no HTML from strings. Styles that scripts set go
 * through the CSSOM, which the policy allows.
 */
const policy = [
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

/** Paths of the server, which never return the console's page. */
const serverPaths = /^\/(?:api|trpc|oauth|nic|pdns|assets|healthz|readyz|metrics|version|\.well-known)(?:\/|$)/;

const unbuilt =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Zonewright</title>' +
  "<p>The web console is not built. Run <code>npm ci</code> without <code>--omit=dev</code>, then restart the service.</p>" +
  '<p>The API works without it: see <a href="/api/docs">its documentation</a>.</p></html>\n';

/** A file of the built console, with its compressed forms. */
interface ConsoleFile {
  type: string;
  identity: Buffer;
  br: Buffer | null;
  gzip: Buffer | null;
}

/** The built console: `index.html`, and the other files by their path, such as `/assets/index-abc.js`. */
interface ConsoleBundle {
  index: ConsoleFile;
  files: ReadonlyMap<string, ConsoleFile>;
}

/**
 * Serves the web console: its hashed assets, and its page for every other path, unless the caller prefers JSON. The server's own paths go on
 * to the next handler, so API errors stay problem documents whatever the Accept header says.
 * @param siteUrl the public URL if SITE_URL is set, else null: the page then moves there, because passkeys are bound to it
 */
export function consoleHttp(siteUrl: string | null, bundle: ConsoleBundle | null = ourBundle()): RequestHandler {
  const index = bundle && withSite(bundle.index, siteUrl);
  return (req, res, next) => {
    if (req.method !== "GET" && req.method !== "HEAD") {
      next();
      return;
    }
    const file = bundle?.files.get(req.path);
    if (file) {
      const immutable = req.path.startsWith("/assets/");
      send(req, res, file, immutable ? "public, max-age=31536000, immutable" : "public, max-age=3600");
    } else if (serverPaths.test(req.path) || req.accepts(["html", "json"]) !== "html") {
      next();
    } else if (index) {
      res.setHeader("Content-Security-Policy", policy);
      send(req, res, index, "no-cache");
    } else {
      res.status(503).type("html").send(unbuilt);
    }
  };
}

function send(req: Request, res: Response, file: ConsoleFile, cacheControl: string): void {
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

/** Writes SITE_URL into the page, where the console reads it. */
function withSite(index: ConsoleFile, siteUrl: string | null): ConsoleFile {
  if (siteUrl === null) return index;
  const escaped = siteUrl.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const text = index.identity
    .toString()
    .replace('name="zonewright-site" content=""', () => `name="zonewright-site" content="${escaped}"`);
  const identity = Buffer.from(text);
  return { ...index, identity, br: brotliCompressSync(identity), gzip: gzipSync(identity) };
}

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/** The folder that the build writes to. */
const consoleFolder = join(import.meta.dirname, "../../../web/dist");

let ours: ConsoleBundle | null = null;

/** This installation's console, read once it is built; null before that. */
function ourBundle(): ConsoleBundle | null {
  ours ??= readBundle(consoleFolder);
  return ours;
}

/** Reads a built console into memory. Returns null if it was not built. */
function readBundle(folder: string): ConsoleBundle | null {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return null;
  }
  const present = new Set(names);
  const files = new Map<string, ConsoleFile>();
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
