import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { queryMessage, readMessage, typeQueryMessage } from "../../server/dns/wire/messages.ts";

const patienceMilliseconds = 2_000;

/** From each address, Zonewright answers at most 200 queries for an SOA a second by UDP. */
export const manyAddresses = Array.from({ length: 200 }, (_, index) => `127.0.3.${index + 1}`);

/** Asks name servers on loopback by UDP, many questions at a time, from many addresses in turn. */
export class UdpClient {
  readonly #sockets: readonly Socket[];
  readonly #waiting = new Map<number, (message: Buffer | null) => void>();
  #id = 0;

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
    for (const socket of sockets)
      socket.on("message", (message) => this.#waiting.get(message.readUInt16BE(0))?.(message));
  }

  static async open(from: readonly string[] = ["127.0.0.1"]): Promise<UdpClient> {
    const sockets = from.map((address) => createSocket({ type: "udp4", recvBufferSize: 1 << 20 }).bind(0, address));
    await Promise.all(sockets.map((socket) => once(socket, "listening")));
    return new UdpClient(sockets);
  }

  /** @throws Error if no answer comes */
  async ask(port: number, name: string, type: "A" | "SOA"): Promise<{ rcode: number; answers: number }> {
    this.#id = (this.#id + 1) & 0xffff;
    const id = this.#id;
    const query = type === "SOA" ? queryMessage(id, name, type) : typeQueryMessage(id, name, 1);
    const message = await new Promise<Buffer | null>((resolve) => {
      const timer = setTimeout(() => resolve(null), patienceMilliseconds);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      this.#sockets[id % this.#sockets.length]?.send(query, port, "127.0.0.1");
    });
    this.#waiting.delete(id);
    if (message === null) throw new Error(`${name} ${type} was not answered`);
    const { rcode, answers } = readMessage(message);
    return { rcode, answers: answers.length };
  }

  close(): void {
    for (const socket of this.#sockets) socket.close();
  }
}
