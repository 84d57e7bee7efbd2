import { afterAll, beforeAll, expect, test } from "vitest";
import { startBind } from "../support/name-servers/bind.ts";
import { countMessages, type MessageCounter } from "../support/name-servers/message-counter.ts";
import type { UpdateServer } from "../support/name-servers/update-server.ts";
import { useZonewright } from "../support/zonewright.ts";

const zone = "counted.example";
const update = 5;
const zw = useZonewright();
let bind: UpdateServer;
let between: MessageCounter;
let path: string;

beforeAll(async () => {
  bind = await startBind([zone]);
  between = await countMessages(bind.port);
  const config = { ...bind.config, port: between.port };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "rfc2136", name: "Counted", config });
  const domain = await zw.admin.post("/api/domains", { name: zone, providerConfigId: body.id });
  path = `/api/domains/${domain.body.id}/records`;
});
afterAll(async () => {
  await between.stop();
  await bind.stop();
});

test("a bulk of 100 records is one update message, as a single record is", async () => {
  expect((await zw.admin.post(path, { recordType: "A", name: "one", value: "192.0.2.1" })).status).toBe(201);
  expect(between.count(update)).toBe(1);
  const records = Array.from({ length: 100 }, (_, index) => ({
    recordType: "A",
    name: `bulk${index}`,
    value: `192.0.2.${index}`,
  }));
  expect((await zw.admin.post(`${path}/bulk`, { records })).body).toMatchObject({ succeeded: 100 });
  expect(between.count(update)).toBe(2);
  expect(await bind.transfer(zone)).toHaveLength(1 + 2 + 101);
});
