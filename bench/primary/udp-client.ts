import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { queryMessage, readMessage, typeQueryMessage } from "../../server/dns/wire/messages.ts";

const patienceMilliseconds = 2_000;

/** Asks name servers on loopback by UDP, many questions at a time over one socket. */
export class UdpClient {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (message: Buffer | null) => void>();
  #id = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("message", (message) => this.#waiting.get(message.readUInt16BE(0))?.(message));
  }

  static async open(): Promise<UdpClient> {
    const socket = createSocket({ type: "udp4", recvBufferSize: 1 << 20 });
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return new UdpClient(socket);
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
      this.#socket.send(query, port, "127.0.0.1");
    });
    this.#waiting.delete(id);
    if (message === null) throw new Error(`${name} ${type} was not answered`);
    const { rcode, answers } = readMessage(message);
    return { rcode, answers: answers.length };
  }

  close(): void {
    this.#socket.close();
  }
}
