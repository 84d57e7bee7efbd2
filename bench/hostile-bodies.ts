import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase, startPostgres } from "../tests/support/servers/postgres.ts";
import { RestClient } from "../tests/support/rest-client.ts";
import { hostileShapes, type HostileShape } from "./support/hostile-shapes.ts";
import { compared, type Comparison } from "./support/measure.ts";
import type { Figure } from "./support/report.ts";
import { startWatched as start, worstDelay as worst } from "./support/watched-process.ts";

const password = "correct horse battery staple";
const mostMilliseconds = 50;
const rounds = 3;

/**
 * Measures the longest event-loop delay caused by a hostile body, in turn with a bare Express server that parses the same body. Both share their cores with
 * PostgreSQL and the caller; the figure without requests shows the cost of that.
 */
export async function measureHostileBodies(): Promise<Figure[]> {
  const postgres = await startPostgres();
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-hostile-"));
  const bare = await start("baseline-bodies.ts", {});
  const ours = await start("hostile-service.ts", {
    DATABASE_URL: await createDatabase(postgres.url, "zonewright_hostile"),
    DATA_DIR: dataDir,
    PORT: "0",
    ADMIN_PASSWORD: password,
    RATE_LIMIT: "off",
    RATE_LIMIT_COSTLY: "off",
    LOG_LEVEL: "warn",
    NODE_ENV: "production",
  });
  try {
    const target = await furnish(ours.url);
    const idle = await worst(ours.child, () => new Promise((resolve) => setTimeout(resolve, 3_000)));
    const figures: Figure[] = [
      {
        what: "worst loop delay, no requests for 3 s",
        measured: milliseconds(idle.worstMilliseconds),
        baseline: "",
        ratio: null,
        goal: null,
      },
    ];
    for (const shape of hostileShapes) {
      const body = shape.body();
      const pairs: [number, number][] = [];
      for (let round = 0; round < rounds; round++) {
        const mine = await worst(ours.child, () => send(target, shape, body));
        const theirs = await worst(bare.child, () => send({ ...target, url: bare.url }, shape, body));
        pairs.push([mine.worstMilliseconds, theirs.worstMilliseconds]);
      }
      figures.push(figure(shape.what, compared(pairs)));
    }
    return figures;
  } finally {
    for (const { child } of [ours, bare]) {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    }
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The ratio is to the fixed limit in milliseconds. The bare server shows the cost of parsing alone on this machine. */
function figure(what: string, { ours, baseline, ratio, spread }: Comparison): Figure {
  const times = `${ratio.toFixed(1)} × (${spread.map((bound) => bound.toFixed(1)).join("–")})`;
  return {
    what: `worst loop delay during a call, median of ${rounds}: ${what}`,
    measured: `${milliseconds(ours)}, ${times} a bare Express server, which parses the body and splits the zone file into words (${milliseconds(baseline)})`,
    baseline: `fixed limit: ${mostMilliseconds} ms`,
    ratio: ours / mostMilliseconds,
    goal: { most: 1 },
  };
}

function milliseconds(value: number): string {
  return `${value.toFixed(0)} ms`;
}

interface Target {
  url: string;
  token: string;
  domainId: string;
}

async function furnish(url: string): Promise<Target> {
  const client = new RestClient(url);
  client.token = (await client.post("/api/auth/login", { username: "admin", password })).body.accessToken;
  const { body: config } = await client.post("/api/provider-configs", { kind: "manual", name: "Manual" });
  const { body } = await client.post("/api/domains", { name: "hostile.example", providerConfigId: config.id });
  return { url, token: client.token ?? "", domainId: body.id };
}

async function send(
  target: Target,
  { path, isGzip }: Omit<HostileShape, "body">,
  body: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const domain = `/api/domains/${target.domainId}`;
  const paths = {
    login: "/api/auth/login",
    "trpc login": "/trpc/auth.login",
    create: "/api/domains",
    plan: `${domain}/records/plan`,
    "zone file": `${domain}/zonefile`,
    "trpc zone file": "/trpc/records.importZonefile",
  };
  const headers = new Headers({ "content-type": "application/json" });
  if (!path.endsWith("login")) headers.set("authorization", `Bearer ${target.token}`);
  if (isGzip) headers.set("content-encoding", "gzip");
  const input = path === "trpc zone file" ? wrapped(body, target.domainId) : body;
  const response = await fetch(target.url + paths[path], { method: "POST", headers, body: input });
  await response.arrayBuffer();
  if (response.status >= 500) throw new Error(`${path} returned ${response.status}.`);
}

function wrapped(body: Uint8Array, id: string): string {
  const input = JSON.parse(Buffer.from(body).toString()) as object;
  return JSON.stringify({ json: { id, ...input } });
}
