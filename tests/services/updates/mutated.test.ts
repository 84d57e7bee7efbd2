import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { array, constantFrom, nat, option, record, sample, tuple, uint8Array } from "fast-check";
import { expect, test, vi } from "vitest";
import { signRequest, type TsigKey } from "../../../server/dns/wire/tsig.ts";
import { newZone } from "../../dns-service/updates/key-clients.ts";
import { fuzzSeeds, fuzzTimes, tries } from "../../support/fuzz-times.ts";
import { prerequisite, update } from "../../support/name-servers/update-client.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const framed = (message: Buffer) => Buffer.concat([Buffer.of(message.length >> 8, message.length & 255), message]);

/**
 * What a signature covers, and the rest in one form: the ID in the header is not signed, and names in a TSIG are in any case (RFC 8945 §4.3.3).
 */
const signedPart = (message: Buffer) => message.toString("latin1", 2).toLowerCase();

/** Messages in which octets were replaced, cut off or appended. One that still is the signed update is left out. */
function mutated(seeds: readonly Buffer[], count: number, seed: number): Buffer[] {
  const mutation = record({
    from: constantFrom(...seeds),
    flips: array(tuple(nat(), nat(255)), { minLength: 1, maxLength: 8 }),
    cut: option(nat(), { freq: 3 }),
    tail: uint8Array({ maxLength: 20 }),
  });
  const valid = new Set(seeds.map(signedPart));
  const messages = sample(mutation, { numRuns: count + 1_000, seed }).map(({ from, flips, cut, tail }) => {
    const message = Buffer.concat([from, tail]);
    for (const [at, value] of flips) message[at % message.length] = value;
    return cut === null ? message : message.subarray(0, cut % (message.length + 1));
  });
  return messages.filter((message) => !valid.has(signedPart(message))).slice(0, count);
}

test(
  `${tries(10_000)} mutated updates, by UDP and TCP, change nothing and stop nothing`,
  async () => {
    const zone = await newZone(zw, "mutated.example");
    await zone.add({ recordType: "A", name: "www", value: "192.0.2.1", ttl: 300 });
    const { client } = zone;
    const sign = (message: Buffer, key: TsigKey = client.key) =>
      signRequest(message, key, Math.floor(Date.now() / 1_000)).message;
    const seeds = [
      sign(client.message([update.deleteName("www"), update.add("x", "A", "192.0.2.2")])),
      sign(client.message([update.add("y", "TXT", "a text")], [prerequisite.rrsetHas("www", "A", "192.0.2.1")])),
      sign(client.message([update.deleteRrset("www", "A")], [prerequisite.nameInUse("www")])),
      client.message([update.deleteName("www")]),
    ];
    const [before, revision] = [await zone.lines(), await zone.revision()];
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    for (const message of fuzzSeeds(21).flatMap((seed) => mutated(seeds, 5_000, seed))) {
      await new Promise((resolve) => socket.send(message, client.port, "127.0.0.1", resolve));
    }
    socket.close();
    const messages = fuzzSeeds(22).flatMap((seed) => mutated(seeds, 5_000, seed));
    for (let from = 0; from < messages.length; from += 1_000) {
      const stream = connect(client.port, "127.0.0.1");
      stream.on("error", () => undefined).resume();
      for (const message of messages.slice(from, from + 1_000)) stream.write(framed(message));
      stream.end();
      await once(stream, "close");
    }
    // A datagram that finds the buffer full is lost, so a client asks again.
    await vi.waitFor(async () => expect(await client.update([])).toBe(0), { timeout: 60_000 });
    expect(await zone.lines()).toEqual(before);
    expect(await zone.revision()).toBe(revision);
  },
  240_000 * fuzzTimes,
);
