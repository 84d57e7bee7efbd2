import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@redis/client";
import { vi } from "vitest";
import { binary } from "../binaries.ts";
import { patience } from "../patience.ts";
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
  /** Waits until so many instances share what they know. On a busy machine one may be ready before: it waits two seconds for Redis. */
  untilSharedBy(instances: number): Promise<void>;
  stop(): Promise<void>;
}

/** The channels that each instance subscribes to, with both of its connections ready. */
const channels = ["zonewright:notifications", "zonewright:zone-changes"];

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
  const url = `redis://:${password}@127.0.0.1:${port}`;
  return {
    url,
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
    async untilSharedBy(instances) {
      const client = createClient({ url });
      await client.connect();
      try {
        await vi.waitFor(async () => {
          const subscribers = Object.values(await client.pubSubNumSub(channels));
          if (subscribers.some((count) => count < instances))
            throw new Error(`Of ${instances} instances, ${subscribers.join(" and ")} listen at Redis.`);
        }, patience);
      } finally {
        client.destroy();
      }
    },
    async stop() {
      await program.stop("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
