import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { newToken } from "../server/access/authenticator.ts";
import { newId, hashOf } from "../server/platform/ids.ts";
import { createDatabase, startPostgres } from "../tests/support/servers/postgres.ts";
import { freePorts } from "../tests/support/programs.ts";
import { compared, median, percentile, timings } from "./support/measure.ts";
import type { Figure } from "./support/report.ts";
import type { Order, Weight } from "./support/stream-orders.ts";

const streams = 10_000;
const openedAtOnce = 50;
const rounds = 3;
const toOne = 200;
const toAll = 5;

interface Reader {
  userId: string;
  token: string;
}

interface Measured {
  kilobytesPerStream: number;
  oneMilliseconds: number[];
  allMilliseconds: number[];
}

/** Measures 10,000 open streams, one per user: memory per stream, and the time to notify one or all of them. Alternates with the bare server in baseline-streams.ts. */
export async function measureStreams(): Promise<Figure[]> {
  const postgres = await startPostgres();
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-streams-"));
  const readers = Array.from({ length: streams }, () => ({ userId: newId(), token: newToken("zw") }));
  try {
    const databaseUrl = await createDatabase(postgres.url, "zonewright_streams");
    const env = {
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      ADMIN_PASSWORD: "correct horse battery staple",
      RATE_LIMIT: "off",
      LOG_LEVEL: "warn",
    };
    const pairs: [Measured, Measured][] = [];
    for (let round = 0; round < rounds; round++) {
      const prepare = () => (round === 0 ? makeReaders(databaseUrl, readers) : Promise.resolve());
      const ours = await measured("streams-service.ts", env, readers, prepare);
      pairs.push([ours, await measured("baseline-streams.ts", {}, readers, () => Promise.resolve())]);
    }
    return figures(pairs);
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The most that a figure may be: by the bare server's, or whatever that takes. */
type Most = { times: number } | { fixed: number };

function figures(pairs: readonly (readonly [Measured, Measured])[]): Figure[] {
  const figure = (what: string, unit: string, value: (of: Measured) => number, most: Most): Figure => {
    const { ours, baseline, ratio, spread } = compared(pairs.map(([mine, bare]) => [value(mine), value(bare)]));
    const bare = `a bare Node server that only writes the messages (${baseline.toFixed(1)} ${unit})`;
    const named = { what: `${streams} streams, median of ${rounds} rounds: ${what}` };
    if ("times" in most) {
      return {
        ...named,
        measured: `${ours.toFixed(1)} ${unit}`,
        baseline: bare,
        ratio,
        spread,
        goal: { most: most.times },
      };
    }
    const times = `${ratio.toFixed(1)} × (${spread.map((bound) => bound.toFixed(1)).join("–")})`;
    return {
      ...named,
      measured: `${ours.toFixed(1)} ${unit}, ${times} ${bare}`,
      baseline: `fixed limit: ${most.fixed} ${unit}`,
      ratio: ours / most.fixed,
      goal: { most: 1 },
    };
  };
  return [
    figure("memory per stream, above an idle process", "KB", (of) => of.kilobytesPerStream, { times: 1.15 }),
    figure(`one notification to one stream, p99 of ${toOne}`, "ms", (of) => percentile(of.oneMilliseconds, 0.99), {
      fixed: 50,
    }),
    figure(`one notification to all streams, median of ${toAll}`, "ms", (of) => median(of.allMilliseconds), {
      times: 1.3,
    }),
  ];
}

/** Inserts users and their tokens as the service would, because sign-ins are measured elsewhere. */
async function makeReaders(databaseUrl: string, readers: readonly Reader[]): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const ids = readers.map(({ userId }) => userId);
  await client.query(
    "insert into users (id, username, role) select id, 'reader-' || id, 'member' from unnest($1::uuid[]) as id",
    [ids],
  );
  await client.query(
    `insert into personal_tokens (id, user_id, name, token_hash, permissions)
      select id, user_id, 'Reader', hash, '{notifications:read}' from unnest($1::uuid[], $2::uuid[], $3::text[]) as made (id, user_id, hash)`,
    [readers.map(() => newId()), ids, readers.map(({ token }) => hashOf(token))],
  );
  await client.end();
}

async function measured(
  program: string,
  variables: Record<string, string>,
  readers: readonly Reader[],
  prepare: () => Promise<void>,
): Promise<Measured> {
  const [port = 0] = await freePorts(1);
  const env = { ...process.env, NODE_ENV: "production", ...variables, PORT: String(port) };
  const server = fork(fileURLToPath(new URL(program, import.meta.url)), { env, execArgv: ["--expose-gc"] });
  const order = (given: Order) => server.send(given);
  const arrivals = new Arrivals();
  let sockets: Socket[] = [];
  try {
    await once(server, "message");
    await prepare();
    // Warms up: code loaded and compiled for the first streams does not count toward the memory per stream.
    for (let round = 0; round < 5; round++) {
      const first = await openAll(port, readers.slice(0, 200), arrivals);
      for (const socket of first) socket.destroy();
    }
    const idle = await weight(server);
    sockets = await openAll(port, readers, arrivals);
    const full = await weight(server);
    const tell = async (userIds: string[], title: string) => {
      const arrived = arrivals.expect(userIds.length, title);
      order({ do: "tell", userIds, title });
      await arrived;
    };
    const everybody = readers.map(({ userId }) => userId);
    const one = (round: number) => [readers[(round * 7) % streams]?.userId ?? ""];
    await timings(50, (round) => tell(one(round), `warm ${round}`));
    const oneMilliseconds = await timings(toOne, (round) => tell(one(round), `one ${round}`));
    await tell(everybody, "warm all");
    const allMilliseconds = await timings(toAll, (round) => tell(everybody, `all ${round}`));
    return { kilobytesPerStream: (full - idle) / 1024 / streams, oneMilliseconds, allMilliseconds };
  } finally {
    for (const socket of sockets) socket.destroy();
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  }
}

async function weight(server: ChildProcess): Promise<number> {
  const answered = once(server, "message");
  server.send({ do: "weigh" } satisfies Order);
  const [{ bytes }] = (await answered) as [Weight];
  return bytes;
}

/** Counts the messages with one title. */
class Arrivals {
  #title = "";
  #missing = 0;
  #done: () => void = () => undefined;

  expect(count: number, title: string): Promise<void> {
    this.#title = `"title":"${title}"`;
    this.#missing = count;
    return new Promise((resolve) => {
      this.#done = resolve;
    });
  }

  take(text: string): void {
    if (this.#missing === 0 || !text.includes(this.#title)) return;
    this.#missing -= 1;
    if (this.#missing === 0) this.#done();
  }
}

async function openAll(port: number, readers: readonly Reader[], arrivals: Arrivals): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let at = 0; at < readers.length; at += openedAtOnce) {
    const some = readers.slice(at, at + openedAtOnce);
    sockets.push(...(await Promise.all(some.map((reader) => openStream(port, reader, arrivals)))));
  }
  return sockets;
}

/** Uses a plain socket to keep the load of the measuring process low. */
async function openStream(port: number, { userId, token }: Reader, arrivals: Arrivals): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1").setNoDelay(true);
  const headers = ["Host: localhost", "Connection: close", `Authorization: Bearer ${token}`, `X-User: ${userId}`];
  socket.write(`GET /api/notifications/stream HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
  return await new Promise((resolve, reject) => {
    let head = "";
    socket.once("error", reject);
    socket.on("data", (text: string) => {
      if (head === "open") {
        arrivals.take(text);
        return;
      }
      head += text;
      if (!head.includes('"connected"')) return;
      head = "open";
      resolve(socket);
    });
    socket.once("close", () => reject(new Error(`A stream was refused or closed: ${head}`)));
  });
}
