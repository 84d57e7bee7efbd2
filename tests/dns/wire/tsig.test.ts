import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { queryMessage, readMessage, updateMessage, wireRecord } from "../../../server/dns/wire/messages.ts";
import {
  readTsig,
  signRequest,
  TsigError,
  TsigVerifier,
  type TsigAlgorithm,
  type TsigKey,
} from "../../../server/dns/wire/tsig.ts";
import { writeName } from "../../../server/dns/names/wire-names.ts";

const key: TsigKey = { name: "test.key", algorithm: "hmac-sha256", secret: Buffer.from("c2VjcmV0", "base64") };
const now = 1_700_000_000;

describe("signing", () => {
  test.each([
    ["hmac-sha256", "sha256", 32],
    ["hmac-sha384", "sha384", 48],
    ["hmac-sha512", "sha512", 64],
    ["hmac-sha1", "sha1", 20],
  ] as const)("a TSIG with %s covers the message and the variables (RFC 8945 §4.3)", (algorithm, hash, length) => {
    const request = queryMessage(0x1234, "example.com", "SOA");
    const { message, mac } = signRequest(request, { ...key, algorithm }, now);
    const variables = Buffer.concat([
      Buffer.from("04746573 74036b65 7900".replaceAll(" ", ""), "hex"),
      Buffer.from("00ff00000000", "hex"),
      writeName(algorithm),
      Buffer.from("00006553f100012c00000000", "hex"),
    ]);
    const digest = createHmac(hash, key.secret)
      .update(Buffer.concat([request, variables]))
      .digest();
    expect(mac).toEqual(digest);
    expect(mac).toHaveLength(length);
    const [record] = readMessage(message).additionals;
    expect(record).toMatchObject({ name: "test.key", type: 250, class: 255, ttl: 0, rdataEnd: message.length });
    expect(message.readUInt16BE(10)).toBe(1);
    expect(message.subarray(0, 10)).toEqual(request.subarray(0, 10));
  });
});

describe("verifying", () => {
  const request = signRequest(queryMessage(1, "example.com", "AXFR"), key, now);
  const verifier = (seconds = now) => new TsigVerifier(key, request.mac, () => seconds);

  test("TSIG verification accepts the answer to the request and no other", () => {
    const answer = respond(request.mac, [response(1)], key).message;
    expect(take(verifier(), answer)).toBe(true);
    expect(() => take(verifier(), respond(Buffer.alloc(32), [response(1)], key).message)).toThrow(/is invalid/);
    const tampered = Buffer.from(answer);
    tampered[3] = 3;
    expect(() => take(verifier(), tampered)).toThrow(/is invalid/);
  });

  test("TSIG verification accepts an id that a forwarder changed", () => {
    const { message } = respond(request.mac, [response(1)], key);
    message.writeUInt16BE(99, 0);
    expect(take(verifier(), message)).toBe(true);
  });

  test("TSIG verification accepts a sequence with some unsigned messages", () => {
    const first = respond(request.mac, [response(1)], key);
    const [second, third, fourth] = [response(1), response(1), response(1)];
    const last = respond(first.mac, [second, third, fourth], key, { timersOnly: true });
    const one = verifier();
    expect(take(one, first.message)).toBe(true);
    expect(take(one, second)).toBe(false);
    expect(take(one, third)).toBe(false);
    expect(take(one, last.message)).toBe(true);
    const without = verifier();
    take(without, first.message);
    take(without, second);
    expect(() => take(without, last.message)).toThrow(/is invalid/);
  });

  test("TSIG verification requires a signed first message and at most 99 unsigned in a row", () => {
    expect(() => take(verifier(), response(1))).toThrow(/not signed/);
    const one = verifier();
    take(one, respond(request.mac, [response(1)], key).message);
    for (let count = 0; count < 99; count++) expect(take(one, response(1))).toBe(false);
    expect(() => take(one, response(1))).toThrow(/too many/);
  });

  test("TSIG verification requires the same key and algorithm", () => {
    for (const other of [
      { ...key, name: "other.key" },
      { ...key, algorithm: "hmac-sha512" as TsigAlgorithm },
    ]) {
      expect(() => take(verifier(), respond(request.mac, [response(1)], other).message)).toThrow(/another key/);
    }
  });

  test("TSIG verification rejects a truncated signature", () => {
    const { message } = respond(request.mac, [response(1)], key, { keep: 16 });
    expect(() => take(verifier(), message)).toThrow(/is invalid/);
  });

  test("TSIG verification reports clocks that differ too much", () => {
    const answer = respond(request.mac, [response(1)], key).message;
    expect(take(verifier(now + 300), answer)).toBe(true);
    expect(() => take(verifier(now + 301), answer)).toThrow(/differ by 301 seconds \(BADTIME\)/);
    const reported = respond(request.mac, [response(1)], key, { error: 18, other: Buffer.from("00006553fff0", "hex") });
    expect(() => take(verifier(), reported.message)).toThrow(/differ by 3824 seconds/);
    const silent = respond(request.mac, [response(1)], key, { error: 18 });
    expect(() => take(verifier(now + 7), silent.message)).toThrow(/differ by 7 seconds/);
  });

  test.each([
    [16, "BADSIG", 0, /rejects the signature of the key test\.key \(BADSIG\); check the secret/],
    [17, "BADKEY", 0, /does not know the key test\.key with hmac-sha256 \(BADKEY\); check name and algorithm/],
    [22, "BADTRUNC", 64, /rejects the signature of the key test\.key \(BADTRUNC\)/],
  ])("TSIG error %i from the server is reported in words", (error, reason, keep, words) => {
    const { message } = respond(request.mac, [response(1)], key, { error, keep });
    const expected = { reason, message: expect.stringMatching(words) };
    expect(() => take(verifier(), message)).toThrow(expect.objectContaining(expected));
    expect(() => take(verifier(), message)).toThrow(TsigError);
  });
});

test("a TSIG that ends before its last field is refused, whatever follows it in the message", () => {
  const mac = Buffer.from("mac!");
  const algorithm = writeName("hmac-sha256");
  const rdata = Buffer.concat([
    algorithm,
    Buffer.from("00006553f100012c", "hex"),
    u16(4),
    mac,
    u16(7),
    u16(18),
    u16(0),
  ]);
  const wire = { name: "k", written: "k", type: 250, class: 255, ttl: 0, start: 0, rdataStart: 0 };
  const read = (octets: Buffer, rdataEnd: number) => readTsig(octets, { ...wire, rdataEnd });
  const followed = Buffer.concat([rdata, Buffer.alloc(64)]);
  const fields = { algorithm: "hmac-sha256", seconds: now, fudge: 300, mac, originalId: 7, error: 18 };
  expect(read(followed, rdata.length)).toMatchObject(fields);
  for (let end = algorithm.length; end < rdata.length; end++) {
    expect(() => read(followed, end)).toThrow(/its TSIG is truncated/);
    expect(() => read(rdata.subarray(0, end), end)).toThrow(/its TSIG is truncated/);
  }
});

test("an update message has its sections in order (RFC 2136 §2)", () => {
  const owner = writeName("a.example");
  const message = updateMessage(
    7,
    "example",
    [wireRecord(owner, 1, 254, 0, null)],
    [wireRecord(owner, 1, 1, 60, Buffer.of(192, 0, 2, 1)), wireRecord(owner, 1, 255, 0, null)],
  );
  expect(message.subarray(0, 12).toString("hex")).toBe("000728000001000100020000");
  expect(readMessage(message)).toMatchObject({
    opcode: 5,
    isResponse: false,
    answers: [{ name: "a.example", class: 254, ttl: 0 }],
    authorities: [{ class: 1, ttl: 60 }, { class: 255 }],
  });
});

function take(verifier: TsigVerifier, octets: Buffer): boolean {
  return verifier.take(readMessage(octets));
}

function u16(number: number): Buffer {
  return Buffer.of(number >> 8, number & 255);
}

/** A response without records. */
function response(id: number): Buffer {
  const message = queryMessage(id, "example.com", "AXFR");
  message.writeUInt16BE(0x8400, 2);
  return message;
}

/** Signs messages as a server does: only the last gets a signature, which covers all. */
function respond(
  priorMac: Buffer,
  messages: Buffer[],
  { name, algorithm, secret }: TsigKey,
  { timersOnly = false, error = 0, other = Buffer.alloc(0), keep = 64 } = {},
): { message: Buffer; mac: Buffer } {
  const timers = Buffer.from("00006553f100012c", "hex");
  const head = [writeName(name), Buffer.from("00ff00000000", "hex"), writeName(algorithm)];
  const variables = timersOnly ? [timers] : [...head, timers, u16(error), u16(other.length), other];
  const mac = createHmac(algorithm.slice(5), secret)
    .update(Buffer.concat([u16(priorMac.length), priorMac, ...messages, ...variables]))
    .digest()
    .subarray(0, keep);
  const last = Buffer.from(messages.at(-1) ?? []);
  const rdata = [
    writeName(algorithm),
    timers,
    u16(mac.length),
    mac,
    last.subarray(0, 2),
    u16(error),
    u16(other.length),
    other,
  ];
  last.writeUInt16BE(last.readUInt16BE(10) + 1, 10);
  return { message: Buffer.concat([last, wireRecord(writeName(name), 250, 255, 0, Buffer.concat(rdata))]), mac };
}
