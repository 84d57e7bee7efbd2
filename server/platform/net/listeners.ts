import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { createServer, isIP, type AddressInfo, type Server, type Socket } from "node:net";

/** An address of this machine. Port 0: any free one. */
export interface ListenAddress {
  address: string;
  port: number;
}

/** Something that listens until it is closed. */
export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** The receive buffer of UDP sockets, in octets: bursts wait there while the process is busy. */
const receiveBuffer = 1 << 20;

/** Receives datagrams. @param receive must not throw. @throws NodeJS.ErrnoException if the address cannot be used */
export async function listenDatagrams(
  { address, port }: ListenAddress,
  receive: (message: Buffer, from: string, reply: (answer: Buffer) => void) => void,
): Promise<Listener> {
  const socket: DatagramSocket = createSocket({
    type: isIP(address) === 6 ? "udp6" : "udp4",
    recvBufferSize: receiveBuffer,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(port, address, () => {
      socket.off("error", reject);
      resolve();
    });
  });
  let closed = false;
  // An answer that cannot be delivered concerns its receiver only.
  socket.on("error", () => undefined);
  socket.on("message", (message, peer) => {
    receive(message, plainAddress(peer.address), (answer) => {
      if (!closed) socket.send(answer, peer.port, peer.address, () => undefined);
    });
  });
  return {
    port: socket.address().port,
    close: () =>
      new Promise((resolve) => {
        closed = true;
        socket.close(() => resolve());
      }),
  };
}

/** Accepts TCP connections. @param accept gets each with its peer's address. @throws NodeJS.ErrnoException if the address cannot be used */
export async function listenStreams(
  { address, port }: ListenAddress,
  accept: (socket: Socket, from: string) => void,
): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server: Server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    if (socket.remoteAddress === undefined) socket.destroy();
    else accept(socket, plainAddress(socket.remoteAddress));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => {
      server.off("error", reject);
      resolve();
    });
  });
  server.on("error", () => undefined);
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** How many ports to try where any will do. */
const mostTries = 20;

/**
 * Receives datagrams and accepts connections at the same port.
 * @returns the listener of connections, and that of datagrams @throws NodeJS.ErrnoException if the address cannot be used
 */
export async function listenBoth(
  place: ListenAddress,
  accept: Parameters<typeof listenStreams>[1],
  receive: Parameters<typeof listenDatagrams>[1],
): Promise<[Listener, Listener]> {
  for (let tried = 1; ; tried++) {
    const streams = await listenStreams(place, accept);
    try {
      return [streams, await listenDatagrams({ ...place, port: streams.port }, receive)];
    } catch (error) {
      await streams.close();
      // A port that is free for TCP may be taken for UDP.
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (place.port !== 0 || !isTaken || tried === mostTries) throw error;
    }
  }
}

/** Returns an IPv4 address that a dual-stack socket shows as IPv6 in its own form, and any address without its zone. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "").replace(/%.*$/, "");
}
