import { inspect } from "node:util";
import { TRPCClientError } from "@trpc/client";
import { beforeAll, expect, expectTypeOf, test } from "vitest";
import { createClient, type Client, type DnsRecord } from "../../client-sdk/src/index.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";
import { failure } from "./failure.ts";

const zw = useZonewright();
let client: Client;
let id: string;

beforeAll(async () => {
  client = createClient({ url: zw.url });
  await client.signIn({ username: "admin", password: adminPassword });
  ({ id } = await client.domains.create.mutate({ name: "example.com", tags: ["production"] }));
});

test("sign-in returns the signed-in user, and calls have the types of the server's procedures", async () => {
  const result = await createClient({ url: `${zw.url}/` }).signIn({ username: "admin", password: adminPassword });
  expect(result).toMatchObject({ kind: "signedIn", user: { username: "admin", role: "admin" } });
  const { domains, total } = await client.domains.list.query({ tag: "production" });
  expect(total).toBe(1);
  expect(domains[0]).toMatchObject({ id, name: "example.com" });
  expectTypeOf(domains[0]?.status).toEqualTypeOf<"active" | "expiring" | "expired" | "disabled" | undefined>();
  // @ts-expect-error -- the compiler and the server refuse an unknown input.
  expect(await failure(client.domains.list.query({ colour: "red" }))).toMatchObject({ code: "BAD_REQUEST" });
});

test("timestamps are dates in inputs and outputs", async () => {
  const expiresAt = new Date("2031-05-04T03:02:01.009Z");
  const domain = await client.domains.setExpiry.mutate({ id, expiresAt });
  expectTypeOf(domain.expiresAt).toEqualTypeOf<Date | null>();
  expect(domain.expiresAt).toEqual(expiresAt);
  expect(domain.createdAt).toBeInstanceOf(Date);
});

test("a refused input throws a TRPCClientError with issues, status and request ID", async () => {
  const call = client.records.create.mutate(
    { id, recordType: "A", name: "www", value: "192.0.2.999" },
    { context: { headers: { "x-request-id": "bad-record-1" } } },
  );
  const error = await failure(call);
  expect(error).toMatchObject({ code: "BAD_REQUEST", status: 400, requestId: "bad-record-1" });
  expect(error.issues).toEqual([{ path: ["value"], message: expect.stringContaining("IPv4 address") }]);
  expect(error.retryAfterSeconds).toBeUndefined();
  expect(error).toBeInstanceOf(TRPCClientError);
});

async function setUp() {
  await client.domains.create.mutate({ name: "example.com" });
}

test("an error's stack names the calling code, and it prints in a few lines without the response", async () => {
  const error = await failure(setUp());
  expect(error.stack).toMatch(/^ZonewrightError: example\.com is already managed here\.\n.*at (?:async )?setUp /s);
  const printed = inspect(error);
  expect(printed).toContain("code: 'CONFLICT'");
  expect(printed).not.toContain("headers");
  expect(Object.keys(error).toSorted()).toEqual(["code", "issues", "name", "requestId", "status"]);
});

test("an unknown ID throws NOT_FOUND, and a wrong password throws UNAUTHORIZED", async () => {
  const unknown = client.domains.get.query({ id: "01a1fb0f-6204-7000-abd4-276e976be8b7" });
  expect(await failure(unknown)).toMatchObject({ code: "NOT_FOUND", status: 404, issues: null });
  const wrong = client.signIn({ username: "admin", password: "wrong" });
  expect(await failure(wrong)).toMatchObject({ code: "UNAUTHORIZED", status: 401 });
  expect((await client.auth.me.query({})).username).toBe("admin");
});

test("headers of a single call make an edit conditional", async () => {
  const { id: recordId, version } = await client.records.create.mutate({
    id,
    recordType: "TXT",
    name: "@",
    value: "one",
  });
  const context = { headers: { "if-match": `"${version}"` } };
  await client.records.update.mutate({ id, recordId, value: "two" }, { context });
  const late = client.records.update.mutate({ id, recordId, value: "three" }, { context });
  expect(await failure(late)).toMatchObject({ code: "PRECONDITION_FAILED", status: 412 });
});

test("eachRecord yields the records of every page once, and can filter by type", async () => {
  const { id } = await client.domains.create.mutate({ name: "large.example" });
  const lines = Array.from({ length: 1203 }, (_, index) => `host-${index} 300 IN A 192.0.2.${index % 250}`);
  await client.records.importZonefile.mutate({ id, zonefile: `${lines.join("\n")}\nmail 300 IN TXT "only one"\n` });
  const records = new Map<string, DnsRecord>();
  for await (const record of client.eachRecord({ id, type: "A" })) {
    expect(records.has(record.id)).toBe(false);
    records.set(record.id, record);
  }
  expect(records.size).toBe(lines.length);
  const texts = client.eachRecord({ id, type: "TXT", search: "mail" });
  expect((await texts.next()).value).toMatchObject({ name: "mail", value: "only one" });
  expect(await texts.next()).toEqual({ done: true, value: undefined });
});

test("an aborted call fails as ABORTED, before and while it runs", async () => {
  expect(await failure(client.domains.get.query({ id }, { signal: AbortSignal.abort() }))).toMatchObject({
    code: "ABORTED",
    status: null,
  });
  const controller = new AbortController();
  const slow = createClient({
    url: zw.url,
    fetch: async (url, init) => {
      setImmediate(() => controller.abort());
      return await fetch(url, init);
    },
  });
  const call = slow.domains.get.query({ id }, { signal: controller.signal });
  expect(await failure(call)).toMatchObject({ code: "ABORTED", issues: null, requestId: null });
});

test("a client can be awaited and passed to libraries that expect tRPC's own client", async () => {
  expect(await Promise.resolve(client)).toBe(client);
  const { getUntypedClient } = await import("@trpc/client");
  expect(await getUntypedClient(client).query("domains.get", { id })).toMatchObject({ name: "example.com" });
});
