import { pino, type Logger } from "pino";

export type { Logger };

/** One JSON line per event on standard output. Secrets must not be passed in; known carriers are removed all the same. */
export function createLog(level: string): Logger {
  return pino({
    level,
    redact: {
      paths: ["*.password", "*.token", "*.refreshToken", "*.accessToken", "*.authorization", "*.cookie", "*.secret"],
      censor: "[removed]",
    },
  });
}
