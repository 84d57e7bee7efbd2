import { TRPCError, initTRPC } from "@trpc/server";
import superjson from "superjson";
import { ZodError } from "zod";
import type { Context, Permission, RouteMeta } from "./context.ts";
import type { Caller } from "./auth/caller.ts";
import { AppError, errorCodes, type ErrorCode, type Issue } from "./errors.ts";
import { faultToAppError } from "./faults.ts";
import { inputError } from "./input-error.ts";
import type { Services } from "./services.ts";

/** What the server puts behind the public context. Kept out of `Context`, which the SDK's types show. */
export interface ServerContext extends Context {
  services: Services;
}

const trpcCodes = {
  BAD_REQUEST: "BAD_REQUEST",
  UNAUTHORIZED: "UNAUTHORIZED",
  FORBIDDEN: "FORBIDDEN",
  NOT_FOUND: "NOT_FOUND",
  CONFLICT: "CONFLICT",
  CONFIRMATION_REQUIRED: "CONFLICT",
  PRECONDITION_FAILED: "PRECONDITION_FAILED",
  PAYLOAD_TOO_LARGE: "PAYLOAD_TOO_LARGE",
  UNSUPPORTED_MEDIA_TYPE: "UNSUPPORTED_MEDIA_TYPE",
  TOO_MANY_REQUESTS: "TOO_MANY_REQUESTS",
  INTERNAL_SERVER_ERROR: "INTERNAL_SERVER_ERROR",
  PROVIDER_ERROR: "BAD_GATEWAY",
  UNAVAILABLE: "SERVICE_UNAVAILABLE",
} as const satisfies Record<ErrorCode, TRPCError["code"]>;

/** What a tRPC client finds under `error.data`. */
export interface ErrorData {
  code: ErrorCode;
  httpStatus: number;
  title: string;
  issues: Issue[] | null;
  requestId: string | null;
}

const t = initTRPC
  .context<Context>()
  .meta<RouteMeta>()
  .create({
    transformer: superjson,
    isDev: false,
    errorFormatter({ shape, error, ctx }): { message: string; code: number; data: ErrorData } {
      const appError = errorOf(error);
      const { status, title } = errorCodes[appError.code];
      const data = {
        code: appError.code,
        httpStatus: status,
        title,
        issues: appError.issues,
        requestId: ctx?.requestId ?? null,
      };
      return { message: appError.message, code: shape.code, data };
    },
  });

/** The one translation of anything that a procedure can fail with. */
export function errorOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (!(error instanceof TRPCError)) return faultToAppError(error);
  const { cause } = error;
  if (cause instanceof AppError) return cause;
  if (error.code === "BAD_REQUEST" && cause instanceof ZodError) return inputError(cause);
  if (error.code === "INTERNAL_SERVER_ERROR") return faultToAppError(cause ?? error);
  if (error.code === "PARSE_ERROR" || error.code === "BAD_REQUEST") {
    return new AppError("BAD_REQUEST", "The request could not be read: it must be well-formed JSON.", { cause: error });
  }
  const code = (Object.keys(trpcCodes) as ErrorCode[]).find((key) => trpcCodes[key] === error.code);
  return new AppError(code ?? "BAD_REQUEST", error.message, { cause: error });
}

/** Gives the procedure its services and a unit of work of its own, and turns every failure into one that clients can read. */
const base = t.procedure.use(async ({ ctx, next }) => {
  const { services } = ctx as ServerContext;
  const result = await next({ ctx: { services, em: services.database.fork() } });
  if (result.ok) return result;
  const appError = errorOf(result.error);
  if (appError.code === "INTERNAL_SERVER_ERROR") {
    services.log.error({ err: result.error.cause ?? result.error, requestId: ctx.requestId }, "a procedure failed");
  }
  throw new TRPCError({ code: trpcCodes[appError.code], message: appError.message, cause: appError });
});

export const router = t.router;

/** No sign-in. */
export const open = base;

/** A signed-in user; no personal token. */
export const signedIn = base.use(async ({ ctx, next }) => {
  const caller = await ctx.services.authenticator.authenticate(ctx.em, ctx.http);
  if (caller.permissions !== "all") {
    throw new AppError("FORBIDDEN", "Personal tokens do not open this; sign in with a username and password.");
  }
  return await next({ ctx: { caller } });
});

/** A signed-in administrator; no personal token. */
export const admin = signedIn.use(({ ctx, next }) => {
  requireAdmin(ctx.caller);
  return next();
});

export function requireAdmin(caller: Caller): void {
  if (caller.role !== "admin") throw new AppError("FORBIDDEN", "Only an administrator may do this.");
}

/** A signed-in user, or a personal token that carries the permission. */
export function may(permission: Permission) {
  return base.use(async ({ ctx, next }) => {
    const caller = await ctx.services.authenticator.authenticate(ctx.em, ctx.http);
    if (caller.permissions !== "all" && !caller.permissions.has(permission)) {
      throw new AppError("FORBIDDEN", `This token does not carry the permission ${permission}.`);
    }
    return await next({ ctx: { caller } });
  });
}
