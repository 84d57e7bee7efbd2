import type { TRPC_ERROR_CODE_NUMBER } from "@trpc/server";
import type { Permission } from "../access/permissions.ts";
import type { ErrorCode, Issue } from "../platform/errors.ts";
import type { HttpPort } from "../platform/http-port.ts";

export interface Context {
  requestId: string;
  http: HttpPort;
}

/** What a tRPC client finds under `error.data`. */
interface ErrorData {
  code: ErrorCode;
  httpStatus: number;
  title: string;
  issues: Issue[] | null;
  requestId: string | null;
}

/** An error as tRPC sends it; `code` is JSON-RPC's. */
export interface ErrorShape {
  message: string;
  code: TRPC_ERROR_CODE_NUMBER;
  data: ErrorData;
}

/** Who gets in. `awaitingSecondFactor`: only a `tempToken`, while a second factor is awaited. */
export type Access = "public" | "awaitingSecondFactor" | "signedIn" | "admin";

/**
 * What a call asks for that changes a way into the account, beyond a sign-in. `session`: a session that was confirmed within the last ten minutes.
 * `orPassword`: the same, or the right current password in the body. `givingAccess`: a confirmed session, but only for a body that gives
 * access or takes a protection away.
 */
export type Confirmed = "session" | "orPassword" | "givingAccess";

/** A day, which begins at midnight UTC: `2027-01-31`. */
export type Day = `${number}-${number}-${number}`;

/** That a procedure is to go (docs/compatibility.md tells how long it stays). */
export interface Deprecation {
  since: Day;
  /** From when on it may be gone. */
  sunset?: Day;
  /** What to use instead: a procedure's dotted name. */
  instead: string;
}

/** How a procedure is offered over REST and described in the API document. */
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
  /** A body as an example, for the API document. */
  example?: Readonly<Record<string, unknown>>;
  /** A DELETE that takes its fields in a body instead of the query: what is secret has no place in an address. */
  bodied?: boolean;
  /** Takes the header `x-confirm-delete`. */
  confirmable?: boolean;
  /** Status of success. */
  status?: 200 | 201;
  /** The REST body is this string field of the output, as plain text. */
  textField?: string;
  /** Takes bodies up to 16 MiB of those who have signed in; `server/composition/large-inputs.ts` has what it takes. */
  largeBody?: boolean;
  /** Makes much work here or at a provider: limited more tightly, but for a dry run. */
  costly?: boolean;
  /** Statuses beyond those that the kind of procedure implies. */
  errors?: number[];
  /** Which personal-token permission opens it; null where no personal token does. */
  permission?: Permission | null;
  access?: Access;
  /** Null where a sign-in is enough, however old. */
  confirmed?: Confirmed | null;
  deprecated?: Deprecation;
}
