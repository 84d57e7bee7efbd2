import { beforeAll, describe, expect, test } from "vitest";
import {
  additionalCount,
  classes,
  incrementalQueryMessage,
  readMessage,
  typeQueryMessage,
  updateMessage,
  wireRecord,
} from "../../../server/dns/wire/messages.ts";
import { withOpt } from "../../../server/dns/wire/message-writer.ts";
import { signRequest, type TsigKey } from "../../../server/dns/wire/tsig.ts";
import { typeNumber, types } from "../../../server/dns/zone-file/type-names.ts";
import { ask, askByStream, linesOf } from "../../support/name-servers/transfer-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { newZone } from "./key-clients.ts";

/** Senders of datagrams can be forged, so that no answer by UDP may be longer than its question. */

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0", DNS_ANSWER_SOA: "on" } });
const name = "datagram.example";
let zone: Awaited<ReturnType<typeof newZone>>;
let key: TsigKey;
let last = 0;
/** An address that nothing was refused to yet. */
const fresh = () => `127.1.${(last += 1) >> 8}.${last & 255}`;

beforeAll(async () => {
  zone = await newZone(zw, name);
  key = zone.key.tsig;
  await zone.add(
    { recordType: "NS", name: "@", value: "ns1.example.net" },
    { recordType: "A", name: "www", value: "192.0.2.1" },
    { recordType: "TXT", name: "www", value: "x".repeat(200) },
    { recordType: "CNAME", name: "alias", value: `www.${name}` },
    { recordType: "CNAME", name: "outside", value: "www.example.net" },
  );
});

const asked = async (question: Buffer) => {
  const octets = await ask(zone.client.port, question, { from: fresh() });
  if (octets === null) throw new Error("no answer");
  return { octets, message: readMessage(octets) };
};
const now = () => Math.floor(Date.now() / 1_000);
const signedWith = (signer: () => TsigKey) => (message: Buffer) => signRequest(message, signer(), now()).message;
const edns = (message: Buffer) => withOpt(message, 4_096, 0);
const query = (owner: string, type: string) =>
  typeQueryMessage(1, owner, type === "ANY" ? types.ANY : type === "AXFR" ? types.AXFR : (typeNumber(type) ?? 0));

const senders: [sender: string, sign: (message: Buffer) => Buffer][] = [
  ["unsigned", (message) => message],
  ["signed", signedWith(() => key)],
  ["signed with an unknown key", signedWith(() => ({ ...key, name: "zw-unknown" }))],
  ["signed with a wrong secret", signedWith(() => ({ ...key, secret: Buffer.from("wrong") }))],
];

describe.each(senders)("a datagram %s", (sender, sign) => {
  const owners = [name, `www.${name}`, `alias.${name}`, `outside.${name}`, `no.such.${name}`, "elsewhere.example", "."];
  const kinds = ["SOA", "NS", "A", "AAAA", "TXT", "CNAME", "ANY", "AXFR"];

  test.each(owners)("a UDP query for %s gets no answer longer than itself, with EDNS and without", async (owner) => {
    const longer: string[] = [];
    for (const kind of kinds) {
      for (const [with_, message] of [
        ["", query(owner, kind)],
        [" with EDNS", edns(query(owner, kind))],
      ] as const) {
        const question = sign(message);
        const { octets } = await asked(question);
        if (octets.length > question.length) longer.push(kind + with_);
      }
    }
    // What nsupdate asks to find its zone; it does not try TCP.
    const isSoa = sender === "signed" && owner.endsWith(name);
    expect(longer).toEqual(isSoa ? ["SOA"] : []);
  });

  test("any other datagram gets no answer longer than itself", async () => {
    const added = wireRecord(
      Buffer.from(`\u0003new\u0008datagram\u0007example\u0000`, "latin1"),
      1,
      classes.in,
      300,
      Buffer.of(192, 0, 2, 9),
    );
    const otherClass = query(name, "SOA");
    otherClass.writeUInt16BE(3, otherClass.length - 2);
    const otherOpcode = query(name, "SOA");
    otherOpcode.writeUInt16BE(2 << 11, 2);
    for (const message of [
      incrementalQueryMessage(1, name, 1),
      updateMessage(1, name, [], []),
      updateMessage(1, name, [], [added]),
      updateMessage(1, "elsewhere.example", [], []),
      otherClass,
      otherOpcode,
    ]) {
      for (const question of [sign(message), sign(edns(message))])
        expect((await asked(question)).octets.length).toBeLessThanOrEqual(question.length);
    }
  });
});

test.each([
  ["the SOA unsigned", () => query(name, "SOA")],
  ["the SOA unsigned below the apex", () => query(`www.${name}`, "SOA")],
  ["the SOA signed with EDNS", () => signRequest(edns(query(name, "SOA")), key, now()).message],
  ["a name that does not exist", () => signRequest(query(`no.such.${name}`, "A"), key, now()).message],
  ["records", () => signRequest(query(`www.${name}`, "TXT"), key, now()).message],
])("a datagram that asks for %s is answered truncated, and by TCP in full", async (_what, question) => {
  const { message } = await asked(question());
  expect([message.rcode, message.truncated, message.answers, message.authorities]).toEqual([0, true, [], []]);
  const whole = readMessage((await askByStream(zone.client.port, question())) ?? Buffer.alloc(0));
  expect([whole.truncated, whole.answers.length + whole.authorities.length]).toEqual([false, 1]);
});

test("an answer that is truncated is signed, for the key's owner", async () => {
  const { rcode, message } = await zone.client.send(edns(query(name, "SOA")), "udp");
  expect([rcode, message.truncated, linesOf(message)]).toEqual([0, true, []]);
});

test("names that a signed datagram compresses do not lengthen its answer", async () => {
  const owner = `${key.name}.`;
  const { message } = signRequest(query(owner, "A"), key, now());
  const question = readMessage(message);
  const tsig = question.additionals[0];
  if (!tsig) throw new Error("not signed");
  const record = message.subarray(tsig.start + key.name.length + 2);
  const compressed = Buffer.concat([message.subarray(0, tsig.start), Buffer.of(0xc0, 12), record]);
  expect(compressed.readUInt16BE(additionalCount)).toBe(1);
  const { octets, message: answer } = await asked(compressed);
  expect(octets.length).toBeLessThanOrEqual(compressed.length);
  expect(answer.truncated).toBe(true);
});
