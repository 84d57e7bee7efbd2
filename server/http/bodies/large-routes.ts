import type { AnyTRPCRouter } from "@trpc/server";
import type { Request } from "express";
import type { Permission } from "../../access/permissions.ts";
import { patternOf, restProcedures } from "../../api/rest.ts";

/** A call that accepts a large body. */
export interface LargeCall {
  procedure: string;
  permission: Permission | null;
  /** Input fields from the path; null for tRPC, where the body contains all input. */
  inPath: Readonly<Record<string, string>> | null;
}

/** Returns a function that matches requests to calls with large bodies by method and path, before the body is read. */
export function largeCalls(router: AnyTRPCRouter): (req: Request) => LargeCall | null {
  const routes = restProcedures(router).flatMap(({ name, meta: { openapi, largeBody = false, permission = null } }) =>
    openapi && largeBody
      ? [{ procedure: name, permission, method: openapi.method, pattern: patternOf(`/api${openapi.path}`) }]
      : [],
  );
  return ({ method, path }) => {
    for (const { procedure, permission, ...route } of routes) {
      if (method === "POST" && path === `/trpc/${procedure}`) return { procedure, permission, inPath: null };
      const inPath = method === route.method ? route.pattern.exec(path) : null;
      if (inPath) return { procedure, permission, inPath: { ...inPath.groups } };
    }
    return null;
  };
}
