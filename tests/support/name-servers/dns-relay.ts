import { createSocket, type Socket as Datagrams } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** Passes DNS messages between loopback ports, by UDP and TCP, and can stop in the middle of an answer. */
export class DnsRelay {
  readonly #target: number;
  readonly #server: Server;
  readonly #datagrams: Datagrams;
  readonly #open = new Set<Socket>();
  #cut: { left: number; work: () => Promise<unknown>; done: () => void } | null = null;

  private constructor(target: number, server: Server, datagrams: Datagrams) {
    this.#target = target;
    this.#server = server;
    this.#datagrams = datagrams;
    server.on("connection", (client) => this.#pass(client));
    datagrams.on("message", (message, { port }) => this.#exchange(message, port));
  }

  static async start(port: number, target: number): Promise<DnsRelay> {
    const relay = new DnsRelay(target, createServer(), createSocket("udp4"));
    relay.#server.listen(port, "127.0.0.1");
    await once(relay.#server, "listening");
    relay.#datagrams.bind(port, "127.0.0.1");
    await once(relay.#datagrams, "listening");
    return relay;
  }

  /** Passes this many more octets of answers by TCP, does some work, and then breaks off all connections. @returns when that is done */
  cutAfter(octets: number, work: () => Promise<unknown>): Promise<void> {
    return new Promise((done) => {
      this.#cut = { left: octets, work, done };
    });
  }

  stop(): void {
    this.#breakOff();
    this.#server.close();
    this.#datagrams.close();
  }

  #pass(client: Socket): void {
    const upstream = connect(this.#target, "127.0.0.1");
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#open.delete(socket);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on("data", (chunk: Buffer) => {
      if (this.#cut === null) {
        client.write(chunk);
        return;
      }
      client.write(chunk.subarray(0, this.#cut.left));
      this.#cut.left -= chunk.length;
      if (this.#cut.left <= 0) void this.#stopHere(upstream);
    });
  }

  async #stopHere(upstream: Socket): Promise<void> {
    const cut = this.#cut;
    this.#cut = null;
    // What is on its way already must not arrive.
    upstream.removeAllListeners("data").pause();
    await cut?.work();
    this.#breakOff();
    cut?.done();
  }

  #breakOff(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #exchange(message: Buffer, from: number): void {
    const socket = createSocket("udp4");
    const timer = setTimeout(() => socket.close(), 5_000);
    socket.on("error", () => undefined);
    socket.once("message", (answer) => {
      clearTimeout(timer);
      socket.close();
      this.#datagrams.send(answer, from, "127.0.0.1");
    });
    socket.send(message, this.#target, "127.0.0.1");
  }
}
