import type { AnyTRPCProcedure } from "@trpc/server";
import { bearerOf, type Identified, permitted } from "../access/authenticator.ts";
import { type Caller, onlyAdministrators, visitor } from "../access/caller.ts";
import type { Permission } from "../access/permissions.ts";
import { readsEverything } from "../access/zone-access.ts";
import { AppError } from "../platform/errors.ts";
import type { RouteMeta, Access, Confirmed, Deprecation } from "./context.ts";
import { guarded, type Admission, type Call } from "./trpc.ts";

/** A kind of procedure: `needs` is published in the API document, `admit` enforces it. */
function kind<Admitted extends Admission>(needs: Needs, admit: (call: Call) => Admitted | Promise<Admitted>) {
  const base = guarded(admit);
  return (route: Route) => base.meta(routeMeta(route, needs));
}

/** Like {@link kind}, for procedures that personal tokens may call. Each permission has its own base. */
function tokenKind<Admitted extends Admission>(
  access: Needs["access"],
  admit: (call: Call, permission: Permission) => Promise<Admitted>,
) {
  const kinds = new Map<Permission, ReturnType<typeof kind<Admitted>>>();
  return (permission: Permission, route: Route) => {
    const known = kinds.get(permission) ?? kind({ access, permission }, (call) => admit(call, permission));
    kinds.set(permission, known);
    return known(route);
  };
}

/** Procedures for anyone, without authentication. */
export const open = kind({ access: "public" }, ({ http, requestId }) => ({ actor: visitor(http, requestId) }));

/** Procedures for a `tempToken`: the password was correct, and the second factor is pending. Access tokens are not accepted. */
export const awaitingSecondFactor = kind({ access: "awaitingSecondFactor" }, async ({ gate, em, http, requestId }) => {
  const pending = await gate.secondFactorChecks.authenticate(em, bearerOf(http));
  return { pending, actor: { ...visitor(http, requestId), userId: pending.userId } };
});

/** Procedures for signed-in users. Personal tokens are not accepted. */
export const signedIn = kind({ access: "signedIn" }, sessionCall);

/** Procedures for signed-in users and all personal tokens, whatever their permissions: they say what the credential is. */
export const anyToken = kind({ access: "signedIn", anyToken: true }, async (call) => ({
  caller: asCaller(await authenticated(call), call),
}));

/** Procedures that add or remove a way into the account. Require a session confirmed within the last ten minutes. */
export const confirmed = kind({ access: "signedIn", confirmed: "session" }, async (call) => {
  const { caller } = await sessionCall(call);
  await call.gate.confirmation.require(call.em, caller);
  return { caller };
});

/** Like {@link confirmed}, for calls with a form: the handler calls `Confirmation.require`, so that nobody confirms it is them for input that is refused. */
export const confirmedAfterInput = kind({ access: "signedIn", confirmed: "session" }, sessionCall);

/** Like {@link confirmed}, or with the current password in the body. The service calls `Confirmation.requireOrPassword`. */
export const confirmedOrPassword = kind({ access: "signedIn", confirmed: "orPassword" }, sessionCall);

/** Procedures for administrators. Personal tokens are not accepted. */
export const admin = kind({ access: "admin" }, adminCall);

/** Procedures that read, for administrators and auditors. Personal tokens are not accepted. */
export const auditing = kind({ access: "auditor" }, async (call) => {
  const { caller } = await sessionCall(call);
  requireReader(caller, call);
  return { caller };
});

/** Administrator procedures that always grant access. Require a session confirmed within the last ten minutes, as {@link confirmedAfterInput} does. */
export const adminConfirmedAfterInput = kind({ access: "admin", confirmed: "session" }, adminCall);

/** Procedures for administrators. If the body grants access, the service calls `Confirmation.require`. */
export const adminGivingAccess = kind({ access: "admin", confirmed: "givingAccess" }, adminCall);

/** Procedures for signed-in users and personal tokens with the permission. */
export const may = tokenKind("signedIn", permittedCall);

/** Procedures for administrators and their personal tokens with the permission. */
export const adminMay = tokenKind("admin", async (call, permission) => {
  const { caller } = await permittedCall(call, permission);
  requireAdmin(caller, call);
  return { caller };
});

/** Procedures that read, for administrators, auditors and their personal tokens with the permission. */
export const auditingMay = tokenKind("auditor", async (call, permission) => {
  const { caller } = await permittedCall(call, permission);
  requireReader(caller, call);
  return { caller };
});

/** Procedures for narrowed personal tokens with the permission. They also accept the token as the password of Basic authentication. */
export const narrowedMay = tokenKind("narrowed", async (call, permission) => {
  const identified = await call.gate.authenticator.authenticateNarrowed(call.em, call.http);
  return { caller: permitted(asCaller(identified, call), permission) };
});

/** Like {@link may}, for subscriptions. They have no REST route and receive the time at which the credential expires. */
export function maySubscribe(permission: Permission) {
  return guarded(async (call) => {
    const identified = await authenticated(call);
    return { caller: permitted(asCaller(identified, call), permission), identified };
  }).meta({ access: "signedIn", permission });
}

/** Returns a procedure under another name and REST path. Everything but the deprecation is copied. */
export function alias<Procedure extends AnyTRPCProcedure>(
  procedure: Procedure,
  { path, operationId, tag, deprecated }: Pick<Route, "path" | "operationId" | "tag" | "deprecated">,
): Procedure {
  const { deprecated: _, openapi, ...original } = procedure._def.meta as RouteMeta;
  if (!openapi) throw new Error(`${operationId} cannot be an alias of a procedure without a REST route.`);
  const description = `Same as \`${openapi.operationId}\`.`;
  const meta: RouteMeta = {
    ...original,
    openapi: { ...openapi, path, operationId, description, tags: [tag] },
    ...(deprecated ? { deprecated } : {}),
  };
  const call = (options: Parameters<AnyTRPCProcedure>[0]) => procedure(options);
  return Object.assign(call, procedure, { meta, _def: { ...procedure._def, meta } });
}

async function permittedCall(call: Call, permission: Permission): Promise<{ caller: Caller }> {
  return { caller: permitted(asCaller(await authenticated(call), call), permission) };
}

async function adminCall(call: Call): Promise<{ caller: Caller }> {
  const { caller } = await sessionCall(call);
  requireAdmin(caller, call);
  return { caller };
}

async function sessionCall(call: Call): Promise<{ caller: Caller }> {
  const caller = asCaller(await authenticated(call), call);
  if (caller.permissions === "all") return { caller };
  throw new AppError("FORBIDDEN", "This call does not accept personal tokens. Sign in and use an access token.");
}

async function authenticated({ gate, em, http }: Call): Promise<Identified> {
  return await gate.authenticator.authenticate(em, http);
}

function asCaller({ caller, at }: Identified, { http, requestId }: Call): Caller {
  return { ...caller, at, ip: http.ip, requestId };
}

function requireAdmin(caller: Caller, call: Call): void {
  if (caller.role !== "admin") refuseMember(caller, call);
}

function requireReader(caller: Caller, call: Call): void {
  if (!readsEverything(caller.role)) refuseMember(caller, call);
}

function refuseMember({ userId }: Caller, { procedure }: Call): never {
  throw onlyAdministrators(userId, "a member called an administrator procedure", { procedure });
}

/** The REST route of a procedure and its description in the API document. */
interface Route {
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
interface Needs {
  access: Access;
  /** The permission that personal tokens need; null if they cannot call it. */
  permission?: Permission | null;
  anyToken?: true;
  confirmed?: Confirmed | null;
}

/** Returns a procedure's metadata: its route and requirements. */
function routeMeta(
  route: Route,
  { access, permission = null, anyToken: takesAnyToken, confirmed = null }: Needs,
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
    ...(takesAnyToken ? { anyToken: true as const } : {}),
    access,
    confirmed,
  };
}
