import type { AnyTRPCRouter } from "@trpc/server";
import type { RequestHandler } from "express";
import type { Day, Deprecation, RouteMeta } from "./context.ts";
import { asLibraryReads, metaOf, patternOf, restProcedures } from "./rest.ts";

/**
 * Announces on the answers of a route that it is to go, refusals included: since when (`Deprecation`, RFC 9745), from when on it may
 * be gone (`Sunset`, RFC 8594), and where to read on and what to call instead (`Link`, RFC 5829 §3.2). To be mounted at /api;
 * null where nothing is to go, so that no call pays for it.
 */
export function announceDeprecations(appRouter: AnyTRPCRouter, siteUrl: string): RequestHandler | null {
  // In the order in which they match: what is to go may look like what stays.
  const routes = restProcedures(asLibraryReads(appRouter)).map(({ name, meta: { deprecated } }) => {
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

/** What the document says of a procedure that is to go. @throws Error when what it names instead is no procedure */
export function deprecationNote(deprecation: Deprecation, appRouter: AnyTRPCRouter): string {
  const { since, sunset, instead } = deprecation;
  const { openapi } = replacement(deprecation, appRouter);
  const end = sunset === undefined ? "" : ` and may be gone from ${sunset} on`;
  const what = openapi ? `\`${openapi.method} ${openapi.path}\`` : `\`${instead}\` over tRPC`;
  return `Deprecated since ${since}${end}: use ${what} instead.`;
}

function replacement({ instead }: Deprecation, appRouter: AnyTRPCRouter): RouteMeta {
  const meta = metaOf(appRouter, instead);
  if (!meta) throw new Error(`There is no procedure ${instead} to use instead of a deprecated one.`);
  return meta;
}

function midnight(day: Day): Date {
  return new Date(`${day}T00:00:00Z`);
}

/** A path with its parameters given; null where one of them is not. */
function filledIn(path: string, parameters: Readonly<Record<string, string | undefined>>): string | null {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (names.some((name) => parameters[name] === undefined)) return null;
  // What no address may hold unencoded would end the link early.
  const value = (name: string) => (parameters[name] ?? "").replaceAll(/[^\w.~%-]/g, encodeURIComponent);
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => value(name));
}
