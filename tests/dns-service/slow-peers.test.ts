import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { Connections, type ConnectionLimits } from "../../server/dns-service/connections.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Serves connections, and answers each request with messages until the connection ends. */
async function serve(limits: Partial<ConnectionLimits>, onEnd: () => void = () => undefined): Promise<number> {
  const endless = {
    async *answer() {
      try {
        for (;;) yield Buffer.alloc(65_535);
      } finally {
        onEnd();
      }
    },
  };
  const connections = new Connections(endless, limits);
  const server = createServer((socket) => connections.accept(socket, socket.remoteAddress ?? ""));
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
  await once(socket, "close");
  expect(socket.destroyed).toBe(true);
});

test("octets that drip do not extend the time limit of a request", async () => {
  const socket = await open(await serve({ idleMilliseconds: 200 }));
  socket.resume();
  socket.write(Buffer.of(255, 255));
  const drip = setInterval(() => socket.write(Buffer.of(0)), 20);
  // What drips after the end may be answered with a reset.
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(drip);
  expect(socket.bytesRead).toBe(0);
});
