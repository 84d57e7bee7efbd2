import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Metrics } from "../../server/api/metrics.ts";
import { StreamClient } from "../support/event-stream.ts";
import { patience } from "../support/patience.ts";
import { adminPassword, startZonewright, type Zonewright } from "../support/zonewright.ts";

let zw: Zonewright & { stop(): Promise<void> };
beforeAll(async () => {
  zw = await startZonewright();
});
afterAll(() => zw.stop());

async function metrics({ url }: { url: string } = zw): Promise<string> {
  const answer = await fetch(`${url}/metrics`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  return await answer.text();
}

async function value(line: string): Promise<number> {
  const found = (await metrics()).split("\n").find((one) => one.startsWith(`${line} `));
  return Number(found?.slice(line.length + 1));
}

function seen(procedure: string, status: number): Promise<number> {
  return value(`zonewright_request_duration_seconds_count{procedure="${procedure}",status="${status}"}`);
}

test("requests are counted by procedure and status, over REST and tRPC, and never by URL", async () => {
  const { body } = await zw.admin.post("/api/domains", { name: "measured.example" });
  await zw.admin.get(`/api/domains/${body.id}`);
  await zw.admin.get(`/api/domains/${body.id}`);
  await zw.nobody.get(`/api/domains/${body.id}`);
  await fetch(`${zw.url}/trpc/domains.get?input=${encodeURIComponent(JSON.stringify({ json: { id: body.id } }))}`);
  await zw.nobody.get("/api/nothing/here");
  expect([await seen("domains.get", 200), await seen("domains.get", 401)]).toEqual([2, 2]);
  expect(await seen("none", 404)).toBe(1);
  const text = await metrics();
  for (const own of [body.id, "measured.example", "admin", "nothing"]) expect(text).not.toContain(own);
});

test("/version and a metric show the running version without authentication", async () => {
  const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  expect(await zw.nobody.get("/version")).toMatchObject({ status: 200, body: { name: "zonewright", version } });
  expect(await value(`zonewright_build_info{version="${version}"}`)).toBe(1);
});

test("metrics show job runs and waiting jobs", async () => {
  const job = "changes.repair";
  await zw.services.jobs.enqueue(zw.services.database.fork(), job, {});
  await vi.waitFor(async () => {
    expect(await value(`zonewright_job_duration_seconds_count{job="${job}"}`)).toBeGreaterThan(0);
    expect(await value(`zonewright_job_last_success_timestamp_seconds{job="${job}"}`)).toBeGreaterThan(1e9);
  }, patience);
  expect(await value(`zonewright_job_failures_total{job="${job}"}`)).toBe(0);
  // The queue counts its runs now and then, also while this one waited or had not been marked as completed.
  for (const state of ["waiting", "active", "failed"]) {
    await vi.waitFor(
      async () => expect(await value(`zonewright_jobs{job="${job}",state="${state}"}`)).toBe(0),
      patience,
    );
  }
});

test("open streams are counted separately and not as slow requests", async () => {
  const path = "/api/notifications/stream";
  const stream = await StreamClient.open(zw.url + path, { authorization: `Bearer ${zw.admin.token}` });
  expect(await value("zonewright_open_streams")).toBe(1);
  expect((await StreamClient.open(zw.url + path)).status).toBe(401);
  await zw.admin.post("/api/auth/logout");
  await stream.closed;
  expect(await value("zonewright_open_streams")).toBe(0);
  expect(await seen("notifications.stream", 401)).toBe(1);
  expect(await metrics()).not.toContain('procedure="notifications.stream",status="200"');
});

test("metrics include gauges from the database and the process", async () => {
  expect(await value("zonewright_domains")).toBe(1);
  expect(await value("zonewright_open_changes")).toBe(0);
  expect(await value("zonewright_drifted_domains")).toBe(0);
  expect(await value("process_resident_memory_bytes")).toBeGreaterThan(1e6);
});

test("a gauge that cannot be read is omitted, and the others remain", async () => {
  zw.services.metrics.add({ name: "broken", help: "For a test.", read: () => Promise.reject(new Error("away")) });
  const text = await metrics();
  expect(text).not.toContain("broken");
  expect(text).toContain("zonewright_domains 1");
});

test("concurrent requests for metrics share one set of database queries", async () => {
  const page = new Metrics();
  let asked = 0;
  const answer = Promise.withResolvers<{ value: number }[]>();
  page.add({
    name: "asked",
    help: "How often.",
    async read() {
      asked++;
      return await answer.promise;
    },
  });
  const looks = Array.from({ length: 20 }, () => page.text());
  answer.resolve([{ value: 7 }]);
  for (const text of await Promise.all(looks)) expect(text).toContain("asked 7");
  expect(asked).toBe(1);
  await page.text();
  expect(asked).toBe(2);
});

test("a flood of requests for metrics has ten sets made a second, and the rest share the first of the next", async () => {
  let milliseconds = 5_200;
  const paused: number[] = [];
  const next = Promise.withResolvers<void>();
  const page = new Metrics(
    () => milliseconds,
    async (pause) => {
      paused.push(pause);
      await next.promise;
      milliseconds += pause;
    },
  );
  let asked = 0;
  page.add({ name: "asked", help: "How often.", read: () => Promise.resolve([{ value: ++asked }]) });
  for (let look = 0; look < 10; look++) await page.text();
  const looks = Array.from({ length: 90 }, () => page.text());
  expect([asked, paused]).toEqual([10, [800]]);
  next.resolve();
  for (const text of await Promise.all(looks)) expect(text).toContain("asked 11");
  expect(await page.text()).toContain("asked 12");
  expect(paused).toHaveLength(1);
});

test("metrics name domains and say when they expire only if METRICS_DOMAINS is on", async () => {
  const naming = await startZonewright({ env: { METRICS_DOMAINS: "on", JOBS: "off" } });
  try {
    const lines = async (one: Zonewright) => {
      const { body } = await one.admin.post("/api/domains", { name: "expiring.example" });
      const inTenDays = new Date(Date.now() + 10 * 86_400_000).toISOString();
      await one.admin.put(`/api/domains/${body.id}/expiry`, { expiresAt: inTenDays });
      await one.admin.post("/api/domains", { name: "undated.example" });
      return (await metrics(one)).split("\n").filter((line) => /^zonewright_domain_expires|\.example/.test(line));
    };
    const [line = "", ...others] = await lines(naming);
    expect(others).toEqual([]);
    const [name, seconds] = line.split(" ");
    expect(name).toBe('zonewright_domain_expires_seconds{domain="expiring.example",view=""}');
    expect(Number(seconds) / 86_400).toBeCloseTo(10, 1);
    expect(await lines({ ...zw, admin: await zw.signIn("admin", adminPassword) })).toEqual([]);
  } finally {
    await naming.stop();
  }
});
