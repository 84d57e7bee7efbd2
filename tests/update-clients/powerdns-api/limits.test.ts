import { expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { powerdnsClient } from "./client.ts";

const zw = useZonewright({ env: { RATE_LIMIT: "20" } });

test("calls beyond the limit of a token get 429 with Retry-After", async () => {
  const client = await powerdnsClient(zw.admin);
  const answers = await Promise.all(Array.from({ length: 200 }, () => client.get("/zones")));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(20);
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
  expect(refused[0]?.body).toEqual({ error: expect.any(String) });
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
});
