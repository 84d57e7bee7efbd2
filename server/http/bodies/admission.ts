import type { Request } from "express";
import { visitor } from "../../access/actor.ts";
import { permitted } from "../../access/caller.ts";
import { AppError } from "../../platform/errors.ts";
import { countCall } from "../../limits/count-call.ts";
import type { ServerContext } from "../../api/trpc.ts";
import type { LargeCall } from "./large-routes.ts";

const kibibyte = 1_024;
const mebibyte = 1_048_576;

/** Octets that a body may have, inflated. */
export const bodyLimits = { anonymous: 64 * kibibyte, ordinary: mebibyte, large: 16 * mebibyte } as const;

/** How much of a body is read, and how the rest is refused. */
export interface Admission {
  limit: number;
  /** Whose body it is; null before sign-in. */
  userId: string | null;
  refuse(): Promise<AppError>;
}

const tooLarge = (message: string) => () => Promise.resolve(new AppError("PAYLOAD_TOO_LARGE", message));

const beforeSignIn: Admission = {
  limit: bodyLimits.anonymous,
  userId: null,
  refuse: tooLarge("The body is larger than 64 KiB, the limit for calls without sign-in."),
};

/** Whether the head of a request promises a body that anybody may send. */
export function isSmall({ headers }: Request): boolean {
  const plain = (headers["content-encoding"] ?? "identity").toLowerCase() === "identity";
  return plain && Number(headers["content-length"] ?? Number.NaN) <= bodyLimits.anonymous;
}

/**
 * Decides how much of a body is read, before any of it is. Up to 64 KiB need no sign-in, so credentials are looked at only for more, and
 * wrong ones are the answer only where they were needed.
 */
export async function admit(context: ServerContext, large: LargeCall | null): Promise<Admission> {
  const { services, http, requestId } = context;
  if (http.header("authorization") === undefined) return beforeSignIn;
  try {
    const { caller } = await services.authenticator.authenticate(services.database.fork(), http);
    const { userId } = caller;
    if (!large) {
      const refuse = tooLarge("The body is larger than 1 MiB; send it in parts.");
      return { limit: bodyLimits.ordinary, userId, refuse };
    }
    const barred = barredFrom(caller, large);
    if (barred) return { limit: bodyLimits.ordinary, userId, refuse: () => Promise.resolve(barred) };
    const refuse = tooLarge("The body is larger than 16 MiB; import a larger zone from its provider.");
    return { limit: bodyLimits.large, userId, refuse };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "UNAUTHORIZED") throw error;
    const refuse = async () => {
      await countCall(services.requestLimits, http, visitor(http.ip, requestId));
      return error;
    };
    return { ...beforeSignIn, refuse };
  }
}

function barredFrom(caller: Parameters<typeof permitted>[0], { permission }: LargeCall): AppError | null {
  try {
    if (permission !== null) permitted(caller, permission);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
