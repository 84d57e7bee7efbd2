import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { freePorts, startProgram, type RunningProgram } from "../programs.ts";

export interface RedisServer {
  url: string;
  /** Without notice to its clients, as in a crash. */
  kill(): Promise<void>;
  /** Starts it again on the same port, with nothing in it. */
  restart(): Promise<void>;
  /** Lets it answer nothing, while its connections stay. */
  suspend(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** Starts a Redis of its own on loopback, behind a password, with nothing written to disk. */
export async function startRedis(): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-redis-"));
  const [port = 0] = await freePorts(1);
  const password = "the-password-of-redis";
  const start = () =>
    startProgram(
      binary("redis-server"),
      ["--bind", "127.0.0.1", "--port", String(port), "--dir", folder, "--save", "", "--requirepass", password],
      /Ready to accept connections/,
    );
  let program: RunningProgram = await start();
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    async kill() {
      await program.stop("SIGKILL");
    },
    async restart() {
      program = await start();
    },
    suspend() {
      process.kill(program.pid, "SIGSTOP");
    },
    resume() {
      process.kill(program.pid, "SIGCONT");
    },
    async stop() {
      await program.stop("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
