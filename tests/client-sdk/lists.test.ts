import { beforeAll, expect, expectTypeOf, test } from "vitest";
import {
  createClient,
  type Change,
  type Client,
  type Domain,
  type Snapshot,
  type RouterInputs,
} from "../../client-sdk/src/index.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";
import { manualConfig } from "../support/zones.ts";
import { failure } from "./failure.ts";
import { recordingFetch } from "./recording-fetch.ts";

const zw = useZonewright();
const recorder = recordingFetch();
let client: Client;
let providerConfigId: string;

beforeAll(async () => {
  client = createClient({ url: zw.url, fetch: recorder.fetch });
  await client.signIn({ username: "admin", password: adminPassword });
  providerConfigId = await manualConfig(zw);
  for (let index = 0; index < 7; index += 1) {
    await client.domains.create.mutate({ name: `n${index}.example`, providerConfigId, tags: index < 3 ? ["few"] : [] });
  }
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test("eachDomain yields every domain once, page by page, and accepts the list's filters", async () => {
  const domains = await all(client.eachDomain({}, { pageSize: 3 }));
  expectTypeOf(domains).toEqualTypeOf<Domain[]>();
  expect(domains.map(({ name }) => name)).toEqual([0, 1, 2, 3, 4, 5, 6].map((index) => `n${index}.example`));
  expect(recorder.to("/trpc/domains.list")).toHaveLength(3);
  expect(await all(client.eachDomain())).toHaveLength(7);
  expect(await all(client.eachDomain({ tag: "few" }))).toHaveLength(3);
  // @ts-expect-error -- this filter does not exist.
  expect(await failure(all(client.eachDomain({ colour: "red" })))).toMatchObject({ code: "BAD_REQUEST" });
});

test("eachSnapshot yields every snapshot, without its records unless they are requested", async () => {
  const { id } = await client.domains.create.mutate({ name: "snapshots.example", providerConfigId });
  for (let index = 0; index < 3; index += 1) await client.snapshots.create.mutate({ id });
  const snapshots = await all(client.eachSnapshot({ id }, { pageSize: 2 }));
  expectTypeOf(snapshots).toEqualTypeOf<Snapshot[]>();
  expect(snapshots.map(({ version, records }) => [version, records])).toEqual([
    [3, null],
    [2, null],
    [1, null],
  ]);
  const [newest] = await all(client.eachSnapshot({ id, records: "true" }));
  expect(newest?.records).toEqual([]);
});

test("each iterates over any paginated list, with the type of its items", async () => {
  const entries = await all(client.each(client.audit.list, { action: "domain.create" }, { pageSize: 4 }));
  expectTypeOf(entries[0]?.targetType).toEqualTypeOf<string | undefined>();
  expect(entries.length).toBeGreaterThanOrEqual(8);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  const usernames = await all(client.each(client.users.list, {}));
  expect(usernames.map(({ username }) => username)).toEqual(["admin"]);
  // @ts-expect-error -- a list without pages cannot be iterated.
  expect(typeof client.each(client.tokens.list, {}).next).toBe("function");
});

test("aborting an iteration's signal ends it", async () => {
  const leaving = new AbortController();
  const walk = client.eachDomain({}, { pageSize: 2, signal: leaving.signal });
  await walk.next();
  await walk.next();
  leaving.abort();
  expect(await failure(walk.next())).toMatchObject({ code: "ABORTED" });
});

test("a record of a bulk call that lacks fields, or has extra ones, does not compile", () => {
  type Item = RouterInputs["records"]["bulkCreate"]["records"][number];
  const right: Item[] = [
    { recordType: "A", name: "www", value: "192.0.2.1", ttl: 300 },
    { recordType: "TXT", name: "www", strings: ["a", "b"] },
    { recordType: "LOC", name: "www", value: "0 0 0 N 0 0 0 E 0m" },
  ];
  const wrong: Item[] = [
    // @ts-expect-error -- a record needs a value or strings.
    { recordType: "A", name: "www" },
    // @ts-expect-error -- this field does not exist.
    { recordType: "A", name: "www", value: "192.0.2.1", host: "www" },
    // @ts-expect-error -- a TTL is a number.
    { recordType: "A", name: "www", value: "192.0.2.1", ttl: "300" },
    // @ts-expect-error -- a record is an object.
    "www A 192.0.2.1",
  ];
  expect(right.length + wrong.length).toBe(7);
});

test("a change that lacks fields of its action, or has extra ones, does not compile", () => {
  const id = "01a1fb0f-6204-7000-abd4-276e976be8b7";
  const right: Change[] = [
    { action: "create", record: { recordType: "A", name: "www", value: "192.0.2.1" } },
    { action: "update", recordId: id, record: { ttl: 300 } },
    { action: "delete", recordId: id },
  ];
  const wrong: Change[] = [
    // @ts-expect-error -- `recordId` is missing.
    { action: "delete" },
    // @ts-expect-error -- `recordId` is missing.
    { action: "update", record: { ttl: 300 } },
    // @ts-expect-error -- a record needs a value.
    { action: "create", record: { recordType: "A", name: "www" } },
    // @ts-expect-error -- a record to create has no ID.
    { action: "create", recordId: id, record: { recordType: "A", name: "www", value: "192.0.2.1" } },
    // @ts-expect-error -- this action does not exist.
    { action: "remove", recordId: id },
  ];
  expect(right.length + wrong.length).toBe(8);
});
