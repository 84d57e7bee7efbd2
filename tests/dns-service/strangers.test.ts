import { beforeAll, describe, expect, test } from "vitest";
import {
  additionalCount,
  classes,
  headerOctets,
  queryMessage,
  readMessage,
  typeQueryMessage,
  updateMessage,
  wireRecord,
} from "../../server/dns/wire/messages.ts";
import { types } from "../../server/dns/zone-file/type-names.ts";
import { withOpt } from "../../server/dns/wire/message-writer.ts";
import { ask, askByStream, moment, transfer } from "../support/name-servers/transfer-client.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const zone = "example.com";
let port = 0;
let last = 10;
/** An address that nothing was refused to yet. */
const fresh = () => `127.0.1.${(last += 1)}`;

beforeAll(async () => {
  [port = 0] = zw.services.dnsService.ports;
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.1" };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Secondaries", config });
  await zw.admin.post("/api/domains", { name: zone, providerConfigId: body.id });
});

const rcodeTo = async (message: Buffer, from = fresh()) => {
  const answer = await ask(port, message, { from });
  return answer === null ? null : readMessage(answer).rcode;
};

describe("strangers", () => {
  test("everything is refused with an answer no longer than the question", async () => {
    const questions = ["SOA", "AXFR", "ANY"].map((type) => queryMessage(1, zone, type as "SOA"));
    for (const question of [
      ...questions,
      typeQueryMessage(1, `www.${zone}`, 1),
      withOpt(queryMessage(1, ".", "ANY"), 4_096, 0),
    ]) {
      const answer = await ask(port, question, { from: fresh() });
      expect(answer && readMessage(answer).rcode).toBe(5);
      expect(answer?.length).toBeLessThanOrEqual(question.length);
    }
  });

  test("a signature whose names are compressed is refused with an answer no longer than the message", async () => {
    const question = queryMessage(1, `${"a".repeat(60)}.${"b".repeat(60)}.${zone}`, "SOA");
    const toQuestion = Buffer.of(0xc0, headerOctets);
    // Time signed and fudge; no MAC; original ID, error and no other data.
    const rdata = Buffer.concat([toQuestion, Buffer.alloc(8), Buffer.alloc(2), Buffer.alloc(6)]);
    const message = Buffer.concat([question, wireRecord(toQuestion, types.TSIG, classes.any, 0, rdata)]);
    message.writeUInt16BE(1, additionalCount);
    const answer = await ask(port, message, { from: fresh() });
    expect(answer && readMessage(answer).rcode).toBe(9);
    expect(answer?.length).toBeLessThanOrEqual(message.length);
  });

  test("an address gets no more than 20 refusals a second, then silence, and others still get theirs", async () => {
    const from = fresh();
    const began = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => ask(port, queryMessage(1, zone, "SOA"), { from, milliseconds: 1_000 })),
    );
    const seconds = (performance.now() - began) / 1_000;
    const count = answers.filter((answer) => answer !== null).length;
    expect(count).toBeGreaterThan(0);
    // Seconds may end while they are sent and answered.
    expect(count).toBeLessThanOrEqual(20 * (2 + Math.floor(seconds)));
    expect(await rcodeTo(queryMessage(1, zone, "SOA"))).toBe(5);
  });

  test("a response is never answered, so that two servers cannot answer each other forever", async () => {
    const response = queryMessage(1, zone, "SOA");
    response.writeUInt16BE(0x8000, 2);
    expect(await ask(port, response, { from: fresh(), ...moment })).toBeNull();
    expect(await rcodeTo(queryMessage(1, zone, "SOA"))).toBe(5);
  });
});

const twoQuestions = () => {
  const message = Buffer.concat([queryMessage(1, zone, "SOA"), queryMessage(1, zone, "SOA").subarray(12)]);
  message.writeUInt16BE(2, 4);
  return message;
};
const withClass = (number: number) => {
  const message = queryMessage(1, zone, "SOA");
  message.writeUInt16BE(number, message.length - 2);
  return message;
};
const withOpcode = (number: number) => {
  const message = queryMessage(1, zone, "SOA");
  message.writeUInt16BE(number << 11, 2);
  return message;
};
const named = (...name: number[]) =>
  Buffer.concat([queryMessage(1, zone, "SOA").subarray(0, 12), Buffer.of(...name), Buffer.of(0, 6, 0, 1)]);
const withCount = (at: number, count: number) => {
  const message = queryMessage(1, zone, "SOA");
  message.writeUInt16BE(count, at);
  return message;
};
const edns = (version: number) => {
  const query = withOpt(queryMessage(1, zone, "SOA"), 1_232, 0);
  query.writeUInt8(version, query.length - 5);
  return query;
};
/** A longest label, as often as a name of more than 255 octets needs it. */
const longName = Array.from({ length: 5 }, () => [63, ...Buffer.alloc(63, "a")]).flat();

describe("bad messages", () => {
  const cases: [what: string, message: () => Buffer, rcode: number][] = [
    ["without a question", () => withCount(4, 0).subarray(0, 12), 1],
    ["with two questions (RFC 9619 §4)", twoQuestions, 1],
    ["that announces records that it does not have", () => withCount(6, 65_535), 1],
    ["with a compressed name that points to itself (RFC 1035 §4.1.4)", () => named(0xc0, 12), 1],
    ["with two names that point to each other (RFC 1035 §4.1.4)", () => named(0xc0, 14, 0xc0, 12), 1],
    ["with a name that points behind itself (RFC 1035 §4.1.4)", () => named(0xc0, 20), 1],
    ["with a reserved kind of label (RFC 1035 §4.1.4)", () => named(0x80, 1, 0), 1],
    ["with a name of more than 255 octets (RFC 1035 §2.3.4)", () => named(...longName, 0), 1],
    ["with octets after the last record", () => Buffer.concat([queryMessage(1, zone, "SOA"), Buffer.alloc(3)]), 1],
    ["that is cut off", () => queryMessage(1, zone, "SOA").subarray(0, 20), 1],
    ["with two OPT records (RFC 6891 §6.1.1)", () => withOpt(withOpt(queryMessage(1, zone, "SOA"), 512, 0), 512, 0), 1],
    ...[0, 2, 3, 4, 254, 255].map((number): [string, () => Buffer, number] => [
      `of class ${number}`,
      () => withClass(number),
      5,
    ]),
    ...[0, types.OPT, types.TSIG].map((number): [string, () => Buffer, number] => [
      `whose question is of type ${number}, which none can have (RFC 6895 §3.1)`,
      () => typeQueryMessage(1, zone, number),
      1,
    ]),
    ...[128, 249, 253, 254].map((number): [string, () => Buffer, number] => [
      `whose question is of type ${number}, which gets NOTIMP (RFC 6895 §3.1)`,
      () => typeQueryMessage(1, zone, number),
      4,
    ]),
    ...[1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map((number): [string, () => Buffer, number] => [
      `with opcode ${number} (RFC 1035 §4.1.1)`,
      () => withOpcode(number),
      4,
    ]),
    ["with an unsigned update", () => updateMessage(1, zone, [], []), 5],
  ];

  test.each(cases)("a message %s is answered with the RCODE for it, by UDP and TCP", async (_, message, rcode) => {
    const byStream = await askByStream(port, message());
    expect(byStream && readMessage(byStream).rcode).toBe(rcode);
    expect(await rcodeTo(message())).toBe(rcode);
  });

  test("a whole transfer by UDP is answered FORMERR (RFC 5936 §4.2)", async () => {
    expect(await rcodeTo(queryMessage(1, zone, "AXFR"), "127.0.0.1")).toBe(1);
  });

  test("a request for differences without a serial is answered FORMERR (RFC 1995 §3)", async () => {
    const answer = await askByStream(port, typeQueryMessage(1, zone, 251));
    expect(answer && readMessage(answer).rcode).toBe(1);
  });

  test("messages of the largest sizes are answered with a few octets", async () => {
    for (const size of [60_000, 65_535]) {
      const message = Buffer.concat([queryMessage(1, zone, "SOA"), Buffer.alloc(size)]).subarray(0, size);
      const answer = await askByStream(port, message);
      expect(answer && readMessage(answer).rcode).toBe(1);
      expect(answer?.length).toBeLessThan(100);
    }
    const name = Array.from({ length: 120 }, () => [1, 97]).flat();
    expect((await askByStream(port, named(...name, 0)))?.length).toBeLessThan(300);
  });

  test("nothing of all this changes the zone, and it is never answered with recursion (RFC 1035 §4.1.1)", async () => {
    const before = await transfer(port, zone);
    for (const [, message] of cases) await askByStream(port, message());
    for (const type of [1, 6, 255]) {
      const query = typeQueryMessage(1, zone, type);
      query.writeUInt16BE(0x0100, 2);
      const answer = await askByStream(port, query);
      expect((answer?.readUInt16BE(2) ?? 0) & 0x0080).toBe(0);
    }
    expect(await transfer(port, zone)).toEqual(before);
  });

  test.each([1, 2, 255])(
    "version %i of EDNS is answered BADVERS, by UDP and TCP (RFC 6891 §6.1.3)",
    async (version) => {
      for (const octets of [
        await askByStream(port, edns(version)),
        await ask(port, edns(version), { from: fresh() }),
      ]) {
        const answer = readMessage(octets ?? Buffer.alloc(0));
        expect(answer.rcode + ((answer.additionals[0]?.ttl ?? 0) >>> 24) * 16).toBe(16);
      }
    },
  );
});
