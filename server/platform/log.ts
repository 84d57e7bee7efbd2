import { pino, type DestinationStream, type Logger } from "pino";

export type { Logger };

/** Returns a logger that writes one JSON line per event, to standard output by default. Do not log secrets; known secret fields are redacted as a safeguard. */
export function createLog(level: string, destination: DestinationStream = pino.destination(1)): Logger {
  return pino(
    {
      level,
      redact: {
        paths: ["*.password", "*.token", "*.refreshToken", "*.accessToken", "*.authorization", "*.cookie", "*.secret"],
        censor: "[removed]",
      },
      serializers: { err: serializeError },
    },
    destination,
  );
}

/** Lines a minute that anybody may cause. */
const mostLines = 20;
const windowMilliseconds = 60_000;

/**
 * Writes lines that anybody may cause without an account, a few each minute: a flood must not fill a disk. The next line has the number of those
 * left out, as `leftOut`.
 */
export class FewLines {
  readonly #now: () => number;
  #since = -Infinity;
  #written = 0;
  #leftOut = 0;

  /** @param now milliseconds, as `performance.now` counts */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @param write writes the line, with further fields */
  write(write: (fields: { leftOut?: number }) => void): void {
    const now = this.#now();
    if (now - this.#since >= windowMilliseconds) {
      this.#since = now;
      this.#written = 0;
    }
    if (this.#written >= mostLines) {
      this.#leftOut++;
      return;
    }
    this.#written++;
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    write(leftOut > 0 ? { leftOut } : {});
  }
}

interface SerializedError {
  type: string;
  code?: string;
  message: string;
  stack: string;
  cause?: SerializedError;
}

/**
 * Serializes an error without the values of database statements. Database errors carry them in properties, in the detail appended to the
 * message, and in quotes within it (`invalid input syntax for type integer: "…"`).
 */
function serializeError(thrown: unknown): SerializedError {
  const error = errorLike(thrown);
  const code = typeof error.code === "string" ? error.code : undefined;
  const [message = ""] = messageOf(error).split("\n - detail:");
  const frames = (error.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    message: code?.startsWith("22") ? message.replaceAll(/"[^]*"/g, '"…"') : message,
    stack: frames.join("\n"),
    ...(error.cause === undefined || error.cause === null ? {} : { cause: serializeError(error.cause) }),
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

/** Normalizes a thrown value, because libraries also throw plain objects and strings. Ignores other properties. */
function errorLike(thrown: unknown): ErrorLike {
  if (thrown instanceof Error) return thrown;
  if (typeof thrown !== "object" || thrown === null) {
    return { name: typeof thrown, message: typeof thrown === "string" ? thrown : `Thrown: ${String(thrown)}` };
  }
  const { name, message, stack, code, cause, errors } = thrown as Partial<ErrorLike>;
  return {
    name: typeof name === "string" ? name : "object",
    message: typeof message === "string" ? message : "Thrown value without a message",
    stack: typeof stack === "string" ? stack : undefined,
    code,
    cause,
    errors,
  };
}

/** A host with several addresses fails with an AggregateError that has no message of its own. */
function messageOf({ message, errors }: ErrorLike): string {
  if (message !== "" || !Array.isArray(errors)) return message;
  return errors.map((error) => errorLike(error).message).join("; ");
}
