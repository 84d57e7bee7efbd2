import { brotliCompressSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import type { ErrorCode } from "../../server/platform/errors.ts";
import { nested } from "../support/nested-json.ts";
import { problemOf } from "../support/problems.ts";
import { sendRaw } from "../support/raw-http.ts";
import { RestClient, type Answer } from "../support/rest-client.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

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

describe("every error is a problem document with the same eight fields", () => {
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
    ["an unknown path outside /api", 404, "NOT_FOUND", () => zw.admin.get("/nothing", { accept: "application/json" })],
    ["an unknown asset of the docs page", 404, "NOT_FOUND", () => zw.admin.get("/api/docs/package.json")],
    [
      "a method that the path does not take",
      405,
      "METHOD_NOT_ALLOWED",
      () => zw.admin.send("PATCH", "/api/domains", {}),
    ],
    ["OPTIONS of an unknown path", 404, "NOT_FOUND", () => zw.admin.send("OPTIONS", "/api/nothing")],
    [
      "a doubled slash in front",
      404,
      "NOT_FOUND",
      () => raw("GET //api/domains HTTP/1.1", "Host: localhost", "Accept: application/json"),
    ],
    ["a doubled slash within", 404, "NOT_FOUND", () => raw("GET /api//domains HTTP/1.1", "Host: localhost")],
    ["bad percent-encoding of an id", 400, "BAD_REQUEST", () => zw.admin.get("/api/domains/%E0%A4%A")],
    ["bad percent-encoding of an asset", 400, "BAD_REQUEST", () => zw.admin.get("/api/docs/%E0%A4%A")],
    ["an address that is none", 400, "BAD_REQUEST", () => raw("GET http://a:99999/api/domains HTTP/1.1", "Host: a")],
    ["an asterisk for an address", 400, "BAD_REQUEST", () => raw("OPTIONS * HTTP/1.1", "Host: a")],
    ["no Host header", 400, "BAD_REQUEST", () => raw("GET /api/domains HTTP/1.1")],
    [
      "an expectation that nobody knows",
      400,
      "BAD_REQUEST",
      () => raw("GET /api/domains HTTP/1.1", "Host: a", "Expect: 200-ok"),
    ],
    [
      "headers that never end",
      400,
      "BAD_REQUEST",
      () => raw("GET / HTTP/1.1", "Host: a", `X-Long: ${"x".repeat(20_000)}`),
    ],
    ["what is no HTTP", 400, "BAD_REQUEST", () => raw("What is this?")],
    ["two Host headers", 400, "BAD_REQUEST", () => raw("GET /api/domains HTTP/1.1", "Host: a", "Host: b")],
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

  test.each(cases)("%s gets a problem document with status %i", async (_what, status, code, call) => {
    expect(await call()).toBeProblem(status, code);
  });
});

describe("invalid input is refused with issues that name the field", () => {
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

  test.each(cases)("%s is refused, naming the field", async (_what, path, call) => {
    const { issues } = problemOf(await call(), 400, "BAD_REQUEST");
    const named = issues?.map((issue) => issue.path.slice(0, path.length));
    expect(named).toContainEqual(path);
  });
});

/** The messages of a refused call: its detail, and the other issues. */
async function reported(method: string, path: string, body: object): Promise<string[]> {
  const { detail, issues } = problemOf(await zw.admin.send(method, path, body), 400, "BAD_REQUEST");
  return [detail, ...(issues ?? []).slice(1).map(({ message }) => message)];
}

test("a wrong type is reported in a sentence with its field", async () => {
  const domain = `/api/domains/${domainId}`;
  const user = { username: "ada", password: "a password of four words", role: "member" };
  expect(await reported("POST", "/api/auth/login", { username: "admin" })).toEqual(["password: This is required."]);
  expect(await reported("POST", "/api/users", { ...user, password: 5 })).toEqual(["password: This must be text."]);
  expect(await reported("POST", "/api/users", { ...user, role: "root" })).toEqual([
    "role: This must be one of admin, auditor, member.",
  ]);
  expect(await reported("PUT", "/api/auth/me/profile", { notificationsEnabled: "yes" })).toEqual([
    "notificationsEnabled: This must be true or false.",
  ]);
  expect(await reported("PUT", domain, { tags: "a" })).toEqual(["tags: This must be a list."]);
  expect(await reported("PUT", `${domain}/expiry`, { expiresAt: "tomorrow" })).toEqual([
    "expiresAt: This must be a date and time such as 2027-03-01T00:00:00Z.",
  ]);
  expect(await reported("POST", `${domain}/records/plan`, { changes: [null] })).toEqual([
    "changes.0: This must be an object.",
  ]);
  expect(await reported("POST", "/api/provider-configs", { kind: "powerdns", name: "x" })).toEqual([
    "PowerDNS: url: This is required. (and 1 more, see issues)",
    "Enter the server's api-key.",
  ]);
  const channel = { channel: "webhook", name: "x", events: ["zone.drift"], config: { url: "https://h.example/x" } };
  expect(await reported("POST", "/api/notifications", channel)).toEqual(["Webhook: secret: This is required."]);
  expect(await reported("PUT", "/api/auth/me/email", { email: "a@example.com" })).toEqual([
    "currentPassword is required.",
  ]);
  expect(await reported("POST", "/api/auth/oauth/github/register", { pendingToken: "x" })).toEqual([
    "inviteCode is required.",
  ]);
});

describe("unusual but valid requests are accepted", () => {
  test("the largest valid bulk call is accepted: 100 TXT values of 2048 CJK characters", async () => {
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
    "the content type %s is accepted",
    async (type) => {
      const { status } = await zw.admin.put(`/api/domains/${domainId}`, '{"notes":"ü"}', { "content-type": type });
      expect(status).toBe(200);
    },
  );

  test("a compressed body is accepted", async () => {
    const body = Buffer.from(JSON.stringify({ name: "compressed.example" }));
    expect(await sendBytes(gzipSync(body), { ...json, "content-encoding": "gzip" })).toMatchObject({ status: 201 });
    expect(await sendBytes(brotliCompressSync(body), { ...json, "content-encoding": "br" })).toMatchObject({
      status: 409,
    });
  });

  test("a POST without a body and content type is accepted", async () => {
    const { status } = await zw.admin.post(`/api/domains/${domainId}/snapshots`);
    expect(status).toBe(201);
  });

  test("a DELETE with an ignored body is accepted", async () => {
    const { body } = await create({ name: "delete.example" });
    const { status } = await zw.admin.send("DELETE", `/api/domains/${body.id}`, { reason: "gone" });
    expect(status).toBe(200);
  });

  test("a trailing slash and a target in absolute form are accepted", async () => {
    expect(await zw.admin.get("/api/domains/")).toMatchObject({ status: 200 });
    expect(
      await raw(
        "GET http://dns.example.com/api/domains?limit=1 HTTP/1.1",
        "Host: dns.example.com",
        `Authorization: Bearer ${zw.admin.token}`,
      ),
    ).toMatchObject({ status: 200, body: { limit: 1 } });
  });

  test("an empty query parameter counts as absent", async () => {
    const { status, body } = await zw.admin.get("/api/domains?limit=&search=&status=&tag=");
    expect({ status, limit: body.limit, total: body.total > 0 }).toEqual({ status: 200, limit: 20, total: true });
  });

  test("an id in upper case equals the same id in lower case (RFC 9562 §4)", async () => {
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

  test("HEAD returns the headers of GET without the body", async () => {
    for (const path of ["/healthz", "/api/openapi.json", "/api/docs", "/api/domains"]) {
      const { status, body } = await zw.admin.send("HEAD", path);
      expect({ path, status, body }).toEqual({ path, status: 200, body: "" });
    }
    expect(await zw.nobody.send("HEAD", "/api/domains")).toMatchObject({ status: 401, body: "" });
    expect(await zw.nobody.send("HEAD", "/api/nothing")).toMatchObject({ status: 404, body: "" });
  });
});

test("a valid request id of the caller is used, and an invalid one is replaced", async () => {
  const kept = await zw.nobody.get("/api/auth/me", { "x-request-id": "trace-0123456789" });
  expect(kept.body.requestId).toBe("trace-0123456789");
  const replaced = await zw.nobody.get("/api/auth/me", { "x-request-id": "<script>" });
  expect(replaced).toBeProblem(401, "UNAUTHORIZED");
  expect(replaced.body.requestId).not.toContain("script");
});
