import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Stands between a client and a name server and counts the messages of the client by their opcode (RFC 1035 §4.1.1). */
export interface MessageCounter {
  readonly port: number;
  count(opcode: number): number;
  /** The maximum number of simultaneous client connections. One that the client has ended is over, even if the server is still to close it. */
  mostConnections(): number;
  stop(): Promise<void>;
}

export async function countMessages(serverPort: number): Promise<MessageCounter> {
  const counts = new Map<number, number>();
  const sockets = new Set<Socket>();
  let open = 0;
  let most = 0;
  const server = createServer((client) => {
    most = Math.max(most, ++open);
    let isOver = false;
    const over = () => {
      if (!isOver) open--;
      isOver = true;
    };
    client.once("end", over).once("close", over);
    const upstream = connect(serverPort, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    let pending = Buffer.alloc(0);
    client.on("data", (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        const opcode = (pending.readUInt8(4) >> 3) & 15;
        counts.set(opcode, (counts.get(opcode) ?? 0) + 1);
        pending = pending.subarray(2 + pending.readUInt16BE(0));
      }
    });
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    mostConnections: () => most,
    count: (opcode) => counts.get(opcode) ?? 0,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
