import { gzipSync } from "node:zlib";
import { deserialize, serialize } from "superjson";
import { beforeAll, describe, expect, test } from "vitest";
import { createClient, type Client } from "../../client-sdk/src/index.ts";
import type { Answer } from "../support/rest-client.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

async function send(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${zw.url}/trpc/auth.login`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** The message and path of a refusal. */
function refusal({ status, body }: Answer) {
  expect(status).toBe(400);
  const { message, data } = deserialize<{ message: string; data: { code: string; issues: unknown } }>(body.error);
  expect(data.code).toBe("BAD_REQUEST");
  return { message, issues: data.issues };
}

const json = { username: "admin", password: "wrong password here" };
const meta = (values: unknown, more: object = {}) => JSON.stringify({ json, meta: { values, v: 1, ...more } });

describe("superjson input may contain only dates and undefined", () => {
  test.each([
    ["a set", { username: ["set"] }],
    ["a map", { username: ["map"] }],
    ["a bigint", { username: ["bigint"] }],
    ["a pattern", { username: ["regexp"] }],
    ["an address", { username: ["URL"] }],
    ["an error", { username: ["Error"] }],
    ["a number that JSON has not", { username: ["number"] }],
    ["a class", { username: [["class", "User"]] }],
    ["a custom type", { username: [["custom", "Decimal"]] }],
    ["a typed array", { username: [["typed-array", "Uint8Array"]] }],
    ["a symbol", { username: [["symbol", "s"]] }],
    ["a note with notes within", { username: ["Date", { 0: ["Date"] }] }],
    ["a note that is none", { username: "Date" }],
    ["an empty note", { username: [] }],
    ["undefined where a text is", { username: ["undefined"] }],
  ])("superjson input with %s is refused", async (_what, values) => {
    expect(refusal(await send(meta(values)))).toEqual({
      message: "username: Only dates and undefined are supported in addition to JSON types.",
      issues: [{ path: ["username"], message: "Only dates and undefined are supported in addition to JSON types." }],
    });
  });

  test.each([
    [
      "references between values",
      { referentialEqualities: { username: ["password"] } },
      /Send repeated values in full/,
    ],
    ["a value that holds itself", { referentialEqualities: [["self"]] }, /Send repeated values in full/],
    ["an unknown key", { extra: 1 }, /may only have the fields `values` and `v`/],
    ["an unknown version", { v: 2 }, /`meta\.v` must be 0 or 1/],
    ["notes in a list of lists", { values: 5 }, /`meta\.values` must be an object/],
  ])("superjson metadata with %s is refused", async (_what, more, message) => {
    expect(refusal(await send(meta({}, more))).message).toMatch(message);
  });

  test.each([
    ["nothing", "nothing"],
    ["a field of a text", "username.length"],
    ["a prototype", "__proto__.x"],
    ["a constructor", "constructor"],
    ["an item of an object", "0"],
    ["the whole, by an empty name", ""],
  ])("a superjson annotation with a path to %s is refused", async (_what, path) => {
    expect(refusal(await send(meta({ [path]: ["Date"] }))).message).toMatch(
      /`meta\.values` refers to this field, but the input does not have it\.$/,
    );
  });

  test("a superjson annotation of a list's length, or beyond its end, is refused", async () => {
    for (const path of ["username.length", "username.2", "username.01", "username.-1"]) {
      const body = { json: { ...json, username: [null, null] }, meta: { values: { [path]: ["undefined"] }, v: 1 } };
      expect(refusal(await send(JSON.stringify(body))).message).toMatch(/the input does not have it/);
    }
  });

  test("a superjson annotation of a path through an annotated date is refused", async () => {
    const body = { json: { at: "2027-01-01T00:00:00Z" }, meta: { values: { at: ["Date"], "at.x": ["Date"] }, v: 1 } };
    expect(refusal(await send(JSON.stringify(body))).message).toMatch(/the input does not have it/);
  });

  test("a superjson path of a thousand parts, or with an invalid backslash escape, is refused", async () => {
    expect(refusal(await send(meta({ [Array(1_000).fill("a").join(".")]: ["Date"] }))).message).toMatch(/64 parts/);
    expect(refusal(await send(meta({ "a\\b": ["Date"] }))).message).toMatch(/backslash/);
  });

  test("more superjson annotations than a body may have values are refused", async () => {
    const values = `{${Array.from({ length: 5_500 }, (_, index) => `"${index}":[]`).join()}}`;
    const answer = await send(`{"json":{},"meta":{"values":${values}}}`);
    expect(answer).toBeProblem(400, "BAD_REQUEST");
    expect(answer.body.detail).toMatch(/more than 10000 fields and list items/);
  });
});

test("a million superjson annotations in a small compressed body are refused by their decompressed size", async () => {
  const values = `{${Array.from({ length: 1_000_000 }, (_, index) => `"p${index}":["Date"]`).join()}}`;
  const body = gzipSync(`{"json":{},"meta":{"values":${values}}}`);
  const answer = await send(body, { "content-encoding": "gzip" });
  expect(answer).toBeProblem(413, "PAYLOAD_TOO_LARGE");
});

describe("superjson input of the client is accepted", () => {
  let client: Client;
  beforeAll(async () => {
    client = createClient({ url: zw.url });
    await client.signIn({ username: "admin", password: adminPassword });
  });

  test("dates, undefined fields and undefined inputs are accepted", async () => {
    const expiresAt = new Date("2030-01-02T03:04:05.678Z");
    const { id } = await client.domains.create.mutate({ name: "dates.example", expiresAt, tags: undefined });
    expect((await client.domains.get.query({ id })).expiresAt).toEqual(expiresAt);
    expect((await client.auth.me.query(undefined)).username).toBe("admin");
    expect((await client.domains.list.query({ page: undefined, search: undefined })).total).toBe(1);
  });

  test("undefined in objects of a list, and one object twice in a list, are accepted", async () => {
    const { id } = await client.domains.create.mutate({ name: "twice.example" });
    const record = { recordType: "A", name: "www", value: "192.0.2.1", ttl: undefined, comment: undefined } as const;
    const plan = await client.records.plan.mutate({ id, changes: [{ action: "create", record }] });
    expect(plan.creates).toHaveLength(1);
    const at = new Date("2031-01-01T00:00:00Z");
    const { results } = await client.records.bulkCreate.mutate({ id, records: [record, record] });
    expect(results.map(({ success }) => success)).toEqual([true, false]);
    await client.domains.update.mutate({ id, expiresAt: at, notes: undefined });
    expect((await client.domains.get.query({ id })).expiresAt).toEqual(at);
  });

  test("superjson paths with dots and backslashes in names are accepted", async () => {
    const input = { "a.b": { "c\\d": [1, undefined] } };
    const { json: plain, meta: notes } = serialize(input);
    expect(notes?.values).toEqual({ "a\\.b.c\\\\d.1": ["undefined"] });
    const answer = await send(JSON.stringify({ json: plain, meta: notes }));
    expect(refusal(answer).issues).toContainEqual(expect.objectContaining({ path: ["a.b"] }));
  });
});
