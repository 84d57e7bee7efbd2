import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import express, { type RequestHandler, type Router } from "express";
import { builtPage, sendFile, sendIndex, unbuiltPage } from "./built-pages.ts";

/**
 * Serves the API document, which anyone may request. It is printed and compressed once: doing so for each request would take longer than most calls.
 * @param make called at the first request
 */
export function documentPage(make: () => Promise<object>): RequestHandler {
  const print = async () => {
    const identity = Buffer.from(JSON.stringify(await make()));
    const [br, zipped] = await Promise.all([promisify(brotliCompress)(identity), promisify(gzip)(identity)]);
    return { identity, br, gzip: zipped };
  };
  let printed: ReturnType<typeof print> | undefined;
  return async (req, res) => {
    const bodies = await (printed ??= print());
    const accepted = req.acceptsEncodings(["br", "gzip", "identity"]);
    const encoding = accepted === "br" || accepted === "gzip" ? accepted : "identity";
    res.type("json").vary("Accept-Encoding");
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
