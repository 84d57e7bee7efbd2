import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { queryMessage, readMessage } from "../../../server/dns/wire/messages.ts";
import type { Secondary } from "../../support/name-servers/secondary.ts";
import { patience } from "../../support/patience.ts";
import { freePorts } from "../../support/programs.ts";
import { ask, serialOfLine, transfer } from "../../support/name-servers/transfer-client.ts";
import { recordLines } from "../../support/records/presentation.ts";
import { onceStarted, startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { kinds } from "./four-servers.ts";

const zone = "large.test";
const records = 100_000;
const addresses = Array.from(
  { length: records },
  (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
);
let running: (Zonewright & { stop(): Promise<void> }) | undefined;
let port = 0;
let id: string;
let loadedBy: Secondary[] = [];
let edits = 0;
/** Some of the records, from all over the zone. */
let deletable: { id: string; name: string; value: string }[] = [];
const zw = onceStarted(() => running);

beforeAll(async () => {
  [port = 0] = await freePorts(1);
  running = await startZonewright({ env: { DNS_LISTEN: `127.0.0.1:${port}` }, schedules: true });
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.1" };
  const made = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Large", config });
  const { body } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: made.body.id });
  id = body.id;
  const lines = addresses.map((address, index) => `h${index} 300 A ${address}\n`);
  const { status } = await zw.admin.post(`/api/domains/${id}/zonefile`, { zonefile: lines.join("") });
  if (status !== 200) throw new Error(`The zone file was answered ${status}.`);
  const pages = Array.from({ length: 50 }, (_, index) => (index * 23) % 50);
  const lists = pages.map((page) => zw.admin.get(`/api/domains/${id}/records?limit=20&page=${100 * (page + 1)}`));
  deletable = (await Promise.all(lists)).map(({ body: list }) => list.records[0]);
});
afterAll(async () => {
  await Promise.all(loadedBy.map((secondary) => secondary.remove()));
  await running?.stop();
});

/** An edit that was made: a line of the zone that it added or removed. */
interface Edit {
  line: string;
  removed: boolean;
  at: Date;
}

/** Between the places of edits, so that they spread over a zone that is transferred in the order of its names. */
const step = 7_919;

/** Adds and deletes records until something has ended. @param made takes the edits, each of them a revision */
async function editUntil(signal: AbortSignal, made: Edit[]): Promise<void> {
  const path = `/api/domains/${id}/records`;
  const noted = (name: string, value: string, removed: boolean) =>
    made.push({ line: `${name}.${zone}. 300 A ${value}`, removed, at: new Date() });
  while (!signal.aborted) {
    // Edits without a pause would only keep the servers waiting.
    await pause(100);
    const record = { recordType: "A", name: `h${(edits * step) % records}-${edits}`, value: "192.0.2.1", ttl: 300 };
    expect((await zw.admin.post(path, record)).status).toBe(201);
    noted(record.name, record.value, false);
    const old = deletable[edits++];
    if (!old) continue;
    expect((await zw.admin.delete(`${path}/${old.id}`)).status).toBe(200);
    noted(old.name, old.value, true);
  }
}

// The limits only end what hangs: beside other work the servers take minutes.
test("BIND, Knot, NSD and PowerDNS load a zone of 100,000 records that is edited during their transfers, each exactly as it was at one revision", async () => {
  const secondaries = `/api/domains/${id}/secondaries`;
  const before = (await zw.admin.get(secondaries)).body.serial;
  const loaded = new AbortController();
  const made: Edit[] = [];
  const editing = editUntil(loaded.signal, made);
  // They are not notified of the edits, so they keep what they loaded first.
  loadedBy = await Promise.all(kinds.map((start) => start({ primaryPort: port, key: null, zones: [zone] })));
  const untilLoaded = loadedBy.map(async (secondary) => {
    const soa = async () => {
      const answer = await ask(secondary.port, queryMessage(1, zone, "SOA"), { milliseconds: 5_000 });
      expect(answer ? readMessage(answer).answers : []).toHaveLength(1);
    };
    await vi.waitFor(soa, { timeout: 600_000, interval: 100 });
  });
  // Edits that go on would be those of the next test.
  await Promise.all(untilLoaded).finally(() => loaded.abort());
  await editing;
  const { body } = await zw.admin.get(secondaries);
  expect(body.serial).toBe(before + made.length);

  for (const secondary of loadedBy) {
    const served = await secondary.served(zone);
    const [serial = 0] = served.flatMap(({ type, rdata }) => (type === "SOA" ? [Number(rdata.split(" ")[2])] : []));
    const expected = new Set([
      `${zone}. 3600 NS ns1.example.net.`,
      ...addresses.map((address, index) => `h${index}.${zone}. 300 A ${address}`),
    ]);
    for (const { line, removed } of made.slice(0, serial - before)) {
      if (removed) expected.delete(line);
      else expected.add(line);
    }
    expect(recordLines(served)).toEqual([...expected].toSorted());
    // All share one address, whose last transfer is reported.
    const [{ lastTransferAt, lastTransferKind }] = body.secondaries;
    expect(lastTransferKind).toBe("axfr");
    const during = made.slice(serial - before).filter(({ at }) => at < new Date(lastTransferAt));
    expect(during).not.toEqual([]);
  }
}, 720_000);

test("a zone of 100,000 records that is edited during its transfer arrives as of one revision", async () => {
  const transferred = new AbortController();
  const made: Edit[] = [];
  const editing = editUntil(transferred.signal, made);
  const begun = async () => {
    const before = made.length;
    await vi.waitFor(() => expect(made.length).toBeGreaterThan(before + 1), patience);
  };
  const whole = await transfer(port, zone, { begun });
  transferred.abort();
  await editing;
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
});
