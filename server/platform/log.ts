import { pino, type DestinationStream, type Logger } from "pino";

export type { Logger };

/** One JSON line per event, on standard output where nothing else is said. Secrets must not be passed in; known carriers are removed all the same. */
export function createLog(level: string, destination: DestinationStream = pino.destination(1)): Logger {
  return pino(
    {
      level,
      redact: {
        paths: ["*.password", "*.token", "*.refreshToken", "*.accessToken", "*.authorization", "*.cookie", "*.secret"],
        censor: "[removed]",
      },
      serializers: { err: tellError },
    },
    destination,
  );
}

interface ToldError {
  type: string;
  code?: string;
  message: string;
  stack: string;
  cause?: ToldError;
}

/**
 * What an error may say in the log. Database errors carry the statement's values in properties, in the detail that they add
 * to their message, and in quotes within it (`invalid input syntax for type integer: "…"`).
 */
function tellError(thrown: unknown): ToldError {
  const error = errorLike(thrown);
  const code = typeof error.code === "string" ? error.code : undefined;
  const [message = ""] = messageOf(error).split("\n - detail:");
  const frames = (error.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    message: code?.startsWith("22") ? message.replaceAll(/"[^]*"/g, '"…"') : message,
    stack: frames.join("\n"),
    ...(error.cause === undefined || error.cause === null ? {} : { cause: tellError(error.cause) }),
  };
}

interface ErrorLike {
  name: string;
  message: string;
  stack?: string | undefined;
  code?: unknown;
  cause?: unknown;
  errors?: unknown;
}

/** Libraries also throw copies of errors, which are plain objects, and plain texts. Of other properties nothing is taken. */
function errorLike(thrown: unknown): ErrorLike {
  if (thrown instanceof Error) return thrown;
  if (typeof thrown !== "object" || thrown === null) {
    return { name: typeof thrown, message: typeof thrown === "string" ? thrown : `${String(thrown)} was thrown.` };
  }
  const { name, message, stack, code, cause, errors } = thrown as Partial<ErrorLike>;
  return {
    name: typeof name === "string" ? name : "object",
    message: typeof message === "string" ? message : "Something without a message was thrown.",
    stack: typeof stack === "string" ? stack : undefined,
    code,
    cause,
    errors,
  };
}

/** A host with several addresses fails with an error for each, and no message of its own. */
function messageOf({ message, errors }: ErrorLike): string {
  if (message !== "" || !Array.isArray(errors)) return message;
  return errors.map((error) => errorLike(error).message).join("; ");
}
