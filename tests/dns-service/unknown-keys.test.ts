import { expect, test } from "vitest";
import { UnknownKeys } from "../../server/dns-service/unknown-keys.ts";

const forged = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;

/** Notes an unknown key in a datagram from each of many addresses. */
function flood(keys: UnknownKeys, senders: number): void {
  for (let index = 0; index < senders; index++) keys.note("udp", forged(index), "zw-unknown", false);
}

test("datagrams with forged senders lock out nobody who connects, and no key that an address signed with before", () => {
  const keys = new UnknownKeys();
  keys.note("udp", "192.0.2.1", "zw-known", true);
  flood(keys, 20_000);
  expect(keys.mayLookUp("tcp", "192.0.2.2", "zw-other")).toBe(true);
  expect(keys.mayLookUp("udp", "192.0.2.1", "zw-known")).toBe(true);
});

test("a flood of forged senders is not looked up and takes no more memory than its first 10,000, and ends with the minute", () => {
  let now = 0;
  const keys = new UnknownKeys(() => now);
  flood(keys, 10_000);
  const before = process.memoryUsage().heapUsed;
  flood(keys, 1_000_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(64_000_000);
  expect(keys.mayLookUp("udp", "192.0.2.1", "zw-other")).toBe(false);
  now = 60_000;
  expect(keys.mayLookUp("udp", "192.0.2.1", "zw-other")).toBe(true);
});

test("an address that signs with unknown keys is looked up 20 times a minute, apart by UDP and TCP", () => {
  let now = 0;
  const keys = new UnknownKeys(() => now);
  for (let index = 0; index < 20; index++) keys.note("tcp", "192.0.2.1", "guess.example", false);
  expect(keys.mayLookUp("tcp", "192.0.2.1", "key.example")).toBe(false);
  expect(keys.mayLookUp("udp", "192.0.2.1", "key.example")).toBe(true);
  now = 60_000;
  expect(keys.mayLookUp("tcp", "192.0.2.1", "key.example")).toBe(true);
});
