import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { Connections, type ConnectionLimits } from "../../server/dns-service/connections.ts";
import { patience } from "../support/patience.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Serves connections: answers a request of one octet with messages until the connection ends, and others with themselves. */
async function serve(limits: Partial<ConnectionLimits>, onEnd: () => void = () => undefined): Promise<number> {
  const responder = {
    knows: () => Promise.resolve(false),
    async *answer({ octets: message }: { octets: Buffer }) {
      if (message.length > 1) {
        yield message;
        return;
      }
      try {
        for (;;) yield Buffer.alloc(65_535);
      } finally {
        onEnd();
      }
    },
  };
  const connections = new Connections(responder, limits);
  const server = createServer({ allowHalfOpen: true }, (socket) =>
    connections.accept(socket, socket.remoteAddress ?? ""),
  );
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

const request = Buffer.from([0, 1, 0]);

/** Sends a request as another peer, who gets the whole answer. */
async function expectServed(port: number): Promise<void> {
  const socket = await open(port);
  const short = Buffer.from([0, 2, 7, 8]);
  socket.end(short);
  const parts: Buffer[] = [];
  for await (const part of socket as AsyncIterable<Buffer>) parts.push(part);
  expect(Buffer.concat(parts)).toEqual(short);
}

/** Opens a connection that takes one octet of what arrives whenever it is resumed. */
async function openTrickling(port: number): Promise<Socket> {
  const onread = { buffer: Buffer.alloc(1), callback: () => false };
  const socket = connect({ port, host: "127.0.0.1", onread });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

test("a reader that stops reading is cut, and its transfer ends", async () => {
  const ended = Promise.withResolvers<void>();
  const port = await serve({ stalledMilliseconds: 100 }, ended.resolve);
  const socket = await open(port);
  socket.pause();
  socket.write(request);
  await ended.promise;
  // What arrived before is read; then the connection is over.
  socket.resume();
  await once(socket, "close");
  expect(socket.destroyed).toBe(true);
});

test("readers that take an octet now and then are cut, their transfers end, and others are served meanwhile", async () => {
  const ended = Promise.withResolvers<void>();
  let transfers = 20;
  const port = await serve({ stalledMilliseconds: 300 }, () => {
    transfers--;
    if (transfers === 0) ended.resolve();
  });
  const sockets = await Promise.all(Array.from({ length: transfers }, () => openTrickling(port)));
  const trickle = setInterval(() => {
    for (const socket of sockets) socket.resume();
  }, 10);
  for (const socket of sockets) socket.write(request);
  await expectServed(port);
  await ended.promise;
  // On a busy machine, the time limit may end before the second octet is taken.
  await vi.waitFor(() => expect(sockets.filter(({ bytesRead }) => bytesRead < 2)).toEqual([]), patience);
  clearInterval(trickle);
  for (const socket of sockets) socket.destroy();
});

test("a connection whose peer goes away in the middle of a transfer ends the transfer", async () => {
  const ended = Promise.withResolvers<void>();
  let transfers = 1;
  const port = await serve({}, () => {
    transfers--;
    ended.resolve();
  });
  const socket = await open(port);
  socket.write(request);
  await once(socket, "data");
  socket.destroy();
  await ended.promise;
  expect(transfers).toBe(0);
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["half of the length", Buffer.of(0)],
  ["a part of a message", Buffer.of(0, 100, 1, 2, 3)],
])("a connection on which %s arrives is closed after the time limit", async (_, part) => {
  const socket = await open(await serve({ idleMilliseconds: 100 }));
  socket.resume();
  if (part.length > 0) socket.write(part);
  // What was not read before the time limit is answered with a reset.
  await new Promise((resolve) => socket.once("close", resolve));
  expect(socket.destroyed).toBe(true);
});

test("octets that drip do not extend the time limit of a request, and others are served meanwhile", async () => {
  const port = await serve({ idleMilliseconds: 200 });
  const sockets = await Promise.all(Array.from({ length: 20 }, () => open(port)));
  const ended = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve))));
  for (const socket of sockets) {
    socket.resume();
    socket.write(Buffer.of(255, 255));
  }
  // What drips after the end may be answered with a reset.
  const drip = setInterval(() => {
    for (const socket of sockets) socket.write(Buffer.of(0));
  }, 20);
  // A request of somebody else may be late, too, on a busy machine.
  await vi.waitFor(() => expectServed(port), patience);
  await ended;
  clearInterval(drip);
  expect(sockets.map(({ bytesRead }) => bytesRead)).toEqual(sockets.map(() => 0));
});
