import { beforeAll, describe, expect, test, vi } from "vitest";
import { Clock } from "../../support/clock.ts";
import { patience } from "../../support/patience.ts";
import { problemOf } from "../../support/problems.ts";
import { RestClient, type Answer } from "../../support/rest-client.ts";
import { appUser } from "../../support/second-factors/app-user.ts";
import { memberPassword, useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ env: { RATE_LIMIT: "30", RATE_LIMIT_COSTLY: "3" } });

let busy: RestClient;
let calm: RestClient;
beforeAll(async () => {
  busy = await zw.member("busy");
  calm = await zw.member("calm");
});

/** The remaining quota according to a response's headers. */
function left({ headers }: Answer, quota: string): number {
  const [, remaining = ""] = new RegExp(`"${quota}";r=(\\d+);t=\\d+`).exec(headers.get("ratelimit") ?? "") ?? [];
  return Number(remaining);
}

describe("rate limits of calls", () => {
  test("responses have the remaining quota, over REST and tRPC", async () => {
    const first = await calm.get("/api/domains");
    expect(first.headers.get("ratelimit-policy")).toBe('"requests";q=30;w=60');
    expect(first.headers.get("ratelimit")).toMatch(/^"requests";r=\d+;t=\d+$/);
    const second = await calm.get("/trpc/domains.list?input=%7B%22json%22%3A%7B%7D%7D");
    expect(second.status).toBe(200);
    expect(left(second, "requests")).toBe(left(first, "requests") - 1);
  });

  test("calls beyond the quota get 429 with the seconds to wait, while other callers are unaffected", async () => {
    const used = 30 - left(await busy.get("/api/domains"), "requests");
    const answers = await Promise.all(Array.from({ length: 40 }, () => busy.get("/api/domains")));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30 - used);
    const refused = answers.find(({ status }) => status === 429);
    if (!refused) throw new Error("None was refused.");
    expect(problemOf(refused, 429, "TOO_MANY_REQUESTS").detail).toMatch(
      /^The limit "requests" of 30 calls per minute is reached\. Wait \d+ seconds\.$/,
    );
    expect(refused.headers.get("ratelimit")).toBe(`"requests";r=0;t=${refused.headers.get("retry-after")}`);
    expect((await busy.get("/trpc/domains.list?input=%7B%22json%22%3A%7B%7D%7D")).status).toBe(429);
    expect((await calm.get("/api/domains")).status).toBe(200);
  });

  test("costly calls have a stricter quota, and other calls continue when it is exhausted", async () => {
    const { body } = await zw.admin.post("/api/domains", { name: "costly.example" });
    const bulk = () => zw.admin.post(`/api/domains/${body.id}/records/bulk`, { records: [] });
    const first = await bulk();
    expect(first.headers.get("ratelimit-policy")).toBe('"requests";q=30;w=60, "costly";q=3;w=60');
    expect(left(first, "costly")).toBe(2);
    await bulk();
    await bulk();
    const refused = await zw.admin.post(`/api/domains/${body.id}/sync`);
    expect(problemOf(refused, 429, "TOO_MANY_REQUESTS").detail).toMatch(
      /^The limit "costly" of 3 costly calls per minute is reached .*\. Wait \d+ seconds\.$/,
    );
    expect(left(refused, "costly")).toBe(0);
    expect(left(refused, "requests")).toBeGreaterThan(0);
    expect((await zw.admin.get(`/api/domains/${body.id}`)).status).toBe(200);
  });

  test("plans and dry runs do not count as costly, over REST and tRPC", async () => {
    const looker = await zw.member("looker");
    const { body: configs } = await zw.admin.get("/api/provider-configs");
    const { id: configId } = configs.configs[0];
    await zw.admin.put(`/api/provider-configs/${configId}`, { membersMayUse: true });
    const { id } = (await looker.post("/api/domains", { name: "looked-at.example" })).body;
    const path = `/api/domains/${id}`;
    const record = { recordType: "A", name: "www", value: "192.0.2.1" };
    for (let time = 0; time < 2; time++) {
      const answers = [
        await looker.post(`${path}/records/plan`, { changes: [{ action: "create", record }] }),
        await looker.post(`${path}/zonefile`, { zonefile: "www A 192.0.2.1\n", dryRun: true }),
        await looker.post(`${path}/sync`, { dryRun: true }),
        await looker.post("/trpc/domains.sync", { json: { id, dryRun: true } }),
        await looker.post("/api/domains/plan", { name: `new-${time}.example`, zonefile: "www A 192.0.2.1\n" }),
      ];
      for (const { status, headers } of answers) {
        expect(status).not.toBe(429);
        expect(headers.get("ratelimit-policy")).toBe('"requests";q=30;w=60');
      }
    }
    const sync = await looker.post(`${path}/sync`);
    expect(left(sync, "costly")).toBe(2);
  });

  test("calls of a sign-in that waits for its second factor count by address, and leave the owner's quota alone", async () => {
    const owner = await appUser(zw, new Clock(), "owner");
    const thief = { "x-forwarded-for": "203.0.113.7" };
    const login = { username: owner.username, password: memberPassword };
    const pending = new RestClient(zw.url, (await zw.nobody.post("/api/auth/login", login, thief)).body.tempToken);
    const options = () => pending.post("/api/2fa/passkey/options", undefined, thief);
    expect((await options()).status).toBe(409);
    // Again if the quota's minute ends in between.
    await vi.waitFor(async () => {
      const answers = await Promise.all(Array.from({ length: 40 }, options));
      expect(answers.map(({ status }) => status)).toContain(429);
    }, patience);
    expect((await owner.client.get("/api/auth/me")).status).toBe(200);
  });

  test("calls with invalid credentials count by address", async () => {
    const stranger = new RestClient(zw.url, "a.b.c");
    const answers = await Promise.all(Array.from({ length: 40 }, () => stranger.get("/api/domains")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect((await zw.admin.get("/api/domains")).status).toBe(200);
  });
});
