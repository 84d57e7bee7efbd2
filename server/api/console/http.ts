import { brotliCompressSync, gzipSync } from "node:zlib";
import type { RequestHandler } from "express";
import { builtPage, sendFile, sendIndex, unbuiltPage, type BuiltFile, type BuiltPage } from "../http/built-pages.ts";

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
