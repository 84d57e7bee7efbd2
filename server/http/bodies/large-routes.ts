import type { AnyTRPCRouter } from "@trpc/server";
import type { Request } from "express";
import type { Permission } from "../../access/permissions.ts";
import { patternOf, restProcedures } from "../../api/rest.ts";

/** A call that takes a large body. */
export interface LargeCall {
  procedure: string;
  permission: Permission | null;
  /** What the address says beside the body; null over tRPC, where the body says all. */
  inPath: Readonly<Record<string, string>> | null;
}

/** Finds the calls whose body may be large, by the address of a request and before anything of its body is read. */
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
