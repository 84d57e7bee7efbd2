import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { array, constantFrom, nat, option, record, sample, tuple, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { readRequest, received } from "../../server/dns-service/requests.ts";
import {
  additionalCount,
  headerOctets,
  incrementalQueryMessage,
  queryMessage,
  readMessage,
  updateMessage,
  wireRecord,
} from "../../server/dns/wire/messages.ts";
import { withOpt } from "../../server/dns/wire/message-writer.ts";
import { signRequest, u16 } from "../../server/dns/wire/tsig.ts";
import { fuzzSeeds, fuzzTimes, tries } from "../support/fuzz-times.ts";
import { ask, transfer } from "../support/name-servers/transfer-client.ts";
import { useZonewright } from "../support/zonewright.ts";
import { usePrimary } from "./primary.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const zone = "example.com";
const signedAt = 1_800_000_000;
const key = { name: "key", algorithm: "hmac-sha256" as const, secret: Buffer.from("secret") };
const seeds = [
  queryMessage(1, zone, "SOA"),
  queryMessage(1, zone, "AXFR"),
  incrementalQueryMessage(1, zone, 1),
  updateMessage(1, zone, [], []),
  signRequest(queryMessage(1, zone, "AXFR"), key, signedAt).message,
  withOpt(queryMessage(1, zone, "SOA"), 1_232, 0),
];
const primary = usePrimary(zw, zone);

/** Messages in which octets were replaced, cut off or appended. */
function mutated(count: number, seed: number): Buffer[] {
  const mutation = record({
    from: constantFrom(...seeds),
    flips: array(tuple(nat(), nat(255)), { maxLength: 8 }),
    cut: option(nat(), { freq: 3 }),
    tail: uint8Array({ maxLength: 20 }),
  });
  return sample(mutation, { numRuns: count, seed }).map(({ from, flips, cut, tail }) => {
    const message = Buffer.concat([from, tail]);
    for (const [at, value] of flips) message[at % message.length] = value;
    return cut === null ? message : message.subarray(0, cut % (message.length + 1));
  });
}

const framed = (message: Buffer) => Buffer.concat([Buffer.of(message.length >> 8, message.length & 255), message]);

test(
  `none of ${tries(10_000)} mutated messages makes the reader of requests throw, and no refusal without a valid signature is longer than its message`,
  () => {
    const kinds = new Set<string>();
    let longest = -Infinity;
    for (const seed of fuzzSeeds(18)) {
      for (const message of mutated(10_000, seed)) {
        const request = readRequest(
          received(message),
          (name) => (name === key.name ? [key] : []),
          () => signedAt,
        );
        kinds.add(request.kind);
        if (request.kind === "refusal") longest = Math.max(longest, request.answer.length - message.length);
      }
    }
    expect(longest).toBeLessThanOrEqual(0);
    expect([...kinds].toSorted()).toEqual(["question", "refusal", "silence", "update"]);
  },
  120_000 * fuzzTimes,
);

test(
  `none of ${tries(4_000)} messages that are signed after the mutation makes the reader of requests throw`,
  () => {
    const kinds = new Set<string>();
    for (const message of fuzzSeeds(22).flatMap((seed) => mutated(4_000, seed))) {
      // A signature needs a header with room for one more record.
      if (message.length < headerOctets || message.readUInt16BE(additionalCount) === 65_535) continue;
      const { message: signed } = signRequest(message, key, signedAt);
      const request = readRequest(
        received(signed),
        (name) => (name === key.name ? [key] : []),
        () => signedAt,
      );
      kinds.add(request.kind === "question" && request.key ? "signed question" : request.kind);
    }
    expect([...kinds]).toEqual(expect.arrayContaining(["signed question", "update", "refusal"]));
  },
  120_000 * fuzzTimes,
);

test("a signature with an unknown key, whose names are pointers to a long one, gets no longer answer", () => {
  const name = Array.from({ length: 4 }, () => "a".repeat(60)).join(".");
  const question = queryMessage(1, name, "SOA");
  // Algorithm, time and fudge, no MAC, original id, no error, no other data.
  const rdata = Buffer.concat([Buffer.of(0xc0, 12), Buffer.alloc(8), u16(0), u16(1), u16(0), u16(0)]);
  const tsig = wireRecord(Buffer.of(0xc0, 12), 250, 255, 0, rdata);
  const message = Buffer.concat([question, tsig]);
  message.writeUInt16BE(1, 10);
  const request = readRequest(
    received(message),
    () => [],
    () => signedAt,
  );
  expect(request.kind === "refusal" && request.answer.length).toBeLessThanOrEqual(message.length);
});

test("a message of several questions and another version of EDNS gets an answer that can be read (RFC 6891 §6.1.3)", () => {
  const query = queryMessage(1, zone, "SOA");
  const message = withOpt(Buffer.concat([query, query.subarray(12)]), 1_232, 0);
  message.writeUInt16BE(2, 4);
  message.writeUInt8(1, message.length - 5);
  const request = readRequest(
    received(message),
    () => [],
    () => signedAt,
  );
  expect(request.kind === "refusal" && readMessage(request.answer).end).toBe(
    request.kind === "refusal" && request.answer.length,
  );
});

/** Fills a message with questions after a first one, whose names all are a pointer. @param pointer where the name at an offset leads */
function questions(first: Buffer, pointer: (offset: number) => number): Buffer {
  const message = Buffer.alloc(65_507);
  let count = 1;
  let end = 12 + first.copy(message, 12) + 4;
  for (; end + 6 <= message.length; count++, end += 6) message.writeUInt16BE(0xc000 | pointer(end), end);
  message.writeUInt16BE(count, 4);
  message.writeUInt16BE(1, 10);
  return message.subarray(0, end);
}

test.each([
  ["to a name of 126 labels", questions(Buffer.from(`${"0101".repeat(126)}00`, "hex"), () => 12)],
  // Each to the one before it, as far as a pointer of 14 bits reaches.
  ["to one another", questions(Buffer.of(0), (offset) => (offset === 17 ? 12 : Math.min(offset - 6, 16_379)))],
])("a message of 64 KiB whose names point %s is refused after each octet was read a few times", (_, message) => {
  let reads = 0;
  const counting = new Proxy(message, {
    get(target, key) {
      if (typeof key === "string" && /^\d+$/.test(key)) reads++;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  const request = readRequest(
    received(counting),
    () => [],
    () => signedAt,
  );
  expect(request.kind).toBe("refusal");
  expect(reads).toBeGreaterThan(message.length / 10);
  expect(reads).toBeLessThan(5 * message.length);
});

/** Returns whether a message gets an answer by TCP, from a service without keys. */
const isAnswered = (message: Buffer) =>
  readRequest(
    received(message),
    () => [],
    () => signedAt,
  ).kind !== "silence";

test(
  `${tries(2_000)} mutated messages by UDP are all read and harm nothing: the zone is transferred as before`,
  async () => {
    const before = await transfer(primary.port, zone);
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    const messages = fuzzSeeds(19).flatMap((seed) => mutated(2_000, seed));
    // What is sent at once fits the buffer of the socket. An answer to the last shows that those before it were read.
    const atOnce = 50;
    for (let from = 0; from < messages.length; from += atOnce) {
      for (const message of messages.slice(from, from + atOnce))
        await new Promise((resolve) => socket.send(message, primary.port, "127.0.0.1", resolve));
      const answer = await ask(primary.port, queryMessage(9, zone, "SOA"));
      expect(answer && readMessage(answer).rcode).toBe(0);
    }
    socket.close();
    expect(await transfer(primary.port, zone)).toEqual(before);
  },
  120_000 * fuzzTimes,
);

test("10,000 mutated messages by TCP are all answered but those that ask for silence, and harm nothing: the zone is transferred as before", async () => {
  const before = await transfer(primary.port, zone);
  const messages = mutated(10_000, 20);
  let answers = 0;
  for (let from = 0; from < messages.length; from += 1_000) {
    const socket = connect(primary.port, "127.0.0.1");
    for (const message of messages.slice(from, from + 1_000)) socket.write(framed(message));
    socket.end();
    answers += messagesIn(Buffer.concat(await socket.toArray()));
  }
  expect(answers).toBe(messages.filter(isAnswered).length);
  expect(await transfer(primary.port, zone)).toEqual(before);
});

/** Counts the messages of a stream. */
function messagesIn(octets: Buffer): number {
  let count = 0;
  for (let at = 0; at < octets.length; at += 2 + octets.readUInt16BE(at)) count++;
  return count;
}
