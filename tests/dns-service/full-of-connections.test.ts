import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { Connections } from "../../server/dns-service/connections.ts";
import { patience } from "../support/patience.ts";

const request = Buffer.from([0, 1, 0]);

/** Serves at most three connections, and answers each request without end. */
async function serve(): Promise<(from: string) => Promise<Socket>> {
  const endless = {
    async *answer() {
      for (;;) yield Buffer.alloc(65_535);
    },
  };
  const connections = new Connections(endless, { mostConnections: 3 });
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    connections.accept(socket, socket.remoteAddress ?? "");
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return async (from) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: from });
    socket.on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  };
}

test("connections of one address that do not read their answers leave room for another address", async () => {
  const open = await serve();
  for (let index = 0; index < 3; index++) {
    const socket = await open("127.0.0.9");
    socket.pause();
    socket.write(request);
  }
  // Until the service has noticed that one lags behind, it has no room.
  await vi.waitFor(async () => {
    const other = await open("127.0.0.2");
    other.write(request);
    const [data] = await Promise.race([once(other, "data"), once(other, "close")]);
    expect(data).toBeInstanceOf(Buffer);
  }, patience);
});

test("a transfer is not cut off for a connection of an address that has no fewer", async () => {
  const open = await serve();
  const sockets: Socket[] = [];
  for (const from of ["127.0.0.2", "127.0.0.3", "127.0.0.4"]) {
    const socket = await open(from);
    socket.write(request);
    await once(socket, "data");
    socket.pause();
    sockets.push(socket);
  }
  const more = await open("127.0.0.5");
  await once(more, "close");
  expect(sockets.map(({ destroyed, readyState }) => ({ destroyed, readyState }))).toEqual(
    sockets.map(() => ({ destroyed: false, readyState: "open" })),
  );
});
