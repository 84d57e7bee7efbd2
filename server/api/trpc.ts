import { TRPCError, initTRPC, tracked } from "@trpc/server";
import { deserialize, serialize } from "superjson";
import { ZodError } from "zod";
import type { Context, ErrorShape, RouteMeta } from "./context.ts";
import type { HttpPort } from "../platform/http-port.ts";
import type { Authenticator } from "../access/authenticator.ts";
import type { Database, EntityManager } from "../database/database.ts";
import type { Health } from "../database/health.ts";
import type { Logger } from "../platform/log.ts";
import type { LargeBodies } from "./http/bodies/large-bodies.ts";
import { type Caller, type PendingSignIn, visitor, type Actor } from "../access/caller.ts";
import { AppError, errorCodes, type ErrorCode, faultToAppError } from "../platform/errors.ts";
import { logFailure } from "./failures.ts";
import { idempotencyKeyOf, takesIdempotencyKey, type Idempotency } from "./idempotency.ts";
import { inputError } from "./input-error.ts";
import { LargeAnswer } from "./large-answers.ts";
import { LimitReached, setQuotaHeaders, type QuotaStatus, type RequestLimits } from "./limits/requests.ts";
import { deserializeInput, parsedBody } from "./trpc-input.ts";

/** What every call passes before its procedure: who calls, how often, and whether it was made before. */
interface Gate {
  database: Pick<Database, "fork">;
  log: Logger;
  health: Pick<Health, "note">;
  authenticator: Authenticator;
  requestLimits: RequestLimits;
  idempotency: Idempotency;
  largeBodies: LargeBodies;
  secondFactorChecks: { authenticate(em: EntityManager, tempToken: string | null): Promise<PendingSignIn> };
  confirmation: { require(em: EntityManager, caller: Caller): Promise<void> };
}

/** The server-side context. Separate from `Context`, which is part of the SDK's types. */
export interface ServerContext extends Context {
  gate: Gate;
  /** The response, if it is sent in pieces. */
  large?: LargeAnswer;
}

const trpcCodes = {
  BAD_REQUEST: "BAD_REQUEST",
  UNAUTHORIZED: "UNAUTHORIZED",
  FORBIDDEN: "FORBIDDEN",
  REAUTHENTICATION_REQUIRED: "FORBIDDEN",
  NOT_FOUND: "NOT_FOUND",
  METHOD_NOT_ALLOWED: "METHOD_NOT_SUPPORTED",
  REQUEST_TIMEOUT: "TIMEOUT",
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

/** Stores the request id for errors raised by tRPC itself, such as a refused batch. */
export function rememberRequestId(error: TRPCError, requestId: string): void {
  requestIds.set(error, requestId);
}

/** Converts anything that a procedure can throw into an AppError. */
export function errorOf(error: unknown, kind?: "field" | "parameter"): AppError {
  if (error instanceof AppError) return error;
  if (!(error instanceof TRPCError)) return faultToAppError(error);
  const { cause } = error;
  if (cause instanceof AppError) return cause;
  if (error.code === "BAD_REQUEST" && cause instanceof ZodError) return inputError(cause, kind);
  if (error.code === "INTERNAL_SERVER_ERROR") return faultToAppError(cause ?? error);
  if (error.code === "PARSE_ERROR" || (error.code === "BAD_REQUEST" && cause !== undefined)) {
    return new AppError("BAD_REQUEST", "The request is not valid JSON.", { cause: error });
  }
  const code = (Object.keys(trpcCodes) as ErrorCode[]).find((key) => trpcCodes[key] === error.code);
  return new AppError(code ?? "BAD_REQUEST", error.message, { cause: error });
}

/** A call before its caller is authenticated. */
export interface Call {
  gate: Gate;
  em: EntityManager;
  http: HttpPort;
  requestId: string;
  /** The procedure's dotted name. */
  procedure: string;
}

export type Admission = { caller: Caller } | { actor: Actor };

/**
 * The base of a kind of procedure: provides a unit of work, lets `admit` authenticate the caller, counts the call
 * against its limits, and translates every failure. One middleware does all of it, because each one costs every call.
 */
export function guarded<Admitted extends Admission>(admit: (call: Call) => Admitted | Promise<Admitted>) {
  return t.procedure.use(async ({ ctx, next, getRawInput, path: procedure, meta, type }) => {
    const { gate, requestId } = ctx as ServerContext;
    const em = gate.database.fork();
    ctx.http.noteProcedure(procedure);
    /** Logs a failure that is one item of the response rather than the response. */
    const report = (error: AppError, fields: { zone: string }) =>
      logFailure(gate, error, { requestId, procedure, ...fields });
    const quotas: QuotaStatus[] = [];
    try {
      const call = { gate, em, http: ctx.http, requestId, procedure };
      const admitted = await countingRefused(admit, call);
      const actor = countedAs(admitted);
      quotas.push(...(await gate.requestLimits.take(actor)));
      setQuotaHeaders(ctx.http, quotas);
      if ("caller" in admitted)
        refuseAuditor(admitted.caller, { procedure, type, permission: meta?.permission ?? null });
      const input = await getRawInput().catch(refuseUnreadable);
      const readOnly = isReadOnly(procedure, input);
      if (meta?.costly === true && !readOnly) {
        quotas.push(...(await gate.requestLimits.takeCostly(actor)));
        setQuotaHeaders(ctx.http, quotas);
      }
      const execute = async (http: HttpPort) => {
        const result = await next({ ctx: { em, report, ...admitted, http } });
        if (!result.ok) throw result.error;
        if (result.data instanceof LargeAnswer) (ctx as ServerContext).large = result.data;
        return result;
      };
      const keyed = type === "mutation" && !readOnly;
      const key = keyed && meta && takesIdempotencyKey(meta) ? idempotencyKeyOf(ctx.http) : null;
      if (key === null || !("caller" in admitted)) return await execute(ctx.http);
      const { caller } = admitted;
      let executed: Awaited<ReturnType<typeof execute>> | undefined;
      const data = await gate.idempotency.once({ caller, procedure, key, input, http: ctx.http }, async (http) => {
        executed = await execute(http);
        return executed.data;
      });
      if (data instanceof LargeAnswer) (ctx as ServerContext).large = data;
      // A stored response already passed the output schema, so it is returned as a middleware result.
      return executed ?? ({ ok: true, data } as unknown as Awaited<ReturnType<typeof execute>>);
    } catch (error) {
      const appError = errorOf(error, takesParameters(meta) ? "parameter" : "field");
      if (appError instanceof LimitReached) setQuotaHeaders(ctx.http, [...quotas, ...appError.quotas]);
      throw readable(appError, ctx as ServerContext, procedure);
    }
  });
}

/** Returns whether a call's input is in the query of its address. */
function takesParameters(meta: RouteMeta | undefined): boolean {
  const method = meta?.openapi?.method;
  return method === "GET" || (method === "DELETE" && meta?.bodied !== true);
}

/**
 * Returns the actor whose limits a call counts against. A sign-in that waits for its second factor counts by address: someone who has only
 * the password must not use up the owner's calls.
 */
function countedAs(admitted: Admission): Actor {
  return "caller" in admitted ? admitted.caller : { ...admitted.actor, userId: null };
}

/** Counts refused callers by address, because checking credentials costs work, too. */
async function countingRefused<Admitted>(
  admit: (call: Call) => Admitted | Promise<Admitted>,
  call: Call,
): Promise<Admitted> {
  try {
    return await admit(call);
  } catch (error) {
    await call.gate.requestLimits.take(visitor(call.http, call.requestId));
    throw error;
  }
}

/** Returns whether a call is a plan or dry run, which changes nothing and counts as a read. */
function isReadOnly(procedure: string, input: unknown): boolean {
  // It reads a zone of the provider that nothing here has.
  if (procedure === "domains.plan") return false;
  if (/\.plan(?:Zonefile)?$/.test(procedure)) return true;
  return typeof input === "object" && input !== null && "dryRun" in input && input.dryRun === true;
}

/** Converts parse errors of JSON and superjson to client errors; later they would be reported as server faults. */
function refuseUnreadable(cause: unknown): never {
  if (cause instanceof TRPCError && cause.cause instanceof AppError) throw cause.cause;
  throw new AppError("BAD_REQUEST", "The input is not valid JSON in superjson format.", {
    cause,
  });
}

function readable(appError: AppError, { gate, requestId, http }: ServerContext, procedure: string): TRPCError {
  logFailure(gate, appError, { requestId, procedure });
  if (appError.retryAfterSeconds !== null) http.setHeader("Retry-After", String(appError.retryAfterSeconds));
  return trpcError(appError);
}

function trpcError(appError: AppError): TRPCError {
  return new TRPCError({ code: trpcCodes[appError.code], message: appError.message, cause: appError });
}

/** Adds ids to a subscription's messages, with which clients resume. */
export async function* resumable<T>(messages: AsyncIterable<{ id: string; data: T }>) {
  try {
    for await (const { id, data } of messages) yield tracked(id, data);
  } catch (error) {
    throw trpcError(errorOf(error));
  }
}

/** Passes a subscription's messages on, and its failures in tRPC's form. */
export async function* streamed<T>(messages: AsyncIterable<T>) {
  try {
    yield* messages;
  } catch (error) {
    throw trpcError(errorOf(error));
  }
}

export const router = t.router;

/** Merges routers into one namespace. */
export const merged = t.mergeRouters;

/** The namespaces of procedures that change only the caller's own account. */
const ownAccount: ReadonlySet<string> = new Set([
  "auth",
  "feeds",
  "identity",
  "notifications",
  "profile",
  "sessions",
  "tokens",
  "tsigKeys",
  "twoFactor",
]);

/**
 * Refuses whatever an auditor may not change. Reads pass, also those that are sent by POST and need only a permission to read.
 * @throws AppError FORBIDDEN
 */
export function refuseAuditor(
  { role }: Pick<Caller, "role">,
  { procedure, type, permission }: Pick<RouteMeta, "permission"> & { procedure: string; type: string },
): void {
  if (role !== "auditor" || type !== "mutation" || permission?.endsWith(":read") === true) return;
  const [namespace = ""] = procedure.split(".");
  if (ownAccount.has(namespace)) return;
  throw new AppError("FORBIDDEN", "Auditors can change only their own account. Ask an administrator.");
}
