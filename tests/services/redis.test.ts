import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { migratedDatabase } from "../support/servers/postgres.ts";
import { startRedis, type RedisServer } from "../support/servers/redis.ts";
import { RestClient, type Answer } from "../support/rest-client.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";
import { adminPassword, memberPassword } from "../support/zonewright.ts";

let dataDir: string;
let redis: RedisServer;
let one: ServiceProcess;
let other: ServiceProcess;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-redis-data-"));
  redis = await startRedis();
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: await migratedDatabase("zonewright_redis"),
    REDIS_URL: redis.url,
    TRUST_PROXY: "loopback",
    RATE_LIMIT: "40",
    LOG_LEVEL: "info",
  };
  [one, other] = await Promise.all([startService(env), startService(env)]);
  await redis.untilSharedBy(2);
});

afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
  await redis.stop();
  await rm(dataDir, { recursive: true, force: true });
});

let addresses = 0;
function login({ url }: ServiceProcess, username: string, password: string): Promise<Answer> {
  addresses += 1;
  const headers = { "x-forwarded-for": `203.0.113.${addresses % 250}` };
  return new RestClient(url).post("/api/auth/login", { username, password }, headers);
}

function both(times: number, call: (instance: ServiceProcess, index: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => call(index % 2 === 0 ? one : other, index)));
}

function count(answers: readonly Answer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

/** How often the instances have lost Redis. */
function losses(): number {
  return [one, other].flatMap((instance) => instance.output().match(/Redis is unreachable/g) ?? []).length;
}

/** Has both instances count together. On a busy machine one may lose Redis for a moment, and count by itself meanwhile: then all is counted anew. */
async function countedTogether(calls: (attempt: number) => Promise<Answer[]>): Promise<Answer[]> {
  for (let attempt = 1; ; attempt++) {
    await redis.untilSharedBy(2);
    const before = losses();
    const answers = await calls(attempt);
    if (losses() === before) return answers;
  }
}

test("of a hundred simultaneous wrong passwords at two instances, five are checked in all", async () => {
  const answers = await countedTogether((attempt) =>
    both(100, (instance) => login(instance, `nobody${attempt}`, "a wrong password")),
  );
  expect([count(answers, 401), count(answers, 429)]).toEqual([5, 95]);
});

test("simultaneous sign-ins with the right password at two instances all succeed", async () => {
  expect(count(await both(20, (instance) => login(instance, "admin", adminPassword)), 200)).toBe(20);
});

test("two instances count one user's calls together", async () => {
  const { body: admin } = await login(one, "admin", adminPassword);
  const answers = await countedTogether(async (attempt) => {
    const account = { username: `caller${attempt}`, password: memberPassword };
    const made = await new RestClient(one.url, admin.accessToken).post("/api/users", { ...account, role: "member" });
    expect(made.status).toBe(201);
    const { body } = await login(one, account.username, account.password);
    return await both(60, ({ url }) => new RestClient(url, body.accessToken).get("/api/auth/me"));
  });
  expect([count(answers, 200), count(answers, 429)]).toEqual([40, 20]);
});

test("without Redis each instance counts by itself and logs it, until Redis is back", async () => {
  // On a busy machine, an instance may have lost the connection before.
  const before = new Map([one, other].map((instance) => [instance, instance.output().length]));
  const printed = (instance: ServiceProcess) => instance.output().slice(before.get(instance));
  await redis.kill();
  await vi.waitFor(() => expect(printed(one)).toContain("Redis is unreachable"), { timeout: 60_000, interval: 20 });
  expect(count(await Promise.all(Array.from({ length: 8 }, () => login(one, "stranger", "x"))), 401)).toBe(5);
  expect((await login(other, "stranger", "x")).status).toBe(401);
  await redis.restart();
  for (const instance of [one, other])
    await vi.waitFor(() => expect(printed(instance)).toContain("connected to Redis again"), {
      timeout: 60_000,
      interval: 20,
    });
  // It may lose it once more, and count by itself meanwhile.
  let visitor = 0;
  await vi.waitFor(
    async () => {
      const newcomer = `newcomer${++visitor}`;
      expect(count(await both(12, (instance) => login(instance, newcomer, "x")), 401)).toBe(5);
    },
    { timeout: 60_000, interval: 500 },
  );
  for (const instance of [one, other]) {
    // One line for each loss, not for each call.
    const losses = instance.output().match(/Redis is unreachable/g)?.length ?? 0;
    const returns = instance.output().match(/connected to Redis again/g)?.length ?? 0;
    expect(losses).toBeGreaterThan(0);
    expect(losses - returns).toBeOneOf([0, 1]);
    expect(instance.output()).not.toContain("the-password-of-redis");
  }
});
