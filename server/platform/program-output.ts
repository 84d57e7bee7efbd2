import { setTimeout as sleep } from "node:timers/promises";
import type { Writable } from "node:stream";
import type { DestinationStream } from "pino";

/** Octets that wait for a reader which takes nothing. Lines beyond them are dropped. */
const mostWaiting = 4 * 1_048_576;

/**
 * Returns a destination for lines on standard output or standard error. A reader that takes nothing must not hold up the service, as a write
 * that waits would. Everything written to the same stream stays whole: a pipe takes long texts in parts, and another writer's line could come
 * between them.
 */
export function programOutput(stream: Writable): DestinationStream {
  return {
    write(line) {
      if (stream.writableLength < mostWaiting) stream.write(line);
    },
  };
}

/** Waits until a stream's reader has taken everything, for a second at most. Ending the process drops what waits. */
export async function taken(stream: Writable): Promise<void> {
  if (stream.writableLength === 0) return;
  const done = new Promise<void>((resolve) => {
    stream.write("", () => resolve());
  });
  await Promise.race([done, sleep(1_000)]);
}
