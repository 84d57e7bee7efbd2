import { beforeAll, describe, expect, test } from "vitest";
import { queryMessage, readMessage } from "../../server/dns/wire/messages.ts";
import { signRequest, type TsigKey } from "../../server/dns/wire/tsig.ts";
import { ask, transfer } from "../support/name-servers/transfer-client.ts";
import { Clock } from "../support/clock.ts";
import { useZonewright } from "../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" }, now: clock.now });
let port = 0;

const keyOf = (name: string): TsigKey => ({ name, algorithm: "hmac-sha256", secret: Buffer.from(`secret of ${name}`) });
const keys = { one: keyOf("one"), two: keyOf("two"), three: keyOf("three"), unknown: keyOf("unknown") };
const asText = ({ name, algorithm, secret }: TsigKey) => `${name}:${algorithm}:${secret.toString("base64")}`;

/** Configurations, each with a zone of its name, and which pairs of address and key may transfer it. */
const configurations: Record<string, { config: Record<string, string>; allowed: readonly string[] }> = {
  "by-address.example": { config: { allowTransfer: "127.0.0.2" }, allowed: ["127.0.0.2 none"] },
  "by-network.example": {
    config: { allowTransfer: "127.0.0.0/30" },
    allowed: ["127.0.0.1 none", "127.0.0.2 none", "127.0.0.3 none"],
  },
  "notified.example": { config: { notify: "127.0.0.3:9" }, allowed: ["127.0.0.3 none"] },
  "by-key.example": {
    config: { tsigKeys: [keys.one, keys.two].map(asText).join(",") },
    allowed: ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"].flatMap((from) => [`${from} one`, `${from} two`]),
  },
  "by-both.example": {
    config: { tsigKeys: asText(keys.two), allowTransfer: "127.0.0.2, 127.0.0.4" },
    allowed: ["127.0.0.2 two", "127.0.0.4 two"],
  },
  "key-and-notify.example": {
    config: { tsigKeys: asText(keys.three), notify: "127.0.0.3:9", allowTransfer: "127.0.0.4" },
    allowed: ["127.0.0.3 three", "127.0.0.4 three"],
  },
  "nobody.example": { config: {}, allowed: [] },
};
const addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"];
const credentials: Record<string, TsigKey | null> = { none: null, ...keys };

beforeAll(async () => {
  [port = 0] = zw.services.dnsService.ports;
  for (const [name, { config }] of Object.entries(configurations)) {
    const fields = { nameServers: "ns1.example.net", contact: "dns@example.net", ...config };
    const made = await zw.admin.post("/api/provider-configs", { kind: "primary", name, config: fields });
    const created = await zw.admin.post("/api/domains", { name, providerConfigId: made.body.id });
    if (created.status !== 201) throw new Error(`Not created: ${JSON.stringify(created.body)}`);
  }
});

const everybody = addresses.flatMap((from) => Object.keys(credentials).map((credential) => `${from} ${credential}`));

test.each(Object.entries(configurations))(
  "%s is transferred to those that its configuration names, and to nobody else",
  async (zone, { allowed }) => {
    const transferred: string[] = [];
    for (const who of everybody) {
      const [from = "", credential = ""] = who.split(" ");
      const { rcode } = await transfer(port, zone, { from, key: credentials[credential] ?? null });
      if (rcode === 0) transferred.push(who);
    }
    expect(transferred).toEqual(everybody.filter((who) => allowed.includes(who)));
  },
);

const soaQuery = () => queryMessage(9, "by-key.example", "SOA");
const seconds = () => Math.floor(clock.now().getTime() / 1_000);
const answerTo = async (message: Buffer) => {
  const answer = await ask(port, message);
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
    for (const offset of [-301, 301]) {
      const answer = await answerTo(signRequest(soaQuery(), keys.one, seconds() + offset).message);
      expect(answer?.rcode).toBe(9);
      expect(answer && tsigOf(answer)).toEqual({ macLength: 32, error: 18 });
    }
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
