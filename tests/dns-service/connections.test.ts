import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { queryMessage } from "../../server/dns/wire/messages.ts";
import { transfer } from "../support/name-servers/transfer-client.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const zone = "example.com";
let port = 0;
const sockets: Socket[] = [];

beforeAll(async () => {
  [port = 0] = zw.services.dnsService.ports;
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.1" };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Secondaries", config });
  await zw.admin.post("/api/domains", { name: zone, providerConfigId: body.id });
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

async function open(from = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress: from });
  sockets.push(socket);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

const framed = (message: Buffer) => Buffer.concat([Buffer.of(message.length >> 8, message.length & 255), message]);

test("more than a thousand idle connections of strangers leave room for a secondary", async () => {
  for (let index = 0; index < 1_100; index++) await open("127.0.0.9");
  expect((await transfer(port, zone)).rcode).toBe(0);
});

test("a request that arrives octet by octet is answered, and several in one piece are answered in order (RFC 7766 §6.2.1.1)", async () => {
  const socket = await open();
  const ids: number[] = [];
  let pending = Buffer.alloc(0);
  const answered = new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        ids.push(pending.readUInt16BE(2));
        pending = pending.subarray(2 + pending.readUInt16BE(0));
      }
      if (ids.length === 4) resolve();
    });
  });
  for (const octet of framed(queryMessage(1, zone, "SOA"))) socket.write(Buffer.of(octet));
  socket.write(Buffer.concat([2, 3, 4].map((id) => framed(queryMessage(id, zone, "SOA")))));
  await answered;
  expect(ids).toEqual([1, 2, 3, 4]);
});

test("a secondary that closes its side after the request gets the whole answer", async () => {
  const socket = await open();
  socket.end(framed(queryMessage(1, zone, "AXFR")));
  let octets = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) octets += chunk.length;
  expect(octets).toBeGreaterThan(100);
});
