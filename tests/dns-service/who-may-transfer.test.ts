import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  incrementalQueryMessage,
  notifyMessage,
  queryMessage,
  readMessage,
  typeQueryMessage,
  type WireMessage,
} from "../../server/dns/wire/messages.ts";
import { types } from "../../server/dns/zone-file/type-names.ts";
import { signRequest, type TsigKey } from "../../server/dns/wire/tsig.ts";
import { ask, askAllByStream, moment as briefly, transfer } from "../support/name-servers/transfer-client.ts";
import { Clock } from "../support/clock.ts";
import { useZonewright } from "../support/zonewright.ts";
import { addresses, asText, everybody, keys, partsOf } from "./everybody.ts";

const clock = new Clock();
/** A moment that lasts; null: the clock runs. */
let moment: Date | null = null;
const now = () => moment ?? clock.now();
const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0,[::1]:0" }, now });
let port = 0;
let portOfIpv6 = 0;
const portFor = (from: string) => (from.includes(":") ? portOfIpv6 : port);

/**
 * Configurations, each with a zone of its name, and which pairs of address and key may transfer it. The addresses that it names may also ask
 * for the SOA without a key.
 */
const configurations: Record<
  string,
  { config: Record<string, string>; allowed: readonly string[]; mayAsk?: readonly string[] }
> = {
  "by-address.example": { config: { allowTransfer: "127.0.0.2" }, allowed: ["127.0.0.2 none"] },
  "by-network.example": {
    config: { allowTransfer: "127.0.0.0/30" },
    allowed: ["127.0.0.1 none", "127.0.0.2 none", "127.0.0.3 none"],
  },
  "by-ipv6.example": { config: { allowTransfer: "::1" }, allowed: ["::1 none"] },
  "by-ipv6-network-and-key.example": {
    config: { tsigKeys: asText(keys.two), allowTransfer: "::/64" },
    allowed: ["::1 two"],
    mayAsk: ["::1 none"],
  },
  "notified.example": { config: { notify: "127.0.0.3:9" }, allowed: ["127.0.0.3 none"] },
  "by-key.example": {
    config: { tsigKeys: asText(keys.one, keys.two) },
    allowed: addresses.flatMap((from) => [`${from} one`, `${from} two`]),
  },
  "by-both.example": {
    config: { tsigKeys: asText(keys.two), allowTransfer: "127.0.0.2, 127.0.0.4" },
    allowed: ["127.0.0.2 two", "127.0.0.4 two"],
    mayAsk: ["127.0.0.2 none", "127.0.0.4 none"],
  },
  "key-and-notify.example": {
    config: { tsigKeys: asText(keys.three), notify: "127.0.0.3:9", allowTransfer: "127.0.0.4" },
    allowed: ["127.0.0.3 three", "127.0.0.4 three"],
    mayAsk: ["127.0.0.3 none", "127.0.0.4 none"],
  },
  "nobody.example": { config: {}, allowed: [] },
};
const catalogOf = (zone: string) => `catalog.${zone}`;

beforeAll(async () => {
  [port = 0, portOfIpv6 = 0] = zw.services.dnsService.ports;
  for (const [name, { config }] of Object.entries(configurations)) {
    const catalogZone = catalogOf(name);
    const fields = { nameServers: "ns1.example.net", contact: "dns@example.net", catalogZone, ...config };
    const made = await zw.admin.post("/api/provider-configs", { kind: "primary", name, config: fields });
    const created = await zw.admin.post("/api/domains", { name, providerConfigId: made.body.id });
    if (created.status !== 201) throw new Error(`Not created: ${JSON.stringify(created.body)}`);
  }
});

/** Returns those of everybody that get an answer without an error. */
async function answered(rcodeFor: (from: string, key: TsigKey | null) => Promise<number | null>): Promise<string[]> {
  const lucky: string[] = [];
  for (const who of everybody) {
    const { from, key } = partsOf(who);
    if ((await rcodeFor(from, key)) === 0) lucky.push(who);
  }
  return lucky;
}

/** Asks by TCP, where no refusal is left out. */
async function answersByStream(messages: readonly Buffer[], from: string, key: TsigKey | null): Promise<WireMessage[]> {
  const sent = messages.map((message) => (key ? signRequest(message, key, seconds()).message : message));
  const answers = await askAllByStream(portFor(from), sent, { from });
  expect(answers).toHaveLength(messages.length);
  return answers.map((answer) => readMessage(answer));
}

/**
 * Asks by UDP, where nobody gets many refusals. All ask at once, because silence takes a while to tell. Those that must get an answer wait
 * for as long as it takes.
 * @returns the RCODEs of the answers by who asked, without refusals
 */
async function answeredByDatagram(message: Buffer, lucky: readonly string[]): Promise<Record<string, number>> {
  const rcodes = everybody.map(async (who): Promise<[string, number | null]> => {
    const { from, key } = partsOf(who);
    const sent = key ? signRequest(message, key, seconds()).message : message;
    const answer = await ask(portFor(from), sent, { from, ...(lucky.includes(who) ? {} : briefly) });
    return [who, answer && readMessage(answer).rcode];
  });
  const others = new Set<number | null>([null, 5, 9]);
  const answers = (await Promise.all(rcodes)).filter(([, rcode]) => !others.has(rcode));
  return Object.fromEntries(answers.map(([who, rcode]) => [who, rcode ?? 0]));
}

const all = (whose: readonly string[], rcode: number) => Object.fromEntries(whose.map((who) => [who, rcode]));

describe.each(Object.entries(configurations))("%s", (zone, { allowed, mayAsk = [] }) => {
  const rights = everybody.filter((who) => allowed.includes(who));

  test.each([
    ["zone, whole (RFC 5936 §5)", zone, null],
    ["zone, by its changes (RFC 1995 §2)", zone, 1],
    ["catalog (RFC 9432 §7)", catalogOf(zone), null],
  ])("its %s, is transferred to those that its configuration names, and to nobody else", async (_, name, since) => {
    const transferred = await answered(
      async (from, key) => (await transfer(portFor(from), name, { from, key, since })).rcode,
    );
    expect(transferred).toEqual(rights);
  });

  test.each([zone, catalogOf(zone)])(
    "the SOA of %s goes to them and to unsigned secondaries, and to nobody else",
    async (name) => {
      const asking = everybody.filter((who) => allowed.includes(who) || mayAsk.includes(who));
      // The ID of each is its type.
      const questions = [
        queryMessage(types.SOA, name, "SOA"),
        ...[1, 2, 255].map((type) => typeQueryMessage(type, name, type)),
      ];
      const lucky: Record<number, string[]> = { [types.SOA]: [], 1: [], 2: [], 255: [] };
      for (const who of everybody) {
        const { from, key } = partsOf(who);
        for (const { id, rcode } of await answersByStream(questions, from, key)) if (rcode === 0) lucky[id]?.push(who);
      }
      expect(lucky).toEqual({ [types.SOA]: asking, 1: [], 2: [], 255: [] });
    },
  );

  test.each([zone, catalogOf(zone)])("of %s by UDP, the same get an answer, and nobody else", async (name) => {
    const asking = everybody.filter((who) => allowed.includes(who) || mayAsk.includes(who));
    expect(await answeredByDatagram(queryMessage(9, name, "SOA"), asking)).toEqual(all(asking, 0));
    // RFC 1995 §2: the SOA alone. RFC 5936 §4.2: whole transfers by UDP are not defined.
    expect(await answeredByDatagram(incrementalQueryMessage(9, name, 1), rights)).toEqual(all(rights, 0));
    expect(await answeredByDatagram(queryMessage(9, name, "AXFR"), rights)).toEqual(all(rights, 1));
  });

  test("a NOTIFY is taken from nobody, because there is no primary to follow (RFC 1996 §3.11)", async () => {
    const notify = notifyMessage(9, zone, { ttl: 60, rdata: Buffer.alloc(22) });
    const before = new Set<number | null>();
    for (const key of [null, keys.one, keys.unknown])
      for (const { rcode } of await answersByStream([notify], "127.0.0.1", key)) before.add(rcode);
    expect(before).toEqual(new Set([4, 9]));
  });
});

const soaQuery = () => queryMessage(9, "by-key.example", "SOA");
const seconds = () => Math.floor(now().getTime() / 1_000);
let asked = 0;
/** Each question comes from another address: refusals to one are limited. */
const answerTo = async (message: Buffer) => {
  const answer = await ask(port, message, { from: `127.0.9.${++asked}` });
  return answer && readMessage(answer);
};
/** The error field of the TSIG that an answer ends with, and how long its MAC is. */
const tsigOf = ({ octets, additionals }: ReturnType<typeof readMessage>) => {
  const record = additionals.at(-1);
  if (record?.type !== 250) return null;
  const macLength = octets.readUInt16BE(record.rdataStart + 13 + 8);
  const after = record.rdataStart + 13 + 10 + macLength;
  return { macLength, error: octets.readUInt16BE(after + 2) };
};

/** A signed request whose MAC has only this many octets. */
const short = (octets: number) => {
  const { message, mac } = signRequest(soaQuery(), keys.one, seconds());
  const at = message.indexOf(mac);
  const cut = Buffer.concat([message.subarray(0, at + octets), message.subarray(at + mac.length)]);
  cut.writeUInt16BE(octets, at - 2);
  // The length of the RDATA, in front of the algorithm's name, time and fudge.
  const rdata = at - 2 - 8 - 13 - 2;
  cut.writeUInt16BE(cut.readUInt16BE(rdata) - (mac.length - octets), rdata);
  return cut;
};

describe("signatures", () => {
  test.each([
    ["an unknown key", keys.unknown, 0, 17],
    ["a wrong secret", { ...keys.one, secret: Buffer.from("wrong") }, 0, 16],
  ])(
    "%s is answered NOTAUTH with an unsigned TSIG that names the error (RFC 8945 §5.2)",
    async (_, key, offset, error) => {
      const answer = await answerTo(signRequest(soaQuery(), key, seconds() + offset).message);
      expect(answer?.rcode).toBe(9);
      expect(answer && tsigOf(answer)).toEqual({ macLength: 0, error });
    },
  );

  test("a signature from another time is answered NOTAUTH with BADTIME, signed (RFC 8945 §5.2.3)", async () => {
    // In the next second, one from the future may have become acceptable.
    moment = clock.now();
    onTestFinished(() => void (moment = null));
    for (const offset of [-3_600, -301, 301, 3_600]) {
      const answer = await answerTo(signRequest(soaQuery(), keys.one, seconds() + offset).message);
      expect(answer?.rcode).toBe(9);
      expect(answer && tsigOf(answer)).toEqual({ macLength: 32, error: 18 });
    }
  });

  test.each([
    ["an unknown key", keys.unknown],
    ["a wrong secret", { ...keys.one, secret: Buffer.from("wrong") }],
  ])(
    "a signature with %s that is also from another time is answered for its key, not its time (RFC 8945 §5.2)",
    async (_, key) => {
      const answer = await answerTo(signRequest(soaQuery(), key, seconds() - 3_600).message);
      expect(answer && tsigOf(answer)?.error).not.toBe(18);
    },
  );

  test("a recorded request that is sent again gets an answer within its fudge only, and never one to another question (RFC 8945 §10)", async () => {
    const { message } = signRequest(soaQuery(), keys.one, seconds());
    const answers = [await answerTo(message), await answerTo(message)];
    expect(answers.map((answer) => answer?.rcode)).toEqual([0, 0]);
    const later = await clock.ahead(302_000, () => answerTo(message));
    expect(later && { rcode: later.rcode, ...tsigOf(later) }).toMatchObject({ rcode: 9, error: 18 });
    const other = Buffer.from(message);
    other.writeUInt16BE(252, 12 + soaQuery().length - 12 - 4);
    expect((await answerTo(other))?.rcode).toBe(9);
  });

  test("a MAC shorter than the hash is answered BADTRUNC, and one shorter than half of it FORMERR (RFC 8945 §5.2.2.1)", async () => {
    const answer = await answerTo(short(16));
    expect(answer && { rcode: answer.rcode, ...tsigOf(answer) }).toEqual({ rcode: 9, macLength: 0, error: 22 });
    expect((await answerTo(short(15)))?.rcode).toBe(1);
  });

  test("a signed request whose question was changed on the way is answered NOTAUTH", async () => {
    const { message } = signRequest(soaQuery(), keys.one, seconds());
    message.write("x", 13);
    expect((await answerTo(message))?.rcode).toBe(9);
  });

  test("a TSIG that is not the last record is answered FORMERR (RFC 8945 §5.1)", async () => {
    const { message } = signRequest(soaQuery(), keys.one, seconds());
    const twice = signRequest(message, keys.one, seconds()).message;
    expect((await answerTo(twice))?.rcode).toBe(1);
  });
});
