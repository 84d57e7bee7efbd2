import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { patience } from "../../support/patience.ts";
import { freePorts } from "../../support/programs.ts";
import { failureOf, openDoor } from "./door.ts";

const message = Buffer.from("question");
const waiting = { message, reach: "public" as const, milliseconds: patience.timeout, accepts: () => true };

async function socketAt(address: string): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.bind(0, address);
  await once(socket, "listening");
  onTestFinished(() => {
    socket.close();
  });
  return socket;
}

test("an answer from the address and port that were asked is returned", async () => {
  const server = await socketAt("127.0.0.1");
  server.on("message", (_question, { port, address }) => server.send("answer", port, address));
  const egress = openDoor({}, { allow: ["127.0.0.1"] });
  const answer = await egress.guardedExchange({ ...waiting, host: "127.0.0.1", port: server.address().port });
  expect(answer.toString()).toBe("answer");
});

test("a process that is stalled for longer than it waits still gets the answer", async () => {
  const server = await socketAt("127.0.0.1");
  server.on("message", (_question, { port, address }) => server.send("answer", port, address));
  const egress = openDoor({}, { allow: ["127.0.0.1"] });
  const milliseconds = 200;
  const call = egress.guardedExchange({ ...waiting, milliseconds, host: "127.0.0.1", port: server.address().port });
  const done = new AbortController();
  void call.finally(() => done.abort()).catch(() => undefined);
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (!done.signal.aborted) {
    await new Promise(setImmediate);
    Atomics.wait(never, 0, 0, milliseconds + 50);
  }
  expect((await call).toString()).toBe("answer");
});

test("answers from another port or another address are ignored", async () => {
  const [server, otherPort, otherAddress] = await Promise.all(["127.0.0.1", "127.0.0.1", "127.0.0.2"].map(socketAt));
  server?.on("message", (_question, { port, address }) => {
    otherPort?.send("forged", port, address);
    otherAddress?.send("forged", port, address);
  });
  const egress = openDoor({}, { allow: ["127.0.0.1"] });
  const port = server?.address().port ?? 0;
  const call = egress.guardedExchange({ ...waiting, milliseconds: 200, host: "127.0.0.1", port });
  expect((await failureOf(call)).failure).toBe("timeout");
});

test.for([
  ["127.0.0.1", 53],
  ["10.0.0.1", 53],
  ["169.254.169.254", 53],
  ["::1", 53],
  ["192.0.2.1", 53],
  ["8.8.8.8", 25],
] as const)("nothing is sent to %s port %d without EGRESS_ALLOW", async ([host, port]) => {
  const call = openDoor().guardedExchange({ ...waiting, host, port, ports: [53] });
  expect(await failureOf(call)).toMatchObject({ failure: "refused", sent: false });
});

test("a port without a server is a failed connection", async () => {
  const [port = 0] = await freePorts(1);
  const egress = openDoor({}, { allow: ["127.0.0.0/8"] });
  const call = egress.guardedExchange({ ...waiting, host: "127.0.0.4", port });
  expect((await failureOf(call)).failure).toBe("connect");
});
