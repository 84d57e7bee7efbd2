import type { Access, Confirmed, Deprecation, RouteMeta } from "./context.ts";
import type { Permission } from "../access/permissions.ts";

/** The REST route of a procedure and its description in the API document. */
export interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: `/${string}`;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  status?: 200 | 201 | 202;
  textField?: string;
  errors?: number[];
  costly?: boolean;
  /** Accepts bodies up to 16 MiB. */
  largeBody?: boolean;
  /** An example body for the API document, if the fields' own examples do not show the purpose of the call. */
  example?: Readonly<Record<string, unknown>>;
  /** A DELETE with a body instead of query parameters. */
  bodied?: boolean;
  /** Requires the header `x-confirm-delete` if other users would lose something. */
  confirmable?: boolean;
  /** Announces the deprecation in responses and in the API document. */
  deprecated?: Deprecation;
}

/** What a kind of procedure requires of its caller. */
export interface Needs {
  access: Access;
  /** The permission that personal tokens need; null if they cannot call it. */
  permission?: Permission | null;
  confirmed?: Confirmed | null;
}

/** Returns a procedure's metadata: its route and requirements. */
export function routeMeta(route: Route, { access, permission = null, confirmed = null }: Needs): RouteMeta {
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
