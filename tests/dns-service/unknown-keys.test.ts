import { expect, test } from "vitest";
import { TsigKeyNames } from "../../server/access/tsig-keys.ts";
import { UnknownKeys } from "../../server/dns-service/responder.ts";
import { useZonewright } from "../support/zonewright.ts";
import { newKey, newZone } from "./updates/key-clients.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });

const forged = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;

/** Counts an unknown key in a datagram from each of many addresses. */
function flood(keys: UnknownKeys, senders: number): void {
  for (let index = 0; index < senders; index++) keys.count("udp", forged(index));
}

test("datagrams with forged senders keep nobody who connects from having a key looked up", () => {
  const keys = new UnknownKeys();
  flood(keys, 20_000);
  expect(keys.mayLookUp("tcp", "192.0.2.2")).toBe(true);
});

test("a flood of forged senders is not looked up and takes no more memory than its first 10,000, and ends with the minute", () => {
  let now = 0;
  const keys = new UnknownKeys(() => now);
  flood(keys, 10_000);
  const before = process.memoryUsage().heapUsed;
  flood(keys, 1_000_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(64_000_000);
  expect(keys.mayLookUp("udp", "192.0.2.1")).toBe(false);
  now = 60_000;
  expect(keys.mayLookUp("udp", "192.0.2.1")).toBe(true);
});

test("an address that signs with unknown keys is looked up 20 times a minute, apart by UDP and TCP", () => {
  let now = 0;
  const keys = new UnknownKeys(() => now);
  for (let index = 0; index < 20; index++) keys.count("tcp", "192.0.2.1");
  expect(keys.mayLookUp("tcp", "192.0.2.1")).toBe(false);
  expect(keys.mayLookUp("udp", "192.0.2.1")).toBe(true);
  now = 60_000;
  expect(keys.mayLookUp("tcp", "192.0.2.1")).toBe(true);
});

test("an instance that just started knows every key, and those that others make within a minute", async () => {
  const { id, key } = await newZone(zw, "known.example");
  let now = 0;
  const names = new TsigKeyNames({ database: zw.services.database, clock: () => now });
  expect(await names.has(key.tsig.name)).toBe(true);
  const { tsig: later } = await newKey(zw.admin, id);
  expect(await names.has(later.name)).toBe(false);
  now = 60_000;
  expect([await names.has(later.name), await names.has(key.tsig.name)]).toEqual([true, true]);
  expect((await zw.admin.delete(`/api/auth/me/tsig-keys/${key.id}`)).status).toBe(200);
  now = 120_000;
  expect([await names.has("zw-aaaaaaaaaaaaa"), await names.has(key.tsig.name)]).toEqual([false, false]);
});

test("names are read once a minute, however many are asked for, and at most once a second while the database is away", async () => {
  const { key } = await newZone(zw, "read.example");
  let now = 0;
  let reads = 0;
  let isAway = true;
  const database = {
    fork: () => {
      reads++;
      if (isAway) throw new Error("The database is away.");
      return zw.services.database.fork();
    },
  } as typeof zw.services.database;
  const names = new TsigKeyNames({ database, clock: () => now });
  const ask = (name: string) => Promise.all(Array.from({ length: 100 }, () => names.has(name)));
  names.add("zw-ccccccccccccc");
  expect(new Set(await ask(key.tsig.name))).toEqual(new Set([false]));
  expect([await names.has("zw-ccccccccccccc"), reads]).toEqual([true, 1]);
  isAway = false;
  now = 1_000;
  expect(new Set(await ask(key.tsig.name))).toEqual(new Set([true]));
  await ask("zw-bbbbbbbbbbbbb");
  expect(reads).toBe(2);
});
