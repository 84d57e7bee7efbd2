import { TRPCError, initTRPC, tracked } from "@trpc/server";
import { deserialize, serialize } from "superjson";
import { ZodError } from "zod";
import type { Context, ErrorShape, RouteMeta } from "./context.ts";
import type { Permission } from "../access/permissions.ts";
import type { HttpPort } from "../platform/http-port.ts";
import type { EntityManager } from "../database/database.ts";
import { visitor, type Actor } from "../access/actor.ts";
import { bearerOf, type Identified } from "../access/authenticator.ts";
import { permitted, type Caller } from "../access/caller.ts";
import { AppError, errorCodes, type ErrorCode } from "../platform/errors.ts";
import { logFailure } from "./failure-log.ts";
import { faultToAppError } from "../platform/faults.ts";
import { parsedBody } from "./parsed-bodies.ts";
import { idempotencyKeyOf, takesIdempotencyKey } from "./idempotency.ts";
import { inputError } from "./input-error.ts";
import { LargeAnswer } from "./large-answers.ts";
import { LimitReached, tellQuotas, type QuotaStatus } from "../limits/rate-limit.ts";
import type { Services } from "../composition/services.ts";
import { deserializeInput } from "./trpc-input.ts";

/** What the server puts behind the public context. Kept out of `Context`, which the SDK's types show. */
export interface ServerContext extends Context {
  services: Services;
  /** What the call answers with, where that is sent in pieces. */
  large?: LargeAnswer;
}

const trpcCodes = {
  BAD_REQUEST: "BAD_REQUEST",
  UNAUTHORIZED: "UNAUTHORIZED",
  FORBIDDEN: "FORBIDDEN",
  REAUTHENTICATION_REQUIRED: "FORBIDDEN",
  NOT_FOUND: "NOT_FOUND",
  METHOD_NOT_ALLOWED: "METHOD_NOT_SUPPORTED",
  CONFLICT: "CONFLICT",
  CONFIRMATION_REQUIRED: "CONFLICT",
  REVIEW_REQUIRED: "CONFLICT",
  PRECONDITION_FAILED: "PRECONDITION_FAILED",
  // tRPC has no code for 410; the status comes from `errorCodes`.
  HISTORY_GONE: "NOT_FOUND",
  PAYLOAD_TOO_LARGE: "PAYLOAD_TOO_LARGE",
  UNSUPPORTED_MEDIA_TYPE: "UNSUPPORTED_MEDIA_TYPE",
  TOO_MANY_REQUESTS: "TOO_MANY_REQUESTS",
  INTERNAL_SERVER_ERROR: "INTERNAL_SERVER_ERROR",
  PROVIDER_ERROR: "BAD_GATEWAY",
  UNAVAILABLE: "SERVICE_UNAVAILABLE",
} as const satisfies Record<ErrorCode, TRPCError["code"]>;

const t = initTRPC
  .context<Context>()
  .meta<RouteMeta>()
  .create({
    transformer: {
      input: { serialize, deserialize: (payload: unknown) => deserializeInput(parsedBody(payload)) },
      output: { serialize, deserialize },
    },
    isDev: false,
    sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
    errorFormatter({ shape, error, ctx }): ErrorShape {
      const appError = errorOf(error);
      const { status, title } = errorCodes[appError.code];
      const data = {
        code: appError.code,
        httpStatus: status,
        title,
        issues: appError.issues,
        requestId: ctx?.requestId ?? requestIds.get(error) ?? null,
      };
      return { message: appError.message, code: shape.code, data };
    },
  });

/** Request ids of calls that failed before they had a context. */
const requestIds = new WeakMap<TRPCError, string>();

/** Lets an error of tRPC's own, such as a refused batch, tell the request id as well. */
export function rememberRequestId(error: TRPCError, requestId: string): void {
  requestIds.set(error, requestId);
}

/** The one translation of anything that a procedure can fail with. */
export function errorOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (!(error instanceof TRPCError)) return faultToAppError(error);
  const { cause } = error;
  if (cause instanceof AppError) return cause;
  if (error.code === "BAD_REQUEST" && cause instanceof ZodError) return inputError(cause);
  if (error.code === "INTERNAL_SERVER_ERROR") return faultToAppError(cause ?? error);
  if (error.code === "PARSE_ERROR" || (error.code === "BAD_REQUEST" && cause !== undefined)) {
    return new AppError("BAD_REQUEST", "The request could not be read: it must be well-formed JSON.", { cause: error });
  }
  const code = (Object.keys(trpcCodes) as ErrorCode[]).find((key) => trpcCodes[key] === error.code);
  return new AppError(code ?? "BAD_REQUEST", error.message, { cause: error });
}

interface Call {
  services: Services;
  em: EntityManager;
  http: HttpPort;
  requestId: string;
  /** The dotted name of what is called. */
  procedure: string;
}

type Admission = { caller: Caller } | { actor: Actor };

/**
 * A kind of procedure: gives it its services and a unit of work of its own, lets `admit` establish who is calling, counts the
 * call, and turns every failure into one that clients can read. One middleware for all of it, because each costs every call.
 */
function guarded<Admitted extends Admission>(admit: (call: Call) => Admitted | Promise<Admitted>) {
  return t.procedure.use(async ({ ctx, next, getRawInput, path: procedure, meta, type }) => {
    const { services, requestId } = ctx as ServerContext;
    const em = services.database.fork();
    ctx.http.noteProcedure(procedure);
    /** Tells the log of a failure that is one item of the answer, not the answer. */
    const report = (error: AppError, fields: { zone: string }) =>
      logFailure(services, error, { requestId, procedure, ...fields });
    const quotas: QuotaStatus[] = [];
    try {
      const call = { services, em, http: ctx.http, requestId, procedure };
      const admitted = await countingStrangers(admit, call);
      const actor = actorOf(admitted);
      quotas.push(...(await services.requestLimits.take(actor)));
      tellQuotas(ctx.http, quotas);
      const input = await getRawInput().catch(refuseUnreadable);
      const looks = onlyLooks(procedure, input);
      if (meta?.costly === true && !looks) {
        quotas.push(...(await services.requestLimits.takeCostly(actor)));
        tellQuotas(ctx.http, quotas);
      }
      const carryOut = async (http: HttpPort) => {
        const result = await next({ ctx: { services, em, report, ...admitted, http } });
        if (!result.ok) throw result.error;
        if (result.data instanceof LargeAnswer) (ctx as ServerContext).large = result.data;
        return result;
      };
      const keyed = type === "mutation" && !looks;
      const key = keyed && meta && takesIdempotencyKey(meta) ? idempotencyKeyOf(ctx.http) : null;
      if (key === null || !("caller" in admitted)) return await carryOut(ctx.http);
      const { caller } = admitted;
      let carriedOut: Awaited<ReturnType<typeof carryOut>> | undefined;
      const data = await services.idempotency.once({ caller, procedure, key, input, http: ctx.http }, async (http) => {
        carriedOut = await carryOut(http);
        return carriedOut.data;
      });
      // An answer that was stored has passed the procedure's output schema before: tRPC gets it as a middleware's result.
      return carriedOut ?? ({ ok: true, data } as unknown as Awaited<ReturnType<typeof carryOut>>);
    } catch (error) {
      const appError = errorOf(error);
      if (appError instanceof LimitReached) tellQuotas(ctx.http, [...quotas, ...appError.quotas]);
      throw readable(appError, ctx as ServerContext, procedure);
    }
  });
}

function actorOf(admitted: Admission): Actor {
  return "caller" in admitted ? admitted.caller : admitted.actor;
}

/** Whoever is not let in is counted by address: trying credentials costs us work, too. */
async function countingStrangers<Admitted>(
  admit: (call: Call) => Admitted | Promise<Admitted>,
  call: Call,
): Promise<Admitted> {
  try {
    return await admit(call);
  } catch (error) {
    await call.services.requestLimits.take(visitor(call.http.ip, call.requestId));
    throw error;
  }
}

/** Plans and dry runs change nothing: they count as reads, and can be repeated as often as anybody likes. */
function onlyLooks(procedure: string, input: unknown): boolean {
  if (procedure.endsWith(".plan")) return true;
  return typeof input === "object" && input !== null && "dryRun" in input && input.dryRun === true;
}

/** What JSON and superjson throw over an input is the client's doing; past this point it would look like a fault of ours. */
function refuseUnreadable(cause: unknown): never {
  if (cause instanceof TRPCError && cause.cause instanceof AppError) throw cause.cause;
  throw new AppError(
    "BAD_REQUEST",
    "The input could not be read: it must be well-formed JSON, as superjson writes it.",
    {
      cause,
    },
  );
}

function readable(appError: AppError, { services, requestId, http }: ServerContext, procedure: string): TRPCError {
  logFailure(services, appError, { requestId, procedure });
  if (appError.retryAfterSeconds !== null) http.setHeader("Retry-After", String(appError.retryAfterSeconds));
  return trpcError(appError);
}

function trpcError(appError: AppError): TRPCError {
  return new TRPCError({ code: trpcCodes[appError.code], message: appError.message, cause: appError });
}

/** A subscription's messages with ids by which a client goes on where it was. */
export async function* resumable<T>(messages: AsyncIterable<{ id: string; data: T }>) {
  try {
    for await (const { id, data } of messages) yield tracked(id, data);
  } catch (error) {
    throw trpcError(errorOf(error));
  }
}

export const router = t.router;

/** One router of several, whose procedures clients know under one name. */
export const merged = t.mergeRouters;

/** No sign-in. */
export const open = guarded(({ http, requestId }) => ({ actor: visitor(http.ip, requestId) }));

/** Somebody whose password was right and whose second factor is awaited: the bearer is a `tempToken`, and nothing else will do. */
export const awaitingSecondFactor = guarded(async ({ services, em, http, requestId }) => {
  const pending = await services.secondFactorChecks.authenticate(em, bearerOf(http));
  return { pending, actor: { ...visitor(http.ip, requestId), userId: pending.userId } };
});

/** A signed-in user; no personal token. */
export const signedIn = guarded(async (call) => ({ caller: await sessionCaller(call) }));

/** A signed-in user whose session was confirmed within the last ten minutes; no personal token. For what adds or takes a way into the account. */
export const confirmed = guarded(async (call) => {
  const caller = await sessionCaller(call);
  await call.services.confirmation.require(call.em, caller);
  return { caller };
});

/** The same, but for a body with the current password, which stands in: the service asks `Confirmation.requireOrPassword` with it. */
export const confirmedOrPassword = guarded(async (call) => ({ caller: await sessionCaller(call) }));

/** A signed-in administrator; no personal token. */
export const admin = guarded(async (call) => {
  const caller = await sessionCaller(call);
  requireAdmin(caller, call);
  return { caller };
});

/** The same in a session that was confirmed within the last ten minutes. For calls that always give somebody access. */
export const confirmedAdmin = guarded(async (call) => {
  const caller = await sessionCaller(call);
  requireAdmin(caller, call);
  await call.services.confirmation.require(call.em, caller);
  return { caller };
});

/** A signed-in user, or a personal token that carries the permission. */
export function may(permission: Permission) {
  return guarded(async (call) => ({ caller: await permittedCaller(call, permission) }));
}

/** The same for a subscription: also tells what the credential lasts by. */
export function maySubscribe(permission: Permission) {
  return guarded(async (call) => {
    const identified = await authenticated(call);
    return { caller: permitted(asCaller(identified, call), permission), identified };
  });
}

/** A signed-in administrator, or an administrator's personal token that carries the permission. */
export function adminMay(permission: Permission) {
  return guarded(async (call) => {
    const caller = await permittedCaller(call, permission);
    requireAdmin(caller, call);
    return { caller };
  });
}

async function permittedCaller(call: Call, permission: Permission): Promise<Caller> {
  return permitted(asCaller(await authenticated(call), call), permission);
}

async function authenticated({ services, em, http }: Call): Promise<Identified> {
  return await services.authenticator.authenticate(em, http);
}

function asCaller({ caller }: Identified, { http, requestId }: Call): Caller {
  return { ...caller, ip: http.ip, requestId };
}

async function sessionCaller(call: Call): Promise<Caller> {
  const caller = asCaller(await authenticated(call), call);
  if (caller.permissions === "all") return caller;
  throw new AppError("FORBIDDEN", "Personal tokens do not open this; sign in with a username and password.");
}

function requireAdmin({ role, userId }: Caller, { procedure }: Call): void {
  if (role === "admin") return;
  const note = { text: "a member called what is for administrators", userId, procedure };
  throw new AppError("FORBIDDEN", "Only an administrator may do this.", { note });
}
