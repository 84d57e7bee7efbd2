import { expect, test } from "vitest";
import type { Answer } from "../support/rest-client.ts";
import { statusesOf } from "../support/second-factors/app-user.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

// TRUST_PROXY is not set, although a proxy on this machine sends X-Forwarded-For.
const zw = useZonewright({ env: { RATE_LIMIT: "60" } });

function login(username: string, password: string, forwardedFor: string): Promise<Answer> {
  return zw.nobody.post("/api/auth/login", { username, password }, { "x-forwarded-for": forwardedFor });
}

function call(forwardedFor: string): Promise<Answer> {
  return zw.nobody.get("/api/auth/oauth/providers", { "x-forwarded-for": forwardedFor });
}

test("behind a proxy that TRUST_PROXY does not name, one caller cannot lock out the others", async () => {
  const attacker = (count: number, username: (index: number) => string) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        login(username(index), "a wrong password", `198.51.100.${index}, 203.0.113.9`),
      ),
    );
  const administrator = await attacker(7, () => "admin");
  expect(statusesOf(administrator)).toEqual([401, 401, 401, 401, 401, 429, 429]);
  const anybody = await attacker(20, (index) => `nobody-${index}`);
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
