import { randomBytes } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { DynamicUpdates } from "../../../server/dns-service/updates/dynamic-updates.ts";
import { UpdateAnswers } from "../../../server/dns-service/updates/update-answers.ts";
import { signRequest, type TsigKey } from "../../../server/dns/wire/tsig.ts";
import { classes, readMessage } from "../../../server/dns/wire/messages.ts";
import { anyRecord, prerequisite as pre, update, UpdateClient } from "../../support/name-servers/update-client.ts";
import { patience } from "../../support/patience.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { newZone } from "./key-clients.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0", RATE_LIMIT: "30", RATE_LIMIT_COSTLY: "2" } });
const letters = "abcdefghijklmnop";
const unknown = (): TsigKey => ({
  name: `zw-${Array.from(randomBytes(13), (octet) => letters[octet & 15]).join("")}`,
  algorithm: "hmac-sha256",
  secret: randomBytes(32),
});

const at = ({ port, zone, key }: UpdateClient, address: string) => new UpdateClient(port, zone, key, address);

describe("a key that is not known", () => {
  test("an unknown key is BADKEY, and one with another secret is BADSIG", async () => {
    const { client } = await newZone(zw, "wrong.example");
    const add = [update.add("x", "A", "192.0.2.1")];
    await expect(new UpdateClient(client.port, client.zone, unknown()).update(add)).rejects.toThrow("BADKEY");
    const forged = { ...client.key, secret: randomBytes(32) };
    await expect(new UpdateClient(client.port, client.zone, forged).update(add)).rejects.toThrow("BADSIG");
    expect(await client.update(add)).toBe(0);
  });

  test("after 20 unknown keys from an address, by UDP or TCP, no more are looked up, while every key that exists works from there", async () => {
    const { client } = await newZone(zw, "slow.example");
    const from = "127.0.3.1";
    for (const protocol of ["udp", "tcp"] as const) {
      for (let count = 0; count < 20; count++) {
        const wrong = new UpdateClient(client.port, client.zone, unknown(), from);
        await expect(wrong.update([], [], protocol)).rejects.toThrow("BADKEY");
      }
      expect(await at(client, from).update([], [], protocol)).toBe(0);
    }
    const named = vi.spyOn(zw.services.tsigKeyCredentials, "named");
    const wrong = new UpdateClient(client.port, client.zone, unknown(), from);
    await expect(wrong.update([], [], "tcp")).rejects.toThrow("BADKEY");
    expect(named).not.toHaveBeenCalled();
    const { client: late } = await newZone(zw, "late.example");
    expect(await at(late, from).update([], [], "udp")).toBe(0);
  });
});

test("a key is limited as a personal token is: after so many messages a minute they are refused, and those of others are not", async () => {
  const { client } = await newZone(zw, "busy.example");
  const { client: other } = await newZone(zw, "calm.example");
  const answers: number[] = [];
  for (let count = 0; count < 31; count++) answers.push((await client.query("@", "SOA")).rcode);
  expect(answers).toEqual([...Array.from({ length: 30 }, () => 0), 5]);
  expect(await client.update([update.add("x", "A", "192.0.2.1")])).toBe(5);
  expect(await other.update([update.add("x", "A", "192.0.2.1")])).toBe(0);
});

const added = (count: number) => Array.from({ length: count }, (_, index) => update.add(`n${index}`, "A", "192.0.2.1"));

test("updates with more than 100 changes are limited as costly calls are, and smaller ones are not", async () => {
  const { client } = await newZone(zw, "large.example");
  const updates = [added(101), added(101), added(100), added(101), added(100)];
  const answers: number[] = [];
  for (const one of updates) answers.push(await client.update(one, [], "tcp"));
  expect(answers).toEqual([0, 0, 0, 5, 0]);
});

const malformed = (count: number) => Array.from({ length: count }, () => anyRecord("x", "A", classes.in, 300, null));

test("an update with more than 1,000 changes or prerequisites is refused for its size, before its records are read", async () => {
  const { client, key } = await newZone(zw, "oversized.example");
  // Calls count: whoever asked until the error is there might reach the limit.
  const lastError = async () => {
    const found = queries(zw.services.database.fork()).selectFrom("tsig_keys").select("last_error");
    return (await found.where("id", "=", key.id).executeTakeFirst())?.last_error;
  };
  expect(await client.update(malformed(1_001), [], "tcp")).toBe(5);
  await vi.waitFor(async () => expect(await lastError()).toContain("1000 changes"), patience);
  expect(await client.update([], malformed(1_001), "tcp")).toBe(5);
});

test("an update with more than 100 changes counts as costly even if its records are malformed", async () => {
  const { client } = await newZone(zw, "costly.example");
  const answers: number[] = [];
  for (const count of [101, 101, 100, 101]) answers.push(await client.update(malformed(count), [], "tcp"));
  expect(answers).toEqual([1, 1, 1, 5]);
  expect(await client.update(added(101), [], "tcp")).toBe(5);
});

test("an update that is sent again over the limit gets its first answer", async () => {
  const { client } = await newZone(zw, "again.example");
  const message = client.message([update.add("x", "A", "192.0.2.1")], [pre.nameUnused("x")]);
  const signed = signRequest(message, client.key, Math.floor(Date.now() / 1_000));
  const send = async () => client.verified(await client.exchange(signed.message, "udp"), signed.mac).rcode;
  expect(await send()).toBe(0);
  for (let count = 0; count < 30; count++) await client.query("@", "SOA");
  expect(await client.update([update.add("y", "A", "192.0.2.1")])).toBe(5);
  expect(await send()).toBe(0);
});

test("an update that another instance made is answered as there when it is sent again over the limit", async () => {
  const { client } = await newZone(zw, "elsewhere.example");
  const { tsigKeyCredentials: credentials, requestLimits: limits, ...services } = zw.services;
  const parts = { ...services, credentials, limits, configs: { all: () => Promise.resolve([]) } };
  const instance = () =>
    new DynamicUpdates({ ...parts, answers: new UpdateAnswers(services.database, () => new Date()) });
  const key = await credentials.named(client.key.name);
  if (key === null) throw new Error("The key is gone.");
  const signedUpdate = (message: Buffer) => {
    const signed = signRequest(message, client.key, Math.floor(Date.now() / 1_000));
    const octets = readMessage(signed.message);
    return { message: octets, key, isRemembered: false, mac: signed.mac, address: "127.0.0.1" };
  };
  const made = signedUpdate(client.message([update.add("x", "A", "192.0.2.1")], [pre.nameUnused("x")]));
  expect(await instance().answer(made)).toBe(0);
  for (let count = 0; count < 30; count++) await client.query("@", "SOA");
  const restarted = instance();
  expect(await restarted.answer(signedUpdate(client.message([])))).toBe(5);
  expect(await restarted.answer(made)).toBe(0);
});

test("an update without a signature is refused", async () => {
  const { client, lines } = await newZone(zw, "unsigned.example");
  const answer = await client.exchange(client.message([update.add("x", "A", "192.0.2.1")]), "tcp");
  expect(readMessage(answer).rcode).toBe(5);
  expect(await lines()).toEqual([]);
});
