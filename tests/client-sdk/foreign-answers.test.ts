import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../../client-sdk/src/index.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";
import { failure } from "./failure.ts";

const zw = useZonewright();

/** A proxy that responds in place of the service. */
let proxy: Server;
let proxyUrl: string;
let answer: { status: number; headers: Record<string, string>; body: string };
beforeAll(async () => {
  proxy = createServer((_req, res) => {
    res.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve);
  });
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(() => {
  proxy.close();
});

function callThrough(given: typeof answer) {
  answer = given;
  return failure(createClient({ url: proxyUrl, retries: 0 }).domains.list.query({}));
}

test("the service's own problem documents keep their code, such as PAYLOAD_TOO_LARGE", async () => {
  const client = createClient({ url: zw.url });
  await client.signIn({ username: "admin", password: adminPassword });
  const error = await failure(client.domains.create.mutate({ name: "a".repeat(1_100_000) }));
  expect(error).toMatchObject({ code: "PAYLOAD_TOO_LARGE", status: 413, issues: null });
  expect(error.requestId).toMatch(/./);
});

test("a proxy's problem document becomes an error with its title, status and Retry-After", async () => {
  const error = await callThrough({
    status: 429,
    headers: { "content-type": "application/problem+json; charset=utf-8", "retry-after": "7" },
    body: JSON.stringify({ type: "about:blank", title: "Slow down", code: "PROXY_LIMIT" }),
  });
  expect(error).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 429, message: "Slow down", retryAfterSeconds: 7 });
});

test("an HTML page of a proxy becomes UNEXPECTED_ANSWER with its status", async () => {
  const html = { headers: { "content-type": "text/html" }, body: "<h1>Bad gateway</h1>" };
  const error = await callThrough({ status: 502, ...html });
  expect(error).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 502, issues: null, requestId: null });
  expect(error.message).toContain(`HTTP 502 from ${proxyUrl}/trpc/domains.list`);
  expect(await callThrough({ status: 200, ...html })).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 200 });
});

test("JSON that is not from tRPC, or is invalid, becomes UNEXPECTED_ANSWER", async () => {
  const headers = { "content-type": "application/json" };
  const foreign = { code: "UNEXPECTED_ANSWER", status: 200 };
  expect(await callThrough({ status: 200, headers, body: `{"hello":"world"}` })).toMatchObject(foreign);
  expect(await callThrough({ status: 200, headers, body: "{" })).toMatchObject(foreign);
  expect(await callThrough({ status: 200, headers, body: "null" })).toMatchObject(foreign);
});

test("an unreachable server becomes NETWORK_ERROR and names the address", async () => {
  const error = await failure(createClient({ url: "http://127.0.0.1:1" }).domains.list.query({}));
  expect(error).toMatchObject({ code: "NETWORK_ERROR", status: null, requestId: null });
  expect(error.message).toContain("http://127.0.0.1:1/trpc/domains.list");
});
