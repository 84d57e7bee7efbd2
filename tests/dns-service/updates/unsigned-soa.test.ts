import { beforeAll, expect, test } from "vitest";
import { readMessage, typeQueryMessage } from "../../../server/dns/wire/messages.ts";
import { types } from "../../../server/dns/zone-file/type-names.ts";
import { ask, askByStream, linesOf } from "../../support/name-servers/transfer-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { newZone } from "./key-clients.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0", DNS_ANSWER_SOA: "on" } });

beforeAll(async () => {
  const zone = await newZone(zw, "open.example");
  await zone.add({ recordType: "A", name: "www", value: "192.0.2.1" });
  await newZone(zw, "sub.open.example");
});

const asked = async (name: string, type: number = types.SOA) => {
  const [port = 0] = zw.services.dnsService.ports;
  const answer = await askByStream(port, typeQueryMessage(1, name, type));
  if (answer === null) throw new Error("no answer");
  const message = readMessage(answer);
  const owners = message.authorities.map(({ name: owner }) => owner);
  return { rcode: message.rcode, answers: linesOf(message).map((line) => line.split(" ")[0]), owners };
};

test("with DNS_ANSWER_SOA, anyone gets the SOA of the zone that a name is in, and learns of no names in it", async () => {
  expect(await asked("open.example")).toEqual({ rcode: 0, answers: ["open.example"], owners: [] });
  expect(await asked("www.open.example")).toEqual({ rcode: 0, answers: [], owners: ["open.example"] });
  expect(await asked("no.such.open.example")).toEqual({ rcode: 0, answers: [], owners: ["open.example"] });
  expect(await asked("x.sub.open.example")).toEqual({ rcode: 0, answers: [], owners: ["sub.open.example"] });
});

test("with DNS_ANSWER_SOA, a datagram gets a truncated answer whatever its name, so that forged senders cost no query", async () => {
  const [port = 0] = zw.services.dnsService.ports;
  for (const name of ["open.example", "no.such.open.example", "elsewhere.example"]) {
    const answer = await ask(port, typeQueryMessage(1, name, types.SOA));
    const { rcode, truncated, answers, authorities } = readMessage(answer ?? Buffer.alloc(0));
    expect([rcode, truncated, answers, authorities]).toEqual([0, true, [], []]);
  }
});

test("with DNS_ANSWER_SOA, other zones and types stay refused", async () => {
  expect((await asked("elsewhere.example")).rcode).toBe(5);
  expect((await asked("www.open.example", 1)).rcode).toBe(5);
  expect((await asked("open.example", types.ANY)).rcode).toBe(5);
});
