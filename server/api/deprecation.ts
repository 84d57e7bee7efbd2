import type { AnyTRPCRouter } from "@trpc/server";
import type { RequestHandler } from "express";
import type { Day, Deprecation, RouteMeta } from "./context.ts";
import { forLibrary, metaOf, patternOf, restProcedures } from "./rest.ts";

/**
 * Sets deprecation headers on all responses of deprecated routes, including errors: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and
 * `Link` to the documentation and the successor (RFC 5829 §3.2). Mount at /api. Returns null if nothing is deprecated, so that calls have
 * no overhead.
 */
export function announceDeprecations(appRouter: AnyTRPCRouter, siteUrl: string): RequestHandler | null {
  // In matching order, because a deprecated route may overlap with another.
  const routes = restProcedures(forLibrary(appRouter)).map(({ name, meta: { deprecated } }) => {
    const { method, path = "" } = metaOf(appRouter, name)?.openapi ?? {};
    const successor = deprecated ? replacement(deprecated, appRouter).openapi?.path : undefined;
    return { method, pattern: patternOf(path), deprecated, successor: successor ?? null };
  });
  if (!routes.some(({ deprecated }) => deprecated)) return null;

  return (req, res, next) => {
    const method = req.method === "HEAD" ? "GET" : req.method;
    const route = routes.find((one) => one.method === method && one.pattern.test(req.path));
    if (route?.deprecated) {
      const { since, sunset } = route.deprecated;
      res.setHeader("Deprecation", `@${midnight(since).getTime() / 1000}`);
      if (sunset !== undefined) res.setHeader("Sunset", midnight(sunset).toUTCString());
      const links = [`<${siteUrl}/api/docs>; rel="deprecation"; type="text/html"`];
      const successor = route.successor && filledIn(route.successor, route.pattern.exec(req.path)?.groups ?? {});
      if (successor !== null) links.push(`<${siteUrl}/api${successor}>; rel="successor-version"`);
      res.setHeader("Link", links.join(", "));
    }
    next();
  };
}

/** Returns the deprecation notice for the API document. @throws Error if the procedure to use instead does not exist */
export function deprecationNote(deprecation: Deprecation, appRouter: AnyTRPCRouter): string {
  const { since, sunset, instead } = deprecation;
  const { openapi } = replacement(deprecation, appRouter);
  const end = sunset === undefined ? "" : `, may be removed from ${sunset} on`;
  const what = openapi ? `\`${openapi.method} ${openapi.path}\`` : `\`${instead}\` over tRPC`;
  return `Deprecated since ${since}${end}. Use ${what} instead.`;
}

function replacement({ instead }: Deprecation, appRouter: AnyTRPCRouter): RouteMeta {
  const meta = metaOf(appRouter, instead);
  if (!meta) throw new Error(`The procedure ${instead}, named as the replacement of a deprecated one, does not exist.`);
  return meta;
}

function midnight(day: Day): Date {
  return new Date(`${day}T00:00:00Z`);
}

/** Fills in a path's parameters. Returns null if one is missing. */
function filledIn(path: string, parameters: Readonly<Record<string, string | undefined>>): string | null {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (names.some((name) => parameters[name] === undefined)) return null;
  // Unencoded special characters would end the link early.
  const value = (name: string) => (parameters[name] ?? "").replaceAll(/[^\w.~%-]/g, encodeURIComponent);
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => value(name));
}
