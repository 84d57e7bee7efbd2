import { expect, test } from "vitest";
import { useZonewright } from "../../../support/zonewright.ts";
import { manualZone } from "../../../support/zones.ts";
import { powerdnsClient } from "./client.ts";

const zw = useZonewright({ env: { RATE_LIMIT: "20", RATE_LIMIT_COSTLY: "2" } });

test("calls beyond the limit of a token get 429 with Retry-After", async () => {
  const client = await powerdnsClient(zw.admin);
  const answers = await Promise.all(Array.from({ length: 200 }, () => client.get("/zones")));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(20);
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
  expect(refused[0]?.body).toEqual({ error: expect.any(String) });
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
});

const addresses = (count: number) => Array.from({ length: count }, (_, index) => `192.0.2.${index}`);

test("changes that name more than 100 records are limited as costly calls are, and smaller ones are not", async () => {
  const { name } = await manualZone(zw);
  const client = await powerdnsClient(zw.admin);
  const replace = async (count: number) => (await client.replace(name, "many", "A", addresses(count))).status;
  const deleted = Array.from({ length: 101 }, (_, index) => ({
    name: `n${index}.${name}.`,
    type: "A",
    changetype: "DELETE",
  }));
  expect([await replace(101), (await client.patch(name, deleted)).status]).toEqual([204, 204]);
  expect([await replace(101), (await client.patch(name, deleted)).status, await replace(100)]).toEqual([429, 429, 204]);
});

test("creating zones is limited as costly calls are", async () => {
  const client = await powerdnsClient(zw.admin);
  const statuses: number[] = [];
  for (const name of ["one.example.", "two.example.", "three.example."])
    statuses.push((await client.send("POST", "/zones", { name, kind: "Native" })).status);
  expect(statuses).toEqual([201, 201, 429]);
});

test("searching is limited as costly calls are, because it reads long texts", async () => {
  const client = await powerdnsClient(zw.admin);
  const statuses: number[] = [];
  for (const q of ["one*", "two*", "three*"]) statuses.push((await client.get(`/search-data?q=${q}`)).status);
  expect(statuses).toEqual([200, 200, 429]);
});
