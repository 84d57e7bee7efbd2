import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Response } from "express";
import { beforeAll, describe, expect, test } from "vitest";
import { createClient, type Client } from "../../client-sdk/src/index.ts";
import { sendLarge } from "../../server/api/large-answers.ts";
import { slicedWork } from "../../server/platform/slices.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";
import { manualZone, type Body, type Zone } from "../support/zones.ts";

const zw = useZonewright();
const hosts = 1_200;

let zone: Zone;
let client: Client;
beforeAll(async () => {
  zone = await manualZone(zw);
  client = createClient({ url: zw.url });
  await client.signIn({ username: "admin", password: adminPassword });
});

const zonefile = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `h${first + index} 300 IN A 192.0.2.${index % 250}\n`).join("");

test("a large dry run returns every record, the same over REST, tRPC and the client", async () => {
  const input = { zonefile: zonefile(0, hosts), dryRun: true };
  const rest = await zone.post("/zonefile", input);
  expect(rest.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(rest).toMatchObject({ status: 200, body: { created: hosts, updated: 0, deleted: 0, unchanged: 0 } });
  expect(rest.body.plan.creates.map(({ name }: Body) => name)).toEqual(
    Array.from({ length: hosts }, (_, index) => `h${index}`),
  );
  const trpc = await zw.admin.post("/trpc/records.importZonefile", { json: { id: zone.id, ...input } });
  expect(trpc.headers.get("content-type")).toMatch(/^application\/json/);
  expect(trpc).toMatchObject({ status: 200, body: { result: { data: { json: rest.body } } } });
  expect(await client.records.importZonefile.mutate({ id: zone.id, ...input })).toEqual(rest.body);
});

test("a large import repeated with the same idempotency key is executed once", async () => {
  const headers = { "idempotency-key": "import-of-many-records" };
  const input = { zonefile: zonefile(0, hosts) };
  const first = await zw.admin.post(`${zone.path}/zonefile`, input, headers);
  expect(first.body).toMatchObject({ created: hosts, plan: null });
  expect((await zw.admin.post(`${zone.path}/zonefile`, input, headers)).body).toEqual(first.body);
  const other = await zw.admin.post(`${zone.path}/zonefile`, { zonefile: zonefile(1, hosts) }, headers);
  expect(other).toBeProblem(409, "CONFLICT");
});

describe("responses about a large zone", () => {
  test("a large snapshot has timestamps as text over REST and as dates in the client", async () => {
    const { id: snapshotId } = (await zone.post("/snapshots")).body;
    const rest = await zone.get(`/snapshots/${snapshotId}`);
    expect(rest.body.records).toHaveLength(hosts);
    const record = rest.body.records[1_000];
    expect(record.updatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const found = await client.snapshots.get.query({ id: zone.id, snapshotId });
    expect(found.createdAt).toEqual(new Date(rest.body.createdAt));
    expect(found.records?.[1_000]).toEqual({
      ...record,
      createdAt: new Date(record.createdAt),
      updatedAt: new Date(record.updatedAt),
    });
  });

  test("a large snapshot diff and dry runs of a rollback and a sync are complete", async () => {
    const from = (await zone.post("/snapshots")).body.id;
    const changed = zonefile(0, 600).replaceAll(" 300 ", " 60 ");
    expect((await zone.post("/zonefile", { zonefile: changed })).body.updated).toBe(600);
    const to = (await zone.post("/snapshots")).body.id;
    const diff = await zone.get(`/snapshots/diff?from=${from}&to=${to}`);
    expect(diff.body.modified).toHaveLength(600);
    expect(diff.body.modified[7].changes).toEqual({ ttl: [300, 60] });
    const rollback = await zone.post(`/snapshots/${from}/rollback`, { dryRun: true });
    expect(rollback.body.plan.updates).toHaveLength(600);
    expect(await zone.get("/history")).toMatchObject({ status: 200, body: { total: 2 } });
  });

  test("a difference of a whole zone is read in chunks, and complete", async () => {
    const whole = await manualZone(zw);
    const from = (await whole.post("/snapshots")).body.id;
    await whole.post("/zonefile", { zonefile: zonefile(0, 2_500) });
    const to = (await whole.post("/snapshots")).body.id;
    const before = slicedWork.chunks;
    const { added, removed, modified } = (await whole.get(`/snapshots/diff?from=${from}&to=${to}`)).body;
    expect(slicedWork.chunks - before).toBeGreaterThanOrEqual(10);
    expect(new Set(added.map(({ name }: Body) => name)).size).toBe(2_500);
    expect([removed, modified]).toEqual([[], []]);
    const back = (await whole.get(`/snapshots/diff?from=${to}&to=${from}`)).body;
    expect(back.removed).toHaveLength(2_500);
  });

  test("a large zone file is the same over REST, tRPC and the client", async () => {
    const whole = await manualZone(zw);
    await whole.post("/zonefile", { zonefile: zonefile(0, 9_000) });
    const rest = await whole.get("/zonefile");
    expect(rest.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(String(rest.body).match(/^h\d+ .* IN A .*$/gm)).toHaveLength(9_000);
    const { zonefile: text } = await client.records.exportZonefile.query({ id: whole.id });
    expect(text).toBe(rest.body);
    expect(await zw.admin.send("HEAD", `${whole.path}/zonefile`)).toMatchObject({ status: 200, body: "" });
  });

  test("HEAD of a large response has no body", async () => {
    const { id: snapshotId } = (await zone.post("/snapshots")).body;
    expect(await zw.admin.send("HEAD", `${zone.path}/snapshots/${snapshotId}`)).toMatchObject({
      status: 200,
      body: "",
    });
  });
});

test("a large answer gives up a turn of the event loop after each piece, also if its reader takes everything at once", async () => {
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  const written: string[] = [];
  res.write = (piece: string) => written.push(piece) > 0;
  const before = slicedWork.turns;
  const pieces = Array.from({ length: 20 }, (_, index) => String(index));
  await sendLarge(res as Response, pieces);
  expect(written).toEqual(pieces);
  expect(slicedWork.turns - before).toBe(20);
});

test("a dry run costs time in proportion to the records in the file", async () => {
  const steps: number[] = [];
  for (const count of [1_000, 2_000, 4_000]) {
    const empty = await manualZone(zw);
    const before = slicedWork.steps;
    await empty.post("/zonefile", { zonefile: zonefile(0, count), dryRun: true });
    steps.push(slicedWork.steps - before);
  }
  const [small = 0, middle = 0, large = 0] = steps;
  expect(small).toBeGreaterThan(1_000);
  expect(middle / small).toBeLessThan(2.2);
  expect(large / middle).toBeLessThan(2.2);
});
