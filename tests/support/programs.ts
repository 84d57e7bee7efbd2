import { execFile, spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder } from "./cache-folder.ts";

const runFile = promisify(execFile);

/** The environment of our programs besides their configuration. Node caches compiled code, because loading modules is half of a start. */
export const programEnv = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: join(cacheFolder, "compiled"),
};

export interface Finished {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Ends what hangs, before the test does: a busy machine may take many times as long as an idle one. */
const patience = { maxBuffer: 64 * 1024 * 1024, timeout: 170_000 };

/** Runs a program to its end; returns a failure instead of throwing. */
export async function run(file: string, args: readonly string[]): Promise<Finished> {
  try {
    const env = { ...process.env, NODE_COMPILE_CACHE: programEnv.NODE_COMPILE_CACHE };
    const { stdout, stderr } = await runFile(file, args, { ...patience, env });
    return { exitCode: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== "number") throw error;
    return { exitCode: code, stdout, stderr };
  }
}

/** Runs a program that must succeed. @returns what it printed. */
export async function mustRun(file: string, args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await run(file, args);
  if (exitCode !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${exitCode}:\n${stdout}${stderr}`);
  return stdout;
}

/** Programs that still run: no failure may leave them behind. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGTERM");
});
// Workers are ended by SIGTERM, which by default would skip the exit handler.
process.on("SIGTERM", () => process.exit(143));

/** A program that runs until it is stopped. */
export interface RunningProgram {
  readonly pid: number;
  /** Its output so far. */
  output(): string;
  /** Sends the signal and waits for the end. @returns the exit code; null when the signal ended it. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts a program and waits until it prints `ready`.
 * @throws Error with its output when it ends before that.
 */
export async function startProgram(
  file: string,
  args: readonly string[],
  ready: RegExp,
  options: SpawnOptions = {},
): Promise<RunningProgram & { ready: RegExpExecArray }> {
  const child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const ended = new Promise<number | null>((resolve) => child.once("close", (exitCode) => resolve(exitCode)));
  void ended.then(() => running.delete(child));
  let printed = "";
  const match = await new Promise<RegExpExecArray>((resolve, reject) => {
    let isReady = false;
    const take = (text: Buffer) => {
      printed += text.toString("utf8");
      // A long log is searched no further.
      const found = isReady ? null : ready.exec(printed);
      if (!found) return;
      isReady = true;
      resolve(found);
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
    child.once("error", reject);
    void ended.then((exitCode) => reject(new Error(`${file} ended with ${exitCode} instead of starting:\n${printed}`)));
  });
  return {
    pid: pidOf(child),
    ready: match,
    output: () => printed,
    async stop(signal) {
      child.kill(signal);
      // Its output then tells how far it came.
      const hung = setTimeout(() => child.kill("SIGKILL"), patience.timeout);
      return await ended.finally(() => clearTimeout(hung));
    },
  };
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error("The program did not start.");
  return pid;
}

/** Ports of a worker. They are below those that systems give to outgoing connections, and no other worker takes them. */
const portsEach = 1_000;
const firstPort = 12_000 + (Number(process.env["VITEST_POOL_ID"] ?? 0) % 20) * portsEach;
/** Another run on this machine has the same ports: each begins somewhere else. */
let nextPort = randomInt(portsEach);

/** Distinct ports of loopback that nothing uses, by TCP or by UDP. None is given out twice before all have been. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tried = 0; ports.length < count; tried++) {
    if (tried === portsEach) throw new Error(`Fewer than ${count} ports from ${firstPort} on are free.`);
    const port = firstPort + (nextPort++ % portsEach);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

/** At any address: some servers listen at others of loopback. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const socket = createSocket("udp4");
  try {
    await once(server.listen(port, "0.0.0.0"), "listening");
    await once(socket.bind(port, "0.0.0.0"), "listening");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  } finally {
    if (server.listening) await new Promise((resolve) => server.close(resolve));
    await new Promise<void>((resolve) => socket.close(resolve));
  }
}
