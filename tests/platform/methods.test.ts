import { describe, expect, test } from "vitest";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();
const unknownId = "01a1fb0f-6204-7000-abd4-276e976be8b7";

const known: [path: string, wrong: string, allow: string][] = [
  ["/api/domains", "DELETE", "GET, HEAD, POST, OPTIONS"],
  ["/api/domains", "PATCH", "GET, HEAD, POST, OPTIONS"],
  [`/api/domains/${unknownId}`, "POST", "GET, HEAD, PUT, DELETE, OPTIONS"],
  [`/api/domains/${unknownId}/sync`, "GET", "POST, OPTIONS"],
  [`/api/domains/${unknownId}/sync`, "HEAD", "POST, OPTIONS"],
  ["/api/2fa/totp", "PUT", "DELETE, OPTIONS"],
  ["/api/auth/oauth/github/callback", "POST", "GET, HEAD, OPTIONS"],
  ["/oauth/oidc", "DELETE", "GET, HEAD, OPTIONS"],
  ["/api/openapi.json", "PUT", "GET, HEAD, OPTIONS"],
  ["/api/docs", "POST", "GET, HEAD, OPTIONS"],
  ["/healthz", "POST", "GET, HEAD, OPTIONS"],
];

describe("an existing path called with an unsupported method returns 405 with the supported ones", () => {
  test.each(known)("%s called with %s returns 405 with the supported methods", async (path, method, allow) => {
    const answer = await zw.nobody.send(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe(allow);
    expect(answer.body === "" || answer.body.code === "METHOD_NOT_ALLOWED").toBe(true);
  });

  test("an unsupported method over tRPC returns 405 with the supported ones", async () => {
    const query = await zw.admin.post("/trpc/domains.list", { json: {} });
    expect({ status: query.status, allow: query.headers.get("allow") }).toEqual({ status: 405, allow: "GET" });
    const mutation = await zw.admin.get("/trpc/domains.create");
    expect({ status: mutation.status, allow: mutation.headers.get("allow") }).toEqual({ status: 405, allow: "POST" });
  });
});

test("OPTIONS lists the methods of a path, and returns 404 for an unknown path", async () => {
  const answer = await zw.nobody.send("OPTIONS", "/api/domains");
  expect(answer).toMatchObject({ status: 204, body: "" });
  expect(answer.headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS");
  expect(await zw.nobody.send("OPTIONS", "/api/nothing")).toBeProblem(404, "NOT_FOUND");
});

test("a procedure is found only at /trpc/<path>, not below further slashes", async () => {
  expect((await zw.admin.get("/trpc/domains.tags")).status).toBe(200);
  for (const path of ["/trpc/a/domains.tags", "/trpc//domains.tags", "/trpc/domains.tags/", "/trpc/a/b/auth.me"]) {
    expect(await zw.admin.get(path)).toBeProblem(404, "NOT_FOUND");
  }
});
