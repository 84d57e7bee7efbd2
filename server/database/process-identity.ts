import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Identifies a process and its machine. */
export interface ProcessIdentity {
  pid: number;
  host: string;
  /** The PID namespace: two processes with the same place see each other's PIDs. Null if unknown. */
  place: string | null;
  /** Start time in the kernel's clock ticks, because a PID may be reused. */
  started: string | null;
}

/** Returns the identity of this process. */
export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, host: hostname(), place: placeOfPids(), started: statusOf(process.pid)[1] };
}

/** Parses an identity written as JSON. Returns null if it is invalid. */
export function identityIn(text: string): ProcessIdentity | null {
  try {
    const { pid, host, place, started } = JSON.parse(text) as Partial<ProcessIdentity>;
    if (typeof pid !== "number" || pid <= 0 || typeof host !== "string") return null;
    return { pid, host, place: place ?? null, started: started ?? null };
  } catch {
    return null;
  }
}

/** Returns the state of a process as seen from here; `unknown` if its PID belongs to another namespace. */
export function stateOf({ pid, place, started }: ProcessIdentity): "running" | "gone" | "unknown" {
  if (place === null || place !== placeOfPids()) return "unknown";
  if (!isRunning(pid)) return "gone";
  const [state, present] = statusOf(pid);
  // Dead, but not yet collected by its parent: a container's first process may never do so.
  if (state === "Z" || state === "X") return "gone";
  if (present === null || started === null) return "unknown";
  return present === started ? "running" : "gone";
}

/** Returns boot ID and PID namespace on Linux; elsewhere the host name, because PIDs are per machine. */
function placeOfPids(): string | null {
  if (process.platform !== "linux") return `${process.platform} ${hostname()}`;
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return null;
  }
}

/** Returns a process's state, and its start time in ticks since boot (proc(5), `stat`, fields 3 and 22). */
function statusOf(pid: number): [state: string | null, started: string | null] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [fields[0] ?? null, fields[19] ?? null];
  } catch {
    return [null, null];
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
