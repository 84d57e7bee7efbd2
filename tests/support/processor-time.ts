import { readFileSync } from "node:fs";
import { afterAll } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Of a file: seconds of processor time that the worker and the programs which it started and ended took for it. */
    processorSeconds?: number;
  }
}

/** Clock ticks per second of `/proc`: 100 on every Linux that Node runs on. */
const ticks = 100;

/** Seconds of processor time of this process and of its children that have ended; proc(5) numbers the fields from 14. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000 + secondsOfChildren();
}

function secondsOfChildren(): number {
  if (process.platform !== "linux") return 0;
  const [, fields = ""] = readFileSync("/proc/self/stat", "utf8").split(") ");
  const [user = 0, system = 0] = fields.split(" ").slice(13, 15).map(Number);
  return (user + system) / ticks;
}

const before = processorSeconds();

// The hook that is registered first runs last.
// oxlint-disable-next-line no-empty-pattern -- Vitest reads the names of the fixtures that a hook wants from its source.
afterAll(({}, file) => {
  file.meta.processorSeconds = processorSeconds() - before;
});
