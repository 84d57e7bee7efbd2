import type { Access, Confirmed, Deprecation, RouteMeta } from "./context.ts";
import type { Permission } from "../access/permissions.ts";

interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: `/${string}`;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  status?: 200 | 201;
  textField?: string;
  errors?: number[];
  costly?: boolean;
  /** Takes bodies up to 16 MiB. */
  largeBody?: boolean;
  /** A body for the API document, where what its fields' examples make does not show what the call is for. */
  example?: Readonly<Record<string, unknown>>;
  /** A DELETE that takes its fields in a body. */
  bodied?: boolean;
  /** Asks for the header `x-confirm-delete` where others would lose something. */
  confirmable?: boolean;
  /** It is to go: its answers and the document say so. */
  deprecated?: Deprecation;
}

function meta(
  route: Route,
  access: Access,
  permission: Permission | null,
  confirmed: Confirmed | null = null,
): RouteMeta {
  const {
    method,
    path,
    operationId,
    tag,
    summary,
    description,
    status = 200,
    textField,
    errors = [],
    example,
    costly = false,
    largeBody = false,
    bodied = false,
    confirmable = false,
    deprecated,
  } = route;
  return {
    openapi: {
      method,
      path,
      operationId,
      summary,
      ...(description === undefined ? {} : { description }),
      tags: [tag],
      protect: access !== "public",
      errorResponses: [],
    },
    status,
    ...(textField === undefined ? {} : { textField }),
    costly,
    ...(largeBody ? { largeBody } : {}),
    errors,
    ...(example ? { example } : {}),
    ...(bodied ? { bodied } : {}),
    ...(confirmable ? { confirmable } : {}),
    ...(deprecated ? { deprecated } : {}),
    permission,
    access,
    confirmed,
  };
}

/** Describes a procedure's REST route, one function for each kind of procedure in `trpc.ts`. */
export const route = {
  open: (route: Route) => meta(route, "public", null),
  awaitingSecondFactor: (route: Route) => meta(route, "awaitingSecondFactor", null),
  signedIn: (route: Route) => meta(route, "signedIn", null),
  confirmed: (route: Route) => meta(route, "signedIn", null, "session"),
  confirmedOrPassword: (route: Route) => meta(route, "signedIn", null, "orPassword"),
  admin: (route: Route) => meta(route, "admin", null),
  confirmedAdmin: (route: Route) => meta(route, "admin", null, "session"),
  /** An administrator; where the body gives access, the service asks `Confirmation.require`. */
  adminGivingAccess: (route: Route) => meta(route, "admin", null, "givingAccess"),
  may: (permission: Permission, route: Route) => meta(route, "signedIn", permission),
  /** An administrator, also by a personal token that carries the permission. */
  adminMay: (permission: Permission, route: Route) => meta(route, "admin", permission),
};
