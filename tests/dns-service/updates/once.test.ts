import { beforeAll, describe, expect, test } from "vitest";
import { signRequest } from "../../../server/dns/wire/tsig.ts";
import { prerequisite as pre, update } from "../../support/name-servers/update-client.ts";
import { isBusyAnswer, isBusyRcode, untilDone } from "../../support/patience.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { newZone } from "./key-clients.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const seconds = () => Math.floor(Date.now() / 1_000);
let zone: Awaited<ReturnType<typeof newZone>>;
let manual: typeof zone;

beforeAll(async () => {
  zone = await newZone(zw, "once.example");
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Manual" });
  manual = await newZone(zw, "once-manual.example", { providerConfigId: body.id });
});

describe.each([
  ["a zone with a back end", () => zone],
  ["a zone without one", () => manual],
])("a message that is sent again, to %s,", (_, ofKind) => {
  test("runs once: it gets the first one's answer, though its prerequisite no longer holds", async () => {
    const zone = ofKind();
    const { client } = zone;
    const message = client.message([update.add("a", "A", "192.0.2.1")], [pre.nameUnused("a")]);
    const signed = signRequest(message, client.key, seconds());
    const send = async (octets = signed.message) =>
      client.verified(await client.exchange(octets, "udp"), signed.mac).rcode;
    expect(await send()).toBe(0);
    const revision = await zone.revision();
    expect(await send()).toBe(0);
    // The ID in the header is not signed; whoever changes it sends the same message.
    const other = Buffer.from(signed.message);
    other.writeUInt16BE((message.readUInt16BE(0) + 1) % 65_536, 0);
    expect(await send(other)).toBe(0);
    expect(await zone.revision()).toBe(revision);
  });

  test("runs once when all are sent together, by UDP and TCP", async () => {
    const zone = ofKind();
    const { client } = zone;
    const message = client.message([update.deleteName("b"), update.add("b", "A", "192.0.2.1")], [pre.nameUnused("b")]);
    const signed = signRequest(message, client.key, seconds());
    const revision = await zone.revision();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const answer = await client.exchange(signed.message, index % 2 === 0 ? "udp" : "tcp");
        return client.verified(answer, signed.mac).rcode;
      }),
    );
    expect(new Set(answers)).toEqual(new Set([0]));
    expect(await zone.revision()).toBe(revision + 1);
  });

  test("gets the RCODE of a refusal again, though it would now be made", async () => {
    const zone = ofKind();
    const { client } = zone;
    const signed = signRequest(client.message([], [pre.nameInUse("c")]), client.key, seconds());
    const send = async () => client.verified(await client.exchange(signed.message, "udp"), signed.mac).rcode;
    expect(await send()).toBe(3);
    expect(await client.update([update.add("c", "A", "192.0.2.1")])).toBe(0);
    expect(await send()).toBe(3);
  });

  test("is BADTIME once its answer may be forgotten, however large a fudge it names", async () => {
    const zone = ofKind();
    const { client } = zone;
    const signed = signRequest(client.message([update.add("late", "A", "192.0.2.1")]), client.key, seconds() - 301);
    await expect(
      client.exchange(signed.message, "udp").then((answer) => client.verified(answer, signed.mac)),
    ).rejects.toThrow("BADTIME");
  });
});

test("the answer to an update is no longer than the update", async () => {
  const { client } = zone;
  for (const message of [client.message([]), client.message([update.add("x", "A", "192.0.2.1")])]) {
    const signed = signRequest(message, client.key, seconds());
    const answer = await client.exchange(signed.message, "udp");
    expect(answer.length).toBeLessThanOrEqual(signed.message.length);
  }
});

test("50 updates beside 50 edits of the console at the same names lose nothing", async () => {
  const { client } = zone;
  const edits = Array.from({ length: 50 }, (_, index) => {
    const record = { recordType: "A", name: `both${index % 5}`, value: `192.0.2.${index}`, ttl: 300 };
    return untilDone(() => zw.admin.post(zone.path, record), isBusyAnswer);
  });
  const updates = Array.from({ length: 50 }, (_, index) => {
    const added = update.add(`both${index % 5}`, "A", `198.51.100.${index}`);
    return untilDone(() => client.update([added], [], index % 2 === 0 ? "udp" : "tcp"), isBusyRcode);
  });
  expect(new Set(await Promise.all(updates))).toEqual(new Set([0]));
  expect(new Set((await Promise.all(edits)).map(({ status }) => status))).toEqual(new Set([201]));
  const lines = (await zone.lines()).filter((line) => line.startsWith("both"));
  const expected = Array.from({ length: 50 }, (_, index) => [
    `both${index % 5} 300 A 192.0.2.${index}`,
    `both${index % 5} 300 A 198.51.100.${index}`,
  ]);
  expect(lines).toEqual(expected.flat().toSorted());
});

test("of updates that each ask for a free name only one gets it", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const taken = update.add("wanted", "A", `192.0.2.${index}`);
      return untilDone(() => zone.client.update([taken], [pre.nameUnused("wanted")]), isBusyRcode);
    }),
  );
  expect(answers.filter((rcode) => rcode === 0)).toHaveLength(1);
  expect(answers.filter((rcode) => rcode === 6)).toHaveLength(19);
});

test("a replacement by a file leaves the records whose newest version a key wrote, if it is to leave those of keys", async () => {
  const { client, id } = await newZone(zw, "left.example");
  expect(await client.update([update.add("by-key", "A", "192.0.2.1"), update.add("both", "A", "192.0.2.2")])).toBe(0);
  const replace = async (body: object) =>
    await zw.admin.post(`/api/domains/${id}/zonefile`, { mode: "replace", force: true, ...body });
  const zonefile = "@ 300 IN NS ns1.example.net.\nboth 600 IN A 192.0.2.2\nown 300 IN A 192.0.2.3\n";
  // The file's TTL makes a person the last who wrote it.
  expect((await zw.admin.post(`/api/domains/${id}/zonefile`, { zonefile })).status).toBe(200);
  const { body } = await replace({ zonefile: "@ 300 IN NS ns1.example.net.\n", leave: ["keys"] });
  expect(body).toMatchObject({ left: 1, warnings: ["Left 1 record as it is: 1 last written by TSIG keys."] });
  const { body: listed } = await zw.admin.get(`/api/domains/${id}/records?type=A`);
  expect(listed.records.map(({ name }: { name: string }) => name)).toEqual(["by-key"]);
});

test("a record that a key wrote stays as it is, however often a file with another TTL for its RRset replaces the zone", async () => {
  const { client, id, lines } = await newZone(zw, "kept.example");
  expect(await client.update([update.add("home", "A", "192.0.2.1")])).toBe(0);
  const [written] = await lines();
  const zonefile = "@ 300 IN NS ns1.example.net.\nhome 600 IN A 192.0.2.9\n";
  const replace = async (more: object = {}) =>
    (await zw.admin.post(`/api/domains/${id}/zonefile`, { zonefile, mode: "replace", leave: ["keys"], ...more })).body;
  const { plan } = await replace({ dryRun: true });
  expect([plan.updates, plan.deletes]).toEqual([[], []]);
  const warning = "home A keeps the TTL 300: an RRset has one TTL, and 192.0.2.1 is left as it is.";
  const answers = [await replace(), await replace(), await replace()];
  expect(answers.map(({ left, updated, deleted, warnings }) => [left, updated, deleted, warnings])).toEqual(
    answers.map(() => [1, 0, 0, [warning, "Left 1 record as it is: 1 last written by TSIG keys."]]),
  );
  expect(answers.map(({ created }) => created)).toEqual([2, 0, 0]);
  expect(await lines()).toEqual(["@ 300 NS ns1.example.net", written, "home 300 A 192.0.2.9"]);
});
