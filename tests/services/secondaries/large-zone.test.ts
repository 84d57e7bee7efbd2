import { afterAll, beforeAll, expect, test } from "vitest";
import { freePorts } from "../../support/programs.ts";
import { serialOfLine, transfer } from "../../support/name-servers/transfer-client.ts";
import { onceStarted, startZonewright, type Zonewright } from "../../support/zonewright.ts";

const zone = "large.test";
const records = 100_000;
let running: (Zonewright & { stop(): Promise<void> }) | undefined;
let port = 0;
let id: string;
const zw = onceStarted(() => running);

beforeAll(async () => {
  [port = 0] = await freePorts(1);
  running = await startZonewright({ env: { DNS_LISTEN: `127.0.0.1:${port}` } });
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.1" };
  const made = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Large", config });
  const { body } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: made.body.id });
  id = body.id;
  const lines = Array.from(
    { length: records },
    (_, index) => `h${index} 300 A 10.${index >> 16}.${(index >> 8) & 255}.${index & 255}\n`,
  );
  const { status } = await zw.admin.post(`/api/domains/${id}/zonefile`, { zonefile: lines.join("") });
  if (status !== 200) throw new Error(`The zone file was answered ${status}.`);
}, 240_000);
afterAll(() => running?.stop());

test("a zone of 100,000 records that is edited during its transfer arrives as of one revision", async () => {
  const transferred = new AbortController();
  let edits = 0;
  const editing = (async () => {
    while (!transferred.signal.aborted) {
      const name = `edit${edits++}`;
      const { body } = await zw.admin.post(`/api/domains/${id}/records`, { recordType: "A", name, value: "192.0.2.1" });
      if (edits % 2 === 0) await zw.admin.delete(`/api/domains/${id}/records/${body.id}`);
    }
  })();
  const whole = await transfer(port, zone);
  transferred.abort();
  await editing;
  expect(edits).toBeGreaterThan(1);
  const serial = serialOfLine(whole.lines[0] ?? "");
  // The difference from there to now, applied to what arrived, is what a whole transfer gives now.
  const present = await transfer(port, zone);
  const { lines } = await transfer(port, zone, { since: serial });
  const end = lines.lastIndexOf(lines[0] ?? "");
  const middle = lines.indexOf(lines[0] ?? "", 2);
  const held = new Set(whole.lines.slice(1, -1));
  for (const line of lines.slice(2, middle)) expect(held.delete(line)).toBe(true);
  for (const line of lines.slice(middle + 1, end)) held.add(line);
  expect([...held].toSorted()).toEqual(present.lines.slice(1, -1).toSorted());
  expect(held.size).toBeGreaterThan(records);
}, 120_000);
