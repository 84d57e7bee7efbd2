import { expect, test } from "vitest";
import { UnknownKeys } from "../../server/dns-service/unknown-keys.ts";

const forged = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;

test("datagrams of any number of forged senders leave room for a new client that connects by TCP", () => {
  const unknown = new UnknownKeys(() => 0);
  for (let index = 0; index < 20_000; index++) unknown.note("udp", forged(index), "guess.example", false);
  expect(unknown.mayLookUp("tcp", "192.0.2.1", "key.example")).toBe(true);
});

test("an address that signs with unknown keys is looked up 20 times a minute, apart by UDP and TCP", () => {
  let now = 0;
  const unknown = new UnknownKeys(() => now);
  for (let index = 0; index < 20; index++) unknown.note("tcp", "192.0.2.1", "guess.example", false);
  expect(unknown.mayLookUp("tcp", "192.0.2.1", "key.example")).toBe(false);
  expect(unknown.mayLookUp("udp", "192.0.2.1", "key.example")).toBe(true);
  now = 60_000;
  expect(unknown.mayLookUp("tcp", "192.0.2.1", "key.example")).toBe(true);
});
