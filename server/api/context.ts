import type { TRPC_ERROR_CODE_NUMBER } from "@trpc/server";
import type { Permission } from "../access/permissions.ts";
import type { ErrorCode, Issue } from "../platform/errors.ts";
import type { HttpPort } from "../platform/http-port.ts";

export interface Context {
  requestId: string;
  http: HttpPort;
}

/** A tRPC error's `data`. */
interface ErrorData {
  code: ErrorCode;
  httpStatus: number;
  title: string;
  issues: Issue[] | null;
  requestId: string | null;
}

/** An error as tRPC sends it. `code` is a JSON-RPC code. */
export interface ErrorShape {
  message: string;
  code: TRPC_ERROR_CODE_NUMBER;
  data: ErrorData;
}

/**
 * Who may call a procedure. `awaitingSecondFactor`: only a `tempToken`, during a sign-in that awaits its second factor. `auditor`:
 * administrators and auditors. `narrowed`: only narrowed personal tokens, also as the password of Basic authentication.
 */
export type Access = "narrowed" | "public" | "awaitingSecondFactor" | "signedIn" | "auditor" | "admin";

/**
 * The confirmation that a call requires because it changes how an account can be accessed. `session`: a session confirmed within the last
 * ten minutes. `orPassword`: such a session, or the correct current password in the body. `givingAccess`: such a session, but only if the
 * body grants access or removes a protection.
 */
export type Confirmed = "session" | "orPassword" | "givingAccess";

/** A date in UTC, such as `2027-01-31`. */
export type Day = `${number}-${number}-${number}`;

/** Marks a procedure as deprecated. See docs/compatibility.md for how long it remains. */
export interface Deprecation {
  since: Day;
  /** Date from which it may be removed. */
  sunset?: Day;
  /** The dotted name of the procedure to use instead. */
  instead: string;
}

/** A procedure's REST route and its description in the API document. */
export interface RouteMeta {
  openapi?: {
    method: "GET" | "POST" | "PUT" | "DELETE";
    /** Below /api; parameters in braces. */
    path: `/${string}`;
    operationId: string;
    summary: string;
    description?: string;
    tags: string[];
    protect: boolean;
    errorResponses: number[];
  };
  /** An example body for the API document. */
  example?: Readonly<Record<string, unknown>>;
  /** A DELETE with a body instead of query parameters, because secrets do not belong in URLs. */
  bodied?: boolean;
  /** Accepts the header `x-confirm-delete`. */
  confirmable?: boolean;
  /** HTTP status on success. */
  status?: 200 | 201 | 202;
  /** The REST body is this string field of the output, as plain text. */
  textField?: string;
  /** Accepts bodies up to 16 MiB from authenticated callers. Its input must be in `server/composition/large-worker.ts`. */
  largeBody?: boolean;
  /** Expensive here or at a provider: has a stricter rate limit, except for dry runs. */
  costly?: boolean;
  /** Error statuses in addition to those that the kind of procedure implies. */
  errors?: number[];
  /** The permission that personal tokens need; null if they cannot call it. */
  permission?: Permission | null;
  /** Personal tokens may call it whatever their permissions. */
  anyToken?: true;
  access?: Access;
  /** Null if no confirmation is required. */
  confirmed?: Confirmed | null;
  deprecated?: Deprecation;
}
