import { deserialize, stringify } from "superjson";
import { beforeAll, describe, expect, test } from "vitest";
import type { ErrorCode } from "../../server/platform/errors.ts";
import { nested } from "../support/nested-json.ts";
import { problemOf } from "../support/problems.ts";
import type { Answer } from "../support/rest-client.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

const json = { "content-type": "application/json" };
const unknownId = "01a1fb0f-6204-7000-abd4-276e976be8b7";

beforeAll(async () => {
  await zw.admin.post("/api/domains", { name: "errors.example" });
});

async function trpc(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${zw.url}/trpc/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${zw.admin.token}`, ...json, ...(init.headers as Record<string, string>) },
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
const mutate = (path: string, input: unknown) =>
  trpc(path, { method: "POST", body: typeof input === "string" ? input : stringify(input) });

/** The fields of `error` in a tRPC response, checked for consistency. */
function trpcErrorOf({ status, headers, body }: Answer, expected: number, code: ErrorCode) {
  const error = deserialize<{ message: string; data: Record<string, unknown> }>(body.error);
  expect({ status, ...error.data }).toMatchObject({ status: expected, httpStatus: expected, code });
  expect(Object.keys(error.data).toSorted()).toEqual(["code", "httpStatus", "issues", "requestId", "title"]);
  expect(error.data["requestId"]).toBe(headers.get("x-request-id"));
  expect(JSON.stringify(body)).not.toMatch(/ {4}at |node_modules|\.ts:\d/);
  return error;
}

describe("errors over tRPC", () => {
  test("invalid input over tRPC has the same status, code, message and issues as over REST", async () => {
    const input = { name: 5, tags: ["\0"], more: true };
    const rest = problemOf(await zw.admin.post("/api/domains", input), 400, "BAD_REQUEST");
    const { message, data } = trpcErrorOf(await mutate("domains.create", input), 400, "BAD_REQUEST");
    expect(message).toBe(rest.message);
    expect(data["issues"]).toEqual(rest.issues);
  });

  test.each([
    ["an unknown id", 404, "NOT_FOUND", () => mutate("domains.delete", { id: unknownId })],
    ["a duplicate", 409, "CONFLICT", () => mutate("domains.create", { name: "errors.example" })],
    ["an unknown procedure", 404, "NOT_FOUND", () => mutate("domains.rename", {})],
    ["a query sent as a mutation", 405, "METHOD_NOT_ALLOWED", () => mutate("domains.list", {})],
    ["a query whose input is no JSON", 400, "BAD_REQUEST", () => trpc("domains.list?input=%7B")],
    ["a query without an input", 400, "BAD_REQUEST", () => trpc("domains.get")],
    ["JSON that is no superjson", 400, "BAD_REQUEST", () => mutate("domains.create", '{"name":"a.example"}')],
    [
      "superjson that reaches for a prototype",
      400,
      "BAD_REQUEST",
      () => mutate("domains.create", '{"json":{"name":"x"},"meta":{"values":{"__proto__.x":["Date"]}}}'),
    ],
    [
      "superjson that makes a broken pattern",
      400,
      "BAD_REQUEST",
      () => mutate("domains.create", '{"json":{"name":"/(/"},"meta":{"values":{"name":["regexp"]}}}'),
    ],
    [
      "superjson of an unknown class",
      400,
      "BAD_REQUEST",
      () => mutate("domains.create", '{"json":{"name":{}},"meta":{"values":{"name":[["class","Evil"]]}}}'),
    ],
    [
      "superjson that makes a BigInt of a page",
      400,
      "BAD_REQUEST",
      () =>
        trpc(`domains.list?input=${encodeURIComponent('{"json":{"page":"1"},"meta":{"values":{"page":["bigint"]}}}')}`),
    ],
    [
      "deep nesting",
      400,
      "BAD_REQUEST",
      () => trpc(`domains.list?input=${encodeURIComponent('{"json":{"page":')}${nested(3_500)}%7D%7D`),
    ],
    [
      "nobody",
      401,
      "UNAUTHORIZED",
      () => trpc("domains.list?input=%7B%22json%22%3A%7B%7D%7D", { headers: { authorization: "" } }),
    ],
  ] as const)("%s over tRPC fails with status %i", async (_what, status, code, call) => {
    expect(trpcErrorOf(await call(), status, code).message).not.toBe("");
  });

  test("a tRPC body that cannot be parsed gets a problem document", async () => {
    expect(await mutate("domains.create", `{"json":{"name":${nested(400_000)}}}`)).toBeProblem(400, "BAD_REQUEST");
    expect(await mutate("domains.create", "{")).toBeProblem(400, "BAD_REQUEST");
  });

  test("a procedure without input accepts a call without one and refuses any other input", async () => {
    expect((await trpc("auth.me")).body).toMatchObject({ result: { data: { json: { username: "admin" } } } });
    const input = encodeURIComponent(stringify({ id: unknownId }));
    expect(trpcErrorOf(await trpc(`auth.me?input=${input}`), 400, "BAD_REQUEST").data["issues"]).toMatchObject([
      { path: ["id"] },
    ]);
    expect(await zw.admin.get("/api/auth/me?id=1")).toBeProblem(400, "BAD_REQUEST");
  });

  test("a tRPC batch is always refused", async () => {
    const path = `domains.list,domains.tags?batch=1&input=${encodeURIComponent('{"0":{"json":{}},"1":{"json":{}}}')}`;
    const answer = await trpc(path);
    const { message } = trpcErrorOf(answer, 400, "BAD_REQUEST");
    expect(message).toMatch(/batch/i);
    expect(answer.headers.get("content-type")).toBe("application/json");
  });

  test("queries and mutations in one call are refused as JSON", async () => {
    const answer = await trpc("domains.list,domains.create", { method: "POST", body: "{}" });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.headers.get("content-type")).toBe("application/json");
  });

  test("a page over tRPC must be a number or its digits", async () => {
    for (const page of [true, null, "", " 1", [5], "0x1", 1.5, new Date(5)]) {
      const path = `domains.list?input=${encodeURIComponent(stringify({ page }))}`;
      const { data } = trpcErrorOf(await trpc(path), 400, "BAD_REQUEST");
      expect(data["issues"]).toMatchObject([{ path: ["page"] }]);
    }
  });
});
