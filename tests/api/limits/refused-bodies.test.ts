import { expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ env: { RATE_LIMIT: "4", TRUST_PROXY: "loopback" } });

const paths = ["/api/auth/login", "/trpc/auth.login", "/api/nowhere", "/api/auth/me/profile"];
let hosts = 0;

test.each([
  ["is not JSON", "{", {}, 400],
  ["is not an object", "[]", {}, 400],
  ["is nested too deeply", `{"a":${"[".repeat(500)}${"]".repeat(500)}}`, {}, 400],
  ["is of another type", "name=x", { "content-type": "text/plain" }, 415],
  ["is in an unknown encoding", "{}", { "content-encoding": "compress" }, 415],
  ["is too large", `{"a":"${"x".repeat(70_000)}"}`, {}, 413],
] as const)(
  "calls with a body that %s are counted by address, whatever their path",
  async (_what, body, headers, status) => {
    const from = { ...headers, "x-forwarded-for": `203.0.113.${(hosts += 1)}` };
    for (const path of paths) expect((await zw.nobody.post(path, body, from)).status).toBe(status);
    expect(await zw.nobody.post("/api/auth/login", body, from)).toBeProblem(429, "TOO_MANY_REQUESTS");
    const others = { ...headers, "x-forwarded-for": `203.0.113.${(hosts += 1)}` };
    expect((await zw.nobody.post("/api/auth/login", body, others)).status).toBe(status);
  },
);
