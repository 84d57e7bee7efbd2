import { pino, type DestinationStream, type Logger } from "pino";

export type { Logger };

/** One JSON line per event, on standard output. Secrets must not be passed in; known carriers are removed all the same. */
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
function tellError(error: unknown): ToldError {
  if (!(error instanceof Error)) return { type: typeof error, message: "Not an Error was thrown.", stack: "" };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  const [message = ""] = error.message.split("\n - detail:");
  const frames = (error.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    message: code?.startsWith("22") ? message.replaceAll(/"[^]*"/g, '"…"') : message,
    stack: frames.join("\n"),
    ...(error.cause instanceof Error ? { cause: tellError(error.cause) } : {}),
  };
}
