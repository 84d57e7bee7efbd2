import { beforeAll, describe, expect, test } from "vitest";
import { queryMessage, readMessage, typeQueryMessage, updateMessage } from "../../server/dns/wire/messages.ts";
import { withOpt } from "../../server/dns/wire/message-writer.ts";
import { ask } from "../support/name-servers/transfer-client.ts";
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

  test("an address gets no more than 20 refusals a second, then silence, and others still get theirs", async () => {
    const from = fresh();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => ask(port, queryMessage(1, zone, "SOA"), { from, milliseconds: 200 })),
    );
    // A second may end while they are sent.
    expect(answers.filter((answer) => answer !== null).length).toBeLessThanOrEqual(40);
    expect(await rcodeTo(queryMessage(1, zone, "SOA"))).toBe(5);
  });

  test("a response is never answered, so that two servers cannot answer each other forever", async () => {
    const response = queryMessage(1, zone, "SOA");
    response.writeUInt16BE(0x8000, 2);
    expect(await rcodeTo(response)).toBeNull();
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
const loop = () => Buffer.concat([queryMessage(1, zone, "SOA").subarray(0, 12), Buffer.of(0xc0, 12, 0, 6, 0, 1)]);

describe("bad messages", () => {
  test.each([
    ["without a question", () => queryMessage(1, zone, "SOA").fill(0, 4, 6).subarray(0, 12), 1],
    ["with two questions (RFC 9619)", twoQuestions, 1],
    ["with a compressed name that points to itself", loop, 1],
    ["with octets after the last record", () => Buffer.concat([queryMessage(1, zone, "SOA"), Buffer.alloc(3)]), 1],
    ["that is cut off", () => queryMessage(1, zone, "SOA").subarray(0, 20), 1],
    ["with two OPT records (RFC 6891 §6.1.1)", () => withOpt(withOpt(queryMessage(1, zone, "SOA"), 512, 0), 512, 0), 1],
    ["of another class", () => withClass(3), 5],
    ["with an unknown opcode", () => withOpcode(7), 4],
    ["with an unsigned update", () => updateMessage(1, zone, [], []), 5],
  ])("a message %s is answered with the RCODE for it", async (_, message, rcode) => {
    expect(await rcodeTo(message(), "127.0.0.1")).toBe(rcode);
  });

  test("an unknown version of EDNS is answered BADVERS (RFC 6891 §6.1.3)", async () => {
    const query = withOpt(queryMessage(1, zone, "SOA"), 1_232, 0);
    query.writeUInt8(1, query.length - 5);
    const answer = readMessage((await ask(port, query)) ?? Buffer.alloc(0));
    expect(answer.rcode + ((answer.additionals[0]?.ttl ?? 0) >>> 24) * 16).toBe(16);
  });
});
