import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { StrangerLimit } from "../../server/dns-service/responder.ts";
import { flags, queryMessage, readMessage } from "../../server/dns/wire/messages.ts";
import { askByStream } from "../support/name-servers/transfer-client.ts";
import { patience } from "../support/patience.ts";
import { useZonewright } from "../support/zonewright.ts";
import { usePrimary } from "./primary.ts";

/** A moment that lasts; null: time passes. */
let moment: Date | null = null;
const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" }, now: () => moment ?? new Date() });
const zone = "example.com";
const primary = usePrimary(zw, zone);

test("an address gets no more answers than its limit within a second, and as many in the next one; others have a limit of their own", () => {
  let milliseconds = 5_000;
  const limit = new StrangerLimit({ perSecond: 3, now: () => milliseconds });
  const taken = (address: string) => Array.from({ length: 10 }, () => limit.allows(address)).filter(Boolean).length;
  expect([taken("192.0.2.1"), taken("192.0.2.2")]).toEqual([3, 3]);
  // One network of IPv6 addresses is one.
  expect([taken("2001:db8::1"), taken("2001:db8::2"), taken("2001:db8:0:1::1")]).toEqual([3, 0, 3]);
  milliseconds += 1_000;
  expect(taken("192.0.2.1")).toBe(3);
});

test("an address that may ask gets no more than 200 SOAs a second by UDP; further answers are no longer than the question and lead to TCP", async () => {
  const question = queryMessage(1, zone, "SOA");
  const socket = createSocket({ type: "udp4", recvBufferSize: 1 << 20 });
  const answers: Buffer[] = [];
  socket.on("message", (answer) => answers.push(answer));
  socket.bind(0, "127.0.0.1");
  onTestFinished(() => void socket.close());
  await once(socket, "listening");
  const limited = () => answers.filter((answer) => answer.length <= question.length);
  // However long it takes to send them, all arrive within one second.
  moment = new Date();
  onTestFinished(() => void (moment = null));
  for (let sent = 0; sent < 250; sent++)
    await new Promise((resolve) => socket.send(question, primary.port, "127.0.0.1", resolve));
  await vi.waitFor(() => expect(answers).toHaveLength(250), patience);
  expect(limited()).toHaveLength(50);
  const first = limited().map(readMessage)[0];
  expect(first?.rcode).toBe(0);
  expect((first?.octets.readUInt16BE(2) ?? 0) & flags.truncated).not.toBe(0);
  const byStream = await askByStream(primary.port, question);
  expect(byStream && readMessage(byStream).answers).toHaveLength(1);
});
