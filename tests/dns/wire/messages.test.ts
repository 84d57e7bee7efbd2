import { array, assert, constantFrom, integer, nat, property, record, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { WireError, writeName } from "../../../server/dns/names/wire-names.ts";
import { MessageWriter, withOpt } from "../../../server/dns/wire/message-writer.ts";
import {
  incrementalQueryMessage,
  parseMessage,
  queryMessage,
  readMessage,
  type WireMessage,
} from "../../../server/dns/wire/messages.ts";
import { expandRdata, readRdata } from "../../../server/dns/wire/rdata.ts";
import { serialDistance, serialOf } from "../../../server/dns/wire/serials.ts";
import { AnswerSigner, signatureOctets, verifyRequest } from "../../../server/dns/wire/tsig-request.ts";
import { signRequest, tsigAlgorithms, TsigVerifier, type TsigKey } from "../../../server/dns/wire/tsig.ts";
import { typeName, types } from "../../../server/dns/zone-file/type-names.ts";

const now = 1_800_000_000;
const labels = constantFrom(
  "a",
  "www",
  "mail",
  "xn--bcher-kva",
  "_sip",
  "*",
  String.raw`dot\.ted`,
  String.raw`\000\255`,
);
const names = array(labels, { minLength: 1, maxLength: 5 }).map((some) => some.join("."));
const entries = record({
  owner: names,
  type: constantFrom(1, types.NS, types.CNAME, types.PTR, types.MX, types.TXT, types.SRV, 65_280),
  ttl: nat(0x7fff_ffff),
  target: names,
  octets: uint8Array({ maxLength: 40 }),
}).map(({ owner, type, ttl, target, octets }) => {
  const name = writeName(target);
  // Octets at random in place of a name may be a pointer, which is read as the name that it leads to.
  const named: Record<number, Buffer> = {
    [types.NS]: name,
    [types.CNAME]: name,
    [types.PTR]: name,
    [types.MX]: Buffer.concat([Buffer.of(0, 10), name]),
    [types.SRV]: Buffer.concat([Buffer.of(0, 1, 0, 2, 19, 196), name]),
  };
  return { owner, type, ttl, rdata: named[type] ?? Buffer.from(octets) };
});
const keys = record({
  algorithm: constantFrom(...tsigAlgorithms),
  name: constantFrom("key", "a-longer.key.example"),
  secret: uint8Array({ minLength: 1, maxLength: 64 }).map((octets) => Buffer.from(octets)),
});

type Entry = { owner: string; type: number; ttl: number; rdata: Buffer };

function written(some: readonly Entry[], reserved = 0): Buffer[] {
  const writer = new MessageWriter(reserved);
  const messages: Buffer[] = [];
  writer.begin(7, 0x8400, queryMessage(7, "www.a", "AXFR").subarray(12));
  for (const { owner, type, ttl, rdata } of some) {
    const wire = writeName(owner).toString("latin1");
    if (writer.add(wire, type, ttl, rdata)) continue;
    messages.push(writer.finish());
    writer.begin(7, 0x8400, Buffer.alloc(0));
    writer.add(wire, type, ttl, rdata);
  }
  return [...messages, writer.finish()];
}

function readBack(message: WireMessage): Entry[] {
  return message.answers.map(({ name, type, ttl, rdataStart, rdataEnd }) => ({
    owner: name,
    type,
    ttl,
    rdata: Buffer.from(expandRdata(message.octets, typeName(type), rdataStart, rdataEnd)),
  }));
}

/** Reads a message that may be anything. @throws whatever is not a WireError */
function survives(octets: Buffer): void {
  try {
    const message = readMessage(octets);
    for (const { type, rdataStart, rdataEnd } of message.answers)
      readRdata(octets, typeName(type), rdataStart, rdataEnd);
    verifyRequest(message, () => [{ name: "key", algorithm: "hmac-sha256", secret: Buffer.from("secret") }], now);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  }
}

const head = (bits: number, ...counts: number[]) => {
  const octets = Buffer.alloc(12);
  for (const [index, number] of [7, bits, ...counts].entries()) octets.writeUInt16BE(number, 2 * index);
  return octets;
};

/** What is wrong with a message that is cut off at each octet from one on. */
const reasons = (octets: Buffer, from: number) =>
  Array.from({ length: octets.length - from }, (_, index) => parseMessage(octets.subarray(0, from + index)));

describe("messages", () => {
  test("what is written reads back equal, with compressed names, over as many messages as it takes", () => {
    assert(
      property(array(entries, { maxLength: 60 }), (some) => {
        const messages = written(some).map(readMessage);
        expect(messages.flatMap(readBack)).toEqual(some);
        expect(messages.every(({ end, octets }) => end === octets.length)).toBe(true);
      }),
    );
  });

  test("messages are filled up to their 65,535 octets and never longer (RFC 1035 §4.2.2)", () => {
    const some = Array.from({ length: 5_000 }, (_, index) => ({
      owner: `host${index}.a`,
      type: types.TXT as number,
      ttl: 60,
      rdata: Buffer.alloc(50, index),
    }));
    const messages = written(some, 100);
    expect(messages.flatMap((octets) => readBack(readMessage(octets)))).toEqual(some);
    for (const { length } of messages.slice(0, -1)) expect(length).toBeGreaterThan(65_300);
    for (const { length } of messages) expect(length).toBeLessThanOrEqual(65_435);
  });

  test("names that the messages share are compressed, and no name is pointed to beyond 14 bits (RFC 1035 §4.1.4)", () => {
    const same = { owner: "www.a", type: types.CNAME as number, ttl: 60, rdata: writeName("www.a") };
    const [message] = written([same, same]);
    expect(message).toHaveLength(12 + 11 + 2 * (2 + 10 + 2));
  });

  const question = Buffer.from("0161 00 0006 00fe".replaceAll(" ", ""), "hex");
  const answer = Buffer.from("0161 00 0001 0003 0000003c 0004 c0000201".replaceAll(" ", ""), "hex");

  test("each part of a message is read from its place (RFC 1035 §4.1)", () => {
    const message = Buffer.concat([head(0, 1, 1, 1, 1), question, answer, answer, answer, Buffer.of(0)]);
    const record = { name: "a", type: 1, class: 3, ttl: 60 };
    expect(parseMessage(message)).toMatchObject({
      id: 7,
      questions: [{ name: "a", type: 6, class: 254 }],
      questionsEnd: 19,
      answers: [{ ...record, start: 19, rdataStart: 32, rdataEnd: 36 }],
      authorities: [{ ...record, start: 36 }],
      additionals: [{ ...record, start: 53 }],
      end: 70,
    });
    expect(parseMessage(head(0))).toMatchObject({
      questions: [],
      answers: [],
      authorities: [],
      additionals: [],
      end: 12,
    });
  });

  test.each([
    [0x8000, { isResponse: true }],
    [0x2800, { opcode: 5 }],
    [0x0400, { authoritative: true }],
    [0x0200, { truncated: true }],
    [0x000f, { rcode: 15 }],
    [0x01f0, {}],
  ])("the bits %i of a header mean this and nothing else", (bits, expected) => {
    const none = { isResponse: false, opcode: 0, authoritative: false, truncated: false, rcode: 0 };
    expect(parseMessage(head(bits))).toMatchObject({ ...none, ...expected });
  });

  test("a message that is cut off anywhere is refused, with where it ends", () => {
    expect(parseMessage(head(0).subarray(0, 11))).toBe("it is shorter than a header");
    const cut = "it is cut off within a name";
    const [inQuestion, inRecord] = ["it ends within a question", "it ends within a record"];
    expect(reasons(Buffer.concat([head(0, 1), question]), 12)).toEqual([
      ...Array.from({ length: 3 }, () => cut),
      ...Array.from({ length: 4 }, () => inQuestion),
    ]);
    expect(reasons(Buffer.concat([head(0, 0, 1), answer]), 12)).toEqual([
      ...Array.from({ length: 3 }, () => cut),
      ...Array.from({ length: 14 }, () => inRecord),
    ]);
    expect(() => readMessage(head(0, 1))).toThrow(WireError);
  });

  test("every truncation and mutation of a message is refused, or read, without throwing anything else", () => {
    const seeds = [
      queryMessage(1, "example.com", "AXFR"),
      incrementalQueryMessage(1, "example.com", 5),
      withOpt(queryMessage(1, "example.com", "SOA"), 1_232, 0),
      signRequest(
        queryMessage(1, "example.com", "SOA"),
        { name: "key", algorithm: "hmac-sha256", secret: Buffer.from("secret") },
        now,
      ).message,
      ...written([
        { owner: "www.a", type: types.MX, ttl: 1, rdata: Buffer.concat([Buffer.of(0, 1), writeName("mail.a")]) },
      ]),
    ];
    for (const seed of seeds) for (let length = 0; length < seed.length; length++) survives(seed.subarray(0, length));
    const flips = array(record({ at: nat(), value: nat(255) }), { minLength: 1, maxLength: 10 });
    assert(
      property(constantFrom(...seeds), flips, (seed, changes) => {
        const message = Buffer.from(seed);
        for (const { at, value } of changes) message[at % message.length] = value;
        survives(message);
      }),
      { numRuns: 2_000 },
    );
  });
});

function sign(key: TsigKey): { message: Buffer; mac: Buffer } {
  return signRequest(queryMessage(1, "example.com", "AXFR"), key, now);
}

describe("signatures", () => {
  test("a signed request is valid for its key, and every message of the answer for its sender (RFC 8945 §5.3.1)", () => {
    assert(
      property(keys, array(entries, { minLength: 1, maxLength: 10 }), (key, some) => {
        const { message, mac } = sign(key);
        const seen = verifyRequest(readMessage(message), () => [key], now);
        if (seen.kind !== "valid") throw new Error(`It is ${seen.kind}.`);
        const signer = new AnswerSigner(key, seen.mac, () => now);
        const verifier = new TsigVerifier(key, mac, () => now);
        for (const each of some) {
          const [plain = Buffer.alloc(0)] = written([each]);
          const answer = signer.sign(plain);
          expect(answer.length - plain.length).toBeLessThanOrEqual(signatureOctets(key));
          expect(verifier.take(readMessage(answer))).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("no changed bit of a signed request leaves its signature valid, but for the case of the signature's own names (RFC 8945 §4.3.3)", () => {
    const key: TsigKey = { name: "key", algorithm: "hmac-sha256", secret: Buffer.from("secret") };
    const { message } = sign(key);
    const signed = queryMessage(1, "example.com", "AXFR").length;
    const isCase = (bit: number) => bit >> 3 >= signed && (bit & 7) === 5;
    const valid: number[] = [];
    for (let bit = 16; bit < message.length * 8; bit++) {
      const at = bit >> 3;
      const changed = Buffer.from(message);
      changed[at] = (changed[at] ?? 0) ^ (1 << (bit & 7));
      try {
        const named = (name: string) => (name === key.name ? [key] : []);
        if (verifyRequest(readMessage(changed), named, now).kind === "valid" && !isCase(bit)) valid.push(bit);
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
      }
    }
    expect(valid).toEqual([]);
  });
});

test("serials compare around the end of their 32 bits (RFC 1982 §3.2)", () => {
  assert(
    property(
      integer({ min: 0, max: 2 ** 32 - 1 }),
      integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 }),
      (serial, distance) => {
        expect(serialDistance(serial, serialOf(serial + distance))).toBe(distance);
      },
    ),
  );
});
