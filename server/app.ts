import type { AnyTRPCRouter } from "@trpc/server";
import { createExpressMiddleware } from "@trpc/server/adapters/express";
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from "express";
import { consoleHttp, docsPage, documentPage } from "./api/http/built-pages.ts";
import { compression } from "./api/http/compression.ts";
import {
  cors,
  bodyError,
  readableHead,
  securityHeaders,
  jsonBody,
  httpPort,
  requestIdOf,
  withConnectionToken,
  measured,
  metricsPage,
} from "./api/http/request.ts";
import { announceDeprecations } from "./api/deprecation.ts";
import { stopping } from "./platform/errors.ts";
import { logFailure, sendProblem } from "./api/failures.ts";
import { sendLargeOverTrpc } from "./api/large-answers.ts";
import { unmatchedRoute } from "./api/http/methods.ts";
import { identityHttp } from "./accounts/identity/http.ts";
import { notificationsHttp } from "./notifications/http.ts";
import { passToTrpc } from "./api/trpc-input.ts";
import { restHandler } from "./api/rest.ts";
import { createAppRouter } from "./router.ts";
import { dynamicAddressPage } from "./dns-service/update-clients/http.ts";
import { powerdnsApi, sendPowerdnsError } from "./dns-service/update-clients/powerdns-api/http.ts";
import { errorOf, rememberRequestId, type ServerContext } from "./api/trpc.ts";
import { version } from "./platform/version.ts";
import { loadUndici } from "./platform/net/http-agent.ts";
import { loadedLate } from "./platform/late-modules.ts";

loadedLate(loadUndici);
const loadDocument = loadedLate(() => import("./api/openapi/document.ts"));

type Services = Parameters<typeof createAppRouter>[0];
type CreateContext = (req: Request, res: Response) => ServerContext;

/** Builds an application with what every request goes through. */
function baseApp(services: Services): { app: Express; createContext: CreateContext } {
  const { config } = services;
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.set(
    "trust proxy",
    config.trustProxy.length === 1 && /^\d+$/.test(config.trustProxy[0] ?? "")
      ? Number(config.trustProxy[0])
      : config.trustProxy,
  );

  const secureCookies = config.siteUrl.startsWith("https:");
  const createContext: CreateContext = (req, res) => ({
    requestId: requestIdOf(req, res),
    http: httpPort(req, res, secureCookies),
    gate: services,
  });

  app.use((req, res, next) => {
    requestIdOf(req, res);
    // Responses contain tokens and private records, which caches must not store.
    res.setHeader("Cache-Control", "no-store");
    next();
  });
  app.use(measured(services.metrics));
  app.use(securityHeaders(config.siteUrl));
  app.use(readableHead);
  return { app, createContext };
}

/** Ends connections and refuses requests during a shutdown. */
function refuseDraining({ health }: Services): RequestHandler {
  const { draining } = health;
  return (_req, res, next) => {
    if (!draining.aborted) {
      next();
      return;
    }
    res.setHeader("Connection", "close");
    next(stopping());
  };
}

/** Builds the application for PDNS_LISTEN: PowerDNS's API alone, at the paths that PowerDNS has. */
export function createPowerdnsApp(services: Services): Express {
  const { app, createContext } = baseApp(services);
  app.use(refuseDraining(services));
  app.use(powerdnsApi(createContext, services));
  const onError: ErrorRequestHandler = (error: unknown, req, res, _next) => {
    sendPowerdnsError(createContext(req, res), res, error);
  };
  app.use(onError);
  return app;
}

/**
 * Sets the JSON content type where tRPC's adapter omits it: an error before the procedure is known is sent as `text/plain`, the default of a
 * Fetch `Response`.
 */
function declareJson(res: Response): void {
  const setHeader = res.setHeader.bind(res);
  res.setHeader = (name, value) => {
    const plain = name.toLowerCase() === "content-type" && String(value).startsWith("text/plain");
    return setHeader(name, plain ? "application/json" : value);
  };
}

/** Builds the HTTP application. Everything is mounted here, in order. @param router the procedures to serve */
export function createApp(services: Services, router: AnyTRPCRouter = createAppRouter(services)): Express {
  const { config, health } = services;
  const { app, createContext } = baseApp(services);
  app.use(compression(router));

  app.get("/healthz", (_req, res) => {
    res.json({ status: "ok" });
  });
  app.get("/readyz", async (_req, res) => {
    const state = await health.readiness();
    res.status(state.ready ? 200 : 503).json(state);
  });

  app.get("/version", (_req, res) => {
    res.json({ name: "zonewright", version });
  });

  app.get("/metrics", metricsPage(services.metrics));

  app.use(cors(config.corsOrigins));
  const announced = announceDeprecations(router, config.siteUrl);
  if (announced) app.use("/api", announced);
  app.use(refuseDraining(services));
  app.use("/pdns", powerdnsApi(createContext, services));
  app.use(jsonBody(router, createContext));

  // The document, and the library that makes it, take longer than the rest of the app: loaded when first requested.
  const document = documentPage(async () => {
    const { openApiDocument } = await loadDocument();
    return openApiDocument(router, { version, siteUrl: config.siteUrl });
  });
  app.get("/api/openapi.json", document);
  app.use("/api/docs", docsPage());
  const trpc = createExpressMiddleware({
    router,
    createContext: ({ req, res, info }) => {
      const context = withConnectionToken(createContext(req, res), info);
      res.locals["context"] = context;
      return context;
    },
    allowBatching: false,
    onError({ error, req, type }) {
      const res = req.res as Response;
      const requestId = requestIdOf(req, res);
      rememberRequestId(error, requestId);
      logFailure(services, errorOf(error), { requestId });
      if (error.code === "METHOD_NOT_SUPPORTED") res.setHeader("Allow", type === "mutation" ? "POST" : "GET");
    },
  });
  app.use("/trpc", (req, res, next) => {
    // tRPC's adapter would use only the part after the last slash.
    if (req.path.includes("/", 1)) {
      next();
      return;
    }
    if (req.body !== undefined) passToTrpc(req, res);
    declareJson(res);
    sendLargeOverTrpc(res, () => (res.locals["context"] as ServerContext | undefined)?.large);
    trpc(req, res, next);
  });
  app.use(identityHttp(createContext, services));
  app.use(notificationsHttp(createContext, services));
  app.get("/nic/update", dynamicAddressPage(createContext, services));
  app.get("/api/calendar/:token.ics", services.calendarPage(createContext));
  app.use("/api", restHandler(router, createContext));

  if (config.console) app.use(consoleHttp(config.canonical ? config.siteUrl : null));
  app.use(unmatchedRoute(app, router));
  const onError: ErrorRequestHandler = (error: unknown, req, res, _next) => {
    const appError = bodyError(error) ?? errorOf(error);
    const requestId = requestIdOf(req, res);
    logFailure(services, appError, { requestId });
    if (res.headersSent) res.destroy();
    else sendProblem(res, appError, requestId);
  };
  app.use(onError);
  return app;
}
