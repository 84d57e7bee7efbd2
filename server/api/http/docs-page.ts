import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import express, { type RequestHandler, type Router } from "express";
// The package's index would load the whole bundle, which only browsers run.
import absolutePath from "swagger-ui-dist/absolute-path.js";

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Zonewright API</title>
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/api/docs/swagger-ui-bundle.js"></script>
<script src="/api/docs/start.js"></script>
</body>
</html>
`;

const start = `SwaggerUIBundle({ url: "/api/openapi.json", dom_id: "#swagger-ui", deepLinking: true, persistAuthorization: false });\n`;

const assets = new Set(["swagger-ui.css", "swagger-ui-bundle.js", "favicon-16x16.png", "favicon-32x32.png"]);

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

/** Serves the API document as a Swagger UI page, with all assets from the installed package. */
export function docsPage(): Router {
  const router = express.Router();
  const folder = absolutePath();
  router.use((_req, res, next) => {
    res.setHeader(
      "Content-Security-Policy",
      "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; " +
        "frame-ancestors 'none'",
    );
    res.setHeader("Cache-Control", "public, max-age=3600");
    next();
  });
  router.get("/", (_req, res) => {
    res.type("html").send(page);
  });
  router.get("/start.js", (_req, res) => {
    res.type("js").send(start);
  });
  router.get("/:asset", (req, res, next) => {
    if (assets.has(req.params.asset)) res.sendFile(req.params.asset, { root: folder });
    else next();
  });
  return router;
}
