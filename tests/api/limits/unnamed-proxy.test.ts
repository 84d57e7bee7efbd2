import { Agent, request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import type { Answer } from "../../support/rest-client.ts";
import { statusesOf } from "../../support/second-factors/app-user.ts";
import { adminPassword, useZonewright } from "../../support/zonewright.ts";

// TRUST_PROXY is not set, although a proxy on this machine sends X-Forwarded-For.
const zw = useZonewright({ realHashes: true, env: { RATE_LIMIT: "60" } });

function login(username: string, password: string, forwardedFor: string): Promise<Answer> {
  return zw.nobody.post("/api/auth/login", { username, password }, { "x-forwarded-for": forwardedFor });
}

function call(forwardedFor: string): Promise<Answer> {
  return zw.nobody.get("/api/auth/oauth/providers", { "x-forwarded-for": forwardedFor });
}

/** Signs in from another loopback address. @returns the status */
async function loginFrom(localAddress: string, username: string, password: string): Promise<number> {
  const dispatcher = new Agent({ localAddress });
  onTestFinished(() => dispatcher.close());
  const { statusCode, body } = await request(new URL("/api/auth/login", zw.url), {
    method: "POST",
    dispatcher,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  });
  await body.dump();
  return statusCode;
}

test("invented addresses do not fill the queue of sign-ins: the address that is connected has half of it, and others sign in meanwhile", async () => {
  const full = Promise.withResolvers<void>();
  let refused = 0;
  // More than may wait, each again until as many were refused, however fast hashes are meanwhile.
  const flood = Array.from({ length: 25 }, async (_, index) => {
    while (refused < 20) {
      const { status } = await login(`flooded-${index}`, "a wrong password", `198.19.${index}.1`);
      if (status === 503 && ++refused === 20) full.resolve();
    }
  });
  await full.promise;
  expect(await loginFrom("127.0.0.9", "admin", adminPassword)).toBe(200);
  await Promise.all(flood);
});

test("behind a proxy that TRUST_PROXY does not name, one caller cannot lock out the others", async () => {
  const attacker = (count: number, username: (index: number) => string) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        login(username(index), "a wrong password", `198.51.100.${index}, 203.0.113.9`),
      ),
    );
  const administrator = await attacker(7, () => "admin");
  expect(statusesOf(administrator)).toEqual([401, 401, 401, 401, 401, 429, 429]);
  // More at once would find the queue of sign-ins full.
  const anybody = [
    ...(await attacker(10, (index) => `nobody-${index}`)),
    ...(await attacker(10, (index) => `nobody-${10 + index}`)),
  ];
  expect(anybody.filter(({ status }) => status === 401)).toHaveLength(15);
  expect((await login("admin", adminPassword, "203.0.113.9")).status).toBe(429);
  expect((await login("admin", adminPassword, "192.0.2.7")).status).toBe(200);
});

test("behind such a proxy, one caller's calls do not use up the others' limit, and inventing addresses helps only tenfold", async () => {
  const many = await Promise.all(Array.from({ length: 70 }, () => call("203.0.114.9")));
  expect(many.filter(({ status }) => status === 200)).toHaveLength(60);
  expect((await call("192.0.2.8")).status).toBe(200);
  const invented = await Promise.all(Array.from({ length: 700 }, (_, index) => call(`198.18.${index % 250}.1`)));
  const refused = invented.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.body.detail).toContain('"requests-proxy" of 600 calls per minute');
});
