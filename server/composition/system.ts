import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { sql } from "kysely";
import { z } from "zod";
import { admin } from "../api/procedures.ts";
import { nothing, shownId, timestamp } from "../api/schemas.ts";
import { router } from "../api/trpc.ts";
import { queries, type Database, type EntityManager } from "../database/database.ts";
import type { Health } from "../database/health.ts";
import type { JobRunner } from "../ops/jobs/runner.ts";
import type { Background } from "../platform/background.ts";
import { version } from "../platform/version.ts";

/** How often an instance says that it runs. */
const beat = 30_000;
/** Seconds after which an instance that said nothing counts as gone: two beats and a slow third. */
const silent = 100;

const instance = z
  .object({
    id: shownId("A number that this process drew when it started."),
    self: z.boolean().meta({ description: "Whether it answered this call.", example: true }),
    host: z.string().meta({ description: "The name of its machine or container.", example: "zonewright-1" }),
    version: z.string().meta({ description: "Its version of Zonewright.", example: version }),
    node: z.string().meta({ description: "Its version of Node.js.", example: "26.10.0" }),
    runsJobs: z.boolean().meta({ description: "False with `JOBS=off`: others run the jobs.", example: true }),
    startedAt: timestamp("When it started."),
    seenAt: timestamp("When it last said that it runs. It does so every 30 seconds."),
  })
  .meta({ id: "Instance", description: "A running process of the service." });

const jobState = z
  .object({
    name: z.string().meta({ description: "The job's name.", example: "drift.check" }),
    description: z
      .string()
      .meta({ description: "What it does.", example: "Compares zones with what their providers serve." }),
    schedule: z.string().nullable().meta({
      description: "Five cron fields, in UTC; null for a job that runs only when asked.",
      example: "* * * * *",
    }),
    waiting: z.int().meta({ description: "Runs that wait to begin.", example: 0 }),
    active: z.int().meta({ description: "Runs that have begun.", example: 0 }),
    failed: z.int().meta({ description: "Runs of the last day that failed and are not tried again.", example: 0 }),
    lastRun: z
      .object({
        startedAt: timestamp("When it began."),
        seconds: z
          .number()
          .nullable()
          .meta({ description: "How long it took; null if it failed and is tried again.", example: 0.4 }),
        outcome: z.enum(["completed", "failed", "retrying"]).meta({
          description:
            "`retrying`: it failed and is tried again within minutes. The log of its instance has the error.",
          example: "completed",
        }),
      })
      .nullable()
      .meta({ description: "The newest run of the last day that ended; null if there is none." }),
  })
  .meta({ id: "JobState", description: "A background job and how its last run ended." });

export const system = z
  .object({
    version: z.string().meta({ description: "The version of the instance that answers.", example: version }),
    database: z.string().meta({
      description: "The database server's version and place, or the folder of the embedded one.",
      example: "PostgreSQL 17.6, db.example.com:5432/zonewright, with TLS",
    }),
    databaseState: z.enum(["ok", "not_writable", "unavailable"]).meta({
      description: "`not_writable`: it answers, but is read-only or full.",
      example: "ok",
    }),
    instances: z.array(instance).meta({ description: "Those seen within 100 seconds, the oldest first." }),
    jobs: z.array(jobState).meta({ description: "All jobs, by name. The numbers cover all instances." }),
  })
  .meta({ id: "System", description: "The service: its version, database, instances and jobs." });

interface Parts {
  database: Database;
  health: Health;
  background: Background;
  jobs: Pick<JobRunner, "list" | "counts">;
  runsJobs: boolean;
}

/** What runs: the instances on this database, and the jobs with how their last runs ended. */
export class System {
  readonly #parts: Parts;
  readonly #id = randomUUID();
  readonly #startedAt = new Date();
  #timer: NodeJS.Timeout | undefined;
  /** The beat on its way; there is one at a time. */
  #beating: Promise<undefined> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Lists this instance from now on. That it cannot be listed stops nothing. */
  start(): void {
    this.#beatSoon();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#beatSoon(), beat);
    this.#timer.unref();
  }

  /** Takes this instance from the list. If the database is away, the others do so soon. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    // One on its way would list it again.
    await this.#beating;
    await queries(this.#parts.database.fork())
      .deleteFrom("instances")
      .where("id", "=", this.#id)
      .execute()
      .catch(() => undefined);
  }

  /** Returns the state of the service, in four statements. */
  async show(em: EntityManager): Promise<z.input<typeof system>> {
    const { database, health, jobs } = this.#parts;
    const [described, { database: databaseState }, instances, counts, lastRuns] = await Promise.all([
      database.described(),
      health.readiness(),
      this.#instances(em),
      jobs.counts(),
      lastRunsOf(database.fork()),
    ]);
    const countsOf = new Map(counts.map((one) => [one.name, one]));
    return {
      version,
      database: described,
      databaseState,
      instances,
      jobs: jobs.list
        .map(({ name, description, schedule }) => {
          const { queuedCount = 0, activeCount = 0, failedCount = 0 } = countsOf.get(name) ?? {};
          return {
            name,
            description,
            schedule,
            waiting: queuedCount,
            active: activeCount,
            failed: failedCount,
            lastRun: lastRuns.get(name) ?? null,
          };
        })
        .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    };
  }

  async #instances(em: EntityManager) {
    const rows = await queries(em)
      .selectFrom("instances")
      .select(["id", "host", "version", "node", "runs_jobs", "started_at", "seen_at"])
      .where("id", "!=", this.#id)
      .where("seen_at", ">", sql<Date>`now() - make_interval(secs => ${silent})`)
      .orderBy("started_at")
      .orderBy("id")
      .limit(1_000)
      .execute();
    const others = rows.map((row) => ({
      id: row.id,
      self: false,
      host: row.host,
      version: row.version,
      node: row.node,
      runsJobs: row.runs_jobs,
      startedAt: row.started_at,
      seenAt: row.seen_at,
    }));
    // It runs whatever the database says: one that takes no writes has not heard of it lately.
    const self = {
      id: this.#id,
      self: true,
      host: hostname(),
      version,
      node: process.versions.node,
      runsJobs: this.#parts.runsJobs,
      startedAt: this.#startedAt,
      seenAt: new Date(),
    };
    return [...others, self].toSorted((one, other) => one.startedAt.getTime() - other.startedAt.getTime());
  }

  #beatSoon(): void {
    if (this.#beating) return;
    const done = Promise.withResolvers<undefined>();
    this.#beating = done.promise;
    this.#parts.background.run("noting that this instance runs", async () => {
      try {
        await this.#beat();
      } finally {
        this.#beating = undefined;
        done.resolve(undefined);
      }
    });
  }

  /** Says that this instance runs, and forgets those that have ended without a word. The clock is the database's: instances may differ. */
  async #beat(): Promise<void> {
    const { database, runsJobs } = this.#parts;
    await sql`
      with gone as (delete from instances where seen_at < now() - make_interval(secs => ${silent}))
      insert into instances (id, host, version, node, runs_jobs)
      values (${this.#id}, ${hostname()}, ${version}, ${process.versions.node}, ${runsJobs})
      on conflict (id) do update set seen_at = now()
    `.execute(queries(database.fork()));
  }
}

/** Returns the newest ended run of each job. The queue keeps them for a day. */
async function lastRunsOf(em: EntityManager) {
  const { rows } = await sql<{ name: string; state: string; started_on: Date; seconds: number | null }>`
    select distinct on (name) name, state::text, started_on,
      extract(epoch from completed_on - started_on)::float8 as seconds
    from jobs.job where state in ('completed', 'failed', 'retry') and started_on is not null
    order by name, started_on desc
  `.execute(queries(em));
  return new Map(
    rows.map(({ name, state, started_on: startedAt, seconds }) => {
      const outcome =
        state === "retry" ? ("retrying" as const) : state === "failed" ? ("failed" as const) : ("completed" as const);
      return [name, { startedAt: new Date(startedAt), seconds: outcome === "retrying" ? null : seconds, outcome }];
    }),
  );
}

export function createSystemRouter({ system: service }: { system: System }) {
  return router({
    get: admin({
      method: "GET",
      path: "/system",
      operationId: "getSystem",
      tag: "System",
      summary: "Show the state of the service",
      description:
        "The version, the database, the running instances, and the background jobs with how their last runs ended. The settings are not shown.",
    })
      .input(nothing)
      .output(system)
      .query(({ ctx }) => service.show(ctx.em)),
  });
}
