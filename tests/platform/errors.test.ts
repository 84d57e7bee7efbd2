import { brotliCompressSync, gzipSync } from "node:zlib";
import { deserialize, stringify } from "superjson";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../server/config.ts";
import { openDatabase, type Database } from "../../server/database/database.ts";
import type { ErrorCode } from "../../server/errors.ts";
import { startServer, type RunningServer } from "../../server/start.ts";
import { emptyDatabase } from "../support/database.ts";
import { problemOf } from "../support/problems.ts";
import { sendRaw } from "../support/raw-http.ts";
import { RestClient, type Answer } from "../support/rest-client.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { CORS_ORIGINS: "https://app.example.com" } });

const json = { "content-type": "application/json" };
const unknownId = "01a1fb0f-6204-7000-abd4-276e976be8b7";
let domainId: string;
let member: RestClient;

beforeAll(async () => {
  const { body } = await zw.admin.post("/api/domains", { name: "errors.example" });
  domainId = body.id;
  member = await zw.member("member");
});

function create(body: unknown, headers?: Record<string, string>): Promise<Answer> {
  return zw.admin.post("/api/domains", body, headers);
}

async function sendBytes(bytes: Uint8Array<ArrayBuffer>, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(`${zw.url}/api/domains`, {
    method: "POST",
    headers: { authorization: `Bearer ${zw.admin.token}`, ...headers },
    body: bytes,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

function raw(...head: string[]): Promise<Answer> {
  return sendRaw(zw.url, [...head, "Connection: close", "", ""].join("\r\n"));
}

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

describe("every error is a problem document of the same eight fields", () => {
  const cases: [what: string, status: number, code: ErrorCode, call: () => Promise<Answer>][] = [
    ["malformed JSON", 400, "BAD_REQUEST", () => create('{"name":')],
    ["JSON that is a list", 400, "BAD_REQUEST", () => create("[]")],
    ["JSON that is a text", 400, "BAD_REQUEST", () => create('"example.com"')],
    ["JSON that is null", 400, "BAD_REQUEST", () => create("null")],
    ["another content type", 415, "UNSUPPORTED_MEDIA_TYPE", () => create("name=x", { "content-type": "text/plain" })],
    [
      "a form",
      415,
      "UNSUPPORTED_MEDIA_TYPE",
      () => create("name=x", { "content-type": "application/x-www-form-urlencoded" }),
    ],
    ["a body without content type", 415, "UNSUPPORTED_MEDIA_TYPE", () => sendBytes(Buffer.from("{}"), {})],
    [
      "another charset",
      415,
      "UNSUPPORTED_MEDIA_TYPE",
      () => create("{}", { "content-type": "application/json; charset=utf-16" }),
    ],
    ["broken UTF-8", 400, "BAD_REQUEST", () => sendBytes(Buffer.from('{"name":"\xff.example"}', "latin1"), json)],
    ["a body over 1 MiB", 413, "PAYLOAD_TOO_LARGE", () => create({ name: "x".repeat(1_048_576) })],
    [
      "a small body that unpacks to much",
      413,
      "PAYLOAD_TOO_LARGE",
      () => sendBytes(gzipSync(Buffer.alloc(50_000_000, " ")), { ...json, "content-encoding": "gzip" }),
    ],
    [
      "an unknown encoding",
      415,
      "UNSUPPORTED_MEDIA_TYPE",
      () => sendBytes(Buffer.from("{}"), { ...json, "content-encoding": "compress" }),
    ],
    [
      "a body that is not what its encoding says",
      400,
      "BAD_REQUEST",
      () => sendBytes(Buffer.from("{}"), { ...json, "content-encoding": "gzip" }),
    ],
    ["an unknown path", 404, "NOT_FOUND", () => zw.admin.get("/api/nothing")],
    ["an unknown path outside /api", 404, "NOT_FOUND", () => zw.admin.get("/nothing")],
    ["an unknown asset of the docs page", 404, "NOT_FOUND", () => zw.admin.get("/api/docs/package.json")],
    ["an unknown method", 404, "NOT_FOUND", () => zw.admin.send("PATCH", "/api/domains", {})],
    ["OPTIONS without an origin", 404, "NOT_FOUND", () => zw.admin.send("OPTIONS", "/api/domains")],
    ["a doubled slash in front", 404, "NOT_FOUND", () => raw("GET //api/domains HTTP/1.1", "Host: localhost")],
    ["a doubled slash within", 404, "NOT_FOUND", () => raw("GET /api//domains HTTP/1.1", "Host: localhost")],
    ["bad percent-encoding of an id", 400, "BAD_REQUEST", () => zw.admin.get("/api/domains/%E0%A4%A")],
    ["bad percent-encoding of an asset", 400, "BAD_REQUEST", () => zw.admin.get("/api/docs/%E0%A4%A")],
    ["an address that is none", 400, "BAD_REQUEST", () => raw("GET http://a:99999/api/domains HTTP/1.1", "Host: a")],
    ["an asterisk for an address", 400, "BAD_REQUEST", () => raw("OPTIONS * HTTP/1.1", "Host: a")],
    ["a Host header that is none", 400, "BAD_REQUEST", () => raw("GET /api/domains HTTP/1.1", "Host: [")],
    ["no id", 400, "BAD_REQUEST", () => zw.admin.get("/api/domains/first")],
    ["an unknown id", 404, "NOT_FOUND", () => zw.admin.get(`/api/domains/${unknownId}`)],
    ["an unknown id to delete", 404, "NOT_FOUND", () => zw.admin.delete(`/api/domains/${unknownId}`)],
    ["nobody", 401, "UNAUTHORIZED", () => zw.nobody.get("/api/domains")],
    ["a wrong token", 401, "UNAUTHORIZED", () => new RestClient(zw.url, "a.b.c").get("/api/domains")],
    ["another scheme", 401, "UNAUTHORIZED", () => zw.nobody.get("/api/domains", { authorization: "Basic YTpi" })],
    ["a member where an administrator is needed", 403, "FORBIDDEN", () => member.post("/api/provider-configs", {})],
    ["a member at another's domain", 404, "NOT_FOUND", () => member.get(`/api/domains/${domainId}`)],
    ["a duplicate", 409, "CONFLICT", () => create({ name: "errors.example" })],
  ];

  test.each(cases)("%s: %i", async (_what, status, code, call) => {
    expect(await call()).toBeProblem(status, code);
  });
});

describe("bad input is refused and the issues name the field", () => {
  const cases: [what: string, path: (string | number)[], call: () => Promise<Answer>][] = [
    ["an unknown key", ["nmae"], () => create({ name: "a.example", nmae: "b.example" })],
    ["__proto__", ["__proto__"], () => create('{"name":"a.example","__proto__":{"admin":true}}')],
    [
      "__proto__ further within",
      ["config", "__proto__"],
      () => zw.admin.post("/api/provider-configs", '{"kind":"manual","name":"x","config":{"__proto__":{"a":1}}}'),
    ],
    ["constructor", ["constructor"], () => create('{"name":"a.example","constructor":{}}')],
    ["a missing field", ["name"], () => create({})],
    ["null for a text", ["name"], () => create({ name: null })],
    ["a number for a text", ["name"], () => create({ name: 1 })],
    ["a NUL", ["notes"], () => zw.admin.put(`/api/domains/${domainId}`, { notes: "a\0b" })],
    ["a lone surrogate", ["notes"], () => zw.admin.put(`/api/domains/${domainId}`, '{"notes":"\\ud800"}')],
    ["a lone surrogate in a list", ["tags", 1], () => create('{"name":"a.example","tags":["a","\\udfff"]}')],
    ["deep nesting", ["name"], () => create(`{"name":${nested(500_000)}}`)],
    [
      "deep nesting in an item of a list",
      ["records"],
      () => zw.admin.post(`/api/domains/${domainId}/records/bulk`, `{"records":[{"value":${nested(500_000)}}]}`),
    ],
    ["an unknown parameter", ["pgae"], () => zw.admin.get("/api/domains?pgae=2")],
    ["__proto__ for a parameter", ["__proto__"], () => zw.admin.get("/api/domains?__proto__=2")],
    ["a parameter given twice", ["page"], () => zw.admin.get("/api/domains?page=1&page=2")],
    ["a page that is no number", ["page"], () => zw.admin.get("/api/domains?page=first")],
    ["a page in hexadecimal", ["page"], () => zw.admin.get("/api/domains?page=0x1")],
    ["page 0", ["page"], () => zw.admin.get("/api/domains?page=0")],
    ["a limit of a half", ["limit"], () => zw.admin.get("/api/domains?limit=0.5")],
    [
      "an empty id where one is needed",
      ["from"],
      () => zw.admin.get(`/api/domains/${domainId}/snapshots/diff?from=&to=${unknownId}`),
    ],
    ["a query beside a body", ["tags"], () => zw.admin.post("/api/domains?tags=a", { name: "a.example" })],
    ["a limit over 100", ["limit"], () => zw.admin.get("/api/domains?limit=101")],
    ["a limit over 500 for records", ["limit"], () => zw.admin.get(`/api/domains/${domainId}/records?limit=501`)],
    [
      "an id in the body, which is in the path",
      ["id"],
      () => zw.admin.put(`/api/domains/${domainId}`, { id: unknownId }),
    ],
    [
      "an id in the query, which is in the path",
      ["id"],
      () => zw.admin.get(`/api/domains/${domainId}?id=${unknownId}`),
    ],
  ];

  test.each(cases)("%s", async (_what, path, call) => {
    const { issues } = problemOf(await call(), 400, "BAD_REQUEST");
    const named = issues?.map((issue) => issue.path.slice(0, path.length));
    expect(named).toContainEqual(path);
  });
});

describe("what looks odd and is right is accepted", () => {
  test("the largest legal bulk call: 100 TXT values of 2048 CJK characters", async () => {
    const records = Array.from({ length: 100 }, (_, index) => ({
      recordType: "TXT",
      name: `large-${index}`,
      value: "漢".repeat(2048),
    }));
    const { status, body } = await zw.admin.post(`/api/domains/${domainId}/records/bulk`, { records });
    expect({ status, total: body.total, succeeded: body.succeeded }).toEqual({
      status: 200,
      total: 100,
      succeeded: 100,
    });
  });

  test.each(["application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON"])(
    "the content type %s",
    async (type) => {
      const { status } = await zw.admin.put(`/api/domains/${domainId}`, '{"notes":"ü"}', { "content-type": type });
      expect(status).toBe(200);
    },
  );

  test("a compressed body", async () => {
    const body = Buffer.from(JSON.stringify({ name: "compressed.example" }));
    expect(await sendBytes(gzipSync(body), { ...json, "content-encoding": "gzip" })).toMatchObject({ status: 201 });
    expect(await sendBytes(brotliCompressSync(body), { ...json, "content-encoding": "br" })).toMatchObject({
      status: 409,
    });
  });

  test("a POST without a body and without a content type", async () => {
    const { status } = await zw.admin.post(`/api/domains/${domainId}/snapshots`);
    expect(status).toBe(201);
  });

  test("a DELETE with a body, which says nothing", async () => {
    const { body } = await create({ name: "delete.example" });
    const { status } = await zw.admin.send("DELETE", `/api/domains/${body.id}`, { reason: "gone" });
    expect(status).toBe(200);
  });

  test("a trailing slash, and a target in absolute form", async () => {
    expect(await zw.admin.get("/api/domains/")).toMatchObject({ status: 200 });
    expect(
      await raw(
        "GET http://dns.example.com/api/domains?limit=1 HTTP/1.1",
        "Host: dns.example.com",
        `Authorization: Bearer ${zw.admin.token}`,
      ),
    ).toMatchObject({ status: 200, body: { limit: 1 } });
  });

  test("an empty query parameter, which counts as absent", async () => {
    const { status, body } = await zw.admin.get("/api/domains?limit=&search=&status=&tag=");
    expect({ status, limit: body.limit, total: body.total > 0 }).toEqual({ status: 200, limit: 20, total: true });
  });

  test("an id in capitals, which means the same (RFC 9562 §4)", async () => {
    const path = `/api/domains/${domainId.toUpperCase()}`;
    expect(await zw.admin.get(path)).toMatchObject({ status: 200, body: { id: domainId } });
    const created = await zw.admin.post(`${path}/records`, { recordType: "A", name: "capital", value: "192.0.2.1" });
    expect(created).toMatchObject({ status: 201, body: { domainId } });
    const recordId: string = created.body.id;
    const changes = [{ action: "delete", recordId: recordId.toUpperCase() }];
    expect(await zw.admin.post(`${path}/records/plan`, { changes })).toMatchObject({ status: 200 });
    const deleted = await zw.admin.delete(`${path}/records/${recordId.toUpperCase()}`);
    expect(deleted.status).toBe(200);
  });

  test("HEAD answers as GET does, without the body", async () => {
    for (const path of ["/healthz", "/api/openapi.json", "/api/docs", "/api/domains"]) {
      const { status, body } = await zw.admin.send("HEAD", path);
      expect({ path, status, body }).toEqual({ path, status: 200, body: "" });
    }
    expect(await zw.nobody.send("HEAD", "/api/domains")).toMatchObject({ status: 401, body: "" });
    expect(await zw.nobody.send("HEAD", "/api/nothing")).toMatchObject({ status: 404, body: "" });
  });
});

test("a request id of the caller's is kept where it is usable, and replaced where it is not", async () => {
  const kept = await zw.nobody.get("/api/auth/me", { "x-request-id": "trace-0123456789" });
  expect(kept.body.requestId).toBe("trace-0123456789");
  const replaced = await zw.nobody.get("/api/auth/me", { "x-request-id": "<script>" });
  expect(replaced).toBeProblem(401, "UNAUTHORIZED");
  expect(replaced.body.requestId).not.toContain("script");
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

/** What an answer of tRPC says under `error`, held against what it says elsewhere. */
function trpcErrorOf({ status, headers, body }: Answer, expected: number, code: ErrorCode) {
  const error = deserialize<{ message: string; data: Record<string, unknown> }>(body.error);
  expect({ status, ...error.data }).toMatchObject({ status: expected, httpStatus: expected, code });
  expect(Object.keys(error.data).toSorted()).toEqual(["code", "httpStatus", "issues", "requestId", "title"]);
  expect(error.data["requestId"]).toBe(headers.get("x-request-id"));
  expect(JSON.stringify(body)).not.toMatch(/ {4}at |node_modules|\.ts:\d/);
  return error;
}

describe("tRPC tells the same in error.data", () => {
  test("refused input has the same status, code, message and issues as over REST", async () => {
    const input = { name: 5, tags: ["\0"], more: true };
    const rest = problemOf(await create(input), 400, "BAD_REQUEST");
    const { message, data } = trpcErrorOf(await mutate("domains.create", input), 400, "BAD_REQUEST");
    expect(message).toBe(rest.message);
    expect(data["issues"]).toEqual(rest.issues);
  });

  test.each([
    ["an unknown id", 404, "NOT_FOUND", () => mutate("domains.delete", { id: unknownId })],
    ["a duplicate", 409, "CONFLICT", () => mutate("domains.create", { name: "errors.example" })],
    ["an unknown procedure", 404, "NOT_FOUND", () => mutate("domains.rename", {})],
    ["a query sent as a mutation", 400, "BAD_REQUEST", () => mutate("domains.list", {})],
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
  ] as const)("%s: %i", async (_what, status, code, call) => {
    expect(trpcErrorOf(await call(), status, code).message).not.toBe("");
  });

  test("a body that never becomes a call is answered with a problem document", async () => {
    expect(await mutate("domains.create", `{"json":{"name":${nested(400_000)}}}`)).toBeProblem(400, "BAD_REQUEST");
    expect(await mutate("domains.create", "{")).toBeProblem(400, "BAD_REQUEST");
  });

  test("a call that takes nothing may be sent without an input, and with nothing else", async () => {
    expect((await trpc("auth.me")).body).toMatchObject({ result: { data: { json: { username: "admin" } } } });
    const input = encodeURIComponent(stringify({ id: unknownId }));
    expect(trpcErrorOf(await trpc(`auth.me?input=${input}`), 400, "BAD_REQUEST").data["issues"]).toMatchObject([
      { path: ["id"] },
    ]);
    expect(await zw.admin.get("/api/auth/me?id=1")).toBeProblem(400, "BAD_REQUEST");
  });

  test("a batch is refused, whatever is in it", async () => {
    const path = `domains.list,domains.tags?batch=1&input=${encodeURIComponent('{"0":{"json":{}},"1":{"json":{}}}')}`;
    const { message } = trpcErrorOf(await trpc(path), 400, "BAD_REQUEST");
    expect(message).toMatch(/batch/i);
  });

  test("a page must be a number or its digits, here too", async () => {
    for (const page of [true, null, "", " 1", [5], "0x1", 1.5, new Date(5)]) {
      const path = `domains.list?input=${encodeURIComponent(stringify({ page }))}`;
      const { data } = trpcErrorOf(await trpc(path), 400, "BAD_REQUEST");
      expect(data["issues"]).toMatchObject([{ path: ["page"] }]);
    }
  });
});

describe("a page of another origin", () => {
  test("of CORS_ORIGINS may call, with credentials, and read what it needs", async () => {
    const origin = "https://app.example.com";
    const preflight = await zw.nobody.send("OPTIONS", "/api/domains", undefined, {
      origin,
      "access-control-request-method": "PUT",
      "access-control-request-headers": "authorization,content-type,if-match",
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
    expect(preflight.headers.get("access-control-allow-credentials")).toBe("true");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("PUT");
    for (const header of ["authorization", "content-type", "if-match"])
      expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase()).toContain(header);
    const { headers } = await zw.admin.get("/api/domains", { origin });
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-expose-headers")).toMatch(/ETag.*X-Request-Id/);
    expect(headers.get("vary")).toContain("Origin");
  });

  test("not listed there gets no leave from us", async () => {
    const { headers } = await zw.admin.get("/api/domains", { origin: "https://evil.example" });
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("vary")).toContain("Origin");
  });
});

test("while the service stops, readiness says so and new calls are told to come back", async () => {
  zw.services.health.drain();
  expect(await zw.nobody.get("/readyz")).toMatchObject({ status: 503, body: { ready: false, draining: true } });
  expect(await zw.nobody.get("/healthz")).toMatchObject({ status: 200 });
  const answer = await zw.admin.get("/api/domains");
  expect(answer).toBeProblem(503, "UNAVAILABLE");
  expect(answer.headers.get("connection")).toBe("close");
});

describe("while the database is away", () => {
  let away: RunningServer;
  let dead: Database;
  beforeAll(async () => {
    const alive = await emptyDatabase();
    dead = await openDatabase({ databaseUrl: "postgres://nobody@127.0.0.1:1/nothing", dataDir: "memory" });
    let current = alive;
    const config = loadConfig({
      PORT: "0",
      DATA_DIR: `${zw.dataDir}/away`,
      ADMIN_PASSWORD: adminPassword,
      LOG_LEVEL: "silent",
      JOBS: "off",
    });
    const database = { ...alive, fork: () => current.fork(), ready: () => current.ready() };
    away = await startServer(config, { announce: () => undefined, database });
    current = dead;
  });
  afterAll(async () => {
    await away.stop();
    await dead.close();
  });

  test("calls answer 503 with Retry-After, over REST and tRPC", async () => {
    const client = new RestClient(away.url);
    const credentials = { username: "admin", password: adminPassword };
    expect(await client.post("/api/auth/login", credentials)).toBeProblem(503, "UNAVAILABLE");
    const trpc = await client.post("/trpc/auth.login", stringify(credentials));
    expect(trpc).toMatchObject({ status: 503, body: { error: { json: { data: { code: "UNAVAILABLE" } } } } });
    expect(trpc.headers.get("retry-after")).toMatch(/^\d+$/);
  });

  test("the process is healthy and not ready", async () => {
    const client = new RestClient(away.url);
    expect(await client.get("/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(await client.get("/readyz")).toMatchObject({
      status: 503,
      body: { ready: false, database: "unavailable", draining: false },
    });
  });
});
