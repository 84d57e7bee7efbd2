import { Router, type NextFunction, type Request, type Response } from "express";
import { visitor, type Actor } from "../../access/caller.ts";
import type { EntityManager } from "../../database/database.ts";
import { countCall } from "../../api/limits/requests.ts";
import type { ServerContext } from "../../api/trpc.ts";
import { FewLines } from "../../platform/log.ts";
import type { IdentityServices } from "./compose.ts";
import { SignInFailure, type FrontEndQuery } from "./external-sign-in.ts";
import { setArrivalCookie, setFlowCookie } from "./cookies.ts";
import { clearSiteCookie } from "../auth/known-devices.ts";
import { knownProvider } from "./providers/provider.ts";
import type { ProviderId } from "../../database/tables/identity.ts";

interface Visit {
  req: Request;
  context: ServerContext;
  em: EntityManager;
  actor: Actor;
}

/** Routes of external sign-in, which redirect browsers to the provider or to the console. */
export function identityHttp(
  createContext: (req: Request, res: Response) => ServerContext,
  { externalSignIn, identityAddresses }: Pick<IdentityServices, "externalSignIn" | "identityAddresses">,
): Router {
  const router = Router();
  const failures = new FewLines();

  /** Returns a handler that redirects to the URL from `find`. */
  const redirect =
    (find: (visit: Visit) => Promise<string>) => async (req: Request, res: Response, next: NextFunction) => {
      // A HEAD request must not start or complete a flow.
      if (req.method === "HEAD") {
        next();
        return;
      }
      const context = createContext(req, res);
      const { gate, http, requestId } = context;
      const actor = visitor(http, requestId);
      await countCall(gate.requestLimits, http, actor);
      const location = await find({ req, context, em: gate.database.fork(), actor });
      res.status(302).setHeader("Location", location).end();
    };

  const comeBack = (providersOf: (req: Request) => readonly ProviderId[]) =>
    redirect(async ({ req, context, em, actor }) => {
      const { http } = context;
      const back = { callbackOf: providersOf(req), query: queryOf(req), cookie: (name: string) => http.cookie(name) };
      const named = externalSignIn.named(back);
      if (named && back.callbackOf.includes(named.providerId)) clearSiteCookie(http, named.cookieName);
      const outcome = await orFailure(context, named?.providerId ?? null, failures, () =>
        externalSignIn.complete(em, actor, back),
      );
      setArrivalCookie(http, identityAddresses.siteUrl, outcome);
      return identityAddresses.frontEnd(outcome);
    });

  router.get(
    "/api/auth/oauth/:providerId/authorize",
    redirect(async ({ req, context, em }) => {
      const { http } = context;
      const providerId = knownProvider(String(req.params["providerId"]));
      const fresh = queryOf(req).get("prompt") === "login";
      let target = "";
      const failure = await orFailure(context, providerId, failures, async () => {
        const { url, cookie } = await externalSignIn.begin(em, providerId, { fresh });
        setFlowCookie(http, cookie);
        target = url;
        return {};
      });
      return target === "" ? identityAddresses.frontEnd(failure) : target;
    }),
  );
  router.get(
    "/api/auth/oauth/:providerId/callback",
    comeBack((req) => [knownProvider(String(req.params["providerId"]))]),
  );
  router.get(
    "/oauth/oidc",
    comeBack(() => ["oidc", "custom"]),
  );
  return router;
}

/** Returns the outcome for the console, or an error code, and logs the reason of a failure. */
async function orFailure(
  { gate, requestId }: ServerContext,
  providerId: ProviderId | null,
  failures: FewLines,
  work: () => Promise<FrontEndQuery>,
): Promise<FrontEndQuery> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    const { code, message: reason } = error;
    failures.write((more) => {
      gate.log.warn({ requestId, providerId, failure: code, reason, ...more }, "external sign-in failed");
    });
    return { error: code };
  }
}

/** Parses the original query, because Express merges repeated parameters. */
function queryOf(req: Request): URLSearchParams {
  return new URLSearchParams(req.originalUrl.replace(/^[^?]*\??/s, ""));
}
