import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { Connections } from "../../server/dns-service/connections.ts";
import { queryMessage } from "../../server/dns/wire/messages.ts";
import { signRequest } from "../../server/dns/wire/tsig.ts";
import { patience } from "../support/patience.ts";

const request = Buffer.from([0, 1, 0]);

/** Answers each request without end. */
const endless = {
  knows: () => Promise.resolve(false),
  async *answer() {
    for (;;) yield Buffer.alloc(65_535);
  },
};

/** Serves at most three connections by default. */
async function serve(
  responder: ConstructorParameters<typeof Connections>[0] = endless,
  mostConnections = 3,
): Promise<(from: string) => Promise<Socket>> {
  const connections = new Connections(responder, { mostConnections });
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

const signed = (name: string) => {
  const key = { name, algorithm: "hmac-sha256" as const, secret: Buffer.from("secret") };
  return signRequest(queryMessage(1, "example.com", "SOA"), key, 1).message;
};

test("four messages of one address are answered at a time, more that a key signed, and another address waits for none of them", async () => {
  const release = Promise.withResolvers<void>();
  const begun: string[] = [];
  const open = await serve(
    {
      knows: (keyName) => Promise.resolve(keyName === "known"),
      async *answer({ octets }, address) {
        begun.push(address);
        await release.promise;
        yield octets;
      },
    },
    100,
  );
  const answers: Promise<unknown>[] = [];
  const send = async (from: string, message: Buffer) => {
    const socket = await open(from);
    answers.push(once(socket, "data"));
    socket.write(Buffer.concat([Buffer.of(message.length >> 8, message.length & 255), message]));
  };
  for (let index = 0; index < 10; index++) await send("127.0.0.9", signed("made-up"));
  await vi.waitFor(() => expect(begun).toHaveLength(4), patience);
  for (let index = 0; index < 10; index++) await send("127.0.0.9", signed("known"));
  await send("127.0.0.2", request);
  await vi.waitFor(() => expect(begun).toContain("127.0.0.2"), patience);
  await vi.waitFor(() => expect(begun).toHaveLength(4 + 10 + 1), patience);
  release.resolve();
  await Promise.all(answers);
  expect(begun).toHaveLength(21);
});

test("connections of one address that wait for their turn leave room for another address", async () => {
  const open = await serve(
    {
      knows: () => Promise.resolve(false),
      async *answer(_message, address) {
        if (address === "127.0.0.9") await new Promise(() => undefined);
        yield request;
      },
    },
    7,
  );
  for (let index = 0; index < 7; index++) (await open("127.0.0.9")).write(request);
  await vi.waitFor(async () => {
    const other = await open("127.0.0.2");
    other.write(request);
    const [data] = await Promise.race([once(other, "data"), once(other, "close")]);
    expect(data).toBeInstanceOf(Buffer);
  }, patience);
});
