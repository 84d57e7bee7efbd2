import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Which process, on which machine. */
export interface ProcessIdentity {
  pid: number;
  host: string;
  /** Where the pid means something: two processes with the same place see each other. Null where that cannot be told. */
  place: string | null;
  /** When the process began, in the kernel's own count: another process may have its id later. */
  started: string | null;
}

/** This process, to be found again by others. */
export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, host: hostname(), place: placeOfPids(), started: startOf(process.pid) };
}

/** What was written of a process, as JSON; null where that is no identity. */
export function identityIn(text: string): ProcessIdentity | null {
  try {
    const { pid, host, place, started } = JSON.parse(text) as Partial<ProcessIdentity>;
    if (typeof pid !== "number" || pid <= 0 || typeof host !== "string") return null;
    return { pid, host, place: place ?? null, started: started ?? null };
  } catch {
    return null;
  }
}

/** What can be said of a process from here; `unknown` where its pid means another process or nothing. */
export function stateOf({ pid, place, started }: ProcessIdentity): "running" | "gone" | "unknown" {
  if (place === null || place !== placeOfPids()) return "unknown";
  if (!isRunning(pid)) return "gone";
  const present = startOf(pid);
  if (present === null || started === null) return "unknown";
  return present === started ? "running" : "gone";
}

/** On Linux the boot and the PID namespace; elsewhere, where there is one set of pids a machine, its name. */
function placeOfPids(): string | null {
  if (process.platform !== "linux") return `${process.platform} ${hostname()}`;
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return null;
  }
}

/** When a process began, in ticks since the boot (proc(5), `stat`, field 22). */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
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
