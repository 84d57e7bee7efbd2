import type { Request } from "express";
import { visitor } from "../../access/actor.ts";
import { permitted } from "../../access/caller.ts";
import { AppError } from "../../platform/errors.ts";
import { countCall } from "../../limits/requests.ts";
import type { ServerContext } from "../../api/trpc.ts";
import type { AnyTRPCRouter } from "@trpc/server";
import type { Permission } from "../../access/permissions.ts";
import { patternOf, restProcedures } from "../../api/rest.ts";

const kibibyte = 1_024;
const mebibyte = 1_048_576;

/** Maximum size of a decompressed body in bytes. */
export const bodyLimits = { anonymous: 64 * kibibyte, ordinary: mebibyte, large: 16 * mebibyte } as const;

/** The size limit of a body, and the error if it is exceeded. */
interface Admission {
  limit: number;
  /** The sender; null if unauthenticated. */
  userId: string | null;
  refuse(): Promise<AppError>;
}

const tooLarge = (message: string) => () => Promise.resolve(new AppError("PAYLOAD_TOO_LARGE", message));

const beforeSignIn: Admission = {
  limit: bodyLimits.anonymous,
  userId: null,
  refuse: tooLarge("The body exceeds 64 KiB, the limit for unauthenticated calls. Sign in first, or send less."),
};

/** Returns whether the headers declare a body small enough for unauthenticated calls. */
export function isSmall({ headers }: Request): boolean {
  const plain = (headers["content-encoding"] ?? "identity").toLowerCase() === "identity";
  return plain && Number(headers["content-length"] ?? Number.NaN) <= bodyLimits.anonymous;
}

/**
 * Determines the size limit of a body before reading it. Up to 64 KiB need no authentication, so credentials are checked, and rejected,
 * only for larger bodies.
 */
export async function admit(context: ServerContext, large: LargeCall | null): Promise<Admission> {
  const { services, http, requestId } = context;
  if (http.header("authorization") === undefined) return beforeSignIn;
  try {
    const { caller } = await services.authenticator.authenticate(services.database.fork(), http);
    const { userId } = caller;
    if (!large) {
      const refuse = tooLarge("The body exceeds 1 MiB. Send it in parts.");
      return { limit: bodyLimits.ordinary, userId, refuse };
    }
    const forbidden = permissionFault(caller, large);
    if (forbidden) return { limit: bodyLimits.ordinary, userId, refuse: () => Promise.resolve(forbidden) };
    const refuse = tooLarge("The body exceeds 16 MiB. Import larger zones from their provider.");
    return { limit: bodyLimits.large, userId, refuse };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "UNAUTHORIZED") throw error;
    const refuse = async () => {
      await countCall(services.requestLimits, http, visitor(http, requestId));
      return error;
    };
    return { ...beforeSignIn, refuse };
  }
}

function permissionFault(caller: Parameters<typeof permitted>[0], { permission }: LargeCall): AppError | null {
  try {
    if (permission !== null) permitted(caller, permission);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** A call that accepts a large body. */
export interface LargeCall {
  procedure: string;
  permission: Permission | null;
  /** Input fields from the path; null for tRPC, where the body contains all input. */
  inPath: Readonly<Record<string, string>> | null;
}

/** Returns a function that matches requests to calls with large bodies by method and path, before the body is read. */
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
