import type { Access, Confirmed, Deprecation, RouteMeta } from "./context.ts";
import type { Permission } from "../access/permissions.ts";

/** The REST route of a procedure, and what the API document says of it. */
export interface Route {
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

/** What a kind of procedure asks of its caller. */
export interface Needs {
  access: Access;
  /** The permission by which personal tokens may call it; null: none may. */
  permission?: Permission | null;
  confirmed?: Confirmed | null;
}

/** What tRPC keeps of a procedure: its route, and what it needs. */
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
